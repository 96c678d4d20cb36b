#pragma once

#include <cstdint>
#include <vector>

#include "linear/sparse_kernels.h"
#include "linear/spd_solver.h"

namespace supple {

/// A symmetric matrix for products. It is given by its lower triangle, as to an SpdSolver, and kept
/// row by row in full: then each row is a sum of its own in a fixed order, whichever thread takes
/// it, at the price of reading each value twice.
class SymmetricMatrix {
 public:
  /// Pattern of a compressed lower triangle; takes its values too.
  void analyse(const SpdSolver::Matrix& lower);
  /// New values in that pattern.
  void update(const SpdSolver::Matrix& lower);

  int size() const { return static_cast<int>(start_.size()) - 1; }

  /// Rows first .. last - 1 of y = A x, for one or four interleaved sides: x[sides j + c].
  template <int sides>
  void multiply(int first, int last, const double* x, double* y) const;

 private:
  const SparseKernels* kernels_ = &sparse_kernels(simd_level_in_use());
  std::vector<std::int64_t> start_{0};  ///< [n + 1]
  std::vector<int> column_;             ///< [start_[n]], ascending in each row
  std::vector<int> source_;             ///< [start_[n]], into the values of the lower triangle
  std::vector<double> value_;           ///< [start_[n]]
  bool in_threes_ = false;              ///< rows have their columns in common, three by three
};

}  // namespace supple
