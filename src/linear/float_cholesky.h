#pragma once

#include <memory>
#include <new>
#include <vector>

#include "linear/float_front.h"
#include "linear/spd_solver.h"
#include "linear/supernodes.h"

namespace supple {

/// L L^T in floats, multifrontal [Duff & Reid 1983; Liu 1992], for matrices that are factorised for
/// one or two solutions (refined_cholesky.h): each supernode adds what its children leave to its
/// own columns of the matrix, eliminates these densely and leaves the rest to its parent. Where
/// that has its place in memory is found out with the pattern; nothing is allocated afterwards.
/// Threads take subtrees (subtrees.h); each sum has one order, so that they never show.
class FloatCholesky {
 public:
  explicit FloatCholesky(SimdLevel level) : kernels_(&float_front_kernels(level)) {}

  /// A: n x n, its lower triangle in the order of elimination. Throws Error{invalid_input} for a
  /// matrix that is not square.
  void analyse(const SpdSolver::Matrix& lower);

  /// Values in that pattern. False: not positive definite in floats, or not finite.
  bool factor(const SpdSolver::Matrix& lower, Threads& threads);

  /// b and x: [n], may be the same place. Nothing where there is no factor.
  void solve(const double* b, double* x, Threads& threads);

  /// Entries of the factor, diagonal included; 0 where there is none.
  long long factor_entries() const;

 private:
  /// Supernodes that one thread takes, children first.
  struct Share {
    std::vector<int> nodes;
    std::vector<float> side;  ///< a right-hand side in a front's rows
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
  std::vector<int> places_;   ///< as nodes_.rows: where these rows stand in the parent's front
  std::vector<int> targets_;  ///< [nonzeros], into the panel of the entry's column
  Memory panels_, left_;
  std::vector<char> good_;    ///< [shares]
  std::vector<float> y_;      ///< [n], a right-hand side on its way
  std::vector<float> below_;  ///< as nodes_.rows: what a front takes off the rows below
  double scale_ = 1;          ///< what the matrix was multiplied with
  bool factored_ = false;
};

}  // namespace supple
