#pragma once

#include <array>
#include <string>

#include "supple/scene.h"

namespace supple {

/// A rigid transformation x -> R x + d.
struct Pose {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< R, row-major, orthonormal
  Vec3 translation{0, 0, 0};                                  ///< d, m

  /// R x + d.
  Vec3 apply(const Vec3& x) const {
    const Vec3 y = rotate(x);
    return {y[0] + translation[0], y[1] + translation[1], y[2] + translation[2]};
  }
  /// R^T (x - d).
  Vec3 apply_inverse(const Vec3& x) const {
    return rotate_inverse({x[0] - translation[0], x[1] - translation[1], x[2] - translation[2]});
  }
  /// R v, for directions.
  Vec3 rotate(const Vec3& v) const {
    const auto& r = rotation;
    return {r[0] * v[0] + r[1] * v[1] + r[2] * v[2], r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
            r[6] * v[0] + r[7] * v[1] + r[8] * v[2]};
  }
  /// R^T v.
  Vec3 rotate_inverse(const Vec3& v) const {
    const auto& r = rotation;
    return {r[0] * v[0] + r[3] * v[1] + r[6] * v[2], r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
            r[2] * v[0] + r[5] * v[1] + r[8] * v[2]};
  }
};

/// Turned by an angle about an axis (any length but zero) through a centre [Rodrigues' formula]:
///   R = cos(a) I + sin(a) [u]_x + (1 - cos(a)) u u^T,  d = c - R c.
/// Whole turns give the identity exactly. A zero axis turns nothing. Never throws.
Pose turned(const Vec3& axis, const Vec3& center, double degrees);

/// The pose of a motion at time t, s: rotation first, then translation, as `Motion` describes. An
/// empty motion is the identity. Never throws or allocates; `motion` must have passed `validate`.
Pose evaluate(const Motion& motion, double t);

/// What is wrong with a motion, in words, or "" where it is valid. Refused are: a zero or
/// non-finite axis; a number that is not finite or above 1e100 in magnitude (its square would
/// overflow); times that do not increase; keyframes beside a rotation or a velocity; `repeat`
/// without two keyframes or with a last time that is not positive; opposite axes in neighbouring
/// keyframes (what lies between them has no direction).
std::string validate(const Motion& motion);

}  // namespace supple
