#pragma once

#include <cstdint>
#include <vector>

#include "linear/sparse_kernels.h"
#include "linear/spd_solver.h"

namespace supple {

/// A symmetric matrix for products. It is given by its lower triangle, like that of an SpdSolver,
/// but stores both triangles, row by row. So each row is a separate sum in a fixed order, whichever
/// thread computes it, at the price of reading each value twice.
class SymmetricMatrix {
 public:
  /// Takes the pattern of a compressed lower triangle, and its values.
  void analyse(const SpdSolver::Matrix& lower);
  /// Takes new values in that pattern.
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
  bool in_threes_ = false;              ///< rows 3 i, 3 i + 1 and 3 i + 2 have the same columns
};

}  // namespace supple
