#pragma once

#include "math/mat3.h"

namespace supple {

/// St. Venant-Kirchhoff [Sifakis & Barbic 2012, sec. 3.3]:
///   Psi = mu |E|^2 + lambda/2 tr(E)^2,  E = (F^T F - I)/2.
/// mu, lambda: Pa. It cannot tell F from a reflection of F, and it weakens under strong
/// compression: inverted elements have false minima and do not recover.
template <class S>
struct Stvk {
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
  /// P = F (2 mu E + lambda tr(E) I).
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const S half = S(0.5);
    const Vector3<S> f0 = F.column(0), f1 = F.column(1), f2 = F.column(2);
    const S e00 = half * (dot(f0, f0) - S(1.0));
    const S e11 = half * (dot(f1, f1) - S(1.0));
    const S e22 = half * (dot(f2, f2) - S(1.0));
    const S e01 = half * dot(f0, f1), e02 = half * dot(f0, f2), e12 = half * dot(f1, f2);
    const S strain = e00 + e11 + e22;
    const S two_mu = S(2.0) * mu, pressure = lambda * strain;
    const S s01 = two_mu * e01, s02 = two_mu * e02, s12 = two_mu * e12;
    const Mat3<S> second{{{two_mu * e00 + pressure, s01, s02},
                          {s01, two_mu * e11 + pressure, s12},
                          {s02, s12, two_mu * e22 + pressure}}};
    P = F * second;
    const S norm =
        (e00 * e00 + e11 * e11 + e22 * e22) + S(2.0) * (e01 * e01 + e02 * e02 + e12 * e12);
    return mu * norm + half * (pressure * strain);
  }

  static constexpr bool smooth = true;
  S a(const S& s) const {
    const S q = s * s, e = q - S(1.0);
    return S(0.25) * mu * (e * e) + S(0.125) * lambda * (q * q - S(6.0) * q + S(3.0));
  }
  S da(const S& s) const {
    const S q = s * s;
    return s * (mu * (q - S(1.0)) + S(0.5) * lambda * (q - S(3.0)));
  }
  S dda(const S& s) const {
    const S q = S(3.0) * (s * s);
    return mu * (q - S(1.0)) + S(0.5) * lambda * (q - S(3.0));
  }
  S slope_a(const S& p, const S& q) const {
    const S square = p * p + p * q + q * q;
    return mu * (square - S(1.0)) + S(0.5) * lambda * (square - S(3.0));
  }
  S b(const S& p) const { return S(0.25) * lambda * (p * p); }
  S db(const S& p) const { return S(0.5) * lambda * p; }
  S ddb(const S&) const { return S(0.5) * lambda; }
  S slope_b(const S&, const S&) const { return S(0.5) * lambda; }
  S c(const S&) const { return S(0.0); }
  S dc(const S&) const { return S(0.0); }
  S ddc(const S&) const { return S(0.0); }
};

struct StvkModel {
  static constexpr const char* name = "stvk";
  static constexpr int num_parameters = 2;
  static constexpr bool proportional = true;
  template <class S>
  Stvk<S> at(const S* parameters) const {
    return {parameters[0], parameters[1]};
  }
};

}  // namespace supple
