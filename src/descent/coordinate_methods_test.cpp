#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>

#include "descent/chebyshev.h"
#include "descent/coordinates.h"
#include "descent/gauss_seidel.h"
#include "descent/jacobi.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "descent/test_problem.h"
#include "descent/vertex_block_descent.h"
#include "elements/vertex_adjacency.h"
#include "materials/spline.h"

/// Jacobi, Gauss-Seidel and vertex block descent, plain and accelerated, against Newton and against
/// dense matrices.
namespace supple {
namespace {

using test::deformed;
using test::h;
using test::test_scene;

using Make = std::function<std::unique_ptr<Direction>(const Model&, double inverse_a2)>;

struct Method {
  std::string name;
  Make make;
  bool turns_with_the_scene = true;  ///< by any angle
};

template <class Inner, class... Settings>
Make plain(Settings... settings) {
  return [=](const Model& model, double inverse_a2) -> std::unique_ptr<Direction> {
    return std::make_unique<Inner>(model, settings..., inverse_a2);
  };
}
template <class Inner, class... Settings>
Make accelerated(Settings... settings) {
  return [=](const Model& model, double inverse_a2) -> std::unique_ptr<Direction> {
    return std::make_unique<Chebyshev>(model,
                                       std::make_unique<Inner>(model, settings..., inverse_a2), 10);
  };
}

const std::vector<Method>& methods() {
  static const std::vector<Method> list = {
      {"jacobi", plain<Jacobi>(10), false},
      {"jacobi, chebyshev", accelerated<Jacobi>(10), false},
      {"gauss_seidel", plain<GaussSeidel>(1)},
      {"gauss_seidel, chebyshev", accelerated<GaussSeidel>(10)},
      {"vertex_block_descent", plain<VertexBlockDescent>()},
      {"vertex_block_descent, chebyshev", accelerated<VertexBlockDescent>()},
      // In doubles: a turn by any angle changes the last digits of what is solved in floats.
      {"chebyshev",
       [](const Model& model, double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<Chebyshev>(
             model, std::make_unique<Laplacian>(model, inverse_a2, Precision::full), 10);
       }},
  };
  return list;
}

/// A step of h from a deformed shape, with whatever the scene has.
struct Step {
  explicit Step(const Scene& scene, int num_threads = 1, double inverse_a2_ = 1 / (h * h))
      : threads(num_threads), model(build_model(scene)), inverse_a2(inverse_a2_) {
    if (!scene.colliders.empty()) {
      std::vector<ColliderObject> colliders;
      for (const Collider& collider : scene.colliders) colliders.emplace_back(collider, "");
      std::vector<ContactVertex> vertices;
      for (int i = 0; i < model.num_vertices; ++i) {
        vertices.push_back({.vertex = i, .stiffness = scene.contact.stiffness});
      }
      contact = std::make_unique<ContactEnergy>(std::move(colliders), scene.contact.friction,
                                                std::move(vertices));
    }
    objective = std::make_unique<Objective>(model, contact.get(), threads);
    start = deformed(model, 0.03, 7);
    y = start;
    begin();
  }
  void begin() {
    objective->begin_step(
        {.y = y, .inverse_a2 = inverse_a2, .x_start = start, .time = h, .h = h, .weight = weight});
  }
  MinimiseReport run(Direction& direction, int iterations, VectorField& z,
                     const MinimiseOptions& options = {}) {
    Minimiser minimiser(model.num_vertices);
    SolverSettings settings;
    settings.iterations = iterations;
    settings.tolerance = 1e-9;
    return minimiser.run(*objective, direction, settings, z, options);
  }
  VectorField minimum() {
    Newton newton(model);
    VectorField z = y;
    run(newton, 200, z);
    return z;
  }

  Threads threads;
  Model model;
  double inverse_a2;
  std::unique_ptr<ContactEnergy> contact;
  std::unique_ptr<Objective> objective;
  VectorField start, y;
  Vec3 weight{0, 0, 0};
};

double largest_distance(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest =
        std::max(largest, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]));
  }
  return largest;
}

const char* const material_names[] = {
    "corotated",          "arap",          "stvk",       "neo_hookean",
    "stable_neo_hookean", "mooney_rivlin", "polynomial", "spline",
    "valanis_landel",     "strain_limit",  "volume"};
