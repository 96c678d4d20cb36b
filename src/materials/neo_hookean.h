#pragma once

#include "materials/extended_log.h"
#include "math/mat3.h"

namespace supple {

/// Compressible Neo-Hookean elasticity [Sifakis & Barbic 2012, sec. 3.5]:
///   Psi = mu/2 (tr F^T F - 3) - mu L + lambda/2 L^2,  L = log J continued below J = 0.1
/// (extended_log.h). mu, lambda: Pa. Inverted elements recover; F = 0 itself is a shallow local
/// minimum, which a fully collapsed element leaves only when its neighbours pull.
template <class S>
struct NeoHookean {
  S mu;
  S lambda;

  S energy_density(const Mat3<S>& F) const {
    const ExtendedLog<S> log = extended_log(determinant(F));
    return S(0.5) * (mu * (squared_norm(F) - S(3.0))) + volume_energy(log);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = mu F + (lambda L - mu) L' cof F.
  SUPPLE_INLINE S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> cof = cofactor(F);
    S pressure;
    const S energy = volume_energy_and_slope(dot(F.column(0), cof.column(0)), pressure);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) P(r, c) = mu * F(r, c) + pressure * cof(r, c);
    }
    return S(0.5) * (mu * (squared_norm(F) - S(3.0))) + energy;
  }
  /// c(J) and c'(J), Pa.
  SUPPLE_INLINE S volume_energy_and_slope(const S& J, S& slope) const {
    const ExtendedLog<S> log = extended_log(J);
    slope = (lambda * log.value - mu) * log.first;
    return volume_energy(log);
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
  S c(const S& J) const { return volume_energy(extended_log(J)); }
  S dc(const S& J) const {
    const ExtendedLog<S> log = extended_log(J);
    return (lambda * log.value - mu) * log.first;
  }
  S ddc(const S& J) const {
    const ExtendedLog<S> log = extended_log(J);
    return lambda * (log.first * log.first) + (lambda * log.value - mu) * log.second;
  }

 private:
  S volume_energy(const ExtendedLog<S>& log) const {
    return log.value * (S(0.5) * lambda * log.value - mu);
  }
};

struct NeoHookeanModel {
  static constexpr const char* name = "neo_hookean";
  static constexpr int num_parameters = 2;
  static constexpr bool quadratic_but_for_volume = true;
  static constexpr bool proportional = true;
  template <class S>
  NeoHookean<S> at(const S* parameters) const {
    return {parameters[0], parameters[1]};
  }
};

}  // namespace supple
