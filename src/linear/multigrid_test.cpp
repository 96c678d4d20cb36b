#include "linear/multigrid.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "base/index.h"
#include "linear/test_matrices.h"

namespace supple {
namespace {

using test::lower_of;

Threads& alone() {
  static Threads threads(1);
  return threads;
}

/// A grid of w x w x w points of mass `mass`, each connected to the next ones with `stiffness(x)`,
/// where x is the first point's coordinate along the grid's first axis.
template <class Stiffness>
SpdSolver::Matrix cube(int w, double mass, const Stiffness& stiffness) {
  const int n = w * w * w, step[3] = {1, w, w * w};
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, mass);
    for (int c = 0; c < 3; ++c) {
      const int j = i + step[c];
      if (i / step[c] % w + 1 == w) continue;
      const double k = stiffness(i % w);
      entries.emplace_back(i, i, k);
      entries.emplace_back(j, j, k);
      entries.emplace_back(j, i, -k);
    }
  }
  SpdSolver::Matrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

SpdSolver::Matrix cube(int w, double mass = 1e-2) {
  return cube(w, mass, [](int) { return 1.0; });
}

Eigen::MatrixXd dense(const SpdSolver::Matrix& lower) {
  const SpdSolver::Matrix full = lower.selfadjointView<Eigen::Lower>();
  return {full};
}

/// H, column by column.
Eigen::MatrixXd operator_of(SpdSolver& solver, Eigen::Index n) {
  Eigen::MatrixXd H(n, n);
  for (Eigen::Index first = 0; first < n; first += 4) {
    Eigen::MatrixXd sides = Eigen::MatrixXd::Zero(4, n), x(4, n);
    const Eigen::Index count = std::min<Eigen::Index>(4, n - first);
    for (Eigen::Index c = 0; c < count; ++c) sides(c, first + c) = 1;
    solver.solve4(sides.data(), x.data(), alone());
    H.middleCols(first, count) = x.topRows(count).transpose();
  }
  return H;
}

/// Smallest eigenvalue of H A. Expects all eigenvalues in (0, 1] and a symmetric H.
double least_eigenvalue(SpdSolver& solver, const SpdSolver::Matrix& lower) {
  const Eigen::MatrixXd A = dense(lower);
  // In the units of A, since rows can differ by powers of ten.
  const Eigen::VectorXd root = A.diagonal().cwiseSqrt();
  const Eigen::MatrixXd H = root.asDiagonal() * operator_of(solver, A.rows()) * root.asDiagonal();
  // Floats, and sums of some hundred terms.
  EXPECT_LT((H - H.transpose()).norm(), 1e-5 * H.norm());
  const Eigen::MatrixXd scaled =
      root.cwiseInverse().asDiagonal() * A * root.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd L = scaled.llt().matrixL();
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                     L.transpose() * (0.5 * (H + H.transpose())) * L)
                                     .eigenvalues();
  // One, except that off-diagonal entries have only eight binary digits.
  EXPECT_LT(values.maxCoeff(), 1.01);
  return values.minCoeff();
}

TEST(Multigrid, IsSymmetricAndLeavesLittleOfAnyError) {
  for (const auto& [mass, depth] : {std::pair{1e-2, 0}, {1.0, 0}, {1e-2, 1}, {1.0, 1}}) {
    const SpdSolver::Matrix lower = cube(7, mass);
    Multigrid solver(simd_level_in_use(), depth);
    ASSERT_TRUE(solver.factor(lower, alone()));
    EXPECT_EQ(solver.num_grids(), 2);
    EXPECT_GT(solver.coarse_rows(), 0);
    EXPECT_LT(solver.coarse_rows(), 343 / 4);
    EXPECT_FALSE(solver.is_direct());
    // 1 - the smallest eigenvalue is what a cycle leaves of the worst error. Some cycles from noise
    // reveal a good part of it.
    const double left = 1 - least_eigenvalue(solver, lower);
    EXPECT_LT(left, 0.3);
    EXPECT_GT(solver.contraction(), 0.3 * left);
    EXPECT_LT(solver.contraction(), left + 1e-3);
  }
}

