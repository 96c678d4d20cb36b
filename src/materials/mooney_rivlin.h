#pragma once

#include "materials/extended_log.h"
#include "math/mat3.h"

namespace supple {

/// Mooney-Rivlin elasticity [Mooney 1940; Rivlin 1948] in the form of Valanis and Landel:
///   Psi = c1 (I1 - 3) + c2 (I2 - 3) - (2 c1 + 4 c2) L + bulk/2 L^2,
///   I1 = tr B, I2 = (I1^2 - tr B^2)/2, B = F^T F,  L = log J continued below J = 0.1
/// (extended_log.h). c1, c2, bulk: Pa. With c2 = 0 it is Neo-Hookean with mu = 2 c1, lambda = bulk.
template <class S>
struct MooneyRivlin {
  S c1;
  S c2;
  S bulk;

  S energy_density(const Mat3<S>& F) const {
    Mat3<S> P;
    return energy_and_stress(F, P);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = F (2 (c1 + c2 I1) I - 2 c2 B) + (bulk L - 2 c1 - 4 c2) L' cof F.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Vector3<S> f0 = F.column(0), f1 = F.column(1), f2 = F.column(2);
    const S b00 = dot(f0, f0), b11 = dot(f1, f1), b22 = dot(f2, f2);
    const S b01 = dot(f0, f1), b02 = dot(f0, f2), b12 = dot(f1, f2);
    const S I1 = b00 + b11 + b22;
    const Mat3<S> cof = cofactor(F);
    // The second invariant is |cof F|^2, a sum of squares; I1^2 - tr B^2 would cancel.
    const S I2 = squared_norm(cof);
    const ExtendedLog<S> log = extended_log(dot(f0, cof.column(0)));
    const S rest = S(2.0) * c1 + S(4.0) * c2;
    const S pressure = (bulk * log.value - rest) * log.first;
    const S two_c2 = S(2.0) * c2, diagonal = S(2.0) * (c1 + c2 * I1);
    const S s01 = -two_c2 * b01, s02 = -two_c2 * b02, s12 = -two_c2 * b12;
    const Mat3<S> second{{{diagonal - two_c2 * b00, s01, s02},
                          {s01, diagonal - two_c2 * b11, s12},
                          {s02, s12, diagonal - two_c2 * b22}}};
    P = F * second;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) P(r, k) = P(r, k) + pressure * cof(r, k);
    }
    return c1 * (I1 - S(3.0)) + c2 * (I2 - S(3.0)) + log.value * (S(0.5) * bulk * log.value - rest);
  }

  static constexpr bool smooth = true;
  S a(const S& s) const { return c1 * (s * s - S(1.0)); }
  S da(const S& s) const { return S(2.0) * c1 * s; }
  S dda(const S&) const { return S(2.0) * c1; }
  S slope_a(const S&, const S&) const { return S(2.0) * c1; }
  S b(const S& p) const { return c2 * (p * p - S(1.0)); }
  S db(const S& p) const { return S(2.0) * c2 * p; }
  S ddb(const S&) const { return S(2.0) * c2; }
  S slope_b(const S&, const S&) const { return S(2.0) * c2; }
  S c(const S& J) const {
    const ExtendedLog<S> log = extended_log(J);
    return log.value * (S(0.5) * bulk * log.value - (S(2.0) * c1 + S(4.0) * c2));
  }
  S dc(const S& J) const {
    const ExtendedLog<S> log = extended_log(J);
    return (bulk * log.value - (S(2.0) * c1 + S(4.0) * c2)) * log.first;
  }
  S ddc(const S& J) const {
    const ExtendedLog<S> log = extended_log(J);
    return bulk * (log.first * log.first) +
           (bulk * log.value - (S(2.0) * c1 + S(4.0) * c2)) * log.second;
  }
};

struct MooneyRivlinModel {
  static constexpr const char* name = "mooney_rivlin";
  static constexpr int num_parameters = 3;
  static constexpr bool proportional = true;
  template <class S>
  MooneyRivlin<S> at(const S* parameters) const {
    return {parameters[0], parameters[1], parameters[2]};
  }
};

}  // namespace supple
