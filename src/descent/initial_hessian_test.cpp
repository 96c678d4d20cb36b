#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <functional>

#include "descent/frame_hessian.h"
#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/laplacian_cg.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "descent/rest_hessian.h"
#include "descent/scaled_identity.h"
#include "descent/sheet_normals.h"
#include "descent/test_problem.h"
#include "descent/warped_rest.h"

/// The matrices that quasi-Newton and L-BFGS begin with.
namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;
using test::test_scene;

constexpr double inverse_a2 = 1 / (h * h);

SolverSettings cg(int iterations, const std::string& preconditioner) {
  SolverSettings settings;
  settings.linear_solver = LinearSolver::cg;
  settings.linear_iterations = iterations;
  settings.preconditioner = from_string<PreconditionerType>(preconditioner);
  return settings;
}

using Make = std::function<std::unique_ptr<Direction>(const Model&)>;

struct Variant {
  const char* name;
  Make make;
};

template <class Matrix, class... Settings>
Make make(const Settings&... settings) {
  return [=](const Model& model) -> std::unique_ptr<Direction> {
    return std::make_unique<Matrix>(model, settings..., inverse_a2);
  };
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> list = {
      {"laplacian", make<Laplacian>()},
      {"laplacian, sheet normals",
       [](const Model& model) -> std::unique_ptr<Direction> {
         return std::make_unique<SheetNormals>(model, inverse_a2,
                                               std::make_unique<Laplacian>(model, inverse_a2));
       }},
      {"laplacian, 5 CG", make<LaplacianCg>(cg(5, "none"))},
      {"laplacian, 5 CG, jacobi", make<LaplacianCg>(cg(5, "jacobi"))},
      {"laplacian, 5 CG, incomplete_cholesky", make<LaplacianCg>(cg(5, "incomplete_cholesky"))},
      {"identity", make<ScaledIdentity>()},
      {"rest", make<RestHessian>(SolverSettings{})},
      {"rest, 10 CG, jacobi", make<RestHessian>(cg(10, "jacobi"))},
      {"warped_rest", make<WarpedRest>()},
      {"frame", make<FrameHessian>(SolverSettings{})},
      {"frame, 5 CG, none", make<FrameHessian>(cg(5, "none"))},
      {"frame, 5 CG, jacobi", make<FrameHessian>(cg(5, "jacobi"))},
      {"frame, 5 CG, incomplete_cholesky", make<FrameHessian>(cg(5, "incomplete_cholesky"))},
      {"frame, 5 CG, laplacian", make<FrameHessian>(cg(5, "laplacian"))},
      {"frame, 5 CG, rest", make<FrameHessian>(cg(5, "rest"))},
  };
  return list;
}

/// The rest shape twisted about x, away from its pinned side. angle: rad/m.
VectorField twisted(const Model& model, double angle) {
  VectorField x(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& r = model.rest[i];
    const double a = angle * (r[0] + 0.5);
    x[i][0] = r[0];
    x[i][1] = std::cos(a) * r[1] - std::sin(a) * r[2];
    x[i][2] = std::sin(a) * r[1] + std::cos(a) * r[2];
  }
  return x;
}

/// Descends from x and checks that g falls.
VectorField descend(Problem& problem, Direction& direction, VectorField x, int iterations,
                    const std::string& name) {
  Minimiser minimiser(problem.model.num_vertices);
  SolverSettings settings;
  settings.iterations = iterations;
  settings.tolerance = 1e-9;
  double last = std::numeric_limits<double>::infinity();
  int steps = 0;
  const MinimiseReport report = minimiser.run(problem.objective, direction, settings, x,
                                              {.visit = [&](int, const Iterate& at, double) {
                                                // The last digits of 1e4 J.
                                                EXPECT_LE(at.value, last + 1e-10) << name;
                                                last = at.value;
                                                ++steps;
                                              }});
  EXPECT_NE(report.status, StepStatus::non_finite) << name;
  EXPECT_GE(steps, std::min(iterations, 3)) << name;
  return x;
}

double largest_distance(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  }
  return largest;
}

TEST(InitialHessian, EveryOneLeadsToNewtonsMinimiser) {
  for (const char* material : {"neo_hookean", "corotated"}) {
    Problem problem(test_scene(false, material));
    const VectorField start = twisted(problem.model, 1.2);
    Newton newton(problem.model);
    const VectorField expected = descend(problem, newton, start, 50, "newton");
    ASSERT_GT(largest_distance(start, expected), 0.05);
    for (const Variant& variant : variants()) {
      LBfgs l_bfgs(problem.model, variant.make(problem.model), 5);
      EXPECT_LT(largest_distance(descend(problem, l_bfgs, start, 1000, variant.name), expected),
                1e-6)
          << material << ", L-BFGS, " << variant.name;
      const auto alone = variant.make(problem.model);
      EXPECT_LT(largest_distance(descend(problem, *alone, start, 3000, variant.name), expected),
                1e-6)
          << material << ", " << variant.name;
    }
  }
}

