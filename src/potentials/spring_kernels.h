#pragma once

#include "base/simd_level.h"
#include "potentials/springs.h"

namespace supple {

/// The loop over springs, compiled once for each SIMD level (base/simd_level.h). Every level gives
/// the same bits.
struct SpringKernels {
  /// Energy of `count` springs at x, J; writes dE/dx_a of each to `forces`, N. springs, number,
  /// forces: [count]; rest_direction: by `number`.
  double (*evaluate)(const SpringSet::Spring* springs, const int* number,
                     const Vec3* rest_direction, const PaddedVector* x, int count,
                     PaddedVector* forces);
};

const SpringKernels& spring_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const SpringKernels spring_table;
}

}  // namespace supple
