#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// Cutting a concave polygon takes the third power of its corners in the worst case; this many
/// still take milliseconds.
inline constexpr std::size_t largest_concave_polygon = 256;

/// Appends the triangles of a polygon in space: a fan where it is convex in the plane of its
/// normal (Newell's), ears cut off one by one where it is not. Keeps the orientation and leaves
/// out triangles that name a vertex twice.
/// corners: indices into `vertices`, at least 3. Returns false, with nothing appended, for a
/// concave polygon of more than `largest_concave_polygon` corners. Never throws.
bool append_triangles(const std::vector<Vec3>& vertices, std::span<const int> corners,
                      std::vector<std::array<int, 3>>& triangles);

}  // namespace supple
