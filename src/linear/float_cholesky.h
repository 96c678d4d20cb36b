#pragma once

#include <memory>
#include <new>
#include <vector>

#include "linear/float_front.h"
#include "linear/spd_solver.h"
#include "linear/supernodes.h"

namespace supple {

/// L L^T in floats, multifrontal [Duff & Reid 1983; Liu 1992], for matrices that are factorised for
/// one or two solutions (refined_cholesky.h). Each supernode adds what its children leave to its
/// own columns of the matrix, eliminates these densely and leaves the rest to its parent. `analyse`
/// assigns all places in memory; afterwards nothing is allocated. Threads take subtrees
/// (subtrees.h). Each sum has a fixed order, so the number of threads does not show in the bits.
class FloatCholesky {
 public:
  explicit FloatCholesky(SimdLevel level) : kernels_(&float_front_kernels(level)) {}

  /// A: n x n, its lower triangle in the order of elimination. Throws Error{invalid_input} for a
  /// matrix that is not square.
  void analyse(const SpdSolver::Matrix& lower);

  /// Takes values in that pattern. False: not positive definite in floats, or not finite.
  bool factor(const SpdSolver::Matrix& lower, Threads& threads);

  /// b and x: [n]; they can be the same array. Does nothing without a factor.
  void solve(const double* b, double* x, Threads& threads);

  /// Entries of the factor, diagonal included; 0 without a factor.
  long long factor_entries() const;

 private:
  /// Supernodes for one thread, children first.
  struct Share {
    std::vector<int> nodes;
    std::vector<float> side;  ///< a right-hand side in the rows of a front
  };
  struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  using Memory = std::unique_ptr<float[], Free>;  ///< in whole cache lines

  static Memory allocate(std::ptrdiff_t size);
  FloatFront front(int s) const;
  void make_shares();
  void place_panels();
  void place_rows();
  void place_entries(const SpdSolver::Matrix& lower);
  std::ptrdiff_t place_left(const std::vector<int>& nodes, std::ptrdiff_t first);
  bool eliminate(int s, const SpdSolver::Matrix& lower);
  void forwards(Share& share);
  void backwards(Share& share);

  const FloatFrontKernels* kernels_;
  int n_ = 0;
  Supernodes nodes_;
  SupernodeChildren children_;
  std::vector<Share> shares_;  ///< subtrees, then branches, then the top
  int num_subtrees_ = 0, num_branches_ = 0;
  std::vector<std::ptrdiff_t> panel_start_;  ///< [count + 1], into `panels_`
  std::vector<std::ptrdiff_t> left_start_;   ///< [count], into `left_`
  std::vector<int> places_;   ///< like nodes_.rows: places of these rows in the parent's front
  std::vector<int> targets_;  ///< [nonzeros], into the panel of the entry's column
  Memory panels_, left_;
  std::vector<char> good_;    ///< [shares]
  std::vector<float> y_;      ///< [n], a right-hand side during a solve
  std::vector<float> below_;  ///< like nodes_.rows: what a front subtracts from the rows below
  double scale_ = 1;          ///< factor by which the matrix was multiplied
  bool factored_ = false;
};

}  // namespace supple
