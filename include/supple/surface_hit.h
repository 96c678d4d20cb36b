#pragma once

#include <array>

#include "supple/mesh.h"

#pragma GCC visibility push(default)

namespace supple {

/// A point of the deformed surface of a body: where a ray hits it, or the nearest one to a point.
struct SurfaceHit {
  int body = 0;
  /// Index into Simulation::surface(); -1 on a segment of a strand.
  int triangle = -1;
  /// The tet that the triangle is a face of, counted body after body as in SimulationState; -1 for
  /// cloth and strands.
  int tet = -1;
  /// Corners of the triangle, in scene order. A segment repeats its second end.
  std::array<int, 3> vertices{0, 0, 0};
  /// Weights of the corners, >= 0, with sum 1: point = sum of weight * position.
  std::array<double, 3> weights{0, 0, 0};
  Vec3 point{0, 0, 0};   ///< m
  Vec3 normal{0, 0, 0};  ///< of the triangle, unit, outward; 0 0 0 if it has no area
  /// m, along the ray, or from the query point: negative inside the body.
  double distance = 0;
};

}  // namespace supple

#pragma GCC visibility pop