/// All materials but OwnModel.
static_assert(std::size(material_names) == std::variant_size_v<MaterialModel> - 1);

MaterialSettings material(const std::string& name) {
  const double mu = 4e4, lambda = 6e4;
  MaterialSettings settings;
  if (name == "spline") return spline_preset('A', mu, lambda);
  settings.model = name;
  settings.mu = name == "polynomial" ? 20 * mu : mu;
  settings.lambda = lambda;
  settings.min = 0.97;
  settings.max = 1.03;
  settings.c1 = 0.4 * mu;
  settings.c2 = 0.1 * mu;
  settings.bulk = lambda;
  if (name == "valanis_landel") {
    settings.a = {[=](double s) { return mu * (s - 1) * (s - 1); },
                  [=](double s) { return 2 * mu * (s - 1); }, [=](double) { return 2 * mu; }};
    settings.c = {[=](double J) { return 0.5 * lambda * (J - 1) * (J - 1); },
                  [=](double J) { return lambda * (J - 1); }, [=](double) { return lambda; }};
  }
  return settings;
}

/// Everything at once: two materials, layers, fibers, springs, pins and, if asked, a floor.
Scene full_scene(bool with_contacts) {
  Scene scene = test_scene(true);
  Body& body = scene.bodies[0];
  body.layers.push_back(material("arap"));
  body.layers.push_back(material("volume"));
  const int last = static_cast<int>(body.mesh.vertices.size()) - 1;
  for (int i = 0; i < 12; ++i) body.springs.push_back({i, last - i, 2e3, 0.3 + 0.05 * i});
  if (with_contacts) {
    // Through the middle of the body, so that half of the vertices touch it.
    scene.colliders.push_back({"floor", PlaneShape{{0, 1, 0}, -0.2}, {}});
    scene.contact.stiffness = 2e4;
    scene.contact.friction = 0.3;
  }
  return scene;
}

TEST(CoordinateMethods, ReachNewtonsMinimumWithEveryMaterial) {
  for (const char* name : material_names) {
    Scene scene = test_scene();
    scene.bodies[0].regions.clear();
    scene.bodies[0].material = material(name);
    Step step(scene);
    const VectorField expected = step.minimum();
    for (const Method& method : methods()) {
      const auto direction = method.make(step.model, step.inverse_a2);
      VectorField z = step.y;
      const MinimiseReport report = step.run(*direction, 2000, z);
      EXPECT_LT(largest_distance(z, expected), 1e-6)
          << name << ", " << method.name << ", " << report.iterations << " iterations";
    }
  }
}

TEST(CoordinateMethods, ReachNewtonsMinimumWithSpringsLayersFibersAndWeight) {
  for (const double inverse_a2 : {1 / (h * h), 0.0}) {
    Step step(full_scene(false), 1, inverse_a2);
    step.weight = {0, -9.81, 3};
    step.begin();
    const VectorField expected = step.minimum();
    for (const Method& method : methods()) {
      const auto direction = method.make(step.model, step.inverse_a2);
      VectorField z = step.y;
      const MinimiseReport report = step.run(*direction, 5000, z);
      // Without inertia, the softest modes feel a hundredth of the stiffness. A descent that ends
      // where g cannot tell steps apart is then further off by the root of that.
      EXPECT_LT(largest_distance(z, expected), inverse_a2 > 0 ? 1e-6 : 5e-6)
          << method.name << ", " << report.iterations << " iterations";
    }
  }
}

TEST(CoordinateMethods, ReachNewtonsMinimumInContact) {
  for (const double friction : {0.0, 0.3}) {
    Scene scene = full_scene(true);
    scene.contact.friction = friction;
    Step step(scene);
    const VectorField expected = step.minimum();
    ASSERT_GT(step.contact->contacts().size(), 5u);
    for (const Method& method : methods()) {
      const auto direction = method.make(step.model, step.inverse_a2);
      VectorField z = step.y;
      step.begin();
      const MinimiseReport report = step.run(*direction, 3000, z);
      // With friction, too, contacts are one convex function. M/a^2 + L knows nothing of them, and
      // creeps where they stick: there they are a thousand times stiffer than the body.
      const bool creeps = friction > 0 && method.name == "chebyshev";
      EXPECT_LT(largest_distance(z, expected), creeps ? 2e-3 : 1e-6)
          << method.name << ", " << report.iterations << " iterations";
    }
  }
}

