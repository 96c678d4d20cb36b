#pragma once

#include "materials/projection.h"
#include "math/mat3.h"
#include "math/polar.h"

namespace supple {

/// As rigid as possible: corotated elasticity with lambda = 0,
///   Psi = mu |F - R|^2 = mu sum (s_i - 1)^2,  R = U V^T  [Bouaziz et al. 2014, sec. 5.1].
/// mu: Pa. The energy has a kink at s2 + s3 = 0, where R is not defined.
template <class S>
struct Arap {
  S mu;

  S energy_density(const Mat3<S>& F) const {
    Mat3<S> P;
    return energy_and_stress(F, P);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = 2 mu (F - R); at rest exactly zero.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> strain = F - polar(F).R;
    P = S(2.0) * mu * strain;
    return mu * squared_norm(strain);
  }

  /// The nearest rotation is R = U V^T.
  Vector3<S> project_stretches(const Vector3<S>&) const { return {{S(1.0), S(1.0), S(1.0)}}; }
  S projection_weight() const { return S(2.0) * mu; }

  static constexpr bool smooth = false;
  S a(const S& s) const {
    const S e = s - S(1.0);
    return mu * (e * e);
  }
  S da(const S& s) const { return S(2.0) * mu * (s - S(1.0)); }
  S dda(const S&) const { return S(2.0) * mu; }
  S slope_a(const S&, const S&) const { return S(2.0) * mu; }
  S b(const S&) const { return S(0.0); }
  S db(const S&) const { return S(0.0); }
  S ddb(const S&) const { return S(0.0); }
  S slope_b(const S&, const S&) const { return S(0.0); }
  S c(const S&) const { return S(0.0); }
  S dc(const S&) const { return S(0.0); }
  S ddc(const S&) const { return S(0.0); }
};

struct ArapModel {
  static constexpr const char* name = "arap";
  static constexpr int num_parameters = 1;
  static constexpr bool proportional = true;
  template <class S>
  Arap<S> at(const S* parameters) const {
    return {parameters[0]};
  }
};

}  // namespace supple