TEST(InitialHessian, AnyThreadCountGivesTheSameBits) {
  Scene scene = test_scene(true);
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {9, 9, 9}});
  for (const Variant& variant : variants()) {
    VectorField first;
    for (int count : {1, 2}) {
      Problem problem(scene, count);
      const auto direction = variant.make(problem.model);
      const VectorField x = deformed(problem.model, 0.02);
      VectorField gradient(x.size()), p(x.size());
      const double value = problem.objective.value_and_gradient(x, gradient);
      direction->begin_step(problem.objective);
      ASSERT_TRUE(direction->compute(problem.objective, {x, gradient, value}, p));
      EXPECT_LT(problem.objective.algebra().dot(gradient, p), 0) << variant.name;
      if (count == 1) first = p;
      EXPECT_EQ(std::memcmp(first[0].v, p[0].v, p.size() * sizeof(PaddedVector)), 0)
          << variant.name;
    }
  }
}

// ------------------------------------------------------------------- what each matrix is

Eigen::VectorXd flat(const VectorField& field) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * field.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    v(i) = field[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
  }
  return v;
}

/// The Hessian at x by finite differences of the gradient.
Eigen::MatrixXd dense_hessian(Problem& problem, const VectorField& x) {
  const auto n = static_cast<Eigen::Index>(3 * x.size());
  Eigen::MatrixXd H(n, n);
  VectorField plus_gradient(x.size()), minus_gradient(x.size());
  const double d = 1e-6;
  for (Eigen::Index j = 0; j < n; ++j) {
    VectorField plus = x, minus = x;
    plus[static_cast<std::size_t>(j / 3)][static_cast<int>(j % 3)] += d;
    minus[static_cast<std::size_t>(j / 3)][static_cast<int>(j % 3)] -= d;
    problem.objective.value_and_gradient(plus, plus_gradient);
    problem.objective.value_and_gradient(minus, minus_gradient);
    H.col(j) = (flat(plus_gradient) - flat(minus_gradient)) / (2 * d);
  }
  return H;
}

VectorField rest_of(const Model& model) {
  VectorField rest(model.rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) rest[i].v[k] = model.rest[i][k];
  }
  return rest;
}

TEST(RestHessian, SolvesWithTheHessianOfTheRestShape) {
  for (const char* material : {"neo_hookean", "corotated", "stvk"}) {
    Problem problem(test_scene(true, material));
    const Eigen::MatrixXd H = dense_hessian(problem, rest_of(problem.model));
    const VectorField x = deformed(problem.model, 0.1);
    VectorField gradient(x.size()), p(x.size());
    const double value = problem.objective.value_and_gradient(x, gradient);
    SolverSettings by_cg = cg(1000, "incomplete_cholesky");
    for (const SolverSettings& settings : {SolverSettings{}, by_cg}) {
      RestHessian rest(problem.model, settings, inverse_a2);
      ASSERT_TRUE(rest.compute(problem.objective, {x, gradient, value}, p));
      // The rounding of the differences is 1e-6 of the largest entry. It is magnified by the ratio
      // of that to the smallest one.
      EXPECT_LT((H * flat(p) + flat(gradient)).norm(), 1e-5 * flat(gradient).norm()) << material;
    }
  }
}

TEST(FrameHessian, IsTheHessianWhereTheStepBegan) {
  Problem problem(test_scene());
  // Stretched, so that no eigenvalue is clamped.
  VectorField first = rest_of(problem.model);
  for (PaddedVector& p : first) {
    for (int k = 0; k < 3; ++k) p[k] *= 1.1;
  }
  const Eigen::MatrixXd H = dense_hessian(problem, first);
  FrameHessian frame(problem.model, {}, inverse_a2);
  frame.begin_step(problem.objective);
  VectorField gradient(first.size()), p(first.size());
  for (const VectorField& x : {first, deformed(problem.model, 0.1)}) {
    const double value = problem.objective.value_and_gradient(x, gradient);
    ASSERT_TRUE(frame.compute(problem.objective, {x, gradient, value}, p));
    EXPECT_LT((H * flat(p) + flat(gradient)).norm(), 1e-5 * flat(gradient).norm());
  }
  // The next step has its own Hessian.
  frame.begin_step(problem.objective);
  const VectorField x = deformed(problem.model, 0.1);
  const double value = problem.objective.value_and_gradient(x, gradient);
  ASSERT_TRUE(frame.compute(problem.objective, {x, gradient, value}, p));
  EXPECT_GT((H * flat(p) + flat(gradient)).norm(), 1e-2 * flat(gradient).norm());
}

