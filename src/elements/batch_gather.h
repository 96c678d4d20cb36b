#pragma once

#include "elements/face_pair_batches.h"
#include "math/batch.h"
#include "math/mat3.h"
#include "math/transpose.h"
#include "math/vector_field.h"
#include "model/model.h"

/// Moves positions from vertices to lanes and forces from lanes to slots, by transposing four
/// padded vectors at a time in registers.
namespace supple::detail {

SUPPLE_INLINE Vector4 load4(const PaddedVector& p) { return *reinterpret_cast<const Vector4*>(&p); }

SUPPLE_INLINE void add_to(PaddedVector& p, Vector4 more) {
  *reinterpret_cast<Vector4*>(&p) += more;
}

/// The vector at an index. A SlotPlace is the offset of the vector's first number, so the address
/// needs no arithmetic; a batch has sixty-four of them.
SUPPLE_INLINE const PaddedVector& named(const PaddedVector* x, int index) { return x[index]; }
SUPPLE_INLINE PaddedVector& named(PaddedVector* x, int index) { return x[index]; }
SUPPLE_INLINE const PaddedVector& named(const PaddedVector* x, SlotPlace place) {
  return *reinterpret_cast<const PaddedVector*>(x->v + place.number);
}
SUPPLE_INLINE PaddedVector& named(PaddedVector* x, SlotPlace place) {
  return *reinterpret_cast<PaddedVector*>(x->v + place.number);
}

/// x, y, z of W vectors as three batches; row(lane) gives one vector.
template <int W, class Row>
SUPPLE_INLINE Vector3<Batch<double, W>> gather_rows(const Row& row) {
  Batch<double, W> column[4];
  columns_of<W>(row, column);
  return {{column[0], column[1], column[2]}};
}

/// x, y, z of W vertices as three batches.
template <int W, class Index>
SUPPLE_INLINE Vector3<Batch<double, W>> gather_lanes(const PaddedVector* x, const Index* index) {
  if constexpr (W >= 4) {
    return gather_rows<W>([&](int lane) { return load4(named(x, index[lane])); });
  } else {
    static_assert(W == 2);
    const double *a = named(x, index[0]).v, *b = named(x, index[1]).v;
    const Vector2 a_xy = *reinterpret_cast<const Vector2*>(a);
    const Vector2 b_xy = *reinterpret_cast<const Vector2*>(b);
    return {{Batch<double, 2>(__builtin_shufflevector(a_xy, b_xy, 0, 2)),
             Batch<double, 2>(__builtin_shufflevector(a_xy, b_xy, 1, 3)),
             Batch<double, 2>(Vector2{a[2], b[2]})}};
  }
}

/// The edges from corner 0 to the other corners of W elements with count + 1 corners. The elements
/// start at `first` in `index`. If a register holds a whole vertex, the difference is taken before
/// the transposition: corner 0 need not be transposed.
template <int W, class Index, int count>
SUPPLE_INLINE void gather_edges(const PaddedVector* x, const Index (*index)[lanes], int first,
                                Vector3<Batch<double, W>> (&edge)[count]) {
  if constexpr (W >= 4) {
    for (int c = 0; c < count; ++c) {
      edge[c] = gather_rows<W>([&](int lane) {
        return load4(named(x, index[c + 1][first + lane])) -
               load4(named(x, index[0][first + lane]));
      });
    }
  } else {
    const auto own = gather_lanes<W>(x, index[0] + first);
    for (int c = 0; c < count; ++c) edge[c] = gather_lanes<W>(x, index[c + 1] + first) - own;
  }
}

/// row[i] = (f_x, f_y, f_z, 0) of lane i. Rows are vectors of four numbers.
template <int W, class Vector>
SUPPLE_INLINE void transpose_back(const Batch<double, W>& f_x, const Batch<double, W>& f_y,
                                  const Batch<double, W>& f_z, Vector* row) {
  static_assert(W == 2 || W == 4);
  if constexpr (W == 4) {
    const Vector4 x = f_x.v, y = f_y.v, z = f_z.v, o{};
    const Vector4 xy_02 = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    const Vector4 xy_13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const Vector4 zo_02 = __builtin_shufflevector(z, o, 0, 4, 2, 6);
    const Vector4 zo_13 = __builtin_shufflevector(z, o, 1, 5, 3, 7);
    auto* const to = reinterpret_cast<Vector4*>(row);
    to[0] = __builtin_shufflevector(xy_02, zo_02, 0, 1, 4, 5);
    to[1] = __builtin_shufflevector(xy_13, zo_13, 0, 1, 4, 5);
    to[2] = __builtin_shufflevector(xy_02, zo_02, 2, 3, 6, 7);
    to[3] = __builtin_shufflevector(xy_13, zo_13, 2, 3, 6, 7);
  } else {
    const Vector2 x = f_x.v, y = f_y.v, z = f_z.v, o{};
    auto* const half = reinterpret_cast<Vector2*>(row);
    half[0] = __builtin_shufflevector(x, y, 0, 2);
    half[1] = __builtin_shufflevector(z, o, 0, 2);
    half[2] = __builtin_shufflevector(x, y, 1, 3);
    half[3] = __builtin_shufflevector(z, o, 1, 3);
  }
}

/// The forces of eight elements on their corners 1 and up, kept until they are added to slots.
/// Meanwhile other work can be done that does not depend on them. They arrive W lanes at a time and
/// are added lane by lane, so that the order of the sums does not depend on the width.
template <int W, int count, class Index>
class WaitingForces {
 public:
  /// Keeps the forces of W lanes, from `first` on.
  SUPPLE_INLINE void keep(const Vector3<Batch<double, W>> (&f)[count], int first) {
    for (int c = 0; c < count; ++c) {
      if constexpr (W == lanes) {
        for (int k = 0; k < 3; ++k) f[c][k].store(columns_[c][k]);
      } else {
        transpose_back(f[c][0], f[c][1], f[c][2], rows_[c] + first);
      }
    }
  }