TEST(CoordinateMethods, LowerTheObjectiveInEveryIteration) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Step step(full_scene(false));
    // So far off that elements are inverted.
    const VectorField far = deformed(step.model, 0.3, seed);
    for (const Method& method : methods()) {
      const auto direction = method.make(step.model, step.inverse_a2);
      double last = std::numeric_limits<double>::infinity(), first = 0;
      const auto visit = [&](int k, const Iterate& at, double) {
        // The rounding of g that the line search forgives.
        EXPECT_LE(at.value, last + 1e-14 * (std::abs(at.value) + step.objective->energy_scale()))
            << method.name << ", " << k;
        if (k == 0) first = at.value;
        last = at.value;
      };
      VectorField z = far;
      step.run(*direction, 60, z, {.visit = visit});
      EXPECT_LT(last, 0.2 * first) << method.name;
    }
  }
}

TEST(CoordinateMethods, GiveTheSameBitsOnAnyNumberOfThreads) {
  Scene scene = full_scene(true);
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {8, 7, 7}});
  for (const Method& method : methods()) {
    VectorField first;
    for (const int count : {1, 2, 3}) {
      Step step(scene, count);
      const auto direction = method.make(step.model, step.inverse_a2);
      VectorField z = step.y;
      step.run(*direction, 12, z);
      if (first.empty()) first = z;
      ASSERT_EQ(std::memcmp(first.data(), z.data(), z.size() * sizeof(z[0])), 0) << method.name;
    }
  }
}

/// The field turned about z.
VectorField turned(const VectorField& x, double degrees) {
  const double c = degrees == 90 ? 0 : std::cos(degrees * M_PI / 180);
  const double s = degrees == 90 ? 1 : std::sin(degrees * M_PI / 180);
  VectorField out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = {{c * x[i][0] - s * x[i][1], s * x[i][0] + c * x[i][1], x[i][2], 0}};
  }
  return out;
}

TEST(CoordinateMethods, TurnWithTheScene) {
  for (const double degrees : {90.0, 30.0}) {
    for (const Method& method : methods()) {
      Scene scene = full_scene(false);
      scene.bodies[0].pins.clear();
      Step step(scene), other(scene);
      other.y = other.start = turned(step.y, degrees);
      other.begin();
      VectorField a = step.y, b = other.y;
      const auto first = method.make(step.model, step.inverse_a2);
      const auto second = method.make(step.model, step.inverse_a2);
      step.run(*first, 15, a);
      other.run(*second, 15, b);
      const double distance = largest_distance(turned(a, degrees), b);
      if (degrees == 90 || method.turns_with_the_scene) {
        // Rounding of positions of 1 m, through fifteen iterations.
        EXPECT_LT(distance, 1e-12) << method.name << ", " << degrees;
      } else {
        EXPECT_GT(distance, 1e-6) << method.name << ", " << degrees;
      }
    }
  }
}

/// The projected or exact Hessian, vertices in the model's order.
Eigen::MatrixXd dense_hessian(Step& step, const VectorField& x, NegativeEigenvalues mode) {
  const Adjacency adjacency = vertex_adjacency(step.model);
  std::vector<int> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  HessianAssembly assembly(step.model, order, adjacency);
  assembly.assemble(*step.objective, x, mode);
  const Eigen::MatrixXd lower = assembly.lower();
  return lower.selfadjointView<Eigen::Lower>();
}

/// g and its gradient at a deformed shape, at which the contacts have been found.
struct At {
  explicit At(Step& step, double amount)
      : x(deformed(step.model, amount, 5)), gradient(x.size()), p(x.size()) {
    value = step.objective->value_and_gradient(x, gradient);
  }
  Iterate iterate() const { return {x, gradient, value}; }
  VectorField x, gradient, p;
  double value = 0;
};