TEST(LaplacianCg, ComesToTheDirectSolution) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), q(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  Laplacian direct(problem.model, inverse_a2, Precision::full);
  ASSERT_TRUE(direct.compute(problem.objective, {x, gradient, value}, p));
  double last = 1;
  for (int iterations : {2, 5, 15, 200}) {
    LaplacianCg iterative(problem.model, cg(iterations, "jacobi"), inverse_a2);
    ASSERT_TRUE(iterative.compute(problem.objective, {x, gradient, value}, q));
    const double error = (flat(p) - flat(q)).norm() / flat(p).norm();
    EXPECT_LT(error, last);
    last = error;
  }
  EXPECT_LT(last, 1e-9);  // it ends at a residual of 1e-10
}

TEST(ScaledIdentity, ItsScaleIsTheNewestSecantInTheGradient) {
  Problem problem(test_scene());
  const VectorField from = deformed(problem.model, 0.05, 1), to = deformed(problem.model, 0.05, 2);
  VectorField from_gradient(from.size()), to_gradient(from.size()), p(from.size());
  const double from_value = problem.objective.value_and_gradient(from, from_gradient);
  const double to_value = problem.objective.value_and_gradient(to, to_gradient);
  ScaledIdentity identity(problem.model, inverse_a2);
  const Iterate a{from, from_gradient, from_value}, b{to, to_gradient, to_value};
  identity.begin_step(problem.objective);
  identity.compute(problem.objective, b, p);
  const Eigen::VectorXd first = flat(p);
  identity.accept(problem.objective, a, b, 1);
  identity.compute(problem.objective, b, p);
  const Eigen::VectorXd s = flat(to) - flat(from), t = flat(to_gradient) - flat(from_gradient);
  ASSERT_GT(s.dot(t), 0);
  const Eigen::VectorXd expected = -s.dot(t) / t.dot(t) * flat(to_gradient);
  EXPECT_LT((flat(p) - expected).norm(), 1e-12 * expected.norm());
  // A pair without positive curvature changes nothing; a new step forgets.
  const VectorField opposite = to_gradient;
  identity.accept(problem.objective, {from, opposite, 0}, {to, from_gradient, 0}, 1);
  identity.compute(problem.objective, b, p);
  EXPECT_LT((flat(p) - expected).norm(), 1e-12 * expected.norm());
  identity.begin_step(problem.objective);
  identity.compute(problem.objective, b, p);
  EXPECT_EQ((flat(p) - first).norm(), 0);
}

