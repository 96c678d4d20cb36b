#pragma once

#include "math/mat3.h"
#include "math/polar.h"

namespace supple {

/// Fourth powers of the strain: no stiffness at rest, a strong one away from it,
///   Psi = mu sum (s_i - 1)^4                         [thesis sec. 7.2; Xu et al. 2015].
/// mu: Pa. The energy has a kink at s2 + s3 = 0.
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
  /// P = 4 mu R E^3 and Psi = mu |E^2|^2, where R = U V^T and E = R^T F - I is symmetric with the
  /// eigenvalues s_i - 1.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> R = polar(F).R;
    const Mat3<S> D = F - R;  // so that small strains keep their digits
    const Mat3<S> E = symmetric_product(transpose(R), D);
    const Mat3<S> E2 = symmetric_product(E, E);
    P = R * (S(4.0) * mu * symmetric_product(E, E2));
    return mu * squared_norm(E2);
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
  static constexpr bool proportional = true;
  template <class S>
  Polynomial<S> at(const S* parameters) const {
    return {parameters[0]};
  }
};

}  // namespace supple