  /// Says that all lanes have arrived. slot: the slots of all count + 1 corners.
  SUPPLE_INLINE void complete(const Index (*slot)[lanes]) { slot_ = slot; }

  /// Adds the kept forces, element after element, since two elements can share a slot. Corner 0
  /// receives minus the sum of the others.
  SUPPLE_INLINE void add_to(PaddedVector* slots) {
    if (slot_ == nullptr) return;
    if constexpr (W == lanes) {
      for (int first = 0; first < lanes; first += 4) {
        Vector4 row[count][4];
        for (int c = 0; c < count; ++c) {
          const auto& [x, y, z] = columns_[c];
          transpose_back(Four::load(x + first), Four::load(y + first), Four::load(z + first),
                         row[c]);
        }
        for (int i = 0; i < 4; ++i) {
          add_lane(slots, first + i, [&](int c) { return row[c][i]; });
        }
      }
    } else {
      for (int lane = 0; lane < lanes; ++lane) {
        add_lane(slots, lane, [&](int c) { return load4(rows_[c][lane]); });
      }
    }
    slot_ = nullptr;
  }

 private:
  using Four = Batch<double, 4>;

  template <class Force>
  SUPPLE_INLINE void add_lane(PaddedVector* slots, int lane, const Force& force) const {
    Vector4 sum = force(0);
    for (int c = 1; c < count; ++c) sum += force(c);
    detail::add_to(named(slots, slot_[0][lane]), -sum);
    for (int c = 0; c < count; ++c) detail::add_to(named(slots, slot_[c + 1][lane]), force(c));
  }

  const Index (*slot_)[lanes] = nullptr;  ///< null if nothing waits
  PaddedVector rows_[W == lanes ? 1 : count][lanes];
  alignas(64) double columns_[W == lanes ? count : 1][3][lanes];
};

/// Matrix entries, row-major, from lane `first` on.
template <int W>
SUPPLE_INLINE Mat3<Batch<double, W>> load_lanes(const double (*m)[lanes], int first) {
  Mat3<Batch<double, W>> loaded;
  for (int i = 0; i < 9; ++i) loaded(i / 3, i % 3) = Batch<double, W>::load(m[i] + first);
  return loaded;
}
template <int W>
SUPPLE_INLINE void store_lanes(const Mat3<Batch<double, W>>& m, double (*to)[lanes], int first) {
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3).store(to[i] + first);
}

/// Dm^-1 of the eight tets.
SUPPLE_INLINE Mat3<Batch8> inverse_rest(const ElementBatch& batch) {
  Mat3<Batch8> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = Batch8::load(batch.inverse_rest[i]);
  return m;
}

/// Ds of the W tets from lane `first` on.
template <int W>
SUPPLE_INLINE Mat3<Batch<double, W>> edges_of(const ElementBatch& batch, int first,
                                              const PaddedVector* x) {
  Vector3<Batch<double, W>> edge[3];
  gather_edges<W>(x, batch.vertex, first, edge);
  Mat3<Batch<double, W>> Ds;
  for (int c = 0; c < 3; ++c) Ds.set_column(c, edge[c]);
  return Ds;
}

/// F = Ds Dm^-1.
SUPPLE_INLINE Mat3<Batch8> deformation_gradient(const ElementBatch& batch, const PaddedVector* x,
                                                const Mat3<Batch8>& inverse_Dm) {
  return edges_of<lanes>(batch, 0, x) * inverse_Dm;
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
  return edges_of<W>(batch, first, x) * inverse_Dm;
}

/// F of the eight tets: [9][lanes].
template <int W>
SUPPLE_INLINE void deformation_gradients_of(const ElementBatch& batch, const PaddedVector* x,
                                            double (*F)[lanes]) {
  for (int first = 0; first < lanes; first += W) {
    const auto inverse_Dm = inverse_rest_of<W>(batch, first);
    store_lanes(deformation_gradient_of<W>(batch, first, x, inverse_Dm), F, first);
  }
}

/// factor times the Hessians of the lanes from `first` on. H: [own_entries][lanes].
template <int W>
SUPPLE_INLINE OwnHessian<Batch<double, W>> own_hessian_of(const double (*H)[lanes], int first,
                                                          const Batch<double, W>& factor) {
  OwnHessian<Batch<double, W>> loaded;
  for (int e = 0; e < own_entries; ++e) {
    loaded.entry[e] = factor * Batch<double, W>::load(H[e] + first);
  }
  return loaded;
}

}  // namespace supple::detail
