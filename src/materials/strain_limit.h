#pragma once

#include "materials/projection.h"
#include "math/mat3.h"
#include "math/polar.h"
#include "math/svd.h"

namespace supple {

/// Strain limits: the squared distance to the deformations whose stretches are in [min, max]
/// [Bouaziz et al. 2014, sec. 5.1; thesis sec. 6.2],
///   Psi = mu |F - p(F)|^2 = mu sum (s_i - c(s_i))^2,
/// where c(s) is s clamped to [min, max]: nothing happens between the limits. mu: Pa; 0 <= min <= 1
/// <= max. min = max = 1 is `arap`. The stress bends at the limits, and the energy has a kink at s2
/// + s3 = 0 unless min is 0.
template <class S>
struct StrainLimit {
  S mu;
  S min;
  S max;

  S energy_density(const Mat3<S>& F) const {
    Mat3<S> P;
    return energy_and_stress(F, P);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = 2 mu (F - p(F)).
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const auto no_width = min >= max;
    if (!any(!no_width)) [[unlikely]]
      return without_width(F, P);
    const Svd<S> d = svd(F);
    const Vector3<S> e{{excess(d.s[0]), excess(d.s[1]), excess(d.s[2])}};
    P = compose(d.U, S(2.0) * mu * e, d.V);
    S energy = mu * dot(e, e);
    if (any(no_width)) [[unlikely]] {
      Mat3<S> Q;
      energy = select(no_width, without_width(F, Q), energy);
      for (int i = 0; i < 9; ++i) {
        P(i / 3, i % 3) = select(no_width, Q(i / 3, i % 3), P(i / 3, i % 3));
      }
    }
    return energy;
  }

  /// The nearest stretches within the limits.
  Vector3<S> project_stretches(const Vector3<S>& s) const {
    return {{clamped(s[0]), clamped(s[1]), clamped(s[2])}};
  }
  S projection_weight() const { return S(2.0) * mu; }

  static constexpr bool smooth = false;
  S a(const S& s) const {
    const S e = excess(s);
    return mu * (e * e);
  }
  S da(const S& s) const { return S(2.0) * mu * excess(s); }
  S dda(const S& s) const {
    return select(s < min, S(2.0) * mu, select(max < s, S(2.0) * mu, S(0.0)));
  }
  /// 2 mu (1 - (c(p) - c(q))/(p - q)), between 0 and 2 mu.
  S slope_a(const S& p, const S& q) const {
    const S low = select(q < p, q, p), high = select(q < p, p, q);
    const S length = high - low;
    const auto equal = !(S(0.0) < length);
    const S inside = clamped(high) - clamped(low);
    const S quotient = S(2.0) * mu * (S(1.0) - inside / select(equal, S(1.0), length));
    return select(equal, dda(p), quotient);
  }
  S b(const S&) const { return S(0.0); }
  S db(const S&) const { return S(0.0); }
  S ddb(const S&) const { return S(0.0); }
  S slope_b(const S&, const S&) const { return S(0.0); }
  S c(const S&) const { return S(0.0); }
  S dc(const S&) const { return S(0.0); }
  S ddc(const S&) const { return S(0.0); }

 private:
  /// If min = max, the nearest deformation is the nearest rotation times min. The stretches
  /// themselves are not needed, and min = max = 1 has the bits of `arap`.
  [[gnu::noinline]] S without_width(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> strain = F - min * polar(F).R;
    P = S(2.0) * mu * strain;
    return mu * squared_norm(strain);
  }
  S clamped(const S& s) const { return select(s < min, min, select(max < s, max, s)); }
  /// s - c(s); exactly zero within the limits.
  S excess(const S& s) const { return s - clamped(s); }
};

struct StrainLimitModel {
  static constexpr const char* name = "strain_limit";
  static constexpr int num_parameters = 3;
  template <class S>
  StrainLimit<S> at(const S* parameters) const {
    return {parameters[0], parameters[1], parameters[2]};
  }
};

}  // namespace supple
