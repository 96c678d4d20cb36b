#pragma once

#include <cstddef>

#include "base/simd_level.h"

/// The substitutions with a supernodal factor, compiled once for each level of vectors
/// (base/simd_level.h). Levels differ in the last bits: where there is a fused multiply-add it is
/// used.
namespace supple {

/// A factor as the substitutions read it. Its panels are described in panels.h.
template <class Real>
struct FactorView {
  const Real* panels;                 ///< a row of tiles to a cache line
  const std::ptrdiff_t* panel_start;  ///< [count], into `panels`
  const int* first;                   ///< [count + 1], first column of each supernode
  /// Rows below each diagonal block as places in y, filled up to whole tiles with one that nobody
  /// reads.
  const int* row_start;  ///< [count + 1], into `rows`
  const int* rows;
  std::ptrdiff_t scratch_half;  ///< half of the scratch: what is multiplied, and the product
};

template <class Real>
struct PanelKernels {
  /// L y = b for the supernodes named, one after the other. sides: 1 or 4, entry c of row i of y at
  /// [sides * i + c].
  void (*forwards)(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                   Real* scratch);
  /// L^T x = y for the supernodes named, the last one first.
  void (*backwards)(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                    Real* scratch);
  /// y = scale b.
  void (*load)(const double* b, std::ptrdiff_t size, double scale, Real* y);
  /// x = scale y.
  void (*store)(const Real* y, std::ptrdiff_t size, double scale, double* x);
};

struct SolveKernels {
  /// Of panels with the product in their lower part (panels.h), and of those without.
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
