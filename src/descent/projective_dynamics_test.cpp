#include "descent/projective_dynamics.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>

#include "descent/laplacian.h"
#include "descent/line_search.h"
#include "descent/minimise.h"
#include "descent/test_problem.h"
#include "supple/error.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;

MaterialSettings material(const std::string& model, double mu) {
  MaterialSettings settings;
  settings.model = model;
  settings.mu = mu;
  settings.min = 0.9;
  settings.max = 1.05;
  return settings;
}

/// Every projection at once: two regions, two layers, springs along the tets' edges, a pin that
/// turns.
Scene scene_of_everything() {
  Scene scene = test::test_scene();
  Body& body = scene.bodies[0];
  body.material = material("arap", 4e4);
  body.regions[0].material = material("strain_limit", 6e4);
  body.layers = {material("volume", 5e4), material("strain_limit", 3e4)};
  for (std::size_t t = 0; t < body.mesh.tets.size(); t += 3) {
    const auto& tet = body.mesh.tets[t];
    body.springs.push_back({tet[0], tet[1], 2e3, 0.3});
  }
  body.pins[0].motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, 300};
  return scene;
}

/// Scattered positions, with many tets inverted.
VectorField scrambled(const Model& model) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  VectorField x(static_cast<std::size_t>(model.num_vertices));
  for (PaddedVector& position : x) {
    for (int k = 0; k < 3; ++k) position[k] = uniform(generator);
  }
  return x;
}

double largest_difference(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 4; ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  }
  return largest;
}

TEST(ProjectiveDynamics, IsQuasiNewtonWithWholeSteps) {
  const Scene scene = scene_of_everything();
  Problem local_global(scene), quasi_newton(scene);
  ProjectiveDynamics projective(local_global.model, 1 / (h * h));
  Laplacian laplacian(quasi_newton.model, 1 / (h * h), Precision::full);
  SolverSettings settings;
  settings.iterations = 50;
  settings.line_search.type = LineSearchType::none;
  const auto iterates_of = [&](Problem& problem, Direction& direction) {
    std::vector<VectorField> iterates;
    VectorField z = scrambled(problem.model);
    Minimiser(problem.model.num_vertices)
        .run(problem.objective, direction, settings, z,
             {.visit = [&](int, const Iterate& at, double) { iterates.push_back(at.x); }});
    return iterates;
  };
  const auto a = iterates_of(local_global, projective);
  const auto b = iterates_of(quasi_newton, laplacian);
  ASSERT_EQ(a.size(), 51u);
  ASSERT_EQ(b.size(), 51u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Positions are about 1 m and the condition of M/h^2 + L is 1e2 or so. Projections of inverted
    // elements amplify rounding from one iterate to the next.
    EXPECT_LT(largest_difference(a[i], b[i]), 1e-11) << "iterate " << i;
  }
  EXPECT_GT(largest_difference(a[50], a[0]), 0.1);
}

TEST(ProjectiveDynamics, NoStepIncreasesTheObjective) {
  Scene scene = scene_of_everything();
  scene.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 8e4}};
  Problem problem(scene);
  ProjectiveDynamics direction(problem.model, 1 / (h * h));
  EXPECT_EQ(direction.step_rule(), StepRule::whole);
  SolverSettings settings;
  settings.iterations = 300;
  VectorField z = scrambled(problem.model);
  double last = HUGE_VAL, first_norm = 0, last_norm = 0;
  int decreases = 0;
  Minimiser(problem.model.num_vertices)
      .run(problem.objective, direction, settings, z,
           {.visit = [&](int k, const Iterate& at, double norm) {
             // The rounding of a sum of a few hundred terms.
             EXPECT_LE(at.value, last + 1e-14 * std::abs(last)) << "iterate " << k;
             decreases += at.value < last ? 1 : 0;
             last = at.value;
             if (k == 0) first_norm = norm;
             last_norm = norm;
           }});
  EXPECT_GT(decreases, 50);
  EXPECT_LT(last_norm, 1e-3 * first_norm);
}