TEST(Multigrid, IsPositiveDefiniteForMatricesOfAllKinds) {
  std::vector<std::pair<const char*, SpdSolver::Matrix>> matrices;
  matrices.emplace_back("two bodies", cube(6, 1, [](int x) {
                          return x == 2 ? 0.0 : x < 2 ? 1.0 : 1e4;
                        }));
  matrices.emplace_back("a soft layer", cube(6, 1e-2, [](int x) { return x == 2 ? 1e-3 : 1.0; }));
  matrices.emplace_back("masses alone", cube(3, 2, [](int) { return 0.0; }));
  matrices.emplace_back("one row", cube(1, 5));
  for (const double stiffness : {1e3, 1e7}) {
    SpdSolver::Matrix pinned = cube(6);
    for (int i = 0; i < 40; ++i) pinned.coeffRef(5 * i, 5 * i) += stiffness;
    matrices.emplace_back("pins", pinned);
  }
  // Entries of both signs, as from obtuse tets.
  Eigen::MatrixXd mixed = dense(cube(6, 1));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 0.4);
  for (int i = 0; i + 7 < mixed.rows(); ++i) {
    const double k = uniform(random);
    mixed(i, i + 7) += k;
    mixed(i + 7, i) += k;
    mixed(i, i) += k;
    mixed(i + 7, i + 7) += k;
  }
  matrices.emplace_back("positive entries", lower_of(mixed));
  for (const auto& [name, lower] : matrices) {
    for (const int depth : {0, 1}) {
      SCOPED_TRACE(fmt::format("{}, depth {}", name, depth));
      Multigrid solver(simd_level_in_use(), depth);
      ASSERT_TRUE(solver.factor(lower, alone()));
      EXPECT_GT(least_eigenvalue(solver, lower), 1 - Multigrid::most_left);
    }
  }
}

TEST(Multigrid, WhatItDoesNotHoldIsLeftToAFactor) {
  // In smooth errors every second row has the other sign, which the coarse grid cannot represent.
  Eigen::MatrixXd A = dense(cube(8, 1e-4));
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      if (i != j) A(i, j) = -A(i, j);
    }
  }
  Multigrid solver(simd_level_in_use());
  EXPECT_FALSE(solver.factor(lower_of(A), alone()));
  EXPECT_GT(solver.contraction(), Multigrid::most_left);
  const auto mixed = make_supernodal_cholesky(Precision::multigrid);
  mixed->analyse(lower_of(A));
  ASSERT_TRUE(mixed->factor(lower_of(A), alone()));
  EXPECT_TRUE(mixed->is_direct());
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
  Eigen::VectorXd x(A.rows());
  mixed->solve(b.data(), x.data(), alone());
  EXPECT_LT((A * x - b).norm(), 1e-4 * b.norm());  // floats
  // The next matrix may fit multigrid.
  const SpdSolver::Matrix next = lower_of(dense(cube(8)));
  ASSERT_TRUE(mixed->factor(next, alone()));
  EXPECT_FALSE(mixed->is_direct());
}

TEST(Multigrid, RefusesWhatIsNoPositiveMatrix) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    SpdSolver::Matrix lower = cube(4);
    lower.coeffRef(9, 9) = bad;
    EXPECT_FALSE(Multigrid(simd_level_in_use()).factor(lower, alone())) << bad;
  }
  EXPECT_FALSE(Multigrid(simd_level_in_use()).factor(cube(4, -3), alone()));
}