TEST(WarpedRest, ItsRotationsAreThoseOfARigidMotion) {
  Problem problem(test_scene());
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(2.1, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  VectorField x = rest_of(problem.model);
  for (PaddedVector& p : x) {
    const Eigen::Vector3d moved = R * Eigen::Vector3d(1.2 * p[0], 1.2 * p[1], 1.2 * p[2]);
    for (int k = 0; k < 3; ++k) p[k] = moved(k) + 3;
  }
  WarpedRest warped(problem.model, inverse_a2);
  for (const Mat3<double>& found : warped.rotations(x, problem.threads)) {
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(found(i / 3, i % 3), R(i / 3, i % 3), 1e-13);
  }
}

TEST(WarpedRest, IsTheRestHessianAtRest) {
  Problem problem(test_scene());
  const VectorField x = rest_of(problem.model);
  VectorField gradient(x.size()), p(x.size()), q(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  WarpedRest warped(problem.model, inverse_a2);
  RestHessian rest(problem.model, {}, inverse_a2);
  ASSERT_TRUE(warped.compute(problem.objective, {x, gradient, value}, p));
  ASSERT_TRUE(rest.compute(problem.objective, {x, gradient, value}, q));
  EXPECT_LT((flat(p) - flat(q)).norm(), 1e-12 * flat(q).norm());
}

TEST(WarpedRest, ClothTurnsAndAStrandTurnsByTheLeast) {
  Scene scene = test_scene();
  Body cloth;
  const SpringMesh sheet = generate(ClothGenerator{.cells = {3, 2}});
  cloth.mesh.vertices = sheet.vertices;
  cloth.triangles = sheet.triangles;
  cloth.springs = make_springs(sheet, {200, 100, 5});
  cloth.mass = 1;
  scene.bodies.push_back(cloth);
  Body strand;  // along x: the turn below takes it to y
  strand.mesh.vertices = {{3, 0, 0}, {4, 0, 0}, {5, 0, 0}};
  strand.springs = {{0, 1, 100, 1}, {1, 2, 100, 1}};
  strand.mass = 1;
  scene.bodies.push_back(strand);
  Body loose;  // nothing holds this vertex
  loose.mesh.vertices = {{3, 3, 0}, {4, 0, 0}, {5, 0, 0}};
  loose.springs = {{1, 2, 100, 1}};
  loose.mass = 1;
  scene.bodies.push_back(loose);
  Problem problem(scene);
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(1.9, Eigen::Vector3d(1, -2, 2).normalized()).toRotationMatrix();
  VectorField x = rest_of(problem.model);
  const auto n = static_cast<std::size_t>(problem.model.num_vertices);
  for (PaddedVector& p : x) {
    const Eigen::Vector3d moved = R * Eigen::Vector3d(1.3 * p[0], 1.3 * p[1], 1.3 * p[2]);
    for (int k = 0; k < 3; ++k) p[k] = moved(k);
  }
  WarpedRest warped(problem.model, inverse_a2);
  const auto& rotations = warped.rotations(x, problem.threads);
  const auto eigen = [&](std::size_t i) {
    Eigen::Matrix3d result;
    for (int k = 0; k < 9; ++k) result(k / 3, k % 3) = rotations[i](k / 3, k % 3);
    return result;
  };
  for (std::size_t i = 0; i < n - 6; ++i) EXPECT_LT((eigen(i) - R).norm(), 1e-13) << i;
  const Eigen::Vector3d along = R.col(0);
  const Eigen::Matrix3d least =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), along).toRotationMatrix();
  for (std::size_t i = n - 6; i < n - 3; ++i) EXPECT_LT((eigen(i) - least).norm(), 1e-12) << i;
  EXPECT_EQ(eigen(n - 3), Eigen::Matrix3d(Eigen::Matrix3d::Identity()));
  // Turned back on itself: half a turn about some axis across it.
  for (std::size_t i = n - 6; i < n - 3; ++i) x[i] = {{-problem.model.rest[i][0], 0, 0, 0}};
  warped.rotations(x, problem.threads);
  for (std::size_t i = n - 6; i < n - 3; ++i) {
    const Eigen::Matrix3d half = eigen(i);
    EXPECT_LT((half * half - Eigen::Matrix3d::Identity()).norm(), 1e-12);
    EXPECT_LT((half * Eigen::Vector3d::UnitX() + Eigen::Vector3d::UnitX()).norm(), 1e-12);
    EXPECT_NEAR(half.determinant(), 1, 1e-12);
  }
}

// ------------------------------------------------------------------------------ rotation

/// Iterates of a free body from a deformed start; turned: the whole scene by 90 degrees about z.
VectorField iterate(const Make& make_direction, bool turn) {
  Scene scene = test_scene();
  scene.bodies[0].pins.clear();
  Threads threads(1);
  const Model model = build_model(scene);
  Objective objective(model, nullptr, threads);
  VectorField y = deformed(model, 0.05, 7), x = deformed(model, 0.08, 3);
  if (turn) {
    for (VectorField* field : {&y, &x}) {
      for (PaddedVector& p : *field) p = {{-p[1], p[0], p[2], 0}};
    }
  }
  objective.begin_step({.y = y, .inverse_a2 = inverse_a2, .x_start = x, .time = h, .h = h});
  LBfgs l_bfgs(model, make_direction(model), 5);
  Minimiser minimiser(model.num_vertices);
  SolverSettings settings;
  settings.iterations = 4;
  minimiser.run(objective, l_bfgs, settings, x);
  return x;
}

double change_by_turning(const Make& make_direction) {
  VectorField plain = iterate(make_direction, false);
  for (PaddedVector& p : plain) p = {{-p[1], p[0], p[2], 0}};
  return largest_distance(plain, iterate(make_direction, true));
}

TEST(InitialHessian, AllButTheRestHessianTurnWithTheScene) {
  for (const Variant& variant : variants()) {
    const std::string name = variant.name;
    if (name.rfind("rest", 0) == 0) {
      EXPECT_GT(change_by_turning(variant.make), 1e-3) << name;
    } else if (name == "frame, 5 CG, rest") {
      EXPECT_GT(change_by_turning(variant.make), 1e-9) << name;  // as its preconditioner does not
    } else {
      // A quarter turn exchanges coordinates and changes signs: only rounding differs.
      EXPECT_LT(change_by_turning(variant.make), 1e-9) << name;
    }
  }
}

}  // namespace
}  // namespace supple
