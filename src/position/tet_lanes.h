#pragma once

#include <cmath>

#include "position/position_lanes.h"
#include "position/tet_kernels.h"

/// What the projections of tets are written with: templates over the number type, which is a
/// register of lanes (tet_kernels.cpp) or one lane (tet_serial.cpp).
namespace supple {

inline namespace SUPPLE_SIMD {

/// Where S finds the lanes that it works on.
template <class S>
struct LanesOf {
  using T = S;
  static constexpr int width = 1;
  static S load(const S* p) { return *p; }
  static void store(const S& value, S* p) { *p = value; }
  static Vector3<S> gather(const PaddedPosition<S>* x, const std::uint32_t* place) {
    const S* p = at(x, *place);
    return {{p[0], p[1], p[2]}};
  }
  static void add(const Vector3<S>& d, PaddedPosition<S>* x, const std::uint32_t* place) {
    S* p = at(x, *place);
    for (int k = 0; k < 3; ++k) p[k] += d[k];
  }
};
template <class Number, int W>
struct LanesOf<Batch<Number, W>> {
  using T = Number;
  using S = Batch<Number, W>;
  static constexpr int width = W;
  SUPPLE_INLINE static S load(const T* p) { return S::load(p); }
  SUPPLE_INLINE static void store(const S& value, T* p) { value.store(p); }
  SUPPLE_INLINE static Vector3<S> gather(const PaddedPosition<T>* x, const std::uint32_t* place) {
    return gather_positions<T, W>(x, place);
  }
  SUPPLE_INLINE static void add(const Vector3<S>& d, PaddedPosition<T>* x,
                                const std::uint32_t* place) {
    add_to_positions<T, W>(d, x, place);
  }
};

/// Some lanes of a batch.
template <class S>
struct TetLanes {
  using Lanes = LanesOf<S>;
  using T = typename Lanes::T;
  static constexpr int stride = row_lanes<T>;

  T* rows;                      ///< from the first lane on
  const std::uint32_t* places;  ///< likewise

  SUPPLE_INLINE S row(int r) const { return Lanes::load(rows + r * stride); }
  SUPPLE_INLINE void set_row(int r, const S& value) const {
    Lanes::store(value, rows + r * stride);
  }
  SUPPLE_INLINE Mat3<S> matrix(int r) const {
    Mat3<S> m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = row(r + i);
    return m;
  }
  SUPPLE_INLINE void set_matrix(int r, const Mat3<S>& m) const {
    for (int i = 0; i < 9; ++i) set_row(r + i, m(i / 3, i % 3));
  }
  SUPPLE_INLINE Vector3<S> mobility() const {
    return {{row(tet_rows::mobility), row(tet_rows::mobility + 1), row(tet_rows::mobility + 2)}};
  }
  SUPPLE_INLINE Vector3<S> position(const PaddedPosition<T>* x, int corner) const {
    return Lanes::gather(x, places + corner * stride);
  }
  /// F; B: rows b_1, b_2, b_3.
  SUPPLE_INLINE Mat3<S> deformation_gradient(const PaddedPosition<T>* x, const Mat3<S>& B) const {
    const Vector3<S> x0 = position(x, 0);
    Mat3<S> edges;
    for (int c = 0; c < 3; ++c) edges.set_column(c, position(x, c + 1) - x0);
    return edges * B;
  }
  /// x_i -= w_i M b_i: the impulses of Q -= M, which add up to zero over the tet.
  SUPPLE_INLINE void pull(const Mat3<S>& M, const Mat3<S>& B, PaddedPosition<T>* x) const {
    const Mat3<S> impulse = times_transpose(M, B);
    move(impulse.column(0), impulse.column(1), impulse.column(2), tet_rows::weights, x);
  }
  SUPPLE_INLINE void move(const Vector3<S>& p1, const Vector3<S>& p2, const Vector3<S>& p3,
                          int weights, PaddedPosition<T>* x) const {
    Lanes::add(row(weights) * (p1 + p2 + p3), x, places);
    Lanes::add(row(weights + 1) * p1, x, places + stride);
    Lanes::add(row(weights + 2) * p2, x, places + 2 * stride);
    Lanes::add(row(weights + 3) * p3, x, places + 3 * stride);
  }
};

namespace tet_detail {

/// Divisors below this count as zero. With the masses, lengths and moduli of anything visible,
/// divisors are far above it.
template <class S>
inline constexpr double smallest = sizeof(typename LanesOf<S>::T) == sizeof(double) ? 1e-280
                                                                                    : 1e-34;

/// a/b; zero if b is.
template <class S>
SUPPLE_INLINE S quotient(const S& a, const S& b) {
  return select(b <= S(smallest<S>), S(0.0), S(a / b));
}

/// x : y. Adding the nine terms in threes makes a shorter chain than one after the other.
template <class S>
SUPPLE_INLINE S inner_by_rows(const Mat3<S>& x, const Mat3<S>& y) {
  const auto row = [&](int r) { return x(r, 0) * y(r, 0) + x(r, 1) * y(r, 1) + x(r, 2) * y(r, 2); };
  return row(0) + row(1) + row(2);
}

template <class S>
SUPPLE_INLINE S greatest(const S& a, const S& b) {
  return select(a < b, b, a);
}

/// H = (I + k G)^-1, k >= 0.
template <class S>
SUPPLE_INLINE Vector3<S> inverse_of_identity_plus(const S& k, const Vector3<S>& G) {
  const S one = S(1.0);
  return {{one / (one + k * G[0]), one / (one + k * G[1]), one / (one + k * G[2])}};
}

/// m D, D diagonal.
template <class S>
SUPPLE_INLINE Mat3<S> scaled_columns(const Mat3<S>& m, const Vector3<S>& D) {
  Mat3<S> r;
  for (int i = 0; i < 9; ++i) r(i / 3, i % 3) = m(i / 3, i % 3) * D[i % 3];
  return r;
}

/// x : (y D), D diagonal.
template <class S>
SUPPLE_INLINE S inner_by_columns(const Mat3<S>& x, const Mat3<S>& y, const Vector3<S>& D) {
  const auto column = [&](int c) {
    return D[c] * (x(0, c) * y(0, c) + x(1, c) * y(1, c) + x(2, c) * y(2, c));
  };
  return column(0) + column(1) + column(2);
}

/// |residual| for tets that can move, else 0.
template <class S>
SUPPLE_INLINE S violation(const S& residual, const Vector3<S>& G) {
  using std::abs;
  return select(S(0.0) < G[0] + G[1] + G[2], S(abs(residual)), S(0.0));
}

}  // namespace tet_detail

}  // namespace SUPPLE_SIMD

}  // namespace supple