TEST(Multigrid, AnyNumberOfThreadsGivesTheSameBits) {
  const SpdSolver::Matrix lower = cube(13);  // five windows of rows
  std::vector<std::vector<double>> solutions;
  for (const int count : {1, 2, 3}) {
    Threads several(count);
    Multigrid solver(simd_level_in_use());
    ASSERT_TRUE(solver.factor(lower, several));
    std::vector<double> x(4 * at(lower.rows()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 13) - 6;
    std::vector<double> elsewhere(x.size());
    solver.solve4(x.data(), elsewhere.data(), several);
    solver.solve4(x.data(), x.data(), several);
    EXPECT_EQ(x, elsewhere);
    solutions.push_back(x);
  }
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_EQ(solutions[0], solutions[2]);
}

TEST(Multigrid, TakesForcesAndMatricesOfAnySize) {
  std::vector<double> expected(4 * 125), x(expected.size()), one(125);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1 + 3.0 * static_cast<double>(i));
  const std::vector<double> b = x;
  Multigrid plain(simd_level_in_use());
  ASSERT_TRUE(plain.factor(cube(5), alone()));
  plain.solve4(b.data(), expected.data(), alone());
  for (const double force : {1e-300, 1e-60, 1e60, 1e300}) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = force * b[i];
    plain.solve4(x.data(), x.data(), alone());
    // The sides are scaled to about one by a power of two, so floats round differently.
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i] / force, expected[i], 1e-4);
  }
  for (const double size : {0x1p-600, 0x1p-201, 0x1p201, 0x1p600}) {
    Multigrid solver(simd_level_in_use());
    ASSERT_TRUE(solver.factor(size * cube(5), alone()));
    solver.solve4(b.data(), x.data(), alone());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i] * size, expected[i], 1e-4);
  }
  for (std::size_t i = 0; i < one.size(); ++i) one[i] = b[4 * i];
  plain.solve(one.data(), one.data(), alone());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], expected[4 * i], 1e-4);
  std::vector<double> zero(x.size(), 0.0);
  plain.solve4(zero.data(), zero.data(), alone());
  EXPECT_EQ(zero, std::vector<double>(x.size(), 0.0));
}

TEST(Multigrid, LevelsOfVectorsDifferByRoundingAlone) {
  const SpdSolver::Matrix lower = cube(9);
  std::vector<double> b(4 * at(lower.rows())), expected(b.size()), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(7 * i));
  Multigrid baseline(SimdLevel::baseline);
  ASSERT_TRUE(baseline.factor(lower, alone()));
  baseline.solve4(b.data(), expected.data(), alone());
  const double size = std::abs(*std::max_element(expected.begin(), expected.end()));
  for (const SimdLevel level : usable_simd_levels()) {
    Multigrid solver(level);
    ASSERT_TRUE(solver.factor(lower, alone()));
    solver.solve4(b.data(), x.data(), alone());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], expected[i], 1e-5 * size) << simd_level_name(level);
    }
  }
}

TEST(Multigrid, TakesMoreRowsThanAWordHoldsAndAThirdGridForThem) {
  // 68,921 rows: columns no longer fit 16 bits, and the coarse grid's factor would be large.
  const SpdSolver::Matrix lower = cube(41);
  std::vector<double> b(4 * at(lower.rows())), expected, x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 13) - 6;
  for (const int count : {1, 2}) {
    Threads several(count);
    Multigrid solver(simd_level_in_use());
    ASSERT_TRUE(solver.factor(lower, several));
    EXPECT_EQ(solver.num_grids(), 3);
    EXPECT_LT(solver.contraction(), 0.3);
    solver.solve4(b.data(), x.data(), several);
    if (expected.empty()) expected = x;
    EXPECT_EQ(x, expected);
  }
  // Symmetric: <H b, c> = <b, H c> for sides b and c, up to the rounding of sums of floats.
  double there = 0, back = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); i += 4) {
    there += x[i] * b[i + 1];
    back += x[i + 1] * b[i];
    size += std::abs(x[i] * b[i + 1]);
  }
  EXPECT_NEAR(there, back, 1e-5 * size);
}

RowMatrix rows_of(const Eigen::MatrixXd& A) {
  RowMatrix rows;
  rows.columns = static_cast<int>(A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      if (A(i, j) == 0) continue;
      rows.column.push_back(static_cast<int>(j));
      rows.value.push_back(A(i, j));
    }
    rows.start.push_back(static_cast<int>(rows.column.size()));
  }
  return rows;
}

Eigen::MatrixXd dense(const RowMatrix& A) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(A.rows(), A.columns);
  for (int i = 0; i < A.rows(); ++i) {
    for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
      result(i, A.column[at(e)]) += A.value[at(e)];
    }
  }
  return result;
}

