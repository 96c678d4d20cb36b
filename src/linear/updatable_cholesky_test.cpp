#include "linear/updatable_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <thread>

#include "linear/test_matrices.h"

namespace supple {
namespace {

constexpr double h = 1.0 / 30;
constexpr int width = 12, n = width * width;
constexpr int most_rows = 32;

Threads& alone() {
  static Threads threads(1);
  return threads;
}

/// A grid with diagonal entries of about 4, and these entries added to its diagonal.
Eigen::MatrixXd with_added(const std::vector<std::pair<int, double>>& added) {
  Eigen::MatrixXd A = test::grid_laplacian(width);
  for (const auto& [row, value] : added) A(row, row) += value;
  return A;
}

UpdatableCholesky make(const Eigen::MatrixXd& A, Precision precision) {
  return {test::lower_of(A), precision, most_rows};
}

void set_diagonal(UpdatableCholesky& matrix, const Eigen::MatrixXd& A) {
  std::vector<double> diagonal(static_cast<std::size_t>(A.rows()));
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    diagonal[i] = A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
  }
  matrix.set_diagonal(diagonal, h);
}

/// Largest error of x for A x = b with a known x, whose entries are at most 1.
double error(UpdatableCholesky& matrix, const Eigen::MatrixXd& A) {
  std::vector<double> x(4 * n), one(n);
  Eigen::MatrixXd exact(n, 4);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 4; ++c) exact(i, c) = std::sin(1 + 3.0 * i + 5 * c);
  }
  const Eigen::MatrixXd b = A * exact;
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 4; ++c) x[static_cast<std::size_t>(4 * i + c)] = b(i, c);
    one[static_cast<std::size_t>(i)] = b(i, 1);
  }
  matrix.solve4(x.data(), alone());
  matrix.solve(one.data(), alone());
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 4; ++c) {
      largest = std::max(largest, std::abs(x[static_cast<std::size_t>(4 * i + c)] - exact(i, c)));
    }
    largest = std::max(largest, std::abs(one[static_cast<std::size_t>(i)] - exact(i, 1)));
  }
  return largest;
}

/// Every `stride`-th row from row 3 on.
std::vector<std::pair<int, double>> entries(int count, double value, int stride = 4) {
  std::vector<std::pair<int, double>> list;
  for (int k = 0; k < count; ++k) list.emplace_back(3 + stride * k, value);
  return list;
}

/// The error of a fresh factor, with which an update's is compared.
double fresh_error(const Eigen::MatrixXd& A, Precision precision) {
  UpdatableCholesky matrix = make(A, precision);
  return error(matrix, A);
}

TEST(UpdatableCholesky, AFewEntriesComeWithTheDigitsOfAFreshFactor) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    for (const int count : {1, 2, 5, 31, 32}) {
      for (const double value : {0.1, 10.0, 1e4, 1e9}) {
        const Eigen::MatrixXd A = with_added(entries(count, value));
        UpdatableCholesky matrix = make(with_added({}), precision);
        set_diagonal(matrix, A);
        ASSERT_TRUE(matrix.is_exact());
        ASSERT_FALSE(matrix.is_plain());
        // The matrix before is only held by 1e-3, with a condition number of some thousands. What
        // its own solutions lose to that (1e-3 in floats), the update cannot win back. In doubles
        // that is 1e-12, times the number of sums.
        const double before = fresh_error(with_added({}), precision);
        const double allowed = precision == Precision::full ? 1e-11 : 10 * before;
        EXPECT_LE(error(matrix, A), allowed + 10 * fresh_error(A, precision))
            << count << " of " << value;
      }
    }
  }
}

/// The same with terms.
Eigen::MatrixXd with_terms(Eigen::MatrixXd A, const std::vector<UpdatableCholesky::Term>& terms) {
  for (const auto& term : terms) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(term.count); ++i) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(term.count); ++j) {
        A(term.rows[i], term.rows[j]) += term.stiffness * term.weights[i] * term.weights[j];
      }
    }
  }
  return A;
}

void set_terms(UpdatableCholesky& matrix, const Eigen::MatrixXd& A,
               const std::vector<UpdatableCholesky::Term>& terms) {
  std::vector<double> diagonal(n);
  for (int i = 0; i < n; ++i) diagonal[static_cast<std::size_t>(i)] = A(i, i);
  matrix.set_diagonal(diagonal, h, terms);
}

