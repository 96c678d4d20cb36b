#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <thread>

#include "linear/nested_dissection.h"
#include "linear/ordering.h"
#include "linear/spd_solver.h"
#include "linear/test_matrices.h"

namespace supple {
namespace {

Threads threads(1);

using test::grid;
using test::lower_of;
using test::random_matrix;

TEST(Ordering, EveryOrderIsAPermutation) {
  for (int w : {1, 2, 7, 30}) {
    for (std::vector<int> order : {fill_reducing_order(grid(w)), bandwidth_order(grid(w))}) {
      std::sort(order.begin(), order.end());
      ASSERT_EQ(static_cast<int>(order.size()), w * w);
      for (int i = 0; i < w * w; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    }
  }
}

TEST(Ordering, IsTheSameBesideAnotherOneAndLeavesTheProgramsSignals) {
  const std::vector<Adjacency> graphs{grid(60), grid(90)};
  std::vector<std::vector<int>> alone;
  for (const Adjacency& graph : graphs) alone.push_back(nested_dissection(graph));
  const auto handler = std::signal(SIGTERM, SIG_IGN);
  std::atomic<int> at_work{2};
  std::vector<std::thread> both;
  for (std::size_t k = 0; k < 2; ++k) {
    both.emplace_back([&, k] {
      for (int i = 0; i < 5; ++i) EXPECT_EQ(nested_dissection(graphs[k]), alone[k]);
      --at_work;
    });
  }
  int looks = 0, strangers = 0;
  for (; at_work > 0; ++looks) {
    struct sigaction now {};
    ::sigaction(SIGTERM, nullptr, &now);
    strangers += now.sa_handler == SIG_IGN ? 0 : 1;
    std::this_thread::yield();
  }
  for (std::thread& thread : both) thread.join();
  std::signal(SIGTERM, handler);
  EXPECT_GT(looks, 0);
  EXPECT_EQ(strangers, 0);
}

TEST(Ordering, FactorEntriesAreThoseOfADenseFactorisation) {
  const Adjacency adjacency = grid(8);
  const Eigen::MatrixXd A = random_matrix(adjacency, 3);
  const std::vector<int> order = fill_reducing_order(adjacency);
  Eigen::MatrixXd permuted(64, 64);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      permuted(i, j) = A(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen::MatrixXd L = permuted.llt().matrixL();
  long long entries = 0;
  // The values are random, so no entry of the structure is zero by accident.
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

/// The largest distance between two neighbours in the order.
int bandwidth(const Adjacency& adjacency, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  int widest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int a = adjacency.start[i]; a < adjacency.start[i + 1]; ++a) {
      const auto j = static_cast<std::size_t>(adjacency.neighbour[static_cast<std::size_t>(a)]);
      widest = std::max(widest, std::abs(place[i] - place[j]));
    }
  }
  return widest;
}

TEST(Ordering, TheBandOfAGridIsAboutAsWideAsTheGrid) {
  EXPECT_GE(bandwidth(grid(30), fill_reducing_order(grid(30))), 100);
  EXPECT_LE(bandwidth(grid(30), bandwidth_order(grid(30))), 32);
}

TEST(Ordering, TheBandOrderTakesSeveralComponentsAndLoneRows) {
  // 0-1, 2, 3-4.
  const Adjacency adjacency{{0, 1, 2, 2, 3, 4}, {1, 0, 4, 3}};
  const std::vector<int> order = bandwidth_order(adjacency);
  ASSERT_EQ(order.size(), 5U);
  EXPECT_EQ(bandwidth(adjacency, order), 1);
}

TEST(EigenCholesky, SolvesOneAndFourRightHandSides) {
  const Eigen::MatrixXd A = random_matrix(grid(9), 7);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  EXPECT_GT(solver->factor_entries(), 81);
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(81, 4);
  const Eigen::MatrixXd B = A * X;
  std::vector<double> four(81 * 4), one(81);
  for (int i = 0; i < 81; ++i) {
    for (int c = 0; c < 4; ++c) four[static_cast<std::size_t>(4 * i + c)] = B(i, c);
    one[static_cast<std::size_t>(i)] = B(i, 0);
  }
  solver->solve4(four.data(), four.data(), threads);
  solver->solve(one.data(), one.data(), threads);
  for (int i = 0; i < 81; ++i) {
    // The condition number is below 10: the error is a few roundings.
    EXPECT_NEAR(one[static_cast<std::size_t>(i)], X(i, 0), 1e-13);
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(four[static_cast<std::size_t>(4 * i + c)], X(i, c), 1e-13);
    }
  }
}

TEST(EigenCholesky, RefactorsNewValuesInTheSamePattern) {
  const Eigen::MatrixXd A = random_matrix(grid(5), 7);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  ASSERT_TRUE(solver->factor(lower_of(4 * A), threads));
  std::vector<double> b(25, 1.0), x(25);
  solver->solve(b.data(), x.data(), threads);
  const Eigen::VectorXd expected = (4 * A).ldlt().solve(Eigen::VectorXd::Ones(25));
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected(i), 1e-14);
}

TEST(EigenLdlt, SolvesAnIndefiniteSystem) {
  const Eigen::MatrixXd A = random_matrix(grid(9), 7, 0.8);
  ASSERT_LT(A.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -0.1);
  auto cholesky = make_eigen_cholesky();
  cholesky->analyse(lower_of(A));
  EXPECT_FALSE(cholesky->factor(lower_of(A), threads));
  auto solver = make_eigen_ldlt();
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  EXPECT_GT(solver->factor_entries(), 81);
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(81, 4);
  const Eigen::MatrixXd B = A * X;
  std::vector<double> four(81 * 4), one(81);
  for (int i = 0; i < 81; ++i) {
    for (int c = 0; c < 4; ++c) four[static_cast<std::size_t>(4 * i + c)] = B(i, c);
    one[static_cast<std::size_t>(i)] = B(i, 0);
  }
  solver->solve4(four.data(), four.data(), threads);
  solver->solve(one.data(), one.data(), threads);
  for (int i = 0; i < 81; ++i) {
    // Small pivots and a condition number of some hundred cost digits.
    EXPECT_NEAR(one[static_cast<std::size_t>(i)], X(i, 0), 1e-10);
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(four[static_cast<std::size_t>(4 * i + c)], X(i, c), 1e-10);
    }
  }
  solver->analyse(lower_of(Eigen::MatrixXd::Identity(3, 3)));
  SpdSolver::Matrix singular = lower_of(Eigen::MatrixXd::Identity(3, 3));
  singular.coeffRef(1, 1) = 0;
  EXPECT_FALSE(solver->factor(singular, threads));
}

TEST(EigenCholesky, AnIndefiniteOrNonFiniteMatrixIsRefused) {
  Eigen::MatrixXd A = random_matrix(grid(4), 1);
  auto solver = make_eigen_cholesky();
  solver->analyse(lower_of(A));
  A(5, 5) = -1;
  EXPECT_FALSE(solver->factor(lower_of(A), threads));
  A(5, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->factor(lower_of(A), threads));
}

}  // namespace
}  // namespace supple
