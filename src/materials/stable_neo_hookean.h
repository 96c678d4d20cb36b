#pragma once

#include <limits>

#include "math/mat3.h"

namespace supple {

/// Neo-Hookean elasticity without a logarithm [Macklin & Mueller 2021, eqs. 1 and 14; Smith et al.
/// 2018]:
///   Psi = mu/2 (tr F^T F - 3) + lambda/2 (J - 1 - mu/lambda)^2.
/// mu, lambda: Pa, lambda > 0. An infinite lambda stands for an incompressible body, whose volume
/// is a constraint (position room). The energy that is left is then the limit at the pressure of
/// rest,
///   Psi = mu/2 (tr F^T F - 3) - mu (J - 1),
/// which has no stress at rest; the stress of the constraint's multiplier is added to it. The
/// density is finite and smooth for every F. At rest it is mu^2/(2 lambda), not zero. F = 0 is a
/// local minimum. Its basin is small only if mu is much smaller than lambda, as in the nearly
/// incompressible bodies for which the material is made.
template <class S>
struct StableNeoHookean {
  S mu;
  S lambda;

  S energy_density(const Mat3<S>& F) const {
    return S(0.5) * (mu * (squared_norm(F) - S(3.0))) + c(determinant(F));
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = mu F + (lambda (J - 1) - mu) cof F.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> cof = cofactor(F);
    const S J = dot(F.column(0), cof.column(0));
    const S pressure = dc(J);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) P(r, k) = mu * F(r, k) + pressure * cof(r, k);
    }
    return S(0.5) * (mu * (squared_norm(F) - S(3.0))) + c(J);
  }
  /// c(J) and c'(J), Pa.
  SUPPLE_INLINE S volume_energy_and_slope(const S& J, S& slope) const {
    slope = dc(J);
    return c(J);
  }

  static constexpr bool smooth = true;
  S a(const S& s) const { return S(0.5) * mu * (s * s - S(1.0)); }
  S da(const S& s) const { return mu * s; }
  S dda(const S&) const { return mu; }
  S slope_a(const S&, const S&) const { return mu; }
  S b(const S&) const { return S(0.0); }
  S db(const S&) const { return S(0.0); }
  S ddb(const S&) const { return S(0.0); }
  S slope_b(const S&, const S&) const { return S(0.0); }
  S c(const S& J) const {
    const S x = J - S(1.0) - mu / lambda;
    return select(incompressible(), S(mu * (S(1.0) - J)), S(S(0.5) * lambda * (x * x)));
  }
  S dc(const S& J) const { return select(incompressible(), S(-mu), S(lambda * (J - S(1.0)) - mu)); }
  S ddc(const S&) const { return select(incompressible(), S(0.0), lambda); }
  /// Whether lambda is infinite.
  SUPPLE_INLINE auto incompressible() const {
    return lambda > S(std::numeric_limits<double>::max());
  }
};

struct StableNeoHookeanModel {
  static constexpr const char* name = "stable_neo_hookean";
  static constexpr int num_parameters = 2;
  static constexpr bool quadratic_but_for_volume = true;
  template <class S>
  StableNeoHookean<S> at(const S* parameters) const {
    return {parameters[0], parameters[1]};
  }
};

}  // namespace supple
