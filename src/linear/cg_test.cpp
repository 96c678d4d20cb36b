#include "linear/cg.h"

#include <gtest/gtest.h>

#include <cstring>

#include "linear/test_matrices.h"

namespace supple {
namespace {

using test::grid;
using test::grid_laplacian;
using test::lower_of;
using test::random_matrix;

std::vector<double> to_vector(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }
Eigen::VectorXd to_eigen(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

struct System {
  explicit System(const Eigen::MatrixXd& dense,
                  std::unique_ptr<Preconditioner> preconditioner = make_no_preconditioner())
      : P(std::move(preconditioner)) {
    const SpdSolver::Matrix lower = lower_of(dense);
    A.analyse(lower);
    P->analyse(lower);
    EXPECT_TRUE(P->update(lower));
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b, const CgSettings& settings, int num_threads = 1) {
    Threads threads(num_threads);
    std::vector<double> x = to_vector(b);
    ConjugateGradients cg(A.size(), 1);
    report = cg.solve(A, *P, settings, x.data(), x.data(), threads);
    return to_eigen(x);
  }
  SymmetricMatrix A;
  std::unique_ptr<Preconditioner> P;
  CgReport report;
};

TEST(SymmetricMatrix, ItsProductIsThatOfTheFullMatrix) {
  const Eigen::MatrixXd A = random_matrix(grid(9), 7);
  System system(A);
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(81, 4);
  std::vector<double> x(324), y(324), one(81);
  for (int i = 0; i < 81; ++i) {
    for (int c = 0; c < 4; ++c) x[static_cast<std::size_t>(4 * i + c)] = X(i, c);
  }
  system.A.multiply<4>(0, 81, x.data(), y.data());
  const Eigen::VectorXd x0 = X.col(0);
  system.A.multiply<1>(0, 81, x0.data(), one.data());
  const Eigen::MatrixXd expected = A * X;
  for (int i = 0; i < 81; ++i) {
    EXPECT_NEAR(one[static_cast<std::size_t>(i)], expected(i, 0), 1e-14);
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(y[static_cast<std::size_t>(4 * i + c)], expected(i, c), 1e-14);
    }
  }
}

TEST(ConjugateGradients, SolvesToTheTolerance) {
  const Eigen::MatrixXd A = grid_laplacian(12);
  System system(A);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(144);
  for (double tolerance : {1e-3, 1e-12}) {
    const Eigen::VectorXd x = system.solve(b, {.iterations = 1000, .tolerance = tolerance});
    // The residual that the iteration updates drifts from the true one by rounding.
    EXPECT_LT((b - A * x).norm(), (tolerance + 1e-13) * b.norm());
    EXPECT_GT((b - A * x).norm(), 1e-3 * tolerance * b.norm());
    EXPECT_LT(system.report.iterations, 150);
    EXPECT_FALSE(system.report.negative_curvature);
  }
}

TEST(ConjugateGradients, EachIterateIsTheBestOfItsKrylovSpace) {
  // x_k minimises x A x/2 - b x over span(b, A b, ...): solved densely in that basis.
  const Eigen::MatrixXd A = random_matrix(grid(5), 3);
  System system(A);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(25);
  for (int k : {1, 2, 5}) {
    Eigen::MatrixXd K(25, k);
    K.col(0) = b;
    for (int j = 1; j < k; ++j) K.col(j) = (A * K.col(j - 1)).normalized();
    const Eigen::MatrixXd Q = K.householderQr().householderQ() * Eigen::MatrixXd::Identity(25, k);
    const Eigen::VectorXd expected = Q * (Q.transpose() * A * Q).ldlt().solve(Q.transpose() * b);
    EXPECT_LT((system.solve(b, {.iterations = k}) - expected).norm(), 1e-12 * b.norm());
    EXPECT_EQ(system.report.iterations, k);
  }
}

TEST(ConjugateGradients, FourSidesAreFourSystems) {
  const Eigen::MatrixXd A = grid_laplacian(8);
  System system(A, make_incomplete_cholesky());
  Eigen::MatrixXd B = Eigen::MatrixXd::Random(64, 4);
  B.col(3).setZero();
  B.col(1) = A * Eigen::VectorXd::Ones(64);
  std::vector<double> four(256);
  for (int i = 0; i < 64; ++i) {
    for (int c = 0; c < 4; ++c) four[static_cast<std::size_t>(4 * i + c)] = B(i, c);
  }
  Threads threads(1);
  ConjugateGradients cg(64, 4);
  const CgSettings settings{.iterations = 6};
  cg.solve4(system.A, *system.P, settings, four.data(), four.data(), threads);
  for (int c = 0; c < 4; ++c) {
    const Eigen::VectorXd one = system.solve(B.col(c), settings);
    for (int i = 0; i < 64; ++i) {
      // Sums in another order: rounding times a condition number of some hundred.
      EXPECT_NEAR(four[static_cast<std::size_t>(4 * i + c)], one(i), 1e-11 * (1 + one.norm()));
    }
  }
}

TEST(ConjugateGradients, AnyThreadCountGivesTheSameBits) {
  // 4,900 rows: several chunks.
  const int w = 70;
  const Adjacency adjacency = grid(w);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < w * w; ++i) {
    entries.emplace_back(i, i, 4.01);
    for (int a = adjacency.start[static_cast<std::size_t>(i)];
         a < adjacency.start[static_cast<std::size_t>(i) + 1]; ++a) {
      const int j = adjacency.neighbour[static_cast<std::size_t>(a)];
      if (j < i) entries.emplace_back(i, j, -1.0);
    }
  }
  SpdSolver::Matrix lower(w * w, w * w);
  lower.setFromTriplets(entries.begin(), entries.end());
  SymmetricMatrix A;
  A.analyse(lower);
  auto P = make_jacobi_preconditioner();
  P->analyse(lower);
  ASSERT_TRUE(P->update(lower));
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int sides : {1, 4}) {
    std::vector<double> b(static_cast<std::size_t>(w * w * sides)), first(b), x(b);
    for (double& value : b) value = uniform(generator);
    for (int count : {1, 2, 4}) {
      Threads threads(count);
      ConjugateGradients cg(w * w, sides);
      if (sides == 1) {
        cg.solve(A, *P, {.iterations = 20}, b.data(), x.data(), threads);
      } else {
        cg.solve4(A, *P, {.iterations = 20}, b.data(), x.data(), threads);
      }
      if (count == 1) first = x;
      EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0);
    }
    EXPECT_GT(to_eigen(first).norm(), 0);
  }
}

