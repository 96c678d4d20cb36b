#include "descent/newton.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"

/// What makes Newton's matrix definite, and what solves with it.
namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;
using test::test_scene;

constexpr double inverse_a2 = 1 / (h * h);

SolverSettings newton_settings(const std::string& definiteness,
                               const std::string& linear_solver = "direct", int iterations = 15,
                               const std::string& preconditioner = "jacobi") {
  SolverSettings settings;
  settings.method = SolverMethod::newton;
  settings.definiteness = from_string<Definiteness>(definiteness);
  settings.linear_solver = from_string<LinearSolver>(linear_solver);
  settings.linear_iterations = iterations;
  settings.preconditioner = from_string<PreconditionerType>(preconditioner);
  return settings;
}

Eigen::VectorXd flat(const VectorField& field) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * field.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    v(i) = field[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
  }
  return v;
}

Eigen::MatrixXd difference_hessian(Problem& problem, const VectorField& x) {
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

Eigen::MatrixXd assembled(Problem& problem, const VectorField& x, NegativeEigenvalues mode) {
  const Adjacency adjacency = vertex_adjacency(problem.model);
  std::vector<int> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  HessianAssembly assembly(problem.model, order, adjacency);
  assembly.assemble(problem.objective, x, mode);
  const Eigen::MatrixXd lower = assembly.lower();
  return lower.selfadjointView<Eigen::Lower>();
}

/// One tet without pins and nearly without inertia, so that the matrix is the element's own.
Scene one_tet(const std::string& material, bool fiber) {
  Scene scene;
  Body body;
  body.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body.mesh.tets = {{0, 1, 2, 3}};
  body.density = 1e-9;
  body.material.model = material;
  body.material.mu = fiber ? 1e-10 : 4e4;
  body.material.lambda = fiber ? 1e-10 : 6e4;
  if (fiber) body.fibers = {FiberSettings{{1, 2, 2}, 3e4}};
  scene.bodies.push_back(body);
  return scene;
}

/// A strand of one spring between two vertices.
Scene one_spring() {
  Scene scene;
  Body body;
  body.mesh.vertices = {{0, 0, 0}, {1, 0, 0}};
  body.springs = {{0, 1, 4e4, 1}};
  body.mass = 1e-12;
  scene.bodies.push_back(body);
  return scene;
}

/// Compares the mended Hessians of an element that has negative eigenvalues with dense ones. What
/// is mended are the eigenvalues of H in the element's matrix G^T H G, where G x is the deformation
/// gradient of the tet, or the vector of the spring. Therefore H is taken out of the matrix, mended
/// by Eigen and compared.
void check_mended(const Scene& scene, const VectorField& x, double tolerance) {
  Problem problem(scene);
  const Eigen::MatrixXd exact = assembled(problem, x, NegativeEigenvalues::keep);
  const Eigen::MatrixXd expected = difference_hessian(problem, x);
  const double scale = expected.cwiseAbs().maxCoeff();
  EXPECT_LT((exact - expected).cwiseAbs().maxCoeff(), tolerance * scale);

  const auto n = static_cast<Eigen::Index>(3 * x.size());
  const Eigen::Index m = n - 3;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(m, n);
  for (Eigen::Index e = 0; e < m; ++e) {
    G(e, e % 3) = -1;
    G(e, 3 + e) = 1;
  }
  const Eigen::MatrixXd inverse = G.completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::MatrixXd H = inverse.transpose() * exact * inverse;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  ASSERT_LT(eigen.eigenvalues().minCoeff(), -1e-3 * scale);
  ASSERT_GT(eigen.eigenvalues().maxCoeff(), 1e-3 * scale);
  const auto compare = [&](NegativeEigenvalues mode, const Eigen::VectorXd& values) {
    const Eigen::MatrixXd mended = assembled(problem, x, mode);
    const Eigen::MatrixXd wanted =
        eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    EXPECT_LT((inverse.transpose() * mended * inverse - wanted).cwiseAbs().maxCoeff(),
              1e-11 * scale);
    EXPECT_GE(mended.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-11 * scale);
  };
  compare(NegativeEigenvalues::clamp, eigen.eigenvalues().cwiseMax(0));
  compare(NegativeEigenvalues::absolute, eigen.eigenvalues().cwiseAbs());
}

TEST(Definiteness, TheEigenvaluesOfAnElementAreClampedOrMadePositive) {
  // Squeezed, sheared, and inverted.
  const double shapes[3][9] = {{0.5, 0.1, 0, 0, 0.6, 0.1, 0.05, 0, 0.7},
                               {0.9, 0.8, 0.1, -0.3, 0.7, 0.2, 0.1, 0, 0.6},
                               {0.8, 0.1, 0, 0.2, 0.9, 0.1, 0, 0.1, -0.5}};
  for (const char* material : {"neo_hookean", "corotated", "stvk", "stable_neo_hookean"}) {
    for (const auto& F : shapes) {
      VectorField x(4);
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) x[static_cast<std::size_t>(c) + 1][r] = F[3 * r + c];
      }
      check_mended(one_tet(material, false), x, 1e-6);
    }
  }
}

