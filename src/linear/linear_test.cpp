#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <random>

#include "linear/ordering.h"
#include "linear/spd_solver.h"

namespace supple {
namespace {

/// Grid of w x w points joined to their four neighbours.
Adjacency grid(int w) {
  Adjacency adjacency;
  adjacency.start.push_back(0);
  for (int y = 0; y < w; ++y) {
    for (int x = 0; x < w; ++x) {
      if (y > 0) adjacency.neighbour.push_back((y - 1) * w + x);
      if (x > 0) adjacency.neighbour.push_back(y * w + x - 1);
      if (x + 1 < w) adjacency.neighbour.push_back(y * w + x + 1);
      if (y + 1 < w) adjacency.neighbour.push_back((y + 1) * w + x);
      adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
    }
  }
  return adjacency;
}

/// Random symmetric matrix in the pattern, made positive definite by its diagonal.
Eigen::MatrixXd random_spd(const Adjacency& adjacency, unsigned seed) {
  const int n = adjacency.size();
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = 5;
    for (int a = adjacency.start[static_cast<std::size_t>(i)];
         a < adjacency.start[static_cast<std::size_t>(i) + 1]; ++a) {
      const int j = adjacency.neighbour[static_cast<std::size_t>(a)];
      if (j < i) A(i, j) = A(j, i) = uniform(generator);
    }
  }
  return A;
}

SpdSolver::Matrix lower_of(const Eigen::MatrixXd& A) {
  SpdSolver::Matrix full = A.sparseView();
  return full.triangularView<Eigen::Lower>();
}

TEST(Ordering, EveryOrderIsAPermutation) {
  for (int w : {1, 2, 7, 30}) {
    std::vector<int> order = fill_reducing_order(grid(w));
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<int>(order.size()), w * w);
    for (int i = 0; i < w * w; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(Ordering, FactorEntriesAreThoseOfADenseFactorisation) {
  const Adjacency adjacency = grid(8);
  const Eigen::MatrixXd A = random_spd(adjacency, 3);
  const std::vector<int> order = fill_reducing_order(adjacency);
  Eigen::MatrixXd permuted(64, 64);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      permuted(i, j) = A(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen::MatrixXd L = permuted.llt().matrixL();
  long long entries = 0;
  // Random values: an entry of the structure is not zero by accident.
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j <= i; ++j) entries += L(i, j) != 0 ? 1 : 0;
  }
  EXPECT_EQ(factor_entries(adjacency, order), entries);
}

TEST(Ordering, TheOrderFillsLessThanTheNaturalOne) {
  const Adjacency adjacency = grid(30);
  std::vector<int> natural(900);
  for (int i = 0; i < 900; ++i) natural[static_cast<std::size_t>(i)] = i;
  EXPECT_LT(factor_entries(adjacency, fill_reducing_order(adjacency)),
            factor_entries(adjacency, natural) / 2);
}

TEST(EigenCholesky, SolvesOneAndFourRightHandSides) {
  const Eigen::MatrixXd A = random_spd(grid(9), 7);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A)));
  EXPECT_GT(solver->factor_entries(), 81);
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(81, 4);
  const Eigen::MatrixXd B = A * X;
  std::vector<double> four(81 * 4), one(81);
  for (int i = 0; i < 81; ++i) {
    for (int c = 0; c < 4; ++c) four[static_cast<std::size_t>(4 * i + c)] = B(i, c);
    one[static_cast<std::size_t>(i)] = B(i, 0);
  }
  solver->solve4(four.data(), four.data());
  solver->solve(one.data(), one.data());
  for (int i = 0; i < 81; ++i) {
    // The condition number is below 10: the error is a few roundings.
    EXPECT_NEAR(one[static_cast<std::size_t>(i)], X(i, 0), 1e-13);
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(four[static_cast<std::size_t>(4 * i + c)], X(i, c), 1e-13);
    }
  }
}

TEST(EigenCholesky, RefactorsNewValuesInTheSamePattern) {
  const Eigen::MatrixXd A = random_spd(grid(5), 7);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A)));
  ASSERT_TRUE(solver->factor(lower_of(4 * A)));
  std::vector<double> b(25, 1.0), x(25);
  solver->solve(b.data(), x.data());
  const Eigen::VectorXd expected = (4 * A).ldlt().solve(Eigen::VectorXd::Ones(25));
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected(i), 1e-14);
}

TEST(EigenCholesky, AnIndefiniteOrNonFiniteMatrixIsRefused) {
  Eigen::MatrixXd A = random_spd(grid(4), 1);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  A(5, 5) = -1;
  EXPECT_FALSE(solver->factor(lower_of(A)));
  A(5, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->factor(lower_of(A)));
}

}  // namespace
}  // namespace supple
