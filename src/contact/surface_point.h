#pragma once

#include "supple/mesh.h"

namespace supple {

/// Where a point is relative to a closed surface.
struct SurfacePoint {
  double distance = 0;   ///< m, negative inside
  Vec3 normal{0, 1, 0};  ///< unit, outward: the gradient of the distance, if it has one
  Vec3 point{0, 0, 0};   ///< nearest point of the surface, m: x - distance * normal
};

}  // namespace supple
