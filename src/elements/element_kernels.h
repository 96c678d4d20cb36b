#pragma once

#include "base/simd_level.h"
#include "elements/face_pair_batches.h"
#include "materials/step_damping.h"
#include "model/range_fibers.h"

/// What is done with the elements, a block of batches at a time: compiled once for each level of
/// vectors (base/simd_level.h). Every level gives the same bits.
namespace supple {

/// A block of batches, ready for a kernel.
struct ElementWork {
  const MaterialModel* material;
  const ElementBatch* batches;
  int num_batches;
  const double* parameters;         ///< of the first batch, [num_parameters][lanes]
  std::ptrdiff_t parameter_stride;  ///< from one batch to the next
  FiberBatches fibers;              ///< of the batches
  const PaddedVector* x;            ///< [num_vertices], m
  PaddedVector* slots;              ///< [num_slots], written
  int num_slots;
  const double* viscosity = nullptr;  ///< [num_batches][lanes], tau k, Pa s; or none
  StepStart start{};                  ///< of damping
};

/// Viscosities of a range from its batch `local` on; null where it is not damped.
const double* viscosity_of(const ElementRange& range, std::size_t local);

/// The work of a block of the model, without damping; `slots` are those of the whole model.
ElementWork work_of_block(const Model& model, const ElementBlock& block, const VectorField& x,
                          VectorField& slots);

/// A block of packed pairs.
struct PackedWork {
  const MaterialModel* material;
  const FacePairBatch* pairs;
  int num_pairs;
  const double* parameters;   ///< of the first tets, [num_parameters][lanes]
  int parameter_stride;       ///< from the one tets of a pair to the other ones
  FiberBatches fibers;        ///< of the tets of the pairs, two batches to a pair
  const PaddedVector* x;      ///< [num_vertices], m
  const int* vertex_of_slot;  ///< [num_slots]
  PaddedVector* slots;        ///< [num_slots], written
  int num_slots;              ///< at most most_slots
};

/// Of a block.
struct BlockSums {
  double energy = 0;     ///< J
  int num_inverted = 0;  ///< tets with J < 0
};

/// Batches that are damped (materials/step_damping.h).
struct DampingWork {
  const ElementBatch* batches;
  int num_batches;
  const double* viscosity;  ///< [num_batches][lanes], tau k, Pa s
  StepStart start;
  const PaddedVector* x;  ///< [num_vertices], m
  PaddedVector* slots;    ///< of the block, added to
};

struct ElementKernels {
  /// The corner forces of the block go to its slots, N.
  BlockSums (*energy_and_forces)(const PackedWork& work);
  /// The same for an energy of the program's own (materials/own.h), which need not be isotropic:
  /// without the frames of pairs.
  BlockSums (*own_energy_and_forces)(const ElementWork& work);
  /// Number of inverted tets, J < 0.
  int (*count_inverted)(const ElementBatch* batches, int num_batches, const PaddedVector* x);
  /// The corners' sums of k V G p^T, the local step of Projective Dynamics, to the slots, N. Of a
  /// material without a projection: nothing but zeros.
  void (*project)(const ElementWork& work);
  /// Energy of the damping, J; the corners' forces are added to the slots, N.
  double (*add_damping)(const DampingWork& work);
};

const ElementKernels& element_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const ElementKernels element_table;
}

}  // namespace supple
