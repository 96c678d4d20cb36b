#pragma once

#include <memory>
#include <vector>

#include "linear/spd_solver.h"

namespace supple {

/// An approximation P of a symmetric positive definite matrix A that is easily solved with.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Pattern of A: n x n, its compressed lower triangle.
  virtual void analyse(const SpdSolver::Matrix& lower) = 0;

  /// Values of A in the analysed pattern. False: none can be made of them, they are not finite.
  virtual bool update(const SpdSolver::Matrix& lower) = 0;

  /// z = P^-1 r; r and z have n values, may be the same place.
  virtual void apply(const double* r, double* z) = 0;

  /// Four sides at once, interleaved: r[4 i + c].
  virtual void apply4(const double* r, double* z) = 0;
};

/// P = I.
std::unique_ptr<Preconditioner> make_no_preconditioner();

/// P = diag |a_ii|, 1 where a_ii = 0 [Saad 2003, sec. 10.2]. The absolute value keeps it positive
/// definite where A is not.
std::unique_ptr<Preconditioner> make_jacobi_preconditioner();

/// P = L L^T, L having the pattern of A's lower triangle [Meijerink & van der Vorst 1977; Saad
/// 2003, sec. 10.3.2]: IC(0). Not every positive definite matrix has one. At a pivot that is not
/// positive all begins again with A + alpha diag(r), r_i = sum_j |a_ij| [after Manteuffel 1980],
/// alpha = 1e-3, 4e-3, ...: at alpha = 2 the matrix is diagonally dominant, and those have one, so
/// that it ends for indefinite A as well.
std::unique_ptr<Preconditioner> make_incomplete_cholesky();

/// I_3 (x) P for matrices of 3n rows, three to a vertex: each coordinate by itself through `inner`,
/// which is ready to be applied and stays what it is.
std::unique_ptr<Preconditioner> make_coordinatewise(std::unique_ptr<Preconditioner> inner);

}  // namespace supple
