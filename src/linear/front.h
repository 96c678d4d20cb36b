#pragma once

#include "base/simd_level.h"

namespace supple {

/// Dense work of a supernodal factorisation and of contact systems, compiled once for each SIMD
/// level (base/simd_level.h). Levels differ in the last bits: the vector width determines how sums
/// are split, and they use a fused multiply-add if there is one.
struct FrontKernels {
  /// Eliminates the first `width` columns of a front of width + num_rows, given by its lower
  /// triangle, column-major. L11 takes the place of its block, and the rest becomes what is left to
  /// the parent (its lower triangle). inverse [width * width]: L11^-1. below [num_rows * width]:
  /// L21, times L11^-1 if `with_product`. False: not positive definite, or not finite.
  bool (*eliminate)(double* front, int width, int num_rows, bool with_product, double* inverse,
                    double* below);
  bool (*eliminate_floats)(float* front, int width, int num_rows, bool with_product, float* inverse,
                           float* below);
  /// Writes L over the lower triangle of an n x n matrix, column-major. False: as above.
  bool (*factorise_floats)(float* values, int n);
};

const FrontKernels& front_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const FrontKernels front_table;
}

}  // namespace supple