TEST(Aggregation, ProductsAreThoseOfDenseMatrices) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(5, 7), B = Eigen::MatrixXd::Random(7, 4),
                  C = Eigen::MatrixXd::Random(5, 4);
  A(1, 2) = A(3, 3) = B(2, 1) = C(4, 0) = 0;
  EXPECT_LT(
      (dense(multiply_add(2, rows_of(C), -3, rows_of(A), rows_of(B))) - (2 * C - 3 * A * B)).norm(),
      1e-14);
  EXPECT_EQ(dense(transpose(rows_of(A))), A.transpose());
  const SpdSolver::Matrix lower = cube(3);
  const std::vector<double> scale(27, 2.0);
  EXPECT_EQ(dense(scaled_rows(lower, scale)), 4 * dense(lower));
}

TEST(Aggregation, WithoutWeakEntriesAMatrixIsSymmetricAndTakesAFieldToTheSame) {
  // Edges of 1 and of 0.05 alternate; the diagonal is at most 6.3.
  const SpdSolver::Matrix lower = cube(5, 0.1, [](int x) { return x % 2 == 0 ? 1.0 : 0.05; });
  const std::vector<double> ones(at(lower.rows()), 1.0);
  std::vector<double> field;
  for (int i = 0; i < lower.rows(); ++i) field.push_back(1 + 0.1 * (i % 7));
  const RowMatrix A = scaled_rows(lower, ones);
  const RowMatrix kept = without_weak(A, 0.1, field);
  EXPECT_LT(kept.value.size(), A.value.size());
  const Eigen::MatrixXd before = dense(A), after = dense(kept);
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(field.data(), before.rows());
  EXPECT_LT((before * x - after * x).norm(), 1e-14 * (before * x).norm());
  EXPECT_EQ((after - after.transpose()).norm(), 0);
  for (Eigen::Index i = 0; i < after.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double ratio = std::max(x(i) / x(j), x(j) / x(i));
      EXPECT_EQ(after(i, j), std::abs(before(i, j)) * ratio < 0.1 ? 0 : before(i, j));
    }
  }
}

TEST(Aggregation, TheBoundHoldsAndIsNear) {
  Eigen::MatrixXd A = dense(cube(5));
  for (const bool turned : {false, true}) {
    if (turned) A.row(3) *= -1, A.col(3) *= -1;  // the same eigenvalues, entries of both signs
    const double largest =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues().maxCoeff();
    EXPECT_GE(eigenvalue_bound(rows_of(A)), largest);
    EXPECT_LT(eigenvalue_bound(rows_of(A)), 1.15 * largest);
  }
}

TEST(Aggregation, GroupsFollowStrongConnectionsAndLeaveOutRowsWithout) {
  // Two chains connected by a weak entry, and an isolated row.
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(9, 9);
  for (const int i : {0, 1, 2, 4, 5, 6}) A(i, i + 1) = A(i + 1, i) = -0.4;
  A(3, 4) = A(4, 3) = -0.01;
  std::vector<int> group;
  const int count = aggregate(rows_of(A), 0.05, group);
  EXPECT_EQ(group[8], -1);
  for (int i = 0; i < 8; ++i) {
    ASSERT_GE(group[at(i)], 0);
    ASSERT_LT(group[at(i)], count);
    for (int j = 0; j < 8; ++j) {
      if ((i < 4) != (j < 4)) {
        EXPECT_NE(group[at(i)], group[at(j)]);
      }
    }
  }
  EXPECT_LE(count, 4);
}

TEST(Aggregation, ASmoothVectorIsInReachOfTheProlongation) {
  const SpdSolver::Matrix lower = cube(6, 0);
  const Eigen::VectorXd root = dense(lower).diagonal().cwiseSqrt();
  std::vector<double> scale(216), near_null(216);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    near_null[i] = root[static_cast<Eigen::Index>(i)];
    scale[i] = 1 / near_null[i];
  }
  const RowMatrix A = scaled_rows(lower, scale);
  const Eigen::MatrixXd P = dense(smoothed_prolongation(A, eigenvalue_bound(A), 0.05, near_null));
  // The best combination of the columns for a vector that costs A nothing.
  const Eigen::VectorXd rest = root - P * P.householderQr().solve(root);
  EXPECT_LT(rest.norm(), 1e-12 * root.norm());
}

}  // namespace
}  // namespace supple
