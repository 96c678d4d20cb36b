#pragma once

#include "base/simd_level.h"
#include "potentials/membrane.h"

namespace supple {

struct MembraneWork {
  const SheetModel* model;
  const MembraneBatch* batches;
  int num_batches;
  const double* parameters;  ///< [num_batches][num_parameters][lanes]
  const PaddedVector* x;     ///< [num_vertices], m
};

/// The loops over triangles, compiled once for each level of vectors (base/simd_level.h). Every
/// level gives the same bits.
struct MembraneKernels {
  /// Energy, J; dE/dx of corners 1 and 2 of each lane to slots: [num_batches * lanes][2], N.
  double (*evaluate)(const MembraneWork& work, PaddedVector* slots);
  /// As membrane_hessians, blocks: [num_batches * lanes][6][9].
  void (*hessians)(const MembraneWork& work, NegativeEigenvalues mode, double* blocks);
};

const MembraneKernels& membrane_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const MembraneKernels membrane_table;
}

}  // namespace supple