TEST(UpdatableCholesky, TermsComeBesideEntriesWithTheDigitsOfTheMatrix) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    for (const double value : {0.1, 10.0, 1e4, 1e9}) {
      const Eigen::MatrixXd A = with_added({{0, 1.0}});
      const Eigen::MatrixXd with_entries = with_added({{0, 1.0}, {30, value}, {31, value}});
      // Two of the terms share a row; one term shares a row with an entry.
      const std::vector<UpdatableCholesky::Term> terms = {
          {3, {17, 18, 30}, {0.2, 0.3, 0.5}, value},
          {3, {70, 71, 83}, {0.4, 0.5, 0.1}, value},
          {4, {83, 90, 91, 103}, {0.1, 0.2, 0.3, 0.4}, value}};
      UpdatableCholesky matrix = make(A, precision);
      set_terms(matrix, with_entries, terms);
      ASSERT_TRUE(matrix.is_exact());
      ASSERT_FALSE(matrix.is_waiting());
      // As for entries (above). Beyond that, x can be no more accurate than b = A x allows: a stiff
      // term leaves the other parts of b only the digits that its own part does not use.
      const double own = precision == Precision::full ? 1e-11 : 10 * fresh_error(A, precision);
      EXPECT_LE(error(matrix, with_terms(with_entries, terms)), own + 1e-14 * value) << value;
      set_terms(matrix, A, {});
      EXPECT_TRUE(matrix.is_plain());
    }
  }
}

TEST(UpdatableCholesky, TermsStayThroughANewFactorAndNewEntries) {
  const Eigen::MatrixXd A = with_added({{0, 1.0}});
  const std::vector<UpdatableCholesky::Term> terms = {{3, {1, 2, 14}, {0.2, 0.3, 0.5}, 1e3}};
  UpdatableCholesky matrix = make(A, Precision::full);
  const Eigen::MatrixXd many = with_added(entries(33, 50.0));
  set_terms(matrix, many, terms);
  EXPECT_FALSE(matrix.is_exact());
  for (int step = 0; step < 40; ++step) matrix.begin_step();
  ASSERT_TRUE(matrix.is_exact());
  EXPECT_LE(error(matrix, with_terms(many, terms)), 1e-10);  // 1e3 times the rounding of 1e-13
  const SpdSolver::Matrix other = test::lower_of(2 * many);
  ASSERT_TRUE(matrix.set_entries(
      std::vector<double>(other.valuePtr(), other.valuePtr() + other.nonZeros()), alone()));
  ASSERT_TRUE(matrix.is_exact());
  EXPECT_LE(error(matrix, with_terms(2 * many, terms)), 1e-10);
}

TEST(UpdatableCholesky, AFewEntriesGoWithTheDigitsOfAFreshFactor) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    for (const int count : {1, 2, 5, 31, 32}) {
      for (const double value : {0.1, 10.0, 1e4, 1e6}) {
        const Eigen::MatrixXd A = with_added({{0, 1.0}});
        std::vector<std::pair<int, double>> more = entries(count, value);
        more.emplace_back(0, 1.0);
        UpdatableCholesky matrix = make(with_added(more), precision);
        set_diagonal(matrix, A);
        ASSERT_TRUE(matrix.is_exact()) << count << " of " << value;
        // 1 - d (A^-1)_ii has the rounding of 1, which is that of d in the matrix.
        const double rounding = 1e-14 * value;
        EXPECT_LE(error(matrix, A), 10 * fresh_error(A, precision) + rounding)
            << count << " of " << value;
      }
    }
  }
}

TEST(UpdatableCholesky, SomeComeAndSomeGoAndAllComesBackExactly) {
  const Eigen::MatrixXd first = with_added(entries(10, 1e3));
  UpdatableCholesky matrix = make(first, Precision::mixed);
  std::vector<std::pair<int, double>> second = entries(5, 2e3);
  for (const auto& entry : entries(8, 50, 7)) second.emplace_back(entry.first + 1, entry.second);
  const double plain = error(matrix, first);
  set_diagonal(matrix, with_added(second));
  EXPECT_LE(error(matrix, with_added(second)),
            10 * fresh_error(with_added(second), Precision::mixed));
  // Some of the columns are known from the second matrix.
  const Eigen::MatrixXd third = with_added(entries(7, 2e3));
  set_diagonal(matrix, third);
  EXPECT_LE(error(matrix, third), 10 * fresh_error(third, Precision::mixed));
  set_diagonal(matrix, first);
  EXPECT_TRUE(matrix.is_plain());
  EXPECT_EQ(error(matrix, first), plain);
}

/// Tests x . H y = y . H x and x . H x > 0 for the operator H that `solve` applies.
void expect_symmetric_positive(UpdatableCholesky& matrix) {
  std::vector<double> x(n), y(n), Hx(n), Hy(n);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Hx[k] = x[k] = std::sin(2.0 * i);
    Hy[k] = y[k] = std::cos(5.0 * i * i);
  }
  matrix.solve(Hx.data(), alone());
  matrix.solve(Hy.data(), alone());
  double xHy = 0, yHx = 0, xHx = 0, yHy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xHy += x[i] * Hy[i];
    yHx += y[i] * Hx[i];
    xHx += x[i] * Hx[i];
    yHy += y[i] * Hy[i];
  }
  EXPECT_GT(xHx, 0);
  EXPECT_GT(yHy, 0);
  EXPECT_NEAR(xHy, yHx, 1e-4 * std::sqrt(xHx * yHy));  // floats
}

