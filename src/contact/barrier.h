#pragma once

#include <cmath>

/// Force law of a layer that keeps others out, in terms of s, the share of the layer that is left:
///   b(s) = -(s - 1)^2 ln s / b_half      for s_0 <= s <= 1, 0 above    [Li et al. 2020, eq. 6],
/// with b_half such that b''(1/2) = 1. Below s_0 it continues as its parabola there: the energy of
/// a step stays finite, so that a descent may start anywhere, and its Hessian stays bounded.
/// ColliderGuard and BodyPairs::find_shares keep bodies out altogether. With a layer of thickness
/// d, m, and a stiffness k, N/m,
///   E = k d^2 b(s),  force = -k d b'(s),  stiffness = k b''(s).
namespace supple::barrier {

/// s_0. Contacts are 19 times as stiff there as in the middle of the layer, and at s = 0 they push
/// with 20 times the force. A smaller s_0 costs iterations.
inline constexpr double last_share = 0.1;

/// Resting bodies have about this share of their layer left, or more. Below it a spring of the
/// body's own stiffness, k' of ContactVertex, pushes too: for stiff and for small bodies k is far
/// less than that, and a collider that squeezes them would get through the whole layer.
inline constexpr double hard_share = 0.3;

namespace detail {
/// -2 ln s - 4 (s - 1)/s + (s - 1)^2/s^2 at 1/2.
inline constexpr double of_half = 2 * 0.69314718055994530942 + 5;
inline double energy(double s) { return -(s - 1) * (s - 1) * std::log(s); }
inline double slope(double s) { return -(s - 1) * (2 * std::log(s) + (s - 1) / s); }
inline double curvature(double s) {
  const double r = (s - 1) / s;
  return -2 * std::log(s) - 4 * r + r * r;
}
}  // namespace detail

inline double energy(double s) {
  if (s >= 1) return 0;
  if (s >= last_share) return detail::energy(s) / detail::of_half;
  const double below = s - last_share;
  return (detail::energy(last_share) +
          below * (detail::slope(last_share) + 0.5 * below * detail::curvature(last_share))) /
         detail::of_half;
}
/// b'(s), <= 0.
inline double slope(double s) {
  if (s >= 1) return 0;
  if (s >= last_share) return detail::slope(s) / detail::of_half;
  return (detail::slope(last_share) + (s - last_share) * detail::curvature(last_share)) /
         detail::of_half;
}
/// b''(s), >= 0.
inline double curvature(double s) {
  if (s >= 1) return 0;
  return detail::curvature(s >= last_share ? s : last_share) / detail::of_half;
}

}  // namespace supple::barrier
