#pragma once

#include <cstdint>

#include "base/simd_level.h"
#include "position/positions.h"
#include "potentials/membrane.h"

/// The projection of the triangles of membranes, compiled once for each level of vectors
/// (base/simd_level.h). Every level gives the same bits.
///
/// The energy of a triangle is Psi(F) V with F = sum x_i b_i^T, 3x2. The impulse matrix that it has
/// applied is Q, 3x2: corner i got w_i Q b_i, w_i = 1/m_i. With G = sum w_i b_i b_i^T, 2x2, this
/// changes F by Q G. Let G = L L^T with a lower triangle L. What is stored is q = Q L and c_i =
/// L^-1 b_i: corner i got w_i q c_i, F changed by q L^T, and sum w_i c_i c_i^T = I.
namespace supple {

/// Eight triangles that share no vertex. Empty lanes repeat the first one without volume and
/// weights.
struct SheetBatch {
  std::int32_t vertex[3][sheet_lanes];
  double inverse_rest[4][sheet_lanes];  ///< b_1, b_2, as in MembraneBatch, 1/m
  double scaled[4][sheet_lanes];        ///< c_1, c_2, kg^(1/2)
  double root[3][sheet_lanes];          ///< L_00, L_10, L_11, kg^(-1/2)/m
  double weight[3][sheet_lanes];        ///< w, 1/kg
  double volume[sheet_lanes];           ///< V, m^3
  double kept[sheet_lanes];             ///< share of q with which the next substep can begin
  double impulse[6][sheet_lanes];       ///< q, columns after each other, kg^(1/2) m
};

/// What damping adds to a batch (materials/step_damping.h).
struct SheetDamper {
  double viscosity[2][sheet_lanes];  ///< tau k along both axes, Pa s
  double before[6][sheet_lanes];     ///< F_n, columns after each other
};

/// Batches of one kind of sheet.
template <class T>
struct SheetWork {
  const SheetModel* model;
  SheetBatch* batches;
  const SheetDamper* dampers;  ///< as `batches`; null: nothing is damped
  int num_batches;
  const double* parameters;  ///< [num_batches][num_parameters][sheet_lanes]
  PaddedPosition<T>* x;      ///< [num_vertices], m
  double a2;                 ///< a^2, s^2
};

struct SheetKernels {
  /// Replaces q by the minimiser of the triangle's own part of g,
  ///   |q'|^2/2 + a^2 V Psi(F'),  F' = F + (q' - q) L^T,
  /// where Psi includes damping, with a few steps of Newton's method, and moves its corners.
  void (*project)(const SheetWork<double>& work);
  void (*project_floats)(const SheetWork<float>& work);
};

const SheetKernels& sheet_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const SheetKernels sheet_table;
}

}  // namespace supple
