#pragma once

#include <cstddef>

#include "base/simd_level.h"

/// Dense work of a multifrontal factorisation in floats (float_cholesky.h), compiled once for each
/// SIMD level (base/simd_level.h). Levels differ in the last bits: they use a fused multiply-add if
/// there is one.
namespace supple {

/// The rows of a front are stored in slices of 16: first those of its own columns, then the rows
/// below. Each part is padded with rows of zeros. Within a slice the columns follow each other, 16
/// rows at a time. So every matrix product reads and writes whole vectors, one after the other, and
/// nothing has to be packed for it.
struct FloatFront {
  static constexpr int slice = 16;   ///< rows
  static constexpr int columns = 8;  ///< eliminated together

  float* panel;     ///< [slices][num_columns][16]: L11 (its diagonal inverted), below it L21
  int num_columns;  ///< padded to a multiple of 8 by columns of the identity
  int own_slices;   ///< slices of these columns' rows
  int slices;       ///< slices of all rows

  static constexpr int slices_of(int rows) { return (rows + slice - 1) / slice; }
  /// Start of a slice in the lower triangle that a front leaves: slice I has 16 (I + 1) columns.
  static constexpr std::ptrdiff_t left_start(std::ptrdiff_t slices_before) {
    return slice * slice * slices_before * (slices_before + 1) / 2;
  }
};

/// What a child leaves, to be added to its parent's front.
struct LeftOfChild {
  const float* left;
  int num_rows;
  const int* places;  ///< [num_rows], row of the parent's front, ascending
};

struct FloatFrontKernels {
  /// Eliminates the front's columns. L replaces the lower triangle that is given, with the inverses
  /// of its diagonal. False: not positive definite, or not finite.
  bool (*eliminate)(const FloatFront& front);
  /// left = -L21 L21^T, slice by slice (FloatFront::left_start).
  void (*leave)(const FloatFront& front, float* left);
  /// Adds the child's columns `first` .. `last` - 1. With to_left, they are columns after the
  /// front's own, and `to` is what the front leaves; otherwise `to` is its panel.
  void (*add)(const LeftOfChild& child, int first, int last, const FloatFront& front, bool to_left,
              float* to);
  /// t: [16 slices], a right-hand side in the front's rows. Solves L11 y = t in its own rows, and
  /// subtracts L21 y from the rows below.
  void (*forwards)(const FloatFront& front, float* t);
  /// Solves L11^T x = t - L21^T x_below in its own rows; the rows below are given.
  void (*backwards)(const FloatFront& front, float* t);
};

const FloatFrontKernels& float_front_kernels(SimdLevel level);

inline namespace SUPPLE_SIMD {
extern const FloatFrontKernels float_front_table;
}

}  // namespace supple
