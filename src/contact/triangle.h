#pragma once

#include <cstddef>

#include "supple/mesh.h"

namespace supple {

/// A vertex of positions with four numbers each, the last one padding, m.
inline Vec3 place_in(const double* x, int vertex) {
  const double* const own = x + 4 * static_cast<std::size_t>(vertex);
  return {own[0], own[1], own[2]};
}

/// Corners, counter-clockwise seen from outside, and the unit normal that follows from them; 0 0 0
/// for a triangle without area.
struct Triangle {
  Vec3 corner[3];
  Vec3 normal;
};

/// The triangle of these corners. It has no area if the sine of its angle at a is at most 1e-14,
/// where the normal would consist of rounding alone.
Triangle triangle_of(const Vec3& a, const Vec3& b, const Vec3& c);

/// Angle at corner i, rad.
double angle_at(const Triangle& triangle, std::size_t i);

/// Nearest point of a triangle and the feature it lies on.
struct TrianglePoint {
  Vec3 point;
  double squared_distance;
  int feature;  ///< 0: the inside; 1 + i: the edge from corner i to the next; 4 + i: corner i
};

/// Nearest point of the triangle to x. If x projects into the triangle, it is the projection;
/// otherwise it is the nearest point of the edges on whose outer side x is. The edge tests use the
/// normal rather than products of barycentric coordinates [Ericson 2005, sec. 5.1.5], which cancel
/// for slivers. For a triangle without area it is the nearest point of its edges.
TrianglePoint nearest_point(const Triangle& triangle, const Vec3& x);

}  // namespace supple
