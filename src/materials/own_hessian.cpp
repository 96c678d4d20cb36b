#include <cmath>

#include "materials/own.h"

namespace supple {

namespace {

using Matrix = double[9][9];

/// A Hessian whose least eigenvalue is above -1e-13 of its trace counts as semi-definite. Turning
/// the body costs nothing, so there are always zeros among the eigenvalues.
constexpr double margin = 1e-13;
constexpr int most_sweeps = 30;

/// Whether A + margin tr(A) 1 is certainly positive definite, by its L D L^T.
bool is_semi_definite(const Matrix& A) {
  double size = 0;
  for (int i = 0; i < 9; ++i) size += A[i][i];
  if (!(size > 0)) return false;
  double L[9][9], D[9];
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k <= i; ++k) {
      double entry = A[i][k] + (i == k ? margin * size : 0);
      for (int m = 0; m < k; ++m) entry -= L[i][m] * D[m] * L[k][m];
      if (i == k) {
        if (!(entry > 0)) return false;
        D[i] = entry;
      } else {
        L[i][k] = entry / D[k];
      }
    }
  }
  return true;
}

/// Turns rows and columns p and q of A so that A_pq vanishes; Q accumulates the turns.
void rotate(Matrix& A, Matrix& Q, int p, int q) {
  if (A[p][q] == 0) return;
  const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 9; ++k) {
    const double a = A[k][p], b = A[k][q];
    A[k][p] = c * a - s * b;
    A[k][q] = s * a + c * b;
  }
  for (int k = 0; k < 9; ++k) {
    const double a = A[p][k], b = A[q][k];
    A[p][k] = c * a - s * b;
    A[q][k] = s * a + c * b;
    const double x = Q[k][p], y = Q[k][q];
    Q[k][p] = c * x - s * y;
    Q[k][q] = s * x + c * y;
  }
}

/// Makes A diagonal; the columns of Q are its eigenvectors [Jacobi 1846].
void diagonalise(Matrix& A, Matrix& Q) {
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 9; ++k) Q[i][k] = i == k ? 1 : 0;
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0, all = 0;
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k < 9; ++k) {
        all += A[i][k] * A[i][k];
        if (i != k) off += A[i][k] * A[i][k];
      }
    }
    if (!(off > 1e-30 * all)) return;
    for (int p = 0; p < 8; ++p) {
      for (int q = p + 1; q < 9; ++q) rotate(A, Q, p, q);
    }
  }
}

}  // namespace

void mend_hessians(double (*H)[OwnEnergy::block], NegativeEigenvalues mode) {
  for (int lane = 0; lane < OwnEnergy::block; ++lane) {
    Matrix A, Q;
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k < 9; ++k) A[i][k] = H[own_entry(i, k)][lane];
    }
    if (is_semi_definite(A)) continue;
    diagonalise(A, Q);
    for (int e = 0; e < 9; ++e) {
      // What is not a number stays so: the caller checks energies and stresses.
      if (!(A[e][e] < 0)) continue;
      const double more = detail::mended(A[e][e], mode) - A[e][e];
      for (int i = 0; i < 9; ++i) {
        for (int k = 0; k <= i; ++k) H[own_entry(i, k)][lane] += more * Q[i][e] * Q[k][e];
      }
    }
  }
}

}  // namespace supple
