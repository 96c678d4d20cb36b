#pragma once

#include <memory>
#include <vector>

#include "linear/spd_solver.h"

namespace supple {

/// An approximation P of a symmetric positive definite matrix A that is easy to solve with.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Pattern of A: n x n, its compressed lower triangle.
  virtual void analyse(const SpdSolver::Matrix& lower) = 0;

  /// Takes values of A in the analysed pattern. False: P cannot be made, since they are not finite.
  virtual bool update(const SpdSolver::Matrix& lower) = 0;

  /// z = P^-1 r; r and z have n values and can be the same array.
  virtual void apply(const double* r, double* z) = 0;

  /// Four sides at once, interleaved: r[4 i + c].
  virtual void apply4(const double* r, double* z) = 0;
};

/// P = I.
std::unique_ptr<Preconditioner> make_no_preconditioner();

/// P = diag |a_ii|, 1 where a_ii = 0 [Saad 2003, sec. 10.2]. The absolute value keeps P positive
/// definite even if A is not.
std::unique_ptr<Preconditioner> make_jacobi_preconditioner();

/// P = L L^T, where L has the pattern of A's lower triangle [Meijerink & van der Vorst 1977; Saad
/// 2003, sec. 10.3.2]: IC(0). Not every positive definite matrix has one. At a pivot that is not
/// positive, the factorisation starts again with A + alpha diag(r), r_i = sum_j |a_ij| [after
/// Manteuffel 1980], alpha = 1e-3, 4e-3, ... At alpha = 2 the matrix is diagonally dominant, and
/// such matrices have one, so this ends for indefinite A as well.
std::unique_ptr<Preconditioner> make_incomplete_cholesky();

/// I_3 (x) P for matrices of 3n rows, three per vertex: applies `inner` to each coordinate
/// separately. `inner` is ready to be applied and does not change.
std::unique_ptr<Preconditioner> make_coordinatewise(std::unique_ptr<Preconditioner> inner);

}  // namespace supple
