#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"

/// The loops of a cycle over grids (multigrid.h), compiled once for each SIMD level
/// (base/simd_level.h). Levels differ in the last bits: they use a fused multiply-add if there is
/// one. Vectors have four interleaved sides, x[4 j + c].
namespace supple {

/// A matrix in slices of four rows of about the same length, side by side, so that four sums hide
/// each other's latency. Rows shorter than the others of their slice end in zeros.
struct RowSlices {
  const int* start;    ///< [slices + 1], in groups of four entries
  const int* row;      ///< [4 slices]; at the end of a window a row can be listed twice
  const int* column;   ///< [4 start[slices]]
  const float* value;  ///< [4 start[slices]]
  /// Or column and value in one word, [4 start[slices]]: the upper half of a float, and a column
  /// below 65,536. The diagonal is stored separately. This halves the memory, for which products
  /// wait.
  const std::uint32_t* word;
  const float* diagonal;  ///< [4 slices]
};

struct GridKernels {
  /// y_i = scale_i factor b_i for `count` rows.
  void (*load)(const double* b, const double* scale, double factor, int count, float* y);
  /// to = a x + b y + c M x in the rows of slices first .. last - 1.
  void (*combine)(const RowSlices& M, int first, int last, const float* x, const float* y, float a,
                  float b, float c, float* to);
  /// to_i = scale_i factor (x + c (y - M x))_i in those rows.
  void (*finish)(const RowSlices& M, int first, int last, const float* x, const float* y, float c,
                 const double* scale, double factor, double* to);
  /// to = M x in those rows.
  void (*restrict_to)(const RowSlices& M, int first, int last, const float* x, double* to);
  /// to = y + M x in those rows.
  void (*prolong)(const RowSlices& M, int first, int last, const float* x, const float* y,
                  float* to);
};

const GridKernels& grid_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const GridKernels grid_table;
}

}  // namespace supple
