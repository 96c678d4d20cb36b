#pragma once

#include <cmath>
#include <type_traits>

#include "materials/step_damping.h"
#include "math/batch.h"
#include "position/sheet_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

/// The state of a projection.
template <class S>
struct SheetPlace {
  Vector3<S> f[2], q[2];  ///< F and q
  Vector3<S> r[2];        ///< q + A P L: zero at the minimum
  S value;                ///< A Psi + |q|^2/2

  SUPPLE_INLINE S residual() const { return dot(r[0], r[0]) + dot(r[1], r[1]); }
};

/// A sheet and its damping, Psi + min_R |(F - R F_n) W|^2/2 with the diagonal matrix W of the roots
/// of tau k/a along both axes (materials/step_damping.h).
template <class S, class Sheet>
class DampedSheet {
 public:
  SUPPLE_INLINE DampedSheet(const Sheet& sheet, const S (&roots)[2], const Vector3<S> (&before)[2])
      : sheet_(sheet), roots_{roots[0], roots[1]}, damping_{S(1.0), scaled(before)} {}

  SUPPLE_INLINE S energy_and_stress(const Vector3<S> (&f)[2], Vector3<S> (&P)[2]) const {
    const S energy = sheet_.energy_and_stress(f, P);
    Mat3<S> own;
    const S more = damping_.energy_and_stress(scaled(f), own);
    for (int k = 0; k < 2; ++k) P[k] = P[k] + roots_[k] * own.column(k);
    return energy + more;
  }

  /// As the sheet's own Hessian, with the positive one of damping.
  template <class Own>
  struct Hessian {
    Own own;
    typename StepDamping<S>::Hessian damping;
    S roots[2];

    SUPPLE_INLINE void block(const S (&a)[2], const S (&b)[2], S (&block)[9]) const {
      own.block(a, b, block);
      const S o = S(0.0);
      const Mat3<S> more = damping.block(Vector3<S>{{roots[0] * a[0], roots[1] * a[1], o}},
                                         Vector3<S>{{roots[0] * b[0], roots[1] * b[1], o}});
      for (int i = 0; i < 9; ++i) block[i] = block[i] + more(i / 3, i % 3);
    }
  };
  SUPPLE_INLINE auto hessian(const Vector3<S> (&f)[2], NegativeEigenvalues mode) const {
    const auto own = sheet_.hessian(f, mode);
    return Hessian<std::decay_t<decltype(own)>>{
        own, damping_.positive_hessian(scaled(f)), {roots_[0], roots_[1]}};
  }

 private:
  SUPPLE_INLINE Mat3<S> scaled(const Vector3<S> (&f)[2]) const {
    Mat3<S> F = Mat3<S>::zero();
    for (int k = 0; k < 2; ++k) F.set_column(k, roots_[k] * f[k]);
    return F;
  }

  const Sheet& sheet_;
  S roots_[2];
  StepDamping<S> damping_;
};

/// A triangle's own part of g as a function of q. S: a register of lanes.
template <class S, class Sheet>
struct SheetStep {
  const Sheet& sheet;
  S A;        ///< a^2 V, m^3 s^2
  S root[3];  ///< L_00, L_10, L_11

  SUPPLE_INLINE void evaluate(SheetPlace<S>& place) const {
    Vector3<S> P[2];
    const S energy = sheet.energy_and_stress(place.f, P);
    const Vector3<S>(&q)[2] = place.q;
    place.r[0] = q[0] + A * (root[0] * P[0] + root[1] * P[1]);
    place.r[1] = q[1] + A * (root[2] * P[1]);
    place.value = A * energy + S(0.5) * (dot(q[0], q[0]) + dot(q[1], q[1]));
  }

  /// q + share e, and F + share e L^T.
  SUPPLE_INLINE SheetPlace<S> moved(const SheetPlace<S>& from, const Vector3<S> (&e)[2],
                                    const S& share) const {
    SheetPlace<S> to = from;
    const Vector3<S> part[2] = {share * e[0], share * e[1]};
    to.f[0] = from.f[0] + root[0] * part[0];
    to.f[1] = from.f[1] + (root[1] * part[0] + root[2] * part[1]);
    for (int k = 0; k < 2; ++k) to.q[k] = from.q[k] + part[k];
    return to;
  }

