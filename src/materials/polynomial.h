#pragma once

#include "math/mat3.h"
#include "math/svd.h"

namespace supple {

/// Fourth powers of the strain: no stiffness at rest, a strong one away from it
///   Psi = mu sum (s_i - 1)^4                         [thesis sec. 7.2; Xu et al. 2015].
/// mu: Pa. The energy has a kink where s2 + s3 = 0.
template <class S>
struct Polynomial {
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
  /// P = U diag(4 mu (s_i - 1)^3) V^T.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Svd<S> d = svd(F);
    const S four_mu = S(4.0) * mu;
    S quartic = S(0.0);
    Vector3<S> g;
    for (int i = 0; i < 3; ++i) {
      const S e = d.s[i] - S(1.0);
      const S e2 = e * e;
      g[i] = four_mu * (e2 * e);
      quartic = quartic + e2 * e2;
    }
    P = compose(d.U, g, d.V);
    return mu * quartic;
  }

  static constexpr bool smooth = false;
  S a(const S& s) const {
    const S e = s - S(1.0);
    const S e2 = e * e;
    return mu * (e2 * e2);
  }
  S da(const S& s) const {
    const S e = s - S(1.0);
    return S(4.0) * mu * (e * e * e);
  }
  S dda(const S& s) const {
    const S e = s - S(1.0);
    return S(12.0) * mu * (e * e);
  }
  S slope_a(const S& p, const S& q) const {
    const S e = p - S(1.0), f = q - S(1.0);
    return S(4.0) * mu * (e * e + e * f + f * f);
  }
  S b(const S&) const { return S(0.0); }
  S db(const S&) const { return S(0.0); }
  S ddb(const S&) const { return S(0.0); }
  S slope_b(const S&, const S&) const { return S(0.0); }
  S c(const S&) const { return S(0.0); }
  S dc(const S&) const { return S(0.0); }
  S ddc(const S&) const { return S(0.0); }
};

struct PolynomialModel {
  static constexpr const char* name = "polynomial";
  static constexpr int num_parameters = 1;
  template <class S>
  Polynomial<S> at(const S* parameters) const {
    return {parameters[0]};
  }
};

}  // namespace supple
