#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "linear/ordering.h"
#include "linear/panel_solve.h"
#include "linear/sparse_kernels.h"
#include "linear/spd_solver.h"
#include "linear/subtrees.h"
#include "linear/supernodes.h"
#include "linear/test_matrices.h"

namespace supple {
namespace {

Threads threads(1);

using test::grid;
using test::lower_of;
using test::random_matrix;

Eigen::MatrixXd permuted(const Eigen::MatrixXd& A, const std::vector<int>& order) {
  Eigen::MatrixXd result(A.rows(), A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      result(i, j) = A(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

LowerPattern pattern_of(const SpdSolver::Matrix& lower) {
  return {static_cast<int>(lower.rows()), lower.outerIndexPtr(), lower.innerIndexPtr()};
}

/// A grid in an order of little fill, with random values.
Eigen::MatrixXd ordered_matrix(int width, unsigned seed) {
  const Adjacency adjacency = grid(width);
  return permuted(random_matrix(adjacency, seed), fill_reducing_order(adjacency));
}

TEST(Supernodes, HoldEveryEntryOfTheFactor) {
  for (const int width : {1, 2, 5, 12}) {
    for (const bool ordered : {false, true}) {
      const Eigen::MatrixXd A = ordered ? ordered_matrix(width, 3) : random_matrix(grid(width), 3);
      const SpdSolver::Matrix lower = lower_of(A);
      const Supernodes nodes = find_supernodes(pattern_of(lower));
      const Eigen::MatrixXd L = A.llt().matrixL();
      Eigen::MatrixXi stored = Eigen::MatrixXi::Zero(A.rows(), A.cols());
      int next = 0;
      for (int s = 0; s < nodes.count(); ++s) {
        EXPECT_EQ(nodes.first[static_cast<std::size_t>(s)], next);
        EXPECT_GT(nodes.width(s), 0);
        next += nodes.width(s);
        for (int j = next - nodes.width(s); j < next; ++j) {
          for (int i = j; i < next; ++i) stored(i, j) = 1;
          for (int k = 0; k < nodes.num_rows(s); ++k) stored(nodes.rows_of(s)[k], j) = 1;
        }
        for (int k = 0; k < nodes.num_rows(s); ++k) EXPECT_GE(nodes.rows_of(s)[k], next);
        // The parent has the first row below, and all others are among its columns and rows.
        EXPECT_EQ(nodes.parent[static_cast<std::size_t>(s)] == -1, nodes.num_rows(s) == 0);
      }
      EXPECT_EQ(next, A.rows());
      for (Eigen::Index j = 0; j < A.cols(); ++j) {
        for (Eigen::Index i = j; i < A.rows(); ++i) {
          EXPECT_TRUE(L(i, j) == 0 || stored(i, j) == 1) << i << " " << j;
        }
      }
    }
  }
}

TEST(Supernodes, APostorderKeepsTheFill) {
  const Adjacency adjacency = grid(14);
  const Eigen::MatrixXd A = random_matrix(adjacency, 3);
  std::vector<int> natural(196);
  for (int i = 0; i < 196; ++i) natural[static_cast<std::size_t>(i)] = i;
  const SpdSolver::Matrix lower = lower_of(A);
  const std::vector<int> parent = elimination_tree(pattern_of(lower));
  const std::vector<int> order = postorder(parent);
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  for (std::size_t j = 0; j < parent.size(); ++j) {
    if (parent[j] != -1) {
      EXPECT_GT(place[static_cast<std::size_t>(parent[j])], place[j]);
    }
  }
  EXPECT_EQ(factor_entries(adjacency, order), factor_entries(adjacency, natural));
}

/// Rounding of a solution for condition numbers of about ten: of doubles, of residuals and of
/// floats.
double rounding_of(Precision precision) {
  if (precision == Precision::full) return 1e-13;
  return precision == Precision::refined ? 1e-9 : 1e-5;
}

std::string name_of(Precision precision) {
  if (precision == Precision::full) return "full";
  return precision == Precision::refined ? "refined" : "mixed";
}

class SupernodalCholesky : public testing::TestWithParam<Precision> {
 protected:
  double rounding() const { return rounding_of(GetParam()); }
};

TEST_P(SupernodalCholesky, SolvesOneAndFourRightHandSides) {
  // Sizes around the edges of tiles, in a good order, a bad one, and dense.
  std::vector<Eigen::MatrixXd> matrices;
  for (const int width : {1, 2, 3, 9, 17}) {
    matrices.push_back(random_matrix(grid(width), 7));
    matrices.push_back(ordered_matrix(width, 7));
  }
  for (const int n : {4, 7, 8, 9, 13, 33}) {
    const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n);
    matrices.emplace_back(B * B.transpose() / n + Eigen::MatrixXd::Identity(n, n));
  }
  for (const Eigen::MatrixXd& A : matrices) {
    auto solver = make_supernodal_cholesky(GetParam());
    solver->analyse(lower_of(A));
    ASSERT_TRUE(solver->factor(lower_of(A), threads));
    const Eigen::Index n = A.rows();
    EXPECT_GE(solver->factor_entries(), n);
    const Eigen::MatrixXd X = Eigen::MatrixXd::Random(n, 4);
    const Eigen::MatrixXd B = A * X;
    std::vector<double> four(static_cast<std::size_t>(4 * n)), one(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      for (int c = 0; c < 4; ++c) four[static_cast<std::size_t>(4 * i + c)] = B(i, c);
      one[static_cast<std::size_t>(i)] = B(i, 0);
    }
    for (int again = 0; again < 2; ++again) {
      std::vector<double> x4(four.size()), x1(one);
      solver->solve4(four.data(), x4.data(), threads);
      solver->solve(x1.data(), x1.data(), threads);
      for (Eigen::Index i = 0; i < n; ++i) {
        EXPECT_NEAR(x1[static_cast<std::size_t>(i)], X(i, 0), rounding()) << n;
        for (int c = 0; c < 4; ++c) {
          EXPECT_NEAR(x4[static_cast<std::size_t>(4 * i + c)], X(i, c), rounding()) << n;
        }
      }
    }
  }
}

TEST_P(SupernodalCholesky, FindsAnyColumnOfTheInverse) {
  // With a single nonzero row in the right-hand side, few supernodes have anything to subtract from
  // the rows above.
  const Eigen::MatrixXd A = ordered_matrix(9, 3), inverse = A.inverse();
  auto solver = make_supernodal_cholesky(GetParam());
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  const auto n = static_cast<std::size_t>(A.rows());
  for (std::size_t row = 0; row < n; ++row) {
    std::vector<double> four(4 * n), x4(4 * n), x1(n);
    four[4 * row + 1] = x1[row] = 1;
    solver->solve4(four.data(), x4.data(), threads);
    solver->solve(x1.data(), x1.data(), threads);
    for (std::size_t i = 0; i < n; ++i) {
      const double entry = inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(row));
      EXPECT_NEAR(x1[i], entry, rounding()) << i << " of " << row;
      EXPECT_NEAR(x4[4 * i + 1], entry, rounding()) << i << " of " << row;
      EXPECT_EQ(x4[4 * i], 0);
    }
  }
}

TEST_P(SupernodalCholesky, RefactorsNewValuesInTheSamePattern) {
  const Eigen::MatrixXd A = ordered_matrix(9, 7);
  auto solver = make_supernodal_cholesky(GetParam());
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  ASSERT_TRUE(solver->factor(lower_of(4 * A), threads));
  std::vector<double> b(81, 1.0), x(81);
  solver->solve(b.data(), x.data(), threads);
  const Eigen::VectorXd expected = (4 * A).ldlt().solve(Eigen::VectorXd::Ones(81));
  for (int i = 0; i < 81; ++i) {
    EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected(i), rounding());
  }
}

TEST_P(SupernodalCholesky, RefusesWhatIsNotPositiveDefinite) {
  const Eigen::MatrixXd A = random_matrix(grid(9), 7, 0.8);
  auto solver = make_supernodal_cholesky(GetParam());
  solver->analyse(lower_of(A));
  EXPECT_FALSE(solver->factor(lower_of(A), threads));
  EXPECT_EQ(solver->factor_entries(), 0);
  SpdSolver::Matrix broken = lower_of(random_matrix(grid(9), 7));
  ASSERT_TRUE(solver->factor(broken, threads));
  broken.coeffRef(40, 40) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->factor(broken, threads));
}

TEST_P(SupernodalCholesky, TakesForcesOfAnySize) {
  const Eigen::MatrixXd A = ordered_matrix(5, 7);
  auto solver = make_supernodal_cholesky(GetParam());
  solver->analyse(lower_of(A));
  ASSERT_TRUE(solver->factor(lower_of(A), threads));
  const Eigen::VectorXd one = A.ldlt().solve(Eigen::VectorXd::Ones(25));
  for (const double size : {1e-300, 1e-60, 1e60, 1e300}) {
    std::vector<double> b(25, size), x(25);
    solver->solve(b.data(), x.data(), threads);
    for (int i = 0; i < 25; ++i) {
      EXPECT_NEAR(x[static_cast<std::size_t>(i)] / size, one(i), rounding()) << size;
    }
  }
  std::vector<double> zero(100, 0.0);
  solver->solve4(zero.data(), zero.data(), threads);
  EXPECT_EQ(zero, std::vector<double>(100, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Linear, SupernodalCholesky,
                         testing::Values(Precision::full, Precision::refined, Precision::mixed),
                         [](const auto& precision) { return name_of(precision.param); });

/// A grid in an order of little fill, too large for a dense matrix.
SpdSolver::Matrix large_grid(int width) {
  const Adjacency adjacency = grid(width);
  const std::vector<int> order = fill_reducing_order(adjacency);
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  const int n = adjacency.size();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    entries.emplace_back(place[row], place[row], 5 + 0.01 * (i % 7));
    for (int a = adjacency.start[row]; a < adjacency.start[row + 1]; ++a) {
      const int j =
          place[static_cast<std::size_t>(adjacency.neighbour[static_cast<std::size_t>(a)])];
      if (j < place[row]) entries.emplace_back(place[row], j, -1 + 0.001 * (i % 5));
    }
  }
  SpdSolver::Matrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

TEST(SupernodalThreads, AnyNumberGivesTheSameBits) {
  // Large enough to be shared.
  const SpdSolver::Matrix lower = large_grid(60);
  const int n = static_cast<int>(lower.rows());
  const Division division = divide(find_supernodes(pattern_of(lower)));
  EXPECT_GE(division.subtrees.size(), 2U);
  EXPECT_GE(division.branches.size(), 2U);
  for (const Precision precision : {Precision::full, Precision::refined, Precision::mixed}) {
    std::vector<std::vector<double>> solutions;
    // One and two threads go by branches; more start with the subtrees inside them.
    for (const int count : {1, 2, 3, 5}) {
      Threads several(count);
      auto solver = make_supernodal_cholesky(precision);
      solver->analyse(lower);
      ASSERT_TRUE(solver->factor(lower, several));
      std::vector<double> x(static_cast<std::size_t>(4 * n));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 13) - 6;
      solver->solve4(x.data(), x.data(), several);
      solutions.push_back(x);
    }
    for (const std::vector<double>& solution : solutions) EXPECT_EQ(solution, solutions[0]);
    // And it solves the system.
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>> X(
        solutions[0].data(), n, 4);
    const Eigen::MatrixXd product = lower.selfadjointView<Eigen::Lower>() * X;
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < 4; ++c) {
        // Ten roundings of a solution: the right-hand side has entries up to six.
        EXPECT_NEAR(product(i, c), (4 * i + c) % 13 - 6, 10 * rounding_of(precision));
      }
    }
  }
}