TEST(Definiteness, TheEigenvalueOfASqueezedFiberIsClampedOrMadePositive) {
  VectorField x(4);
  for (int k = 0; k < 3; ++k) x[static_cast<std::size_t>(k) + 1][k] = 0.7;
  x[1][1] = 0.1;
  check_mended(one_tet("corotated", true), x, 1e-6);
}

TEST(Definiteness, TheEigenvaluesOfASqueezedSpringAreClampedOrMadePositive) {
  VectorField x(2);
  x[1] = {{0.3, 0.4, 0.1, 0}};
  check_mended(one_spring(), x, 1e-6);
}

TEST(Definiteness, WithoutAnyTheAssembledMatrixIsTheHessian) {
  Problem problem(test_scene(true));
  const VectorField x = deformed(problem.model, 0.15);
  const Eigen::MatrixXd expected = difference_hessian(problem, x);
  const Eigen::MatrixXd found = assembled(problem, x, NegativeEigenvalues::keep);
  // Central differences: rounding 1e-12 * 1e4 N / 1e-6 m and third derivatives times 1e-12.
  EXPECT_LT((expected - found).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
  EXPECT_GT((expected - assembled(problem, x, NegativeEigenvalues::clamp)).norm(),
            1e-3 * expected.norm());
}

/// The problem at a shape where the Hessian is indefinite.
struct Indefinite {
  Indefinite() : problem(scene()), x(deformed(problem.model, 0.15)), gradient(x.size()) {
    value = problem.objective.value_and_gradient(x, gradient);
    H = assembled(problem, x, NegativeEigenvalues::keep);
    least = H.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  }
  static Scene scene() {
    Scene scene = test_scene(true);
    scene.bodies[0].density = 10;  // little inertia to cover it
    return scene;
  }
  Eigen::VectorXd direction(const SolverSettings& settings) {
    Newton newton(problem.model, settings, inverse_a2);
    VectorField p(x.size());
    EXPECT_TRUE(newton.compute(problem.objective, {x, gradient, value}, p));
    return flat(p);
  }
  Problem problem;
  VectorField x, gradient;
  double value = 0;
  Eigen::MatrixXd H;
  double least = 0;
};

TEST(Newton, WithoutDefinitenessItSolvesWithTheIndefiniteHessian) {
  Indefinite at;
  ASSERT_LT(at.least, 0);
  for (const SolverSettings& settings :
       {newton_settings("none"), newton_settings("none", "cg", 3000, "jacobi")}) {
    const Eigen::VectorXd p = at.direction(settings);
    EXPECT_LT((at.H * p + flat(at.gradient)).norm(), 1e-6 * flat(at.gradient).norm());
  }
}

TEST(Newton, TikhonovAddsTheFirstMultipleOfTheIdentityThatMakesItPositiveDefinite) {
  Indefinite at;
  ASSERT_LT(at.least, 0);
  ASSERT_GT(at.H.diagonal().minCoeff(), 0);
  const double beta = 1e-3 * at.H.diagonal().mean();
  double tau = 0;
  const auto n = at.H.rows();
  const auto shifted = [&] {
    return Eigen::MatrixXd(at.H + tau * Eigen::MatrixXd::Identity(n, n));
  };
  int tries = 1;
  while (shifted().llt().info() != Eigen::Success) {
    tau = std::max(2 * tau, beta);
    ++tries;
  }
  EXPECT_GT(tries, 2);
  const Eigen::VectorXd p = at.direction(newton_settings("tikhonov"));
  const Eigen::VectorXd expected = shifted().llt().solve(-flat(at.gradient));
  EXPECT_LT((p - expected).norm(), 1e-9 * expected.norm());
  EXPECT_LT(p.dot(flat(at.gradient)), 0);
}

TEST(Newton, TikhonovChangesNothingWhereTheHessianIsPositiveDefinite) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.01);
  VectorField gradient(x.size()), p(x.size()), q(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  Newton tikhonov(problem.model, newton_settings("tikhonov"), inverse_a2);
  Newton none(problem.model, newton_settings("none"), inverse_a2);
  ASSERT_TRUE(tikhonov.compute(problem.objective, {x, gradient, value}, p));
  ASSERT_TRUE(none.compute(problem.objective, {x, gradient, value}, q));
  EXPECT_LT((flat(p) - flat(q)).norm(), 1e-11 * flat(q).norm());
}

