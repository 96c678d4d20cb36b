#pragma once

#include "base/simd_level.h"
#include "elements/face_pair_batches.h"
#include "materials/step_damping.h"
#include "model/range_fibers.h"

/// Work on the elements, a block of batches at a time, compiled once for each SIMD level
/// (base/simd_level.h). Every level gives the same bits.
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
  const double* viscosity = nullptr;  ///< [num_batches][lanes], tau k, Pa s; or null
  StepStart start{};                  ///< for damping
};

/// Viscosities of a range from its batch `local` on; null if the range is not damped.
const double* viscosity_of(const ElementRange& range, std::size_t local);

/// The work of a block of the model, without damping. `slots` are those of the whole model.
ElementWork work_of_block(const Model& model, const ElementBlock& block, const VectorField& x,
                          VectorField& slots);

/// A block of packed pairs.
struct PackedWork {
  const MaterialModel* material;
  const FacePairBatch* pairs;
  int num_pairs;
  const double* parameters;   ///< of the first tets, [num_parameters][lanes]
  int parameter_stride;       ///< from the first tets of the pairs to the second ones
  FiberBatches fibers;        ///< of the tets of the pairs, two batches per pair
  const PaddedVector* x;      ///< [num_vertices], m
  const int* vertex_of_slot;  ///< [num_slots]
  PaddedVector* slots;        ///< [num_slots], written
  int num_slots;              ///< at most most_slots
};

/// Results of a block.
struct BlockSums {
  double energy = 0;     ///< J
  int num_inverted = 0;  ///< tets with J < 0
};

/// Batches with damping (materials/step_damping.h).
struct DampingWork {
  const ElementBatch* batches;
  int num_batches;
  const double* viscosity;  ///< [num_batches][lanes], tau k, Pa s
  StepStart start;
  const PaddedVector* x;  ///< [num_vertices], m
  PaddedVector* slots;    ///< of the block, added to
};

struct ElementKernels {
  /// Writes the corner forces of the block to its slots, N.
  BlockSums (*energy_and_forces)(const PackedWork& work);
  /// The same for a user's own energy (materials/own.h). It need not be isotropic, so the frames of
  /// pairs are not used.
  BlockSums (*own_energy_and_forces)(const ElementWork& work);
  /// Number of inverted tets, J < 0.
  int (*count_inverted)(const ElementBatch* batches, int num_batches, const PaddedVector* x);
  /// Writes each corner's sum of k V G p^T, the local step of Projective Dynamics, to the slots, N.
  /// For a material without a projection, writes zeros.
  void (*project)(const ElementWork& work);
  /// Energy of the damping, J. Adds the corners' forces to the slots, N.
  double (*add_damping)(const DampingWork& work);
};

const ElementKernels& element_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const ElementKernels element_table;
}

}  // namespace supple