TEST(UpdatableCholesky, ManyEntriesWaitForAFactorBehindAPositiveDefiniteStandIn) {
  const Eigen::MatrixXd A = with_added(entries(33, 1e5));
  for (const bool come : {true, false}) {
    const Eigen::MatrixXd from = come ? with_added({}) : A, to = come ? A : with_added({});
    UpdatableCholesky matrix = make(from, Precision::mixed);
    set_diagonal(matrix, to);
    EXPECT_FALSE(matrix.is_exact());
    const int steps = matrix.steps_until_factor(h);
    ASSERT_GE(steps, 2);
    for (int k = 0; k < steps; ++k) {
      EXPECT_FALSE(matrix.is_exact()) << "after " << k << " of " << steps;
      expect_symmetric_positive(matrix);
      matrix.begin_step();
    }
    EXPECT_TRUE(matrix.is_plain());
    EXPECT_FALSE(matrix.is_waiting());
    EXPECT_EQ(error(matrix, to), fresh_error(to, Precision::mixed));
  }
}

TEST(UpdatableCholesky, AnUpdateOfMoreThanAFewRowsIsReplacedByAFactor) {
  for (const int count : {8, 9}) {
    const Eigen::MatrixXd A = with_added(entries(count, 1e3));
    UpdatableCholesky matrix = make(with_added({}), Precision::mixed);
    set_diagonal(matrix, A);
    EXPECT_TRUE(matrix.is_exact());
    EXPECT_EQ(matrix.is_waiting(), count == 9);
    for (int k = 0; k < matrix.steps_until_factor(h); ++k) {
      EXPECT_FALSE(matrix.is_plain());
      matrix.begin_step();
    }
    EXPECT_EQ(matrix.is_plain(), count == 9);
  }
}

TEST(UpdatableCholesky, WhenTheFactorIsTakenDoesNotDependOnTime) {
  const auto errors = [](bool wait) {
    const Eigen::MatrixXd A = with_added(entries(33, 1e5));
    UpdatableCholesky matrix = make(with_added({}), Precision::mixed);
    set_diagonal(matrix, A);
    std::vector<double> list;
    for (int k = 0; k < 4; ++k) {
      if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      list.push_back(error(matrix, A));
      matrix.begin_step();
    }
    return list;
  };
  EXPECT_EQ(errors(false), errors(true));
}

TEST(UpdatableCholesky, ChangesWhileAFactorIsMadeAreFollowedWhenItComes) {
  const Eigen::MatrixXd many = with_added(entries(33, 1e5));
  // Few entries differ from the factor that is being made: it is taken, and updated.
  std::vector<std::pair<int, double>> list = entries(33, 1e5);
  list.resize(30);
  const Eigen::MatrixXd fewer = with_added(list);
  UpdatableCholesky matrix = make(with_added({}), Precision::mixed);
  set_diagonal(matrix, many);
  const int steps = matrix.steps_until_factor(h);
  set_diagonal(matrix, fewer);
  EXPECT_TRUE(matrix.is_exact()) << "30 differ from the old factor";
  EXPECT_LE(error(matrix, fewer), 1e-2);
  for (int k = 0; k < steps; ++k) matrix.begin_step();
  EXPECT_TRUE(matrix.is_exact());
  EXPECT_FALSE(matrix.is_plain()) << "3 differ from the new one";
  EXPECT_LE(error(matrix, fewer), 10 * fresh_error(fewer, Precision::mixed));
  // Many differ from both: another factor.
  const Eigen::MatrixXd other = with_added(entries(35, 7.0));
  set_diagonal(matrix, other);
  EXPECT_FALSE(matrix.is_exact());
  for (int k = 0; k < steps; ++k) matrix.begin_step();
  EXPECT_TRUE(matrix.is_plain());
  // Back to where the old factor was: the factor being made for the other matrix is not wanted.
  set_diagonal(matrix, many);
  set_diagonal(matrix, other);
  for (int k = 0; k < steps; ++k) matrix.begin_step();
  EXPECT_TRUE(matrix.is_plain());
  EXPECT_EQ(error(matrix, other), fresh_error(other, Precision::mixed));
}

TEST(UpdatableCholesky, AChangeThatDoublesDoNotHoldIsNoUpdate) {
  // 1e15 leaves nothing of the entries next to it.
  UpdatableCholesky matrix = make(with_added({{5, 1e15}}), Precision::full);
  set_diagonal(matrix, with_added({}));
  EXPECT_FALSE(matrix.is_exact());
  expect_symmetric_positive(matrix);
  for (int k = 0; k < matrix.steps_until_factor(h); ++k) matrix.begin_step();
  EXPECT_TRUE(matrix.is_plain());
  EXPECT_LE(error(matrix, with_added({})), 1e-9);
}

