#include "linear/float_cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/float_mode.h"
#include "linear/ordering.h"
#include "linear/test_matrices.h"

namespace supple {
namespace {

using Lower = SpdSolver::Matrix;

/// n points in a cube, each connected to those near it, with 3 x 3 blocks. The matrix is positive
/// definite, since the diagonal of each row exceeds the sum of its neighbours by `excess`.
Lower random_blocks(int n, unsigned seed, double excess = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < n; ++i) {
    points.emplace_back(uniform(generator), uniform(generator), uniform(generator));
  }
  const double reach = 2 * std::cbrt(2.0 / n);
  Adjacency adjacency;
  adjacency.start.push_back(0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j != i && (points[i] - points[j]).norm() < reach) adjacency.neighbour.push_back(j);
    }
    adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
  }
  const std::vector<int> order = fill_reducing_order(adjacency);
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  std::vector<double> size(3 * n, excess);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    for (int a = adjacency.start[i]; a < adjacency.start[i + 1]; ++a) {
      const int j = adjacency.neighbour[a];
      if (place[j] > place[i]) continue;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          const double value = uniform(generator);
          entries.emplace_back(3 * place[i] + r, 3 * place[j] + c, value);
          size[3 * place[i] + r] += std::abs(value);
          size[3 * place[j] + c] += std::abs(value);
        }
      }
    }
  }
  for (int i = 0; i < 3 * n; ++i) entries.emplace_back(i, i, size[i]);
  for (int i = 0; i < n; ++i) {
    for (const auto& [r, c] : {std::pair(1, 0), {2, 0}, {2, 1}}) {
      entries.emplace_back(3 * i + r, 3 * i + c, 0.3 * excess * uniform(generator));
    }
  }
  Lower lower(3 * n, 3 * n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

Eigen::VectorXd solution(const Lower& lower, const Eigen::VectorXd& b, int count = 1,
                         SimdLevel level = simd_level_in_use()) {
  Threads threads(count);
  FloatCholesky solver(level);
  solver.analyse(lower);
  EXPECT_TRUE(solver.factor(lower, threads));
  Eigen::VectorXd x(b.size());
  solver.solve(b.data(), x.data(), threads);
  return x;
}

TEST(FloatCholesky, SolvesAsADenseFactorDoes) {
  for (const int n : {1, 2, 3, 5, 6, 7, 17, 40, 120, 400}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Lower lower = random_blocks(n, seed);
      const Eigen::MatrixXd A = Eigen::MatrixXd(lower).selfadjointView<Eigen::Lower>();
      const Eigen::VectorXd b = Eigen::VectorXd::Random(3 * n);
      const Eigen::VectorXd exact = A.llt().solve(b);
      for (const SimdLevel level : usable_simd_levels()) {
        EXPECT_LT((solution(lower, b, 1, level) - exact).norm(), 1e-5 * exact.norm())
            << n << " " << seed << " " << simd_level_name(level);
      }
    }
  }
}

TEST(FloatCholesky, AnyOrderOfEliminationWillDo) {
  // An order that is not a postorder: what fronts leave is not used last in, first out.
  const Eigen::MatrixXd A = test::random_matrix(test::grid(14), 5);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(A.rows());
  const Eigen::VectorXd exact = A.llt().solve(b);
  EXPECT_LT((solution(test::lower_of(A), b) - exact).norm(), 1e-5 * exact.norm());
}

TEST(FloatCholesky, AnyNumberOfThreadsGivesTheSameBits) {
  const Lower lower = random_blocks(3000, 4);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(lower.rows());
  const Eigen::VectorXd alone = solution(lower, b);
  for (const int count : {2, 3, 8}) EXPECT_EQ(solution(lower, b, count), alone) << count;
}

TEST(FloatCholesky, RefusesWhatIsNotPositiveDefiniteAndTakesTheNextMatrix) {
  const Lower good = random_blocks(200, 6);
  Threads threads(2);
  FloatCholesky solver(simd_level_in_use());
  solver.analyse(good);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(good.rows());
  for (const int column : {0, 7, 300, 599}) {
    for (const double value : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
      Lower bad = good;
      bad.valuePtr()[bad.outerIndexPtr()[column]] = value;
      EXPECT_FALSE(solver.factor(bad, threads)) << column << " " << value;
      EXPECT_EQ(solver.factor_entries(), 0);
      EXPECT_TRUE(solver.factor(good, threads));
      Eigen::VectorXd x(b.size());
      solver.solve(b.data(), x.data(), threads);
      EXPECT_EQ(x, solution(good, b));
    }
  }
}

/// A chain whose solution falls by nine digits a link leaves the range of floats at the fifth.
TEST(FloatCholesky, TakesSubnormalNumbersAsZero) {
  const std::uint32_t mode = float_mode();
  if (const SubnormalsAsZero as_zero; float_mode() == mode) {
    GTEST_SKIP() << "the processor has no such mode";
  }
  EXPECT_EQ(float_mode(), mode);
  constexpr int n = 8;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
  for (int i = 1; i < n; ++i) A(i, i - 1) = A(i - 1, i) = -1e-9;
  const Eigen::VectorXd x = solution(test::lower_of(A), Eigen::VectorXd::Unit(n, 0));
  EXPECT_NEAR(x[4], 1e-36, 1e-42);
  EXPECT_EQ(x.tail(n - 5), Eigen::VectorXd::Zero(n - 5)) << x;
  EXPECT_EQ(float_mode(), mode);
}

}  // namespace
}  // namespace supple
