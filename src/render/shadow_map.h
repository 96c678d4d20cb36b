#pragma once

#include <array>
#include <span>
#include <vector>

#include "render/visibility.h"
#include "supple/mesh.h"

namespace supple {

/// What a distant light reaches: the nearest surface along each of a square of parallel rays
/// [Williams 1978], queried with a soft edge [percentage-closer filtering, Reeves et al. 1987].
class ShadowMap {
 public:
  /// to_light: unit vector. bounds: contains everything that casts a shadow.
  ShadowMap(const Vec3& to_light, const Box& bounds, int resolution);

  /// Adds a surface that casts a shadow. Triangles that are not finite are left out.
  void draw(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

  /// How much of the light reaches a point of a surface with this unit normal: 0 none, 1 all.
  double light_at(const Vec3& x, const Vec3& normal) const;

 private:
  Vec3 to_map(const Vec3& x) const;

  Vec3 to_light_, right_, up_, center_;
  double texels_per_metre_ = 1;
  Visibility map_;
};

}  // namespace supple
