#pragma once

#include "base/simd_level.h"
#include "elements/element_kernels.h"
#include "elements/vertex_stencils.h"

/// Work on single corners of elements and on single vertices, compiled once for each SIMD level
/// (base/simd_level.h). Every level gives the same bits.
namespace supple {

/// A segment of pairs around the vertices of a group, one vertex per lane.
struct PairWork {
  const MaterialModel* material;
  const StencilBatch* batches;
  int num_batches;
  const double* parameters;              ///< of the first batch, [num_parameters][lanes]
  std::ptrdiff_t parameter_stride;       ///< from one batch to the next
  FiberBatches fibers;                   ///< of the batches
  const PaddedVector* x;                 ///< [num_vertices], m
  double own[3][lanes];                  ///< positions of the group's vertices, m
  const std::int32_t* vertex = nullptr;  ///< the group's vertices if it is damped, [lanes]
  const double* viscosity = nullptr;     ///< [num_batches][lanes], tau k, Pa s; or null
  StepStart start{};                     ///< for damping
};

/// What the pairs contribute to their vertices.
struct PairSums {
  double energy[lanes];       ///< J
  double gradient[3][lanes];  ///< N
  double hessian[9][lanes];   ///< N/m, row-major
};

/// Eight singular value decompositions, matrices row-major.
struct LaneFrames {
  double U[9][lanes];
  double s[3][lanes];
  double V[9][lanes];
};

struct CornerKernels {
  /// Adds energy, gradient and Hessian of a segment. The elements' Hessians are not made positive.
  void (*add_pairs)(const PairWork& work, PairSums& sums);
  /// Adds only the energy of a segment: energy [lanes], J.
  void (*add_energy)(const PairWork& work, double* energy);
  /// d = |H|^-1 b [3][lanes] in every lane. The absolute values of the eigenvalues are at least
  /// floor [lanes].
  void (*solve_absolute)(const double (*hessian)[lanes], const double (*b)[lanes],
                         const double* floor, double (*d)[lanes]);
  /// Writes the diagonals of the corners' Hessian blocks, made positive, to the slots, N/m.
  void (*hessian_diagonal)(const ElementWork& work);
  /// Singular value decompositions of m: [9][lanes], row-major.
  void (*decompose)(const double (*m)[lanes], LaneFrames& frames);
};

const CornerKernels& corner_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const CornerKernels corner_table;
}

}  // namespace supple
