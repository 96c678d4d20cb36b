#pragma once

#include "math/batch.h"
#include "math/mat3.h"
#include "math/vector_field.h"
#include "model/model.h"

/// Moves positions from vertices to lanes and forces from lanes to slots, by transposing four
/// padded vectors at a time in registers.
namespace supple::detail {

typedef double Vector2 __attribute__((vector_size(16), may_alias));
typedef double Vector4 __attribute__((vector_size(32), may_alias));
typedef double Vector8 __attribute__((vector_size(64), may_alias));

SUPPLE_INLINE Vector4 load4(const PaddedVector& p) { return *reinterpret_cast<const Vector4*>(&p); }

/// x, y, z of eight vertices as three batches.
template <class Index>
SUPPLE_INLINE Vector3<Batch8> gather(const PaddedVector* x, const Index* index) {
  Vector4 px[2], py[2], pz[2];
  for (int half = 0; half < 2; ++half) {
    const Index* i = index + 4 * half;
    const Vector4 a = load4(x[i[0]]), b = load4(x[i[1]]), c = load4(x[i[2]]), d = load4(x[i[3]]);
    const Vector4 ab_xz = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Vector4 cd_xz = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Vector4 ab_y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Vector4 cd_y = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    px[half] = __builtin_shufflevector(ab_xz, cd_xz, 0, 1, 4, 5);
    py[half] = __builtin_shufflevector(ab_y, cd_y, 0, 1, 4, 5);
    pz[half] = __builtin_shufflevector(ab_xz, cd_xz, 2, 3, 6, 7);
  }
  return {{Batch8(__builtin_shufflevector(px[0], px[1], 0, 1, 2, 3, 4, 5, 6, 7)),
           Batch8(__builtin_shufflevector(py[0], py[1], 0, 1, 2, 3, 4, 5, 6, 7)),
           Batch8(__builtin_shufflevector(pz[0], pz[1], 0, 1, 2, 3, 4, 5, 6, 7))}};
}

/// x, y, z of W vertices as three batches.
template <int W, class Index>
SUPPLE_INLINE Vector3<Batch<double, W>> gather_lanes(const PaddedVector* x, const Index* index) {
  if constexpr (W == 8) {
    return gather(x, index);
  } else if constexpr (W == 4) {
    const Vector4 a = load4(x[index[0]]), b = load4(x[index[1]]), c = load4(x[index[2]]),
                  d = load4(x[index[3]]);
    const Vector4 ab_xz = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Vector4 cd_xz = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Vector4 ab_y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Vector4 cd_y = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return {{Batch<double, 4>(__builtin_shufflevector(ab_xz, cd_xz, 0, 1, 4, 5)),
             Batch<double, 4>(__builtin_shufflevector(ab_y, cd_y, 0, 1, 4, 5)),
             Batch<double, 4>(__builtin_shufflevector(ab_xz, cd_xz, 2, 3, 6, 7))}};
  } else {
    static_assert(W == 2);
    const double *a = x[index[0]].v, *b = x[index[1]].v;
    const Vector2 a_xy = *reinterpret_cast<const Vector2*>(a);
    const Vector2 b_xy = *reinterpret_cast<const Vector2*>(b);
    return {{Batch<double, 2>(__builtin_shufflevector(a_xy, b_xy, 0, 2)),
             Batch<double, 2>(__builtin_shufflevector(a_xy, b_xy, 1, 3)),
             Batch<double, 2>(Vector2{a[2], b[2]})}};
  }
}

/// to[lane] = (f_x, f_y, f_z, 0) of each lane.
template <int W>
SUPPLE_INLINE void spread_lanes(const Vector3<Batch<double, W>>& f, PaddedVector* to) {
  static_assert(W == 2 || W == 4);
  if constexpr (W == 4) {
    const Vector4 x = f[0].v, y = f[1].v, z = f[2].v, o{};
    const Vector4 xy_02 = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    const Vector4 xy_13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const Vector4 zo_02 = __builtin_shufflevector(z, o, 0, 4, 2, 6);
    const Vector4 zo_13 = __builtin_shufflevector(z, o, 1, 5, 3, 7);
    auto* const row = reinterpret_cast<Vector4*>(to);
    row[0] = __builtin_shufflevector(xy_02, zo_02, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(xy_13, zo_13, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(xy_02, zo_02, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(xy_13, zo_13, 2, 3, 6, 7);
  } else {
    const Vector2 x = f[0].v, y = f[1].v, z = f[2].v, o{};
    auto* const half = reinterpret_cast<Vector2*>(to);
    half[0] = __builtin_shufflevector(x, y, 0, 2);
    half[1] = __builtin_shufflevector(z, o, 0, 2);
    half[2] = __builtin_shufflevector(x, y, 1, 3);
    half[3] = __builtin_shufflevector(z, o, 1, 3);
  }
}

/// Adds lane after lane to the slots: two lanes may name the same one.
template <class Index>
SUPPLE_INLINE void scatter_add(const Vector3<Batch8>& f, PaddedVector* slots, const Index* index) {
  const Vector8 zero{};
  for (int half = 0; half < 2; ++half) {
    Vector4 x, y, z, o;
    if (half == 0) {
      x = __builtin_shufflevector(f[0].v, zero, 0, 1, 2, 3);
      y = __builtin_shufflevector(f[1].v, zero, 0, 1, 2, 3);
      z = __builtin_shufflevector(f[2].v, zero, 0, 1, 2, 3);
    } else {
      x = __builtin_shufflevector(f[0].v, zero, 4, 5, 6, 7);
      y = __builtin_shufflevector(f[1].v, zero, 4, 5, 6, 7);
      z = __builtin_shufflevector(f[2].v, zero, 4, 5, 6, 7);
    }
    o = Vector4{};
    const Vector4 xy_02 = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    const Vector4 xy_13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const Vector4 zo_02 = __builtin_shufflevector(z, o, 0, 4, 2, 6);
    const Vector4 zo_13 = __builtin_shufflevector(z, o, 1, 5, 3, 7);
    const Vector4 lane[4] = {__builtin_shufflevector(xy_02, zo_02, 0, 1, 4, 5),
                             __builtin_shufflevector(xy_13, zo_13, 0, 1, 4, 5),
                             __builtin_shufflevector(xy_02, zo_02, 2, 3, 6, 7),
                             __builtin_shufflevector(xy_13, zo_13, 2, 3, 6, 7)};
    for (int l = 0; l < 4; ++l) {
      *reinterpret_cast<Vector4*>(&slots[index[4 * half + l]]) += lane[l];
    }
  }
}

/// Dm^-1 of the eight tets.
SUPPLE_INLINE Mat3<Batch8> inverse_rest(const ElementBatch& batch) {
  Mat3<Batch8> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = Batch8::load(batch.inverse_rest[i]);
  return m;
}

/// F = Ds Dm^-1.
SUPPLE_INLINE Mat3<Batch8> deformation_gradient(const ElementBatch& batch, const PaddedVector* x,
                                                const Mat3<Batch8>& inverse_Dm) {
  const Vector3<Batch8> x0 = gather(x, batch.vertex[0]);
  Mat3<Batch8> Ds;
  for (int c = 0; c < 3; ++c) Ds.set_column(c, gather(x, batch.vertex[c + 1]) - x0);
  return Ds * inverse_Dm;
}

/// Dm^-1 of the W tets from lane `first` on.
template <int W>
SUPPLE_INLINE Mat3<Batch<double, W>> inverse_rest_of(const ElementBatch& batch, int first) {
  Mat3<Batch<double, W>> m;
  for (int i = 0; i < 9; ++i) {
    m(i / 3, i % 3) = Batch<double, W>::load(batch.inverse_rest[i] + first);
  }
  return m;
}

/// F of the W tets from lane `first` on.
template <int W>
SUPPLE_INLINE Mat3<Batch<double, W>> deformation_gradient_of(
    const ElementBatch& batch, int first, const PaddedVector* x,
    const Mat3<Batch<double, W>>& inverse_Dm) {
  const Vector3<Batch<double, W>> x0 = gather_lanes<W>(x, batch.vertex[0] + first);
  Mat3<Batch<double, W>> Ds;
  for (int c = 0; c < 3; ++c) {
    Ds.set_column(c, gather_lanes<W>(x, batch.vertex[c + 1] + first) - x0);
  }
  return Ds * inverse_Dm;
}

}  // namespace supple::detail