/// Entries of the supernodes first .. root.
double work_of(const Supernodes& nodes, const Subtree& tree) {
  double work = 0;
  for (int s = tree.first; s <= tree.root; ++s) {
    work += nodes.width(s) * (0.5 * nodes.width(s) + nodes.num_rows(s));
  }
  return work;
}

TEST(Division, GivesTwoThreadsHalfEachAndKeepsPartsApart) {
  for (const int width : {60, 90}) {
    const SpdSolver::Matrix lower = large_grid(width);
    const Supernodes nodes = find_supernodes(pattern_of(lower));
    const Division division = divide(nodes);
    const double all = work_of(nodes, {0, nodes.count() - 1});
    for (const auto* trees : {&division.subtrees, &division.branches}) {
      int next = 0;
      for (const Subtree& tree : *trees) {
        EXPECT_GE(tree.first, next);
        next = tree.root + 1;
        // Parents inside a subtree stay inside it: nothing there belongs to anyone else.
        for (int s = tree.first; s < tree.root; ++s)
          EXPECT_LE(nodes.parent[static_cast<std::size_t>(s)], tree.root);
      }
    }
    double top = all;
    ASSERT_EQ(division.branches.size(), 2U);
    for (const Subtree& branch : division.branches) {
      EXPECT_GT(work_of(nodes, branch), 0.35 * all);
      top -= work_of(nodes, branch);
    }
    EXPECT_LT(top, 0.1 * all);
    for (const Subtree& tree : division.subtrees) {
      EXPECT_LE(work_of(nodes, tree), 0.35 * all);
      // Wholly inside a branch.
      const auto holds = [&](const Subtree& branch) {
        return tree.first >= branch.first && tree.root < branch.root;
      };
      EXPECT_TRUE(holds(division.branches[0]) || holds(division.branches[1]));
    }
  }
}

