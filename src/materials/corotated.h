#pragma once

#include "math/mat3.h"
#include "math/polar.h"

namespace supple {

/// Corotated linear elasticity [Sifakis & Barbic 2012, sec. 3.4]:
///   Psi = mu |F - R|^2 + lambda/2 (s1 + s2 + s3 - 3)^2,  R = U V^T.
/// mu, lambda: Pa. The energy has a kink at s2 + s3 = 0, where R is not defined.
template <class S>
struct Corotated {
  S mu;
  S lambda;

  S energy_density(const Mat3<S>& F) const {
    Mat3<S> P;
    return energy_and_stress(F, P);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = 2 mu (F - R) + lambda (s1 + s2 + s3 - 3) R; at rest exactly zero.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Polar<S> p = polar(F);
    const Mat3<S> strain = F - p.R;
    const S spread = p.stretch_sum - S(3.0);
    const S two_mu = S(2.0) * mu, pressure = lambda * spread;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) P(r, k) = two_mu * strain(r, k) + pressure * p.R(r, k);
    }
    return mu * squared_norm(strain) + S(0.5) * (pressure * spread);
  }

  static constexpr bool smooth = false;
  S a(const S& s) const {
    const S e = s - S(1.0);
    return mu * (e * e) + S(0.5) * lambda * (s * s - S(6.0) * s + S(3.0));
  }
  S da(const S& s) const { return S(2.0) * mu * (s - S(1.0)) + lambda * (s - S(3.0)); }
  S dda(const S&) const { return S(2.0) * mu + lambda; }
  S slope_a(const S&, const S&) const { return S(2.0) * mu + lambda; }
  S b(const S& p) const { return lambda * p; }
  S db(const S&) const { return lambda; }
  S ddb(const S&) const { return S(0.0); }
  S slope_b(const S&, const S&) const { return S(0.0); }
  S c(const S&) const { return S(0.0); }
  S dc(const S&) const { return S(0.0); }
  S ddc(const S&) const { return S(0.0); }
};

struct CorotatedModel {
  static constexpr const char* name = "corotated";
  static constexpr int num_parameters = 2;
  static constexpr bool proportional = true;
  template <class S>
  Corotated<S> at(const S* parameters) const {
    return {parameters[0], parameters[1]};
  }
};

}  // namespace supple
