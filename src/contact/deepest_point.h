#pragma once

#include <limits>

#include "contact/collider.h"

namespace supple {

/// Where an edge or a triangle is deepest in a collider, or nearest to it.
struct DeepestPoint {
  double distance;    ///< m, signed
  double weights[3];  ///< of the corners, adding up to 1; the third of an edge is 0
  /// Unit, out of the collider and across the edge or triangle. Within it, where the distance has a
  /// kink, that is between the normals of both sides: the direction in which it comes off.
  Vec3 normal;
};

/// How well something deep is to be known, m.
struct Depth {
  double tolerance;                                        ///< of the distance
  double level = std::numeric_limits<double>::infinity();  ///< what is not below this is not wanted
};

/// The least distance along an edge. Along a straight line the distance of a convex collider is
/// convex: it is asked where the tangents at both sides of its minimum meet, which is where it has
/// a kink, until they leave no more than the tolerance below the least one found. Of any other
/// collider the deepest of nine places is taken and what is beside it is searched. Allocates
/// nothing.
DeepestPoint deepest_on_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                             const Depth& wanted);

/// The same of a triangle by golden sections, to 1e-4 of its sides: the minima on lines along one
/// side, which are convex from line to line. Some 500 distances.
DeepestPoint deepest_on_triangle(const ColliderObject& collider, const Vec3 (&corners)[3]);

/// Where something may stick out of a collider that is not convex it is looked at in so many parts
/// of an edge, and in a grid of so many parts of a triangle's sides.
inline constexpr int parts_of_edge = 8, parts_of_side = 4;

}  // namespace supple