/// A of thesis eq. 6.7 as a dense matrix, with fibers.
Eigen::MatrixXd dense_matrix(const Model& model, const Vec3& direction, double kappa) {
  const auto n = static_cast<Eigen::Index>(model.num_vertices);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) A(i, i) = model.mass[static_cast<std::size_t>(i)] / (h * h);
  const Eigen::Vector3d d = Eigen::Vector3d(direction[0], direction[1], direction[2]).normalized();
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    Eigen::Matrix3d Dm;
    const auto at = [&](std::size_t c) {
      const Vec3& r = model.rest[static_cast<std::size_t>(model.tets[t][c])];
      return Eigen::Vector3d(r[0], r[1], r[2]);
    };
    for (int c = 0; c < 3; ++c) Dm.col(c) = at(static_cast<std::size_t>(c) + 1) - at(0);
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = Dm.inverse();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    const Eigen::Matrix3d weight =
        model.stiffness[t] * Eigen::Matrix3d::Identity() + kappa * d * d.transpose();
    const Eigen::Matrix4d L = Dm.determinant() / 6 * G * weight * G.transpose();
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        A(model.tets[t][a], model.tets[t][b]) +=
            L(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      }
    }
  }
  for (const SpringSet::Spring& s : model.springs.springs) {
    A(s.a, s.a) += s.stiffness;
    A(s.b, s.b) += s.stiffness;
    A(s.a, s.b) -= s.stiffness;
    A(s.b, s.a) -= s.stiffness;
  }
  for (const PinnedVertex& pin : model.pins.pins) A(pin.vertex, pin.vertex) += pin.stiffness;
  return A;
}

/// |A p + grad g| / |grad g| at a deformed shape.
double residual(Problem& problem, const Eigen::MatrixXd& A) {
  ProjectiveDynamics direction(problem.model, 1 / (h * h));
  direction.begin_step(problem.objective);
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size());
  double value = problem.objective.value_and_gradient(x, gradient);
  EXPECT_TRUE(direction.compute(problem.objective, {x, gradient, value}, p));
  double residual = 0, scale = 0;
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd pk(A.rows()), gk(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      pk(i) = p[static_cast<std::size_t>(i)][k];
      gk(i) = gradient[static_cast<std::size_t>(i)][k];
    }
    residual = std::hypot(residual, (A * pk + gk).norm());
    scale = std::hypot(scale, gk.norm());
  }
  return residual / scale;
}

TEST(ProjectiveDynamics, TheGlobalStepSolvesTheMatrixOfTheThesis) {
  for (const double kappa : {0.0, 8e4}) {
    Scene scene = scene_of_everything();
    const Vec3 direction{1, 2, 2};
    if (kappa > 0) scene.bodies[0].fibers = {FiberSettings{direction, kappa}};
    Problem problem(scene);
    // If x' - x cancels, the rounding of x' remains: 1e-16 of 1e5 N/m against forces of 1e3 N.
    EXPECT_LT(residual(problem, dense_matrix(problem.model, direction, kappa)), 1e-11);
  }
}

/// The body with a plane through its middle.
struct ContactProblem {
  explicit ContactProblem(double friction)
      : threads(1),
        model(build_model(scene_of_everything())),
        contact(make_colliders(), friction, all_vertices(model)),
        objective(model, &contact, threads),
        y(deformed(model, 0.05, 7)),
        x_start(deformed(model, 0.05, 8)) {
    objective.begin_step(
        {.y = y, .inverse_a2 = 1 / (h * h), .x_start = x_start, .time = h, .h = h});
  }
  static std::vector<ColliderObject> make_colliders() {
    const Collider ground{"ground", PlaneShape{{0, 1, 0}, 0}, {}};
    std::vector<ColliderObject> colliders;
    colliders.emplace_back(ground, "/colliders/0");
    return colliders;
  }
  static std::vector<ContactVertex> all_vertices(const Model& model) {
    std::vector<ContactVertex> vertices;
    for (int i = 0; i < model.num_vertices; ++i)
      vertices.push_back({.vertex = i, .stiffness = 1e4});
    return vertices;
  }
  Threads threads;
  Model model;
  ContactEnergy contact;
  Objective objective;
  VectorField y, x_start;
};

TEST(ProjectiveDynamics, ContactsPushFromTheRightHandSide) {
  for (const double friction : {0.0, 0.5}) {
    ContactProblem problem(friction);
    ProjectiveDynamics projective(problem.model, 1 / (h * h));
    Laplacian laplacian(problem.model, 1 / (h * h), Precision::full);
    projective.begin_step(problem.objective);
    EXPECT_EQ(projective.step_rule(), StepRule::decrease);
    const VectorField x = deformed(problem.model, 0.1);
    VectorField gradient(x.size()), p(x.size()), q(x.size());
    double value = problem.objective.value_and_gradient(x, gradient);
    ASSERT_GT(problem.contact.contacts().size(), 5u);
    projective.compute(problem.objective, {x, gradient, value}, p);
    laplacian.compute(problem.objective, {x, gradient, value}, q);
    EXPECT_LT(largest_difference(p, q), 1e-12);  // rounding of positions and of the solve
  }
}

