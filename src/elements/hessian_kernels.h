#pragma once

#include <cstdint>

#include "base/simd_level.h"
#include "materials/principal.h"
#include "materials/step_damping.h"
#include "model/model.h"
#include "model/range_fibers.h"

/// Second derivatives of the elements, a block of batches at a time.
///
/// A block of batches sums the 3x3 blocks of its tets in places of its own: one place for each of
/// its vertices (its slots, in their order), followed by one for each of its edges. Neighbouring
/// tets share most of these, so they stay in cache and take a fifth of the room of the tets' own
/// blocks. Compiled once for each SIMD level (base/simd_level.h), with the same bits on every one.
namespace supple {

/// Entries of one place: a 3x3 block, row-major.
inline constexpr int entries_per_sum = 9;

/// The edges of a tet as pairs of corners (a, b).
inline constexpr int num_edges = 6;
inline constexpr int edge_a[num_edges] = {1, 2, 3, 2, 3, 3};
inline constexpr int edge_b[num_edges] = {0, 0, 0, 1, 1, 2};

struct HessianWork {
  const MaterialModel* material;
  const ElementBatch* batches;
  int num_batches;
  const double* parameters;         ///< of the first batch, [num_parameters][lanes]
  std::ptrdiff_t parameter_stride;  ///< from one batch to the next
  FiberBatches fibers;              ///< of the batches
  const PaddedVector* x;            ///< [num_vertices], m
  NegativeEigenvalues mode;
  /// [num_batches][num_edges][lanes], the place of each edge; ~place if the row of its block is
  /// corner b, so that the transpose of K_ab is added.
  const std::int32_t* edges;
  double* sums;  ///< [num_sums][entries_per_sum], written, N/m
  int num_sums;
  const double* viscosity = nullptr;  ///< [num_batches][lanes], tau k, Pa s; or null
  StepStart start{};                  ///< for damping
};

/// Batches of one material.
struct LargestEigenvalueWork {
  const MaterialModel* material;
  const ElementBatch* batches;
  int num_batches;
  const double* parameters;  ///< as in HessianWork
  std::ptrdiff_t parameter_stride;
  const PaddedVector* x;  ///< [num_vertices], m
  /// [num_batches][lanes], written, Pa: the largest of 0, d2Psi/ds_i^2 and the eigenvalues of the
  /// modes that couple two stretches (principal.h).
  double* eigenvalues;
};

struct HessianKernels {
  /// Writes the sums of V d2Psi/dx2 over a block; K_ab is d2/dx_a dx_b.
  void (*add_elements)(const HessianWork& work);
  void (*find_largest_eigenvalues)(const LargestEigenvalueWork& work);
};

const HessianKernels& hessian_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const HessianKernels hessian_table;
}

}  // namespace supple
