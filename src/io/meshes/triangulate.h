#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// The time to cut a concave polygon grows with the third power of its corners in the worst case.
/// With this many corners it still takes only milliseconds.
inline constexpr std::size_t largest_concave_polygon = 256;

/// Appends the triangles of a polygon in space: a fan if it is convex in the plane of its normal
/// (Newell's), otherwise ears cut off one by one. Keeps the orientation and leaves out triangles
/// that name a vertex twice.
/// corners: indices into `vertices`, at least 3. Returns false, with nothing appended, for a
/// concave polygon of more than `largest_concave_polygon` corners. Never throws.
bool append_triangles(const std::vector<Vec3>& vertices, std::span<const int> corners,
                      std::vector<std::array<int, 3>>& triangles);

}  // namespace supple