TEST(MixedCholesky, KeepsInDoublesWhatFloatsDoNotHold) {
  const Eigen::MatrixXd A = ordered_matrix(5, 7);
  const Eigen::VectorXd one = A.ldlt().solve(Eigen::VectorXd::Ones(25));
  // The inverse of the factor is of size 1e45 or 1e-45: infinite or zero in floats.
  for (const double size : {1e-90, 1e90}) {
    auto solver = make_supernodal_cholesky(Precision::mixed);
    solver->analyse(lower_of(size * A));
    ASSERT_TRUE(solver->factor(lower_of(size * A), threads));
    std::vector<double> b(25, 1.0), x(25);
    solver->solve(b.data(), x.data(), threads);
    for (int i = 0; i < 25; ++i) {
      EXPECT_NEAR(x[static_cast<std::size_t>(i)] * size, one(i), 1e-13);
    }
    // The next matrix may fit again.
    ASSERT_TRUE(solver->factor(lower_of(A), threads));
    solver->solve(b.data(), x.data(), threads);
    EXPECT_NEAR(x[3], one(3), 1e-5);
  }
}

std::unique_ptr<SpdSolver> factorised(const SpdSolver::Matrix& lower, Precision precision,
                                      SimdLevel level = simd_level_in_use()) {
  auto solver = make_supernodal_cholesky(precision, level);
  solver->analyse(lower);
  EXPECT_TRUE(solver->factor(lower, threads));
  return solver;
}

