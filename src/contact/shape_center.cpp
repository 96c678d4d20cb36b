#include "contact/shape_center.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "contact/extent.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

Vec3 middle_of(const std::vector<Vec3>& points) {
  if (points.empty()) return {0, 0, 0};
  Extent box;
  for (const Vec3& point : points) box.add(point);
  return 0.5 * box.low + 0.5 * box.high;
}

}  // namespace

Vec3 center_of(const ColliderShape& shape) {
  return std::visit(
      [](const auto& s) -> Vec3 {
        using Shape = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<Shape, PlaneShape>) {
          const double square = dot(s.normal, s.normal);
          if (!(square > 0)) return {0, 0, 0};
          // normal . x = offset for a normal of length 1.
          return (s.offset / std::sqrt(square)) * s.normal;
        } else if constexpr (std::is_same_v<Shape, CapsuleShape>) {
          return 0.5 * (s.a + s.b);
        } else if constexpr (std::is_same_v<Shape, MeshShape>) {
          return middle_of(s.mesh.vertices);
        } else if constexpr (std::is_same_v<Shape, ConvexHullShape>) {
          return middle_of(s.points);
        } else if constexpr (std::is_same_v<Shape, DistanceShape>) {
          return {0, 0, 0};
        } else {
          return s.center;
        }
      },
      shape);
}

}  // namespace supple
