#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// Lines as tubes of ten sides, open at their ends, with a separate tube for each segment. The
/// triangles are the same for any positions, so a smoothing that was found once stays right.
std::vector<std::array<int, 3>> tube_triangles(std::size_t num_segments);

/// Vertices of those triangles: [num_segments * 20]. For a segment that has no length or is not
/// finite, the triangles have no area or are not finite. Indices must be in range.
std::vector<Vec3> tube_points(std::span<const Vec3> vertices,
                              std::span<const std::array<int, 2>> segments, double radius);

}  // namespace supple