TEST(ProjectiveDynamics, DescendsToAnEquilibriumWithContacts) {
  ContactProblem problem(0);
  ProjectiveDynamics projective(problem.model, 1 / (h * h));
  SolverSettings settings;
  settings.iterations = 300;
  VectorField z = problem.y;
  double last = HUGE_VAL, first_norm = 0, last_norm = 0;
  Minimiser(problem.model.num_vertices)
      .run(problem.objective, projective, settings, z,
           {.visit = [&](int k, const Iterate& at, double norm) {
             // The search allows four roundings of the value and of the stiffnesses behind it.
             const double rounding = 1e-15 * (std::abs(last) + problem.objective.energy_scale());
             EXPECT_LE(at.value, last + rounding) << "iterate " << k;
             last = at.value;
             if (k == 0) first_norm = norm;
             last_norm = norm;
           }});
  EXPECT_GT(problem.contact.contacts().size(), 5u);
  EXPECT_LT(last_norm, 1e-3 * first_norm);
}

TEST(ProjectiveDynamics, AnyThreadCountGivesTheSameBits) {
  Scene scene = scene_of_everything();
  scene.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 8e4}};
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {10, 10, 10}});
  std::vector<VectorField> directions;
  for (int count : {1, 2, 4}) {
    Problem problem(scene, count);
    ProjectiveDynamics direction(problem.model, 1 / (h * h));
    const VectorField x = deformed(problem.model, 0.1);
    VectorField gradient(x.size()), p(x.size());
    direction.compute(problem.objective, {x, gradient, 0}, p);
    directions.push_back(p);
    ASSERT_EQ(std::memcmp(directions[0].data(), p.data(), p.size() * sizeof(PaddedVector)), 0);
  }
}

TEST(ProjectiveDynamics, AVertexThatNothingUsesStaysWhereItIs) {
  Scene scene = scene_of_everything();
  scene.bodies[0].mesh.vertices.push_back({3, 4, 5});
  Problem problem(scene);
  ProjectiveDynamics direction(problem.model, 1 / (h * h));
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size());
  ASSERT_TRUE(direction.compute(problem.objective, {x, gradient, 0}, p));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(p.back()[k], 0);
}

TEST(ProjectiveDynamics, RefusesMaterialsWithoutAProjectionAndNamesThoseThatHaveOne) {
  for (bool as_layer : {false, true}) {
    Scene scene = scene_of_everything();
    MaterialSettings neo_hookean = material("neo_hookean", 1e4);
    if (as_layer) {
      scene.bodies[0].layers.push_back(neo_hookean);
    } else {
      scene.bodies[0].regions[0].material = neo_hookean;
    }
    const Model model = build_model(scene);
    try {
      ProjectiveDynamics direction(model, 1 / (h * h));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), "/solver/method");
      for (const char* name :
           {"neo_hookean", "arap, strain_limit, volume", "springs", "quasi_newton"}) {
        EXPECT_NE(error.message().find(name), std::string::npos) << error.message();
      }
    }
  }
}

TEST(Layers, OfOneModelAreItsStiffnessAddedUp) {
  Scene layered = test::test_scene();
  layered.bodies[0].regions.clear();
  Scene plain = layered;
  layered.bodies[0].material = material("arap", 1e4);
  layered.bodies[0].layers = {material("arap", 5e3), material("arap", 2e4)};
  plain.bodies[0].material = material("arap", 3.5e4);
  Problem a(layered), b(plain);
  const VectorField x = scrambled(a.model);
  VectorField gradient_a(x.size()), gradient_b(x.size());
  const double value_a = a.objective.value_and_gradient(x, gradient_a);
  const double value_b = b.objective.value_and_gradient(x, gradient_b);
  EXPECT_NEAR(value_a, value_b, 1e-13 * value_b);
  double scale = 0;
  for (const PaddedVector& g : gradient_b) scale = std::max(scale, std::abs(g[0]));
  EXPECT_LT(largest_difference(gradient_a, gradient_b), 1e-13 * scale);
}

}  // namespace
}  // namespace supple
