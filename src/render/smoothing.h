#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// Which corners of a surface share a normal: those at one vertex whose triangles are not separated
/// by a crease. It is computed once, on the rest shape, so that what is sharp and what is smooth
/// does not change while the body moves.
struct Smoothing {
  std::vector<std::array<int, 3>> normal_of_corner;  ///< [num_triangles], into the normals
  int num_normals = 0;
};

/// An edge is a crease if its two triangles bend by more than this. 40 degrees keeps the edges of
/// boxes and lets a cylinder of ten sides look round.
inline constexpr double default_crease_degrees = 40;

/// Joins the corners across every edge that belongs to two triangles of the same orientation and
/// bends by at most `crease_degrees`, or has no bend because a triangle has no area. Indices must
/// be in range. Cost: sorting the edges.
Smoothing find_smoothing(std::span<const Vec3> vertices,
                         std::span<const std::array<int, 3>> triangles,
                         double crease_degrees = default_crease_degrees);

/// Unit normals weighted by the angles of the corners [Thuermer & Wuethrich 1998]: [num_normals].
/// Triangles without area or with non-finite corners contribute nothing; a normal without
/// contributions is zero.
std::vector<Vec3> smooth_normals(std::span<const Vec3> vertices,
                                 std::span<const std::array<int, 3>> triangles,
                                 const Smoothing& smoothing);

}  // namespace supple
