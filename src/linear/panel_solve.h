#pragma once

#include <cstddef>

#include "base/simd_level.h"

/// The substitutions with a supernodal factor, compiled once for each SIMD level
/// (base/simd_level.h). Levels differ in the last bits: they use a fused multiply-add if there is
/// one.
namespace supple {

/// A factor as the substitutions read it. panels.h describes its panels.
template <class Real>
struct FactorView {
  const Real* panels;                 ///< each row of tiles is one cache line
  const std::ptrdiff_t* panel_start;  ///< [count], into `panels`
  const int* first;                   ///< [count + 1], first column of each supernode
  /// Rows below each diagonal block, as places in y. Padded to whole tiles with a place that nobody
  /// reads.
  const int* row_start;  ///< [count + 1], into `rows`
  const int* rows;
  std::ptrdiff_t scratch_half;  ///< half of the scratch memory: one for what is multiplied, one for
                                ///< the product
};

template <class Real>
struct PanelKernels {
  /// Solves L y = b for the given supernodes, one after the other. sides: 1 or 4, with entry c of
  /// row i of y at [sides * i + c].
  void (*forwards)(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                   Real* scratch);
  /// Solves L^T x = y for the given supernodes, the last one first.
  void (*backwards)(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                    Real* scratch);
  /// y = scale b.
  void (*load)(const double* b, std::ptrdiff_t size, double scale, Real* y);
  /// x = scale y.
  void (*store)(const Real* y, std::ptrdiff_t size, double scale, double* x);
};

struct SolveKernels {
  /// For panels with the product in their lower part (panels.h), and for panels without it.
  PanelKernels<float> of_floats;
  PanelKernels<double> of_plain_doubles;
  /// max |b|.
  double (*largest)(const double* b, std::ptrdiff_t size);
};

const SolveKernels& solve_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const SolveKernels solve_table;
}

}  // namespace supple
