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

/// The loops over triangles, compiled once for each SIMD level (base/simd_level.h). Every level
/// gives the same bits.
struct MembraneKernels {
  /// Energy, J; writes dE/dx of corners 1 and 2 of each lane to slots: [num_batches * lanes][2], N.
  double (*evaluate)(const MembraneWork& work, PaddedVector* slots);
  /// Like membrane_hessians, blocks: [num_batches * lanes][6][9].
  void (*hessians)(const MembraneWork& work, NegativeEigenvalues mode, double* blocks);
};

/// The sheet of as many lanes as S has. The parameters of the first lane begin at `parameters`:
/// [num_parameters][sheet_lanes].
template <class S, class Model>
SUPPLE_INLINE auto sheet_at(const Model& model, const double* parameters) {
  S values[Model::num_parameters > 0 ? Model::num_parameters : 1];
  for (int p = 0; p < Model::num_parameters; ++p) {
    values[p] = S::load(parameters + p * sheet_lanes);
  }
  return model.template at<S>(values);
}

const MembraneKernels& membrane_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const MembraneKernels membrane_table;
}

}  // namespace supple