TEST(Jacobi, DividesByTheDiagonalOfTheHessian) {
  for (const double amount : {0.05, 0.4}) {
    Step step(full_scene(true));
    At at(step, amount);
    ASSERT_FALSE(step.contact->contacts().empty());
    Jacobi jacobi(step.model, 10, step.inverse_a2);
    jacobi.begin_step(*step.objective);
    ASSERT_TRUE(jacobi.compute(*step.objective, at.iterate(), at.p));
    const Eigen::MatrixXd H = dense_hessian(step, at.x, NegativeEigenvalues::clamp);
    for (std::size_t i = 0; i < at.x.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto row = 3 * static_cast<Eigen::Index>(i) + k;
        // The same sums in another order.
        EXPECT_NEAR(jacobi.diagonal()[i][k], H(row, row), 1e-12 * H(row, row));
        EXPECT_NEAR(at.p[i][k], -at.gradient[i][k] / H(row, row), 1e-12 * std::abs(at.p[i][k]));
      }
    }
  }
}

TEST(Jacobi, ComputesTheDiagonalOnlyEveryFewIterations) {
  Step step(full_scene(false));
  At at(step, 0.05), other(step, 0.2);
  Jacobi jacobi(step.model, 3, step.inverse_a2);
  jacobi.begin_step(*step.objective);
  jacobi.compute(*step.objective, at.iterate(), at.p);
  const double first = jacobi.diagonal()[7][1];
  for (const bool changes : {false, false, true}) {
    jacobi.compute(*step.objective, other.iterate(), other.p);
    EXPECT_EQ(jacobi.diagonal()[7][1] != first, changes);
  }
}

TEST(GaussSeidel, IsOneSweepOverTheLowerTriangle) {
  for (const double amount : {0.05, 0.4}) {
    Step step(full_scene(true));
    At at(step, amount);
    GaussSeidel sweep(step.model, 1, step.inverse_a2);
    sweep.begin_step(*step.objective);
    ASSERT_TRUE(sweep.compute(*step.objective, at.iterate(), at.p));
    const Eigen::MatrixXd H = dense_hessian(step, at.x, NegativeEigenvalues::clamp);
    // (D + L) p = -grad g, vertex after vertex in the order of the colours.
    std::vector<int> place(at.x.size());
    for (std::size_t k = 0; k < place.size(); ++k) {
      place[static_cast<std::size_t>(sweep.sweep_order()[k])] = static_cast<int>(k);
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        double sum = at.gradient[i][k], size = std::abs(sum);
        for (std::size_t j = 0; j < at.x.size(); ++j) {
          if (place[j] > place[i]) continue;
          for (int l = 0; l < 3; ++l) {
            const double term =
                H(3 * static_cast<Eigen::Index>(i) + k, 3 * static_cast<Eigen::Index>(j) + l) *
                at.p[j][l];
            sum += term;
            size += std::abs(term);
          }
        }
        EXPECT_NEAR(sum, 0, 1e-12 * size);
      }
    }
    EXPECT_LT(step.objective->algebra().dot(at.gradient, at.p), 0);
  }
}

TEST(VertexBlockDescent, TakesANewtonStepOfEachVertexInTurn) {
  for (const bool with_contacts : {false, true}) {
    Step step(full_scene(with_contacts));
    step.weight = {1, -9.81, 2};
    step.begin();
    At at(step, 0.03);
    VertexBlockDescent sweep(step.model, step.inverse_a2);
    sweep.begin_step(*step.objective);
    ASSERT_TRUE(sweep.compute(*step.objective, at.iterate(), at.p));
    VectorField z = at.x, gradient(z.size());
    double value = step.objective->value_and_gradient(z, gradient), longest = 0;
    for (const int vertex : sweep.sweep_order()) {
      const auto v = static_cast<std::size_t>(vertex);
      const Eigen::Matrix3d H =
          dense_hessian(step, z, NegativeEigenvalues::keep).block<3, 3>(3 * vertex, 3 * vertex);
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(H);
      const Eigen::Vector3d g(gradient[v][0], gradient[v][1], gradient[v][2]);
      const Eigen::Vector3d d = -eigen.eigenvectors() *
                                eigen.eigenvalues().cwiseAbs().cwiseInverse().asDiagonal() *
                                eigen.eigenvectors().transpose() * g;
      for (int k = 0; k < 3; ++k) {
        // A step of a millimetre; gradients and Hessians are summed in another order.
        EXPECT_NEAR(at.p[v][k], d[k], 1e-11);
        z[v][k] += d[k];
      }
      longest = std::max(longest, d.norm());
      const double next = step.objective->value_and_gradient(z, gradient);
      EXPECT_LE(next, value * (1 + 1e-14));
      value = next;
    }
    EXPECT_GT(longest, 1e-3);
  }
}

