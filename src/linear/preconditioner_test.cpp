#include "linear/preconditioner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linear/cg.h"
#include "linear/test_matrices.h"

namespace supple {
namespace {

using test::grid;
using test::grid_laplacian;
using test::lower_of;
using test::random_matrix;

/// P, column by column: the inverse of the matrix that `apply` multiplies by.
Eigen::MatrixXd dense(Preconditioner& P, int n) {
  Eigen::MatrixXd inverse(n, n);
  for (int j = 0; j < n; ++j) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(n, j);
    Eigen::VectorXd z(n);
    P.apply(e.data(), z.data());
    inverse.col(j) = z;
  }
  return inverse.inverse();
}

std::unique_ptr<Preconditioner> made_of(std::unique_ptr<Preconditioner> P,
                                        const Eigen::MatrixXd& A) {
  P->analyse(lower_of(A));
  EXPECT_TRUE(P->update(lower_of(A)));
  return P;
}

TEST(IncompleteCholesky, AgreesWithTheMatrixWhereItHasEntries) {
  // The property that defines IC(0) [Saad 2003, Prop. 10.4].
  const Eigen::MatrixXd A = random_matrix(grid(6), 11);
  const auto ic = made_of(make_incomplete_cholesky(), A);
  const Eigen::MatrixXd P = dense(*ic, 36);
  bool fills_elsewhere = false;
  for (int i = 0; i < 36; ++i) {
    for (int j = 0; j < 36; ++j) {
      if (A(i, j) != 0) {
        EXPECT_NEAR(P(i, j), A(i, j), 1e-12);
      } else {
        fills_elsewhere = fills_elsewhere || std::abs(P(i, j)) > 1e-3;
      }
    }
  }
  EXPECT_TRUE(fills_elsewhere);
}

TEST(IncompleteCholesky, IsExactWhereNothingFillsIn) {
  Eigen::MatrixXd A = 3 * Eigen::MatrixXd::Identity(20, 20);
  for (int i = 0; i + 1 < 20; ++i) A(i, i + 1) = A(i + 1, i) = -1.4;
  const auto ic = made_of(make_incomplete_cholesky(), A);
  EXPECT_LT((dense(*ic, 20) - A).norm(), 1e-12);
}

TEST(IncompleteCholesky, AMatrixThatHasNoneGetsAShiftedOne) {
  // Kershaw's matrix [Kershaw 1978]: positive definite, and its IC(0) meets a negative pivot.
  Eigen::MatrixXd A(4, 4);
  A << 3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3;
  ASSERT_GT(A.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  const auto ic = made_of(make_incomplete_cholesky(), A);
  const Eigen::MatrixXd P = dense(*ic, 4);
  EXPECT_GT(P.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  const double shift = P(0, 0) / A(0, 0) - 1;
  EXPECT_GT(shift, 1e-4);
  EXPECT_LT(shift, 4);
}

TEST(IncompleteCholesky, AnIndefiniteMatrixGetsAPositiveDefiniteOne) {
  Eigen::MatrixXd A = -random_matrix(grid(5), 2);
  A(7, 7) = 0;
  const auto ic = made_of(make_incomplete_cholesky(), A);
  EXPECT_GT(dense(*ic, 25).selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
}

TEST(IncompleteCholesky, RefusesWhatIsNotFinite) {
  Eigen::MatrixXd A = random_matrix(grid(4), 2);
  auto ic = make_incomplete_cholesky();
  ic->analyse(lower_of(A));
  EXPECT_TRUE(ic->update(lower_of(A)));
  A(5, 4) = A(4, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ic->update(lower_of(A)));
}

TEST(IncompleteCholesky, SavesIterationsOfConjugateGradients) {
  const int w = 24;
  const Eigen::MatrixXd A = grid_laplacian(w);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(w * w);
  SymmetricMatrix matrix;
  matrix.analyse(lower_of(A));
  const auto iterations = [&](std::unique_ptr<Preconditioner> preconditioner) {
    const auto P = made_of(std::move(preconditioner), A);
    Threads threads(1);
    ConjugateGradients cg(w * w, 1);
    Eigen::VectorXd x(w * w);
    const CgReport report =
        cg.solve(matrix, *P, {.iterations = 1000, .tolerance = 1e-8}, b.data(), x.data(), threads);
    EXPECT_LT((A * x - b).norm(), 1.1e-8 * b.norm());
    return report.iterations;
  };
  EXPECT_LT(2 * iterations(make_incomplete_cholesky()), iterations(make_no_preconditioner()));
}

TEST(Preconditioner, JacobiIsTheSizeOfTheDiagonal) {
  Eigen::MatrixXd A = random_matrix(grid(3), 2);
  A(1, 1) = -4;
  A(2, 2) = 0;
  SpdSolver::Matrix lower = lower_of(random_matrix(grid(3), 2));
  for (int j : {1, 2}) lower.coeffRef(j, j) = A(j, j);
  auto jacobi = make_jacobi_preconditioner();
  jacobi->analyse(lower);
  ASSERT_TRUE(jacobi->update(lower));
  const Eigen::MatrixXd P = dense(*jacobi, 9);
  EXPECT_EQ(P(0, 0), 5);
  EXPECT_EQ(P(1, 1), 4);
  EXPECT_EQ(P(2, 2), 1);
  EXPECT_EQ(P(0, 1), 0);
}

TEST(Preconditioner, CoordinatewiseTreatsEachCoordinateByItself) {
  const Eigen::MatrixXd A = random_matrix(grid(4), 2);
  const Eigen::MatrixXd large = Eigen::MatrixXd::Identity(48, 48);
  const auto P = made_of(make_coordinatewise(made_of(make_incomplete_cholesky(), A)), large);
  const auto inner = made_of(make_incomplete_cholesky(), A);
  const Eigen::VectorXd r = Eigen::VectorXd::Random(48);
  Eigen::VectorXd z(48);
  P->apply(r.data(), z.data());
  Eigen::VectorXd r4(192), z4(192);
  for (int i = 0; i < 48; ++i) {
    for (int side = 0; side < 4; ++side) r4(4 * i + side) = (side + 1) * r(i);
  }
  P->apply4(r4.data(), z4.data());
  for (int c = 0; c < 3; ++c) {
    Eigen::VectorXd rc(16), zc(16);
    for (int i = 0; i < 16; ++i) rc(i) = r(3 * i + c);
    inner->apply(rc.data(), zc.data());
    for (int i = 0; i < 16; ++i) {
      EXPECT_NEAR(z(3 * i + c), zc(i), 1e-15);
      for (int side = 0; side < 4; ++side) {
        EXPECT_NEAR(z4(4 * (3 * i + c) + side), (side + 1) * zc(i), 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace supple
