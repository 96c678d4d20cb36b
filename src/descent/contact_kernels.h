#pragma once

#include <cstddef>

#include "base/simd_level.h"

namespace supple {

/// Loops over the contacts in a matrix (contact_matrix.h), compiled once for each level of vectors
/// (base/simd_level.h). Every level gives the same bits.
struct ContactKernels {
  /// row[j] = (direction . direction j) between[point[j]]. directions: [3][count], all x first.
  void (*fill_row)(const double* direction, const double* directions, const double* between,
                   const int* point, int count, float* row);
  /// y += s x
  void (*add)(float s, const float* x, int count, float* y);
  /// x . y, in sixteen partial sums.
  float (*dot)(const float* x, const float* y, int count);
  /// The number of rows of a matrix is padded to a multiple of this.
  static constexpr int rows_at_a_time = 16;
  /// y += matrix f for `count` columns of a symmetric matrix and three right-hand sides. A column
  /// has `stride` numbers, with its padding. columns: their numbers plus `first`; null: the first
  /// ones. f: [3][f_stride], the first `count` of each row. y: [3][y_stride], the first `stride`.
  void (*add_columns)(const float* matrix, int stride, const int* columns, int first, int count,
                      const float* f, std::size_t f_stride, float* y, std::size_t y_stride);
};

const ContactKernels& contact_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const ContactKernels contact_table;
}

}  // namespace supple
