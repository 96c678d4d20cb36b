#pragma once

#include <cstdint>

#include "base/simd_level.h"

/// Loops over sparse matrices with one or four interleaved sides, x[sides j + c], compiled once for
/// each SIMD level (base/simd_level.h). Every level gives the same bits.
namespace supple {

/// A lower triangular factor L, stored column by column, each with its diagonal entry first.
struct LowerFactor {
  int n;
  const int* start;                ///< [n + 1]
  const int* row;                  ///< [start[n]]
  const double* value;             ///< [start[n]]
  const double* inverse_diagonal;  ///< [n]
};

/// A matrix, stored row by row.
struct SparseRows {
  const std::int64_t* start;  ///< [n + 1]
  const int* column;          ///< [start[n]]
  const double* value;        ///< [start[n]]
  bool in_threes;             ///< rows 3 i, 3 i + 1 and 3 i + 2 have the same columns
};

struct SparseKernels {
  /// Solves L L^T x = b; b and x can be the same array.
  void (*substitute)(const LowerFactor& factor, int sides, const double* b, double* x);
  /// Rows first .. last - 1 of y = A x.
  void (*multiply)(const SparseRows& matrix, int sides, int first, int last, const double* x,
                   double* y);
};

const SparseKernels& sparse_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const SparseKernels sparse_table;
}

}  // namespace supple
