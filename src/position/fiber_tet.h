#pragma once

#include <cmath>

#include "position/tet_lanes.h"

namespace supple {

inline namespace SUPPLE_SIMD {

/// A fiber d, Psi = kappa/2 (|f| - 1)^2, f = F d = sum x_i e_i, e_i = d . b_i.
template <class S>
struct FiberTet {
  using T = typename TetLanes<S>::T;
  static constexpr int multipliers = tet_rows::fiber_multipliers;

  SUPPLE_INLINE static Vector3<S> direction(const TetLanes<S>& tet, const PaddedPosition<T>* x,
                                            const Vector3<S>& e) {
    const Vector3<S> x0 = tet.position(x, 0);
    return e[0] * (tet.position(x, 1) - x0) + e[1] * (tet.position(x, 2) - x0) +
           e[2] * (tet.position(x, 3) - x0);
  }
  SUPPLE_INLINE static Vector3<S> gradients(const TetLanes<S>& tet) {
    return {{tet.row(tet_rows::fiber_gradients), tet.row(tet_rows::fiber_gradients + 1),
             tet.row(tet_rows::fiber_gradients + 2)}};
  }
  SUPPLE_INLINE static void pull(const TetLanes<S>& tet, const Vector3<S>& q, const Vector3<S>& e,
                                 PaddedPosition<T>* x) {
    tet.move(e[0] * q, e[1] * q, e[2] * q, tet_rows::fiber_weights, x);
  }

  /// With n = f/|f| held (which majorises), dq = -(q + A kappa (f - n))/(1 + A kappa g).
  template <bool first>
  SUPPLE_INLINE static void stress(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2) {
    using std::sqrt;
    const Vector3<S> e = gradients(tet);
    const Vector3<S> f = direction(tet, x, e);
    const S k = a2 * tet.row(tet_rows::fiber_stiffness);
    const S length = sqrt(dot(f, f));
    const S excess = (length - S(1.0)) * tet_detail::quotient(S(1.0), length);
    const S factor = S(1.0) / (S(1.0) + k * tet.row(tet_rows::fiber_mobility));
    Vector3<S> q, dq;
    for (int i = 0; i < 3; ++i) {
      if constexpr (first) {
        dq[i] = factor * (k * (excess * f[i]));
        q[i] = -dq[i];
      } else {
        q[i] = tet.row(multipliers + i);
        dq[i] = factor * (q[i] + k * (excess * f[i]));
        q[i] = q[i] - dq[i];
      }
      tet.set_row(multipliers + i, q[i]);
    }
    pull(tet, dq, e, x);
  }

  /// C = |f| - 1, compliance 1/(A kappa).
  template <bool first>
  SUPPLE_INLINE static void scalar(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2) {
    using std::sqrt;
    const Vector3<S> e = gradients(tet);
    const Vector3<S> f = direction(tet, x, e);
    const S k = a2 * tet.row(tet_rows::fiber_stiffness);
    const S length = sqrt(dot(f, f));
    S l = S(0.0);
    if constexpr (!first) l = tet.row(multipliers);
    const S dl = (k * (length - S(1.0)) + l) / (k * tet.row(tet_rows::fiber_mobility) + S(1.0));
    tet.set_row(multipliers, l - dl);
    pull(tet, dl * tet_detail::quotient(S(1.0), length) * f, e, x);
  }

  SUPPLE_INLINE static Vector3<S> impulse(const TetLanes<S>& tet, const Vector3<S>& f) {
    using std::sqrt;
    return tet.row(multipliers) * tet_detail::quotient(S(1.0), S(sqrt(dot(f, f)))) * f;
  }
};

}  // namespace SUPPLE_SIMD

}  // namespace supple
