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

/// Solver of symmetric positive definite systems A x = b whose pattern is fixed and whose values
/// can change: analyse once, factor whenever the values change, solve whenever b does. The number
/// of threads never shows in a result. After `factor`, solving allocates nothing and leaves the
/// solver unchanged apart from its scratch memory.
class SpdSolver {
 public:
  using Matrix = Eigen::SparseMatrix<double>;
  virtual ~SpdSolver() = default;

  /// A: n x n, its lower triangle in the order of elimination (fill_reducing_order).
  virtual void analyse(const Matrix& lower) = 0;
  /// The same if the pattern has already been analysed.
  virtual void analyse(const Matrix& lower,
                       const std::shared_ptr<const FactorPattern>& /*pattern*/) {
    analyse(lower);
  }

  /// Takes values in the analysed pattern. False: not positive definite (or not finite), and the
  /// solver cannot solve.
  virtual bool factor(const Matrix& lower, Threads& threads) = 0;
  /// Replaces `factor` if another solver of this kind has factorised the same entries in the same
  /// pattern. False: that one cannot be copied.
  virtual bool copy_factor(const SpdSolver& /*other*/) { return false; }

  /// Whether x = A^-1 b to rounding. If not, x = H b with a symmetric positive definite H near
  /// A^-1, which changes only with `factor`.
  virtual bool is_direct() const { return true; }

  /// One right-hand side: b and x have n values and can be the same array.
  virtual void solve(const double* b, double* x, Threads& threads) = 0;

  /// Four right-hand sides at once, interleaved: b[4 i + c] is row i of side c (three sides and a
  /// padding for a vector field). b and x can be the same array.
  virtual void solve4(const double* b, double* x, Threads& threads) = 0;

  /// The same with right-hand sides from `ends`; x: [4 n].
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

/// Moves the matrix out and leaves nothing behind: moving one of Eigen's would copy it.
inline SpdSolver::Matrix taken(SpdSolver::Matrix& matrix) {
  SpdSolver::Matrix own;
  own.swap(matrix);
  return own;
}

/// How accurate solutions are. All choices but `full` are for solutions that only serve as a
/// direction. With each new matrix the solver is checked. If it does not hold the matrix, the next
/// more accurate one is used, in the end a factor in doubles.
enum class Precision {
  full,       ///< a factor in doubles
  refined,    ///< nearly as accurate, from a factor in floats if floats hold the matrix: for
              ///< matrices that are solved with once or twice (refined_cholesky.h)
  single,     ///< a factor in floats, computed in doubles. Solutions have six to seven digits
  multigrid,  ///< a cycle over some grids (multigrid.h), which leaves a tenth to a third of an
              ///< error: for matrices whose factor does not fit caches, where a solve takes as long
              ///< as reading it
  mixed,      ///< `multigrid` above a size that depends only on the matrix, else `single`
};

/// Our own solver: supernodes, factorised as dense fronts. Each is kept as one panel with the
/// inverse of its diagonal block, so that both substitutions are products of dense tiles. Different
/// threads work on different subtrees of the elimination. level: the SIMD level that it uses.
/// Levels differ by rounding (panel_solve.h, front.h). For Precision::multigrid and mixed it is the
/// solver of multigrid.h if that holds the matrix.
std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision,
                                                    SimdLevel level = simd_level_in_use());

/// Eigen's SimplicialLLT with our own substitutions, which read the factor once for all four
/// right-hand sides.
std::unique_ptr<SpdSolver> make_eigen_cholesky();

/// L D L^T without square roots and without pivoting, for symmetric matrices that may be indefinite
/// [Golub & Van Loan 2013, sec. 4.1]. `factor` returns false only if a pivot is zero or not finite.
/// Without pivoting, a pivot that happens to be small costs digits. Solving allocates.
std::unique_ptr<SpdSolver> make_eigen_ldlt();

}  // namespace supple
