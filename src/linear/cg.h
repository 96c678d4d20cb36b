#pragma once

#include <vector>

#include "base/parallel_for.h"
#include "linear/preconditioner.h"
#include "linear/symmetric_matrix.h"

namespace supple {

struct CgSettings {
  int iterations = 15;   ///< at most
  double tolerance = 0;  ///< stops when |b - A x| <= tolerance |b|; 0: only when that is zero
  /// Stops at the first direction d with d . A d <= 0.
  bool stop_at_negative_curvature = false;
  /// Gives up if |b - A x| > hopeless |b| after this many iterations; 0: never.
  int trial = 0;
  double hopeless = 0.1;
};

struct CgReport {
  int iterations = 0;               ///< products with A that contributed to x
  bool negative_curvature = false;  ///< met a direction d with d . A d <= 0
  bool converged = false;           ///< all sides, to within the tolerance
};

/// Preconditioned conjugate gradients from x = 0 [Hestenes & Stiefel 1952; Nocedal & Wright 2006,
/// Alg. 5.3]. The order of sums is fixed: the bits do not depend on the number of threads.
///
/// For a positive definite A every iterate has b . x > 0, so -x is a descent direction for the
/// gradient b after any number of iterations. For an indefinite A there is a choice. Either go on:
/// x then seeks the saddle, as an indefinite factorisation does. Or stop at the first direction of
/// non-positive curvature and return the last iterate, or P^-1 b if it is the very first direction
/// [Nocedal & Wright 2006, Alg. 7.1; Gast et al. 2015]; then b . x > 0 holds again.
class ConjugateGradients {
 public:
  /// Memory for n unknowns and one or four sides.
  ConjugateGradients(int n, int sides);

  /// b and x: [n]; they can be the same array.
  CgReport solve(const SymmetricMatrix& A, Preconditioner& P, const CgSettings& settings,
                 const double* b, double* x, Threads& threads);

  /// Four systems with the same matrix side by side, b[4 i + c]. Each has its own step lengths, and
  /// those that have ended wait for the others.
  CgReport solve4(const SymmetricMatrix& A, Preconditioner& P, const CgSettings& settings,
                  const double* b, double* x, Threads& threads);

 private:
  template <int sides>
  CgReport run(const SymmetricMatrix& A, Preconditioner& P, const CgSettings& settings,
               const double* b, double* x, Threads& threads);

  int n_;
  std::vector<double> r_, z_, d_, Ad_;  ///< [n * sides]
  std::vector<double> partial_;         ///< [chunks * sides]
};

}  // namespace supple