TEST(RefinedCholesky, SolvesWhatFloatsHoldAndWhatTheyDoNot) {
  // Condition numbers from 100 to 1e10; for the last ones, factors in floats are off by more than
  // `held`.
  for (const double held : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9}) {
    const Eigen::MatrixXd A =
        test::grid_laplacian(12) + (held - 1e-3) * Eigen::MatrixXd::Identity(144, 144);
    const auto solver = factorised(lower_of(A), Precision::refined);
    for (const double size : {1.0, 1e-200, 1e200}) {
      Eigen::VectorXd b = size * Eigen::VectorXd::Random(144), x(144);
      solver->solve(b.data(), x.data(), threads);
      // Doubles leave the rounding of A x, whose terms are up to 1e9 times b.
      const double rounding = 1e-14 * (x / size).norm();
      EXPECT_LT((A * (x / size) - b / size).norm(), 2e-10 * (b / size).norm() + rounding) << held;
      // In place.
      solver->solve(b.data(), b.data(), threads);
      EXPECT_EQ(x, b);
    }
  }
}

TEST(RefinedCholesky, DescendsWhereAMatrixIsIndefiniteByLessThanFloatsTell) {
  for (const double lowest : {-1e-8, -1e-6, -1e-3}) {
    const Eigen::MatrixXd A =
        test::grid_laplacian(12) + (lowest - 1e-3) * Eigen::MatrixXd::Identity(144, 144);
    const auto solver = make_supernodal_cholesky(Precision::refined);
    solver->analyse(lower_of(A));
    if (!solver->factor(lower_of(A), threads)) continue;
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(144);  // its eigenvector
    Eigen::VectorXd x(144);
    solver->solve(b.data(), x.data(), threads);
    EXPECT_GT(x.dot(b), 0) << lowest;
  }
}

TEST(SupernodalCholesky, LevelsOfVectorsDifferByRoundingAlone) {
  const Eigen::MatrixXd A = ordered_matrix(25, 4);
  const SpdSolver::Matrix lower = lower_of(A);
  const Eigen::MatrixXd B = Eigen::MatrixXd::Random(4, A.rows());  // four sides, interleaved
  const Eigen::MatrixXd X = A.llt().solve(B.transpose()).transpose();
  for (const SimdLevel level : usable_simd_levels()) {
    for (const Precision precision : {Precision::full, Precision::refined, Precision::mixed}) {
      const auto solver = make_supernodal_cholesky(precision, level);
      solver->analyse(lower);
      ASSERT_TRUE(solver->factor(lower, threads));
      Eigen::MatrixXd x(4, A.rows());
      solver->solve4(B.data(), x.data(), threads);
      // The condition number is below 100, and a sum has at most some hundred terms. With or
      // without a fused multiply-add, at most that many roundings of the factor add up.
      const double tolerance = rounding_of(precision);
      EXPECT_LT((x - X).norm(), tolerance * X.norm()) << simd_level_name(level);
      const Eigen::VectorXd b = B.row(0);
      Eigen::VectorXd one(A.rows());
      solver->solve(b.data(), one.data(), threads);
      EXPECT_LT((one - X.row(0).transpose()).norm(), tolerance * X.row(0).norm())
          << simd_level_name(level);
    }
  }
}

