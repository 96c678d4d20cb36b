#pragma once

#include <limits>

#include "contact/collider.h"
#include "math/vec3.h"

namespace supple {

/// A corner of an edge or a triangle, with what of a collider is nearest to it.
struct AskedCorner {
  Vec3 place;  ///< m
  SurfacePoint surface;

  static AskedCorner at(const ColliderObject& collider, const Vec3& place) {
    return {place, collider.surface(place)};
  }
};

/// Where an edge or a triangle is deepest in a collider, or nearest to it.
struct DeepestPoint {
  double distance;    ///< m, signed
  double at_least;    ///< no point is nearer to a convex collider than this, m
  double weights[3];  ///< of the corners, adding up to 1; the third of an edge is 0
  /// Where that is farther than `near`: no place y is nearer to a convex collider than at_least +
  /// rise . (y - x), x being any point of the edge or triangle.
  Vec3 rise{0, 0, 0};
};

/// How well something deep is to be known.
struct Depth {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double tolerance;         ///< of the distance, m
  double level = infinity;  ///< what is not below this is not wanted, m
  double near = infinity;   ///< what is farther is known to half of how much farther it is, m, >= 0

  bool is_met_by(double distance, double at_least) const {
    const double allowed = at_least > near ? 0.5 * (at_least - near) : 0;
    return !(distance - at_least > (allowed > tolerance ? allowed : tolerance)) ||
           at_least >= level;
  }
};

/// The least distance along an edge. Along a straight line the distance of a convex collider is
/// convex: it is asked where the tangents at both sides of its minimum meet, which is where it has
/// a kink, until they leave no more than is wanted below the least one found. Of any other collider
/// the deepest of nine places is taken and what is beside it is searched. Allocates nothing.
DeepestPoint deepest_on_edge(const ColliderObject& collider, const AskedCorner& a,
                             const AskedCorner& b, const Depth& wanted);

/// The same of a triangle: the distance is asked where the highest of the tangent planes is lowest
/// [Kelley 1960, cutting planes], with some ten distances for 1e-6 of its sides. Of a collider that
/// is not convex the deepest place of a grid is taken and what is beside it is searched.
DeepestPoint deepest_on_triangle(const ColliderObject& collider, const AskedCorner (&corners)[3],
                                 const Depth& wanted);

/// Unit, out of the collider and across the edge at a point of it. Where the distance has a kink
/// that is between the normals of both sides: the direction in which it comes off.
Vec3 normal_across_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                        const DeepestPoint& point);
/// The same of a triangle, whose normal it is, to that side.
Vec3 normal_across_triangle(const ColliderObject& collider, const AskedCorner (&corners)[3],
                            const DeepestPoint& point);

/// A mean of three points.
inline Vec3 mean_of(const Vec3& weights, const Vec3 (&points)[3]) {
  using namespace vec3;
  return weights[0] * points[0] + weights[1] * points[1] + weights[2] * points[2];
}

/// Where something may stick out of a collider that is not convex it is looked at in so many parts
/// of an edge, and in a grid of so many parts of a triangle's sides.
inline constexpr int parts_of_edge = 8, parts_of_side = 4;

/// Calls visit(weights) with the places of that grid, in weights of the corners, until one returns
/// true; whether one did.
template <class Visit>
bool any_on_grid(const Visit& visit) {
  for (int i = 0; i <= parts_of_side; ++i) {
    for (int j = 0; i + j <= parts_of_side; ++j) {
      const int k = parts_of_side - i - j;
      Vec3 weights{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
      for (double& weight : weights) weight /= parts_of_side;
      if (visit(static_cast<const Vec3&>(weights))) return true;
    }
  }
  return false;
}

}  // namespace supple