TEST(Newton, TruncatedConjugateGradientsDescendWhereTheHessianIsIndefinite) {
  Indefinite at;
  ASSERT_LT(at.least, 0);
  for (const char* preconditioner :
       {"none", "jacobi", "incomplete_cholesky", "laplacian", "rest"}) {
    const Eigen::VectorXd p =
        at.direction(newton_settings("none", "truncated_cg", 3000, preconditioner));
    EXPECT_LT(p.dot(flat(at.gradient)), 0) << preconditioner;
    // It has stopped short of the saddle.
    EXPECT_GT((at.H * p + flat(at.gradient)).norm(), 1e-3 * flat(at.gradient).norm())
        << preconditioner;
  }
}

TEST(Newton, EveryPreconditionerComesToTheDirectSolution) {
  Problem problem(test_scene(true));
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), q(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  for (const char* definiteness : {"clamp", "absolute"}) {
    Newton direct(problem.model, newton_settings(definiteness), inverse_a2);
    ASSERT_TRUE(direct.compute(problem.objective, {x, gradient, value}, p));
    for (const char* preconditioner :
         {"none", "jacobi", "incomplete_cholesky", "laplacian", "rest"}) {
      for (const char* solver : {"cg", "truncated_cg"}) {
        Newton iterative(problem.model, newton_settings(definiteness, solver, 500, preconditioner),
                         inverse_a2);
        ASSERT_TRUE(iterative.compute(problem.objective, {x, gradient, value}, q));
        // The residual of 1e-10 times the condition number.
        EXPECT_LT((flat(p) - flat(q)).norm(), 1e-7 * flat(p).norm())
            << definiteness << ", " << solver << ", " << preconditioner;
      }
    }
  }
}

TEST(Newton, EveryVariantFindsTheSameMinimiserAndNeverAscends) {
  std::vector<SolverSettings> variants;
  for (const char* definiteness : {"clamp", "absolute", "tikhonov", "none"}) {
    variants.push_back(newton_settings(definiteness));
  }
  for (const char* preconditioner :
       {"none", "jacobi", "incomplete_cholesky", "laplacian", "rest"}) {
    variants.push_back(newton_settings("clamp", "cg", 15, preconditioner));
    variants.push_back(newton_settings("none", "truncated_cg", 15, preconditioner));
    variants.push_back(newton_settings("absolute", "truncated_cg", 5, preconditioner));
  }
  for (const char* material : {"neo_hookean", "corotated"}) {
    Problem problem(test_scene(false, material));
    const VectorField start = deformed(problem.model, 0.1);
    VectorField expected;
    for (const SolverSettings& variant : variants) {
      SolverSettings settings = variant;
      settings.iterations = 200;
      settings.tolerance = 1e-9;
      const std::string name = std::string(to_string(variant.definiteness)) + ", " +
                               to_string(variant.linear_solver) + ", " +
                               to_string(variant.preconditioner) + ", " + material;
      Newton newton(problem.model, settings, inverse_a2);
      Minimiser minimiser(problem.model.num_vertices);
      VectorField x = start;
      double last = std::numeric_limits<double>::infinity();
      const MinimiseReport report = minimiser.run(problem.objective, newton, settings, x,
                                                  {.visit = [&](int, const Iterate& at, double) {
                                                    EXPECT_LE(at.value, last + 1e-10) << name;
                                                    last = at.value;
                                                  }});
      EXPECT_LT(report.iterations, 200) << name;
      if (expected.empty()) expected = x;
      EXPECT_LT((flat(x) - flat(expected)).cwiseAbs().maxCoeff(), 1e-6) << name;
    }
  }
}

/// A bar whose factor takes more than 2e8 operations, 1 mm to 100 m long.
Scene large_bar(double length, double poisson) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{
      .size = {length, length / 4, length / 4}, .cells = {28, 7, 7}, .tets_per_cell = 6});
  const auto [mu, lambda] = lame_parameters(1e5, poisson);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  Pin pin;
  pin.box = {{-length, -length, -length}, {-0.499 * length, length, length}};
  pin.stiffness = 1e5 * length;
  body.pins.push_back(pin);
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// The bar, sheared and shaken, and directions of Newton's method from there.
class ShakenBar {
 public:
  /// A direction, and what it leaves of the gradient.
  struct Direction {
    Eigen::VectorXd p;
    double left = 0;  ///< |A p + grad g| over |grad g|
  };