TEST(VertexBlockDescent, ASweepNeverRaisesTheObjective) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Step step(full_scene(seed % 2 == 0));
    At at(step, 0.02);
    at.x = deformed(step.model, 0.5, seed);
    at.value = step.objective->value_and_gradient(at.x, at.gradient);
    VertexBlockDescent sweep(step.model, step.inverse_a2);
    sweep.begin_step(*step.objective);
    ASSERT_TRUE(sweep.compute(*step.objective, at.iterate(), at.p));
    VectorField z = at.x;
    step.objective->algebra().add(1, at.p, z);
    const double value = step.objective->value_and_gradient(z, at.gradient);
    EXPECT_LT(value, 0.9 * at.value);
  }
}

/// A body that a wall of many small hills is about to meet: each sweep pushes other vertices in.
TEST(VertexBlockDescent, ASweepNeverRaisesTheObjectiveWhereVerticesBeginToTouch) {
  for (const double friction : {0.0, 0.5}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      Scene scene = full_scene(true);
      scene.colliders.clear();
      for (int i = 0; i < 5; ++i) {
        scene.colliders.push_back({"hill", SphereShape{{-0.8 + 0.4 * i, -0.5, 0.1}, 0.35}, {}});
      }
      scene.contact.friction = friction;
      scene.contact.stiffness = 1e6;
      Step step(scene);
      At at(step, 0.02);
      at.x = deformed(step.model, 0.1, seed);
      at.value = step.objective->value_and_gradient(at.x, at.gradient);
      VertexBlockDescent sweep(step.model, step.inverse_a2);
      sweep.begin_step(*step.objective);
      for (int k = 0; k < 8; ++k) {
        ASSERT_TRUE(sweep.compute(*step.objective, at.iterate(), at.p));
        step.objective->algebra().add(1, at.p, at.x);
        const double value = step.objective->value_and_gradient(at.x, at.gradient);
        // The rounding of g.
        EXPECT_LE(value, at.value * (1 + 1e-13)) << seed << ", sweep " << k;
        at.value = value;
      }
    }
  }
}

/// A vertex that no tet holds, without inertia.
TEST(VertexBlockDescent, AVertexThatNothingHoldsStays) {
  Scene scene = full_scene(false);
  scene.bodies[0].mesh.vertices.push_back({3, 3, 3});
  Step step(scene, 1, 0.0);
  step.weight = {0, -9.81, 0};
  step.begin();
  At at(step, 0.02);
  VertexBlockDescent sweep(step.model, step.inverse_a2);
  sweep.begin_step(*step.objective);
  ASSERT_TRUE(sweep.compute(*step.objective, at.iterate(), at.p));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(at.p.back()[k], 0);
  EXPECT_TRUE(std::isfinite(step.objective->algebra().norm(at.p)));
  EXPECT_GT(step.objective->algebra().norm(at.p), 1e-3);
}

TEST(Colours, KeepTheVerticesOfTetsAndSpringsApart) {
  Scene scene = full_scene(false);
  Body& body = scene.bodies[0];
  // One vertex is tied to all others. Even so, no tet or spring may have one colour twice.
  body.springs.clear();
  for (int i = 1; i < static_cast<int>(body.mesh.vertices.size()); ++i) {
    body.springs.push_back({0, i, 1e3, 0.5});
  }
  Step step(scene);
  const Colouring colouring = colour_vertices(step.model);
  const auto colour = [&](int v) { return colouring.colour[static_cast<std::size_t>(v)]; };
  for (const auto& tet : step.model.tets) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < a; ++b) EXPECT_NE(colour(tet[a]), colour(tet[b]));
    }
  }
  for (const SpringSet::Spring& spring : step.model.springs.springs) {
    EXPECT_NE(colour(spring.a), colour(spring.b));
  }
  EXPECT_EQ(VertexBlockDescent(step.model, 900).num_colours(), colouring.num_colours());
  EXPECT_EQ(GaussSeidel(step.model, 1, 900).num_colours(), colouring.num_colours());
}

}  // namespace
}  // namespace supple
