#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <memory>
#include <vector>

#include "base/parallel_for.h"
#include "base/simd_level.h"
#include "linear/factor_pattern.h"
#include "linear/ordering.h"
#include "linear/solve_ends.h"

namespace supple {

/// Solver of symmetric positive definite systems A x = b whose pattern stays and whose
/// values may change: analyse once, factor as often as the values change, solve as often as b does.
/// The threads never show in a result. After `factor`, solving allocates nothing and leaves the
/// solver unchanged apart from its scratch memory.
class SpdSolver {
 public:
  using Matrix = Eigen::SparseMatrix<double>;
  virtual ~SpdSolver() = default;

  /// A: n x n, its lower triangle in the order of elimination (fill_reducing_order).
  virtual void analyse(const Matrix& lower) = 0;
  /// The same where its pattern has been looked at.
  virtual void analyse(const Matrix& lower,
                       const std::shared_ptr<const FactorPattern>& /*pattern*/) {
    analyse(lower);
  }

  /// Values in the analysed pattern. False: not positive definite (or not finite); the solver
  /// cannot solve then.
  virtual bool factor(const Matrix& lower, Threads& threads) = 0;
  /// In place of `factor` where another solver of this kind has factorised the same entries in the
  /// same pattern. False: it cannot be copied.
  virtual bool copy_factor(const SpdSolver& /*other*/) { return false; }

  /// Whether x = A^-1 b to rounding. If not, x = H b with a symmetric positive definite H near
  /// A^-1, the same from `factor` to `factor`.
  virtual bool is_direct() const { return true; }

  /// One right-hand side: b and x have n values, may be the same place.
  virtual void solve(const double* b, double* x, Threads& threads) = 0;

  /// Four right-hand sides at once, interleaved: b[4 i + c] is row i of side c (three and a padding
  /// for a vector field). b and x may be the same place.
  virtual void solve4(const double* b, double* x, Threads& threads) = 0;

  /// The same from what `ends` brings; x: [4 n].
  virtual void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) {
    std::vector<double> room(4 * std::size_t{SolveEnds::rows});
    for (int first = 0; first < n; first += SolveEnds::rows) {
      const int last = std::min(first + SolveEnds::rows, n);
      const double* const b = ends.bring(first, last, room.data());
      std::copy(b, b + std::ptrdiff_t{4} * (last - first), x + std::ptrdiff_t{4} * first);
    }
    solve4(x, x, threads);
    for (int first = 0; first < n; first += SolveEnds::rows) {
      ends.take(first, std::min(first + SolveEnds::rows, n));
    }
  }

  /// Whether solve4_between stops half way, with a factor in floats in the order and the supernodes
  /// of the pattern.
  virtual bool has_half_way() const { return false; }

  /// Entries of the factor, diagonal included.
  virtual long long factor_entries() const = 0;
};

/// The matrix, of which nothing is left there: where one of Eigen's is moved it is copied.
inline SpdSolver::Matrix taken(SpdSolver::Matrix& matrix) {
  SpdSolver::Matrix own;
  own.swap(matrix);
  return own;
}

/// How near solutions come. All but `full` are for what a solution only gives a direction: with
/// each new matrix the solver is tried, and where it does not hold it the next more precise one is
/// taken, in the end a factor in doubles.
enum class Precision {
  full,       ///< a factor in doubles
  refined,    ///< nearly as exact, from a factor in floats where that holds the matrix: for
              ///< matrices that are solved with once or twice (refined_cholesky.h)
  single,     ///< a factor in floats, made in doubles. Solutions have six to seven digits
  multigrid,  ///< a cycle over some grids (multigrid.h), which leaves a tenth to a third of an
              ///< error: for matrices whose factor caches do not hold, where a solve takes as long
              ///< as reading it does
  mixed,      ///< `multigrid` above a size that depends on the matrix alone, else `single`
};

/// The project's own: supernodes, factorised as dense fronts, each kept as one panel with the
/// inverse of its diagonal block, so that both substitutions are products of dense tiles. Subtrees
/// of the elimination are worked on by different threads.
/// level: of the vectors that it computes with. Levels differ by rounding (panel_solve.h, front.h).
/// Of Precision::multigrid and mixed it is the solver of multigrid.h where that holds the matrix.
std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision,
                                                    SimdLevel level = simd_level_in_use());

/// Eigen's SimplicialLLT with the substitutions of the project's own, which read the factor once
/// for all four right-hand sides.
std::unique_ptr<SpdSolver> make_eigen_cholesky();

/// L D L^T without square roots and without pivots, for symmetric matrices that may be indefinite
/// [Golub & Van Loan 2013, sec. 4.1]: `factor` says false where a pivot vanishes or is not finite
/// alone. Without pivoting a pivot that happens to be small costs digits. Solving allocates.
std::unique_ptr<SpdSolver> make_eigen_ldlt();

}  // namespace supple
