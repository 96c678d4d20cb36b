#pragma once

#include "math/batch.h"

/// Transposes in registers from rows, one for each lane, whose numbers are adjacent in memory, to
/// batches, one for each column.
namespace supple::detail {

typedef double Vector2 __attribute__((vector_size(16), may_alias));
typedef double Vector4 __attribute__((vector_size(32), may_alias));
typedef double Vector8 __attribute__((vector_size(64), may_alias));

/// The columns of four rows.
SUPPLE_INLINE void transpose(Vector4 a, Vector4 b, Vector4 c, Vector4 d, Vector4 (&column)[4]) {
  const Vector4 ab_02 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Vector4 cd_02 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Vector4 ab_13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vector4 cd_13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  column[0] = __builtin_shufflevector(ab_02, cd_02, 0, 1, 4, 5);
  column[1] = __builtin_shufflevector(ab_13, cd_13, 0, 1, 4, 5);
  column[2] = __builtin_shufflevector(ab_02, cd_02, 2, 3, 6, 7);
  column[3] = __builtin_shufflevector(ab_13, cd_13, 2, 3, 6, 7);
}

SUPPLE_INLINE Batch8 joined(Vector4 lo, Vector4 hi) {
  return {__builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7)};
}

/// row(lane) gives the four numbers of a lane. An unused column costs nothing.
template <int W, class Row>
SUPPLE_INLINE void columns_of(const Row& row, Batch<double, W> (&column)[4]) {
  static_assert(W == 4 || W == 8);
  Vector4 part[W / 4][4];
  for (int k = 0; k < W / 4; ++k) {
    const Vector4 a = row(4 * k), b = row(4 * k + 1), c = row(4 * k + 2), d = row(4 * k + 3);
    transpose(a, b, c, d, part[k]);
  }
  for (int i = 0; i < 4; ++i) {
    if constexpr (W == 8) {
      column[i] = joined(part[0][i], part[1][i]);
    } else {
      column[i] = Batch<double, 4>(part[0][i]);
    }
  }
}

/// place(lane) gives the address of a lane's four numbers.
template <int W, class Place>
SUPPLE_INLINE void columns_at(const Place& place, Batch<double, W> (&column)[4]) {
  if constexpr (W >= 4) {
    columns_of<W>([&](int lane) { return *reinterpret_cast<const Vector4*>(place(lane)); }, column);
  } else {
    static_assert(W == 2);
    for (int half = 0; half < 2; ++half) {
      const Vector2 a = *reinterpret_cast<const Vector2*>(place(0) + 2 * half);
      const Vector2 b = *reinterpret_cast<const Vector2*>(place(1) + 2 * half);
      column[2 * half] = Batch<double, 2>(__builtin_shufflevector(a, b, 0, 2));
      column[2 * half + 1] = Batch<double, 2>(__builtin_shufflevector(a, b, 1, 3));
    }
  }
}

}  // namespace supple::detail