TEST(UpdatableCholesky, WhereTheMatrixCannotBeFactorisedTheOldFactorServes) {
  const Eigen::MatrixXd A = with_added({});
  Eigen::MatrixXd bad = A;
  for (int i = 0; i < n; ++i) bad(i, i) *= 0.5;
  UpdatableCholesky matrix = make(A, Precision::mixed);
  set_diagonal(matrix, bad);
  for (int k = 0; k < 3 * matrix.steps_until_factor(h); ++k) matrix.begin_step();
  EXPECT_FALSE(matrix.is_exact());
  EXPECT_FALSE(matrix.is_waiting());
  expect_symmetric_positive(matrix);
  // Few entries: the signs of K's eigenvalues reveal it.
  Eigen::MatrixXd slightly = A;
  slightly(7, 7) = 0.01;
  set_diagonal(matrix, slightly);
  EXPECT_FALSE(matrix.is_exact());
  set_diagonal(matrix, A);
  EXPECT_TRUE(matrix.is_plain());
}

bool set_entries(UpdatableCholesky& matrix, const Eigen::MatrixXd& A) {
  const SpdSolver::Matrix lower = test::lower_of(A);
  return matrix.set_entries({lower.valuePtr(), lower.valuePtr() + lower.nonZeros()}, alone());
}

TEST(UpdatableCholesky, OtherEntriesAreSolvedAsByAMatrixMadeOfThem) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    const Eigen::MatrixXd other = 3 * with_added(entries(20, 7));
    UpdatableCholesky matrix = make(with_added({}), precision);
    set_diagonal(matrix, with_added(entries(5, 10)));  // an update, which does not belong to the
                                                       // new entries
    ASSERT_TRUE(set_entries(matrix, other));
    EXPECT_TRUE(matrix.is_plain());
    EXPECT_EQ(error(matrix, other), fresh_error(other, precision));
    // Its diagonal changes like that of a matrix given at the start.
    Eigen::MatrixXd more = other;
    more(7, 7) += 100;
    set_diagonal(matrix, more);
    EXPECT_LE(error(matrix, more), 10 * fresh_error(more, precision));
  }
}

TEST(UpdatableCholesky, EntriesThatCannotBeFactorisedLeaveTheFactorAsItWas) {
  const Eigen::MatrixXd A = with_added({});
  UpdatableCholesky matrix = make(A, Precision::mixed);
  const double before = error(matrix, A);
  Eigen::MatrixXd bad = A;
  bad(n - 1, n - 1) = -1;  // found once all but the last row is factorised
  EXPECT_FALSE(set_entries(matrix, bad));
  EXPECT_TRUE(matrix.is_plain());
  EXPECT_EQ(error(matrix, A), before);
}

std::vector<double> solution(UpdatableCholesky& matrix) {
  std::vector<double> x(4 * matrix.lower().rows());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1 + 3.0 * static_cast<double>(i));
  matrix.solve4(x.data(), alone());
  return x;
}

/// What an earlier system passes to a new one shows in no bit, whether its factor has the same
/// entries or not.
TEST(UpdatableCholesky, AfterAnEarlierOneItHasTheBitsOfANewOne) {
  const Eigen::MatrixXd A = test::grid_laplacian(12);
  Eigen::MatrixXd other = A;
  other(40, 40) += 2;
  for (const Precision precision : {Precision::full, Precision::single, Precision::mixed}) {
    UpdatableCholesky old(test::lower_of(A), precision, most_rows);
    const auto expect_bits_of_new = [&](const Eigen::MatrixXd& matrix) {
      const SpdSolver::Matrix lower = test::lower_of(matrix);
      UpdatableCholesky taken(lower, precision, most_rows, &old);
      UpdatableCholesky made(lower, precision, most_rows);
      ASSERT_TRUE(taken.is_factored());
      EXPECT_EQ(taken.factor_entries(), made.factor_entries());
      EXPECT_EQ(taken.factor_seconds(), made.factor_seconds());
      EXPECT_EQ(solution(taken), solution(made));
    };
    expect_bits_of_new(A);
    expect_bits_of_new(other);
    // By now the factor is that of another diagonal, which must be detected.
    std::vector<double> diagonal(static_cast<std::size_t>(A.rows()));
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      diagonal[i] = A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) + 2;
    }
    old.set_diagonal(diagonal, h);
    for (int step = 0; old.is_waiting() && step < 100; ++step) old.begin_step();
    ASSERT_TRUE(old.is_plain());
    expect_bits_of_new(A);
  }
}

}  // namespace
}  // namespace supple