  ShakenBar(double length, double poisson, double shake, int threads_count)
      : model_(build_model(large_bar(length, poisson))),
        threads_(threads_count),
        objective_(model_, nullptr, threads_),
        x_(deformed(model_, 0)),
        gradient_(x_.size()),
        newton_(model_, newton_settings("clamp"), inverse_a2) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(-shake * length, shake * length);
    for (PaddedVector& at : x_) {
      at[0] += 0.3 * at[1];
      for (int c = 0; c < 3; ++c) at[c] += uniform(generator);
    }
    objective_.begin_step({.y = x_, .inverse_a2 = inverse_a2, .x_start = x_, .time = h, .h = h});
    value_ = objective_.value_and_gradient(x_, gradient_);
  }

  void begin_step() { newton_.begin_step(objective_); }

  Direction direction() {
    VectorField p(x_.size());
    EXPECT_TRUE(newton_.compute(objective_, {x_, gradient_, value_}, p));
    const Adjacency adjacency = vertex_adjacency(model_);
    std::vector<int> order(x_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    HessianAssembly hessian(model_, order, adjacency);
    hessian.assemble(objective_, x_, NegativeEigenvalues::clamp);
    const Eigen::VectorXd product = hessian.lower().selfadjointView<Eigen::Lower>() * flat(p);
    return {flat(p), (product + flat(gradient_)).norm() / flat(gradient_).norm()};
  }

 private:
  Model model_;
  Threads threads_;
  Objective objective_;
  VectorField x_, gradient_;
  Newton newton_;
  double value_ = 0;
};

ShakenBar::Direction first_direction(double length, double poisson, double shake,
                                     int threads_count) {
  ShakenBar bar(length, poisson, shake, threads_count);
  bar.begin_step();
  return bar.direction();
}

TEST(Newton, LargeBodiesAreSolvedOnTwoGrids) {
  for (const double length : {1e-3, 4.0, 100.0}) {
    const double left = first_direction(length, 0.4, 1e-3, 1).left;
    EXPECT_LT(left, 1.1e-5) << length;
    EXPECT_GT(left, 1e-8) << length << ": that was a factor";
  }
  ShakenBar soon_solved(4, 0.2, 1e-3, 1);
  soon_solved.begin_step();
  for (int iteration = 0; iteration < 3; ++iteration) {
    EXPECT_GT(soon_solved.direction().left, 1e-8);
  }
}

TEST(Newton, WhatTwoGridsDoNotSolveIsFactorised) {
  // Shaken by half of an edge, and nearly incompressible.
  EXPECT_LT(first_direction(4, 0.4999, 0.02, 1).left, 1e-8);
}

TEST(Newton, WhatTwoGridsSolveSlowlyIsFactorisedFromTheNextIterationOn) {
  ShakenBar bar(4, 0.48, 1e-3, 1);
  for (int step = 0; step < 2; ++step) {
    bar.begin_step();
    EXPECT_GT(bar.direction().left, 1e-8) << "that was a factor";
    EXPECT_LT(bar.direction().left, 1e-8);
    EXPECT_LT(bar.direction().left, 1e-8);
  }
}

TEST(Newton, TwoGridsHaveTheSameBitsOnAnyNumberOfThreads) {
  const Eigen::VectorXd alone = first_direction(4, 0.4, 1e-3, 1).p;
  for (const int count : {2, 3, 8}) EXPECT_EQ(first_direction(4, 0.4, 1e-3, count).p, alone);
}

TEST(Newton, AMatrixThatIsNotFiniteGivesNoDirection) {
  Problem problem(test_scene());
  VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size());
  problem.objective.value_and_gradient(x, gradient);
  x[3][1] = std::numeric_limits<double>::quiet_NaN();
  for (const SolverSettings& settings :
       {newton_settings("clamp"), newton_settings("tikhonov"), newton_settings("none"),
        newton_settings("clamp", "cg", 5, "jacobi"),
        newton_settings("clamp", "cg", 5, "incomplete_cholesky")}) {
    Newton newton(problem.model, settings, inverse_a2);
    EXPECT_FALSE(newton.compute(problem.objective, {x, gradient, 0}, p))
        << settings.definiteness << ", " << settings.linear_solver;
  }
}

}  // namespace
}  // namespace supple