TEST(ConjugateGradients, StopsAtTheFirstDirectionOfNegativeCurvature) {
  const Adjacency adjacency = grid(6);
  for (const bool jacobi : {false, true}) {
    // Slightly indefinite: some directions come before the one that reveals it.
    const Eigen::MatrixXd A = random_matrix(adjacency, 5, 1.2);
    const Eigen::VectorXd values = A.selfadjointView<Eigen::Lower>().eigenvalues();
    ASSERT_LT(values.minCoeff(), 0);
    const auto make = [&] {
      return System(A, jacobi ? make_jacobi_preconditioner() : make_no_preconditioner());
    };
    System stopped = make();
    const Eigen::VectorXd b = Eigen::VectorXd::Random(36);
    const CgSettings settings{.iterations = 100, .stop_at_negative_curvature = true};
    const Eigen::VectorXd x = stopped.solve(b, settings);
    ASSERT_TRUE(stopped.report.negative_curvature);
    const int taken = stopped.report.iterations;
    ASSERT_GE(taken, 1);
    EXPECT_GT(b.dot(x), 0);
    // The last iterate before that direction, which has not met it yet.
    System shorter = make();
    EXPECT_EQ((x - shorter.solve(b, {.iterations = taken})).norm(), 0);
    EXPECT_FALSE(shorter.report.negative_curvature);
    System longer = make();
    longer.solve(b, {.iterations = taken + 1});
    EXPECT_TRUE(longer.report.negative_curvature);
  }
}

TEST(ConjugateGradients, GivesThePreconditionedGradientWhereTheFirstDirectionHasNegativeCurvature) {
  const Eigen::MatrixXd A = -random_matrix(grid(6), 5);
  System system(A, make_jacobi_preconditioner());
  const Eigen::VectorXd b = Eigen::VectorXd::Random(36);
  const Eigen::VectorXd x =
      system.solve(b, {.iterations = 100, .stop_at_negative_curvature = true});
  EXPECT_TRUE(system.report.negative_curvature);
  EXPECT_LT((x - b / 5).norm(), 1e-15 * b.norm());  // |a_ii| = 5
}

TEST(ConjugateGradients, GoesOnThroughNegativeCurvatureToTheSaddle) {
  const Eigen::MatrixXd A = random_matrix(grid(6), 5, 1.2);
  System system(A);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(36);
  const Eigen::VectorXd x = system.solve(b, {.iterations = 200, .tolerance = 1e-10});
  // The condition number is below 1e3, and intermediate iterates are larger than the solution.
  EXPECT_LT((x - A.fullPivLu().solve(b)).norm(), 1e-6 * x.norm());
}

TEST(ConjugateGradients, ARightSideOfZeroGivesZero) {
  System system(random_matrix(grid(4), 1));
  const Eigen::VectorXd x = system.solve(Eigen::VectorXd::Zero(16), {.iterations = 5});
  EXPECT_EQ(x.norm(), 0);
  EXPECT_EQ(system.report.iterations, 0);
}

}  // namespace
}  // namespace supple
