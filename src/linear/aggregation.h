#pragma once

#include <cstddef>
#include <vector>

#include "linear/ordering.h"
#include "linear/spd_solver.h"

namespace supple {

/// A sparse matrix row after row.
struct RowMatrix {
  int columns = 0;
  std::vector<int> start{0};  ///< [rows + 1]
  std::vector<int> column;    ///< [start.back()]
  std::vector<double> value;  ///< [start.back()]

  int rows() const { return static_cast<int>(start.size()) - 1; }
};

/// S A S with S = diag(scale), all of it, from A's lower triangle.
RowMatrix scaled_rows(const SpdSolver::Matrix& lower, const std::vector<double>& scale);

/// A without weak entries beside the diagonal, which takes them up such that the product with x,
/// positive, stays the same: those with |a_ij| x_j/x_i < weak and |a_ij| x_i/x_j < weak, so that
/// neither diagonal changes by more. A: symmetric, and so is what comes.
RowMatrix without_weak(const RowMatrix& A, double weak, const std::vector<double>& x);

RowMatrix transpose(const RowMatrix& A);
/// a B + b A C, B of the same shape as A C; with a = 0 B is not looked at.
RowMatrix multiply_add(double a, const RowMatrix& B, double b, const RowMatrix& A,
                       const RowMatrix& C);

/// A bound of the largest eigenvalue of a symmetric matrix that holds for certain: the largest
/// (|A| x)_i / x_i of any positive x [Collatz 1942], x being some powers of |A| times one.
double eigenvalue_bound(const RowMatrix& A);

/// Rows in groups by their strong connections, -a_ij > theta where a_ii = 1 [Vanek, Mandel &
/// Brezina 1996, Algorithm 5.1]. group: [rows], -1 for rows without any; they need no coarse grid.
/// Returns the number of groups.
int aggregate(const RowMatrix& A, double theta, std::vector<int>& group);

/// Smoothed aggregation [Vanek, Mandel & Brezina 1996]: P = (I - w A)^2 P_0, w = 4/(3 bound), the
/// columns of P_0 being `near_null` on a group each, of length one. Entries below a twentieth of
/// their row's largest are left out, and the others of the row made up for them where that is
/// safe.
RowMatrix smoothed_prolongation(const RowMatrix& A, double bound, double theta,
                                const std::vector<double>& near_null);

}  // namespace supple
