#pragma once

#include <cstddef>
#include <vector>

#include "linear/ordering.h"
#include "linear/spd_solver.h"

namespace supple {

/// A sparse matrix, stored row by row.
struct RowMatrix {
  int columns = 0;
  std::vector<int> start{0};  ///< [rows + 1]
  std::vector<int> column;    ///< [start.back()]
  std::vector<double> value;  ///< [start.back()]

  int rows() const { return static_cast<int>(start.size()) - 1; }
};

/// S A S with S = diag(scale), both triangles, from A's lower triangle.
RowMatrix scaled_rows(const SpdSolver::Matrix& lower, const std::vector<double>& scale);

/// A without its weak off-diagonal entries. They are added to the diagonal such that the product
/// with x, a positive vector, stays the same. Weak entries have |a_ij| x_j/x_i < weak and
/// |a_ij| x_i/x_j < weak, so no entry changes either of its two diagonals by more than `weak`. A
/// and the result are symmetric.
RowMatrix without_weak(const RowMatrix& A, double weak, const std::vector<double>& x);

RowMatrix transpose(const RowMatrix& A);
/// a B + b A C, where B has the shape of A C. With a = 0, B is not read.
RowMatrix multiply_add(double a, const RowMatrix& B, double b, const RowMatrix& A,
                       const RowMatrix& C);

/// A guaranteed upper bound of the largest eigenvalue of a symmetric matrix: the largest
/// (|A| x)_i / x_i for any positive x [Collatz 1942]. Tries some powers of |A| times one as x.
double eigenvalue_bound(const RowMatrix& A);

/// Groups rows by their strong connections, -a_ij > theta for A with a_ii = 1 [Vanek, Mandel &
/// Brezina 1996, Algorithm 5.1]. group: [rows], -1 for rows without strong connections, which need
/// no coarse grid. Returns the number of groups.
int aggregate(const RowMatrix& A, double theta, std::vector<int>& group);

/// Smoothed aggregation [Vanek, Mandel & Brezina 1996]: P = (I - w A)^2 P_0, w = 4/(3 bound). Each
/// column of P_0 is `near_null` on one group, scaled to length one. Entries below a twentieth of
/// the largest one of their row are left out, and the others of the row are scaled up to compensate
/// if that is safe.
RowMatrix smoothed_prolongation(const RowMatrix& A, double bound, double theta,
                                const std::vector<double>& near_null);

}  // namespace supple
