#pragma once

#include <cmath>

#include "materials/plastic_strain.h"
#include "math/mat3.h"
#include "math/svd.h"
#include "supple/scene.h"

/// Multiplicative plasticity, F = F_e F_p [Lee 1969]: material flows while the elastic strain is
/// above its limit. The principal logarithmic (Hencky) strains are log s_i, where s_i are the
/// singular values of F_e. The strain that counts is that of their deviator d,
///   e = sqrt(2/3) |d|,
/// and the flow is along d with the rate
///   da/dt = creep (e - y),  y = yield + hardening a
/// [overstress of Perzyna 1966, in strains]. So the volume stays: det F_p = 1. While F stays, so
/// does e + a, and the whole flow is solved exactly for any time h:
///   change of a = (e - y)/(1 + hardening) (1 - exp(-creep (1 + hardening) h)).
/// Along d, the energy falls if the material is isotropic and its stresses are ordered as the
/// stretches.
namespace supple {

/// d from positive singular values.
inline Vector3<double> hencky_deviator(const Vector3<double>& s) {
  Vector3<double> d{{std::log(s[0]), std::log(s[1]), std::log(s[2])}};
  const double mean = (d[0] + d[1] + d[2]) / 3;
  for (int i = 0; i < 3; ++i) d[i] -= mean;
  return d;
}

/// e from a deviator.
inline double equivalent_strain(const Vector3<double>& d) { return std::sqrt(2 * dot(d, d) / 3); }

namespace detail {

/// Strains below this are rounding: nothing flows for them.
inline constexpr double least_flow = 1e-12;

/// Whether e of F is certainly at most `limit`, by a bound without a decomposition: with C = F^T F,
/// m a third of its trace and q = |C/m - 1| < 1, |2 d| <= |log(C/m)| <= q/(1 - q).
inline bool is_surely_elastic(const Mat3<double>& F, double limit) {
  const Mat3<double> C = transpose_times(F, F);
  const double m = trace(C) / 3;
  const double q = std::sqrt(squared_norm((1 / m) * C - Mat3<double>::identity()));
  return determinant(F) > 0 && q < 1 && q <= std::sqrt(6.0) * limit * (1 - q);
}

/// V diag(exp(share d_i)) V^T
inline Mat3<double> stretch_along(const Mat3<double>& V, const Vector3<double>& d, double share) {
  Mat3<double> scaled;
  for (int c = 0; c < 3; ++c) scaled.set_column(c, std::exp(share * d[c]) * V.column(c));
  return times_transpose(scaled, V);
}

inline double plastic_strain(const Mat3<double>& F) {
  return equivalent_strain(hencky_deviator(svd(F).s));
}

inline bool is_beyond(const Mat3<double>& F, double most) {
  return !is_surely_elastic(F, most) && plastic_strain(F) > most;
}

}  // namespace detail

/// The elastic strain up to which nothing flows.
inline double elastic_limit(const PlasticitySettings& rule, const PlasticStrain& plastic) {
  return rule.yield + rule.hardening * plastic.accumulated;
}

/// Lets a tet flow for a time h, s, at the elastic F_e, whose decomposition is given. False:
/// nothing flows, and `plastic` is unchanged. Inverted tets do not flow. If F_p would pass `max`,
/// only as much flows as stays within it.
inline bool flow(const PlasticitySettings& rule, const Svd<double>& parts, double h,
                 PlasticStrain& plastic) {
  const double limit = elastic_limit(rule, plastic);
  if (!(parts.s[2] > 0)) return false;
  const Vector3<double> d = hencky_deviator(parts.s);
  const double e = equivalent_strain(d), above = e - limit;
  if (!(above > detail::least_flow) || !std::isfinite(e)) return false;
  const double stiff = 1 + rule.hardening;
  const double reached = rule.creep ? -std::expm1(-*rule.creep * stiff * h) : 1;
  double change = above / stiff * reached;
  const auto flown = [&](double by) {
    const Mat3<double> F = detail::stretch_along(parts.V, d, by / e) * plastic.F;
    // The rounding of many steps must not add up to a change of volume.
    return (1 / std::cbrt(determinant(F))) * F;
  };
  Mat3<double> next = flown(change);
  if (detail::is_beyond(next, rule.max)) {
    double low = 0, high = change;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      (detail::is_beyond(flown(middle), rule.max) ? high : low) = middle;
    }
    change = low;
    next = flown(change);
  }
  if (!(change > detail::least_flow)) return false;
  plastic.F = next;
  plastic.accumulated += change;
  return true;
}

/// The same, given F_e.
inline bool flow(const PlasticitySettings& rule, const Mat3<double>& F_e, double h,
                 PlasticStrain& plastic) {
  if (detail::is_surely_elastic(F_e, elastic_limit(rule, plastic))) return false;
  return flow(rule, svd(F_e), h, plastic);
}

}  // namespace supple
