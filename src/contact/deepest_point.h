#pragma once

#include <limits>

#include "contact/collider.h"
#include "math/vec3.h"

namespace supple {

/// A corner of an edge or a triangle, with the nearest place of a collider's surface.
struct AskedCorner {
  Vec3 place;  ///< m
  SurfacePoint surface;

  static AskedCorner at(const NearSurface& collider, const Vec3& place) {
    return {place, collider.surface(place)};
  }
};

/// Where an edge or a triangle is deepest in a collider, or nearest to it.
struct DeepestPoint {
  double distance;    ///< m, signed
  double at_least;    ///< a lower bound for all points with a convex collider, m
  double weights[3];  ///< of the corners, adding up to 1; the third of an edge is 0
  /// If at_least is beyond `near`: no place y is nearer to a convex collider than
  ///   at_least + rise . (y - x),
  /// where x is any point of the edge or triangle.
  Vec3 rise{0, 0, 0};
};

/// How accurately a deepest point must be known.
struct Depth {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double tolerance;         ///< of the distance, m
  double level = infinity;  ///< only points below this are wanted, m
  double near = infinity;   ///< a distance beyond this needs to be known to half of the excess, m,
                            ///< >= 0

  bool is_met_by(double distance, double at_least) const {
    const double allowed = at_least > near ? 0.5 * (at_least - near) : 0;
    return !(distance - at_least > (allowed > tolerance ? allowed : tolerance)) ||
           at_least >= level;
  }
};

/// Finds the least distance along an edge. Along a straight line the distance of a convex collider
/// is convex. It is evaluated where the tangents on both sides of its minimum meet, which is at the
/// kink if it has one, until the tangents leave no more than is wanted below the least distance
/// found. For any other collider the deepest of nine places is taken, and the surroundings are
/// searched. Allocates nothing.
DeepestPoint deepest_on_edge(const NearSurface& collider, const AskedCorner& a,
                             const AskedCorner& b, const Depth& wanted);

/// The same for a triangle: the distance is evaluated where the highest of the tangent planes is
/// lowest [Kelley 1960, cutting planes]. 1e-6 of the sides takes some ten distances. For a collider
/// that is not convex, the deepest place of a grid is taken, and the surroundings are searched.
DeepestPoint deepest_on_triangle(const NearSurface& collider, const AskedCorner (&corners)[3],
                                 const Depth& wanted);

/// Unit normal out of the collider and across the edge, at a point of it. If the distance has a
/// kink, it lies between the normals of both sides: the direction in which the edge comes off.
Vec3 normal_across_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                        const DeepestPoint& point);
/// The same for a triangle: its normal, towards the outside of the collider.
Vec3 normal_across_triangle(const ColliderObject& collider, const AskedCorner (&corners)[3],
                            const DeepestPoint& point);

/// A mean of three points.
inline Vec3 mean_of(const Vec3& weights, const Vec3 (&points)[3]) {
  using namespace vec3;
  return weights[0] * points[0] + weights[1] * points[1] + weights[2] * points[2];
}

/// In how many parts of an edge, and of a triangle's sides for a grid, to look for something that
/// may stick out of a collider that is not convex.
inline constexpr int parts_of_edge = 8, parts_of_side = 4;

/// Calls visit(weights) with the places of that grid, as weights of the corners, until one call
/// returns true. Returns whether one did.
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
