#pragma once

#include <array>

#include "supple/mesh.h"

#pragma GCC visibility push(default)

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

}  // namespace supple

#pragma GCC visibility pop