/// Four sides of a solver as a dense n x 4 matrix.
Eigen::MatrixXd solve4(SpdSolver& solver, const Eigen::MatrixXd& B) {
  const Eigen::MatrixXd sides = B.transpose();  // interleaved
  Eigen::MatrixXd x(4, B.rows());
  solver.solve4(sides.data(), x.data(), threads);
  return x.transpose();
}

TEST(MixedCholesky, TakesMultigridByTheSize) {
  // A grid of w x w x w points: the larger one's factor would have more than 2.1 million entries.
  for (const int w : {6, 27}) {
    Adjacency adjacency;
    adjacency.start.push_back(0);
    std::vector<Eigen::Triplet<double>> entries;
    const int n = w * w * w;
    for (int i = 0; i < n; ++i) {
      const int at[3] = {i % w, i / w % w, i / (w * w)}, step[3] = {1, w, w * w};
      for (int c = 0; c < 3; ++c) {
        if (at[c] > 0) adjacency.neighbour.push_back(i - step[c]);
        if (at[c] + 1 < w) adjacency.neighbour.push_back(i + step[c]);
      }
      adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
    }
    const std::vector<int> order = fill_reducing_order(adjacency);
    std::vector<int> place(order.size());
    for (int k = 0; k < n; ++k) {
      place[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;
    }
    for (int i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      entries.emplace_back(place[row], place[row], 6.1);
      for (int a = adjacency.start[row]; a < adjacency.start[row + 1]; ++a) {
        const int j = adjacency.neighbour[static_cast<std::size_t>(a)];
        const int k = place[static_cast<std::size_t>(j)];
        if (k < place[row]) entries.emplace_back(place[row], k, -1.0);
      }
    }
    SpdSolver::Matrix lower(n, n);
    lower.setFromTriplets(entries.begin(), entries.end());
    const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, 4);
    const Eigen::MatrixXd x = solve4(*factorised(lower, Precision::mixed), B);
    const bool is_large = w > 6;
    EXPECT_EQ(factorised(lower, Precision::mixed)->is_direct(), !is_large);
    EXPECT_EQ(x == solve4(*factorised(lower, Precision::single), B), !is_large);
    EXPECT_EQ(x == solve4(*factorised(lower, Precision::multigrid), B), is_large);
    const Eigen::MatrixXd product = lower.selfadjointView<Eigen::Lower>() * x;
    // A cycle leaves a tenth of an error; for a residual, twice as much is fine.
    EXPECT_LT((product - B).norm(), (is_large ? 0.3 : 1e-5) * B.norm());
  }
}

TEST(SparseKernels, LevelsOfVectorsGiveTheSameBits) {
  const std::vector<SimdLevel> levels = usable_simd_levels();
  if (levels.size() == 1) GTEST_SKIP() << "this processor or build has one level";
  const Eigen::MatrixXd A = ordered_matrix(9, 6);
  const SpdSolver::Matrix lower = lower_of(A.llt().matrixL());
  const Eigen::VectorXd inverse_diagonal = lower.diagonal().cwiseInverse();
  const LowerFactor factor{static_cast<int>(lower.rows()), lower.outerIndexPtr(),
                           lower.innerIndexPtr(), lower.valuePtr(), inverse_diagonal.data()};
  const std::vector<std::int64_t> start(lower.outerIndexPtr(),
                                        lower.outerIndexPtr() + lower.rows() + 1);
  const SparseRows rows{start.data(), lower.innerIndexPtr(), lower.valuePtr()};
  for (const int sides : {1, 4}) {
    const Eigen::VectorXd b = Eigen::VectorXd::Random(sides * A.rows());
    Eigen::VectorXd x(b.size()), y(b.size()), other(b.size());
    sparse_kernels(SimdLevel::baseline).substitute(factor, sides, b.data(), x.data());
    sparse_kernels(SimdLevel::baseline).multiply(rows, sides, 0, factor.n, b.data(), y.data());
    EXPECT_GT(x.norm(), 0);
    for (const SimdLevel level : levels) {
      sparse_kernels(level).substitute(factor, sides, b.data(), other.data());
      EXPECT_TRUE(other == x) << simd_level_name(level);
      sparse_kernels(level).multiply(rows, sides, 0, factor.n, b.data(), other.data());
      EXPECT_TRUE(other == y) << simd_level_name(level);
    }
  }
}

}  // namespace
}  // namespace supple