  /// |e L^T|^2: how far F moves.
  SUPPLE_INLINE S way(const Vector3<S> (&e)[2]) const {
    const Vector3<S> first = root[0] * e[0], second = root[1] * e[0] + root[2] * e[1];
    return dot(first, first) + dot(second, second);
  }

  /// The step e of Newton's method, (I + A L^T H L) e = -r, where H is the nearest semi-definite
  /// Hessian. Solved by Cholesky, as no eigenvalue of the matrix is below 1.
  SUPPLE_INLINE void newton(const SheetPlace<S>& place, Vector3<S> (&e)[2]) const {
    using std::sqrt;
    const S o = S(0.0), one = S(1.0);
    const auto H = sheet.hessian(place.f, NegativeEigenvalues::clamp);
    const S column[2][2] = {{root[0], root[1]}, {o, root[2]}};
    S M[6][6];
    for (int k = 0; k < 2; ++k) {
      for (int l = 0; l <= k; ++l) {
        S block[9];
        H.block(column[k], column[l], block);
        for (int i = 0; i < 9; ++i) M[3 * k + i / 3][3 * l + i % 3] = A * block[i];
      }
    }
    S y[6], inverse[6];
    for (int i = 0; i < 6; ++i) y[i] = o - place.r[i / 3][i % 3];
    for (int j = 0; j < 6; ++j) {
      S diagonal = one + M[j][j];
      for (int k = 0; k < j; ++k) diagonal -= M[j][k] * M[j][k];
      // Only rounding can bring it below 1.
      inverse[j] = one / sqrt(select(diagonal < one, one, diagonal));
      for (int i = j + 1; i < 6; ++i) {
        S entry = M[i][j];
        for (int k = 0; k < j; ++k) entry -= M[i][k] * M[j][k];
        M[i][j] = entry * inverse[j];
      }
      for (int k = 0; k < j; ++k) y[j] -= M[j][k] * y[k];
      y[j] *= inverse[j];
    }
    for (int j = 5; j >= 0; --j) {
      for (int i = j + 1; i < 6; ++i) y[j] -= M[i][j] * y[i];
      y[j] *= inverse[j];
    }
    for (int i = 0; i < 6; ++i) e[i / 3][i % 3] = y[i];
  }

  /// Moves from a place to the minimum, or nearer to it.
  SUPPLE_INLINE void descend(SheetPlace<S>& now) const {
    using std::sqrt;
    constexpr int most_steps = 3, most_divisions = 3;
    // Part of the first |r|^2 that counts as solved; |dF|^2 of a step beyond which no model holds.
    constexpr double done = 1e-4, sight = 1;
    const S one = S(1.0), o = S(0.0);
    evaluate(now);
    const S enough = S(done) * now.residual();
    for (int step = 0; step < most_steps; ++step) {
      Vector3<S> e[2];
      newton(now, e);
      const S square = way(e);
      const auto too_far = S(sight) < square;
      S share = select(too_far, S(one / sqrt(select(too_far, square, one))), one);
      // Lanes that are done, or have no finite step, stay.
      const auto stays = (now.residual() <= enough) | !(square <= S(1e100));
      for (int i = 0; i < 6; ++i) e[i / 3][i % 3] = select(stays, o, e[i / 3][i % 3]);
      SheetPlace<S> next;
      for (int division = 0;; ++division) {
        next = moved(now, e, share);
        evaluate(next);
        const auto taken = (next.value <= now.value) | (next.residual() <= now.residual());
        if (division == most_divisions || !any(!taken)) break;
        share = select(taken, share, S(S(0.25) * share));
      }
      now = next;
      if (!any(enough < now.residual())) break;
    }
  }
};

}  // namespace SUPPLE_SIMD

}  // namespace supple
