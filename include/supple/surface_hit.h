#pragma once

#include <array>

#include "supple/mesh.h"

namespace supple {

/// A place on the deformed surface of a body: what a ray meets, or what is nearest to a point.
struct SurfaceHit {
  int body = 0;
  /// Of Simulation::surface(); -1 on a segment of a strand.
  int triangle = -1;
  /// Of which the triangle is a face, counted as in SimulationState: body after body; -1 of cloth
  /// and strands.
  int tet = -1;
  /// Corners of the triangle, in scene order. A segment has its second end twice.
  std::array<int, 3> vertices{0, 0, 0};
  /// Of the corners, each from 0 on, of sum 1: point = sum of weight * position.
  std::array<double, 3> weights{0, 0, 0};
  Vec3 point{0, 0, 0};   ///< m
  Vec3 normal{0, 0, 0};  ///< of the triangle, unit, outward; 0 0 0 without area
  /// m: along the ray; from the point that was asked for, negative inside its body.
  double distance = 0;
};

}  // namespace supple
