#pragma once

#include <string>
#include <utility>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// The mesh as the surface of a solid: every edge is in exactly two triangles, which run along it
/// in opposite directions, the volume is positive, and triangles are counter-clockwise seen from
/// outside.
///
/// Vertices of equal coordinates are joined if the mesh is closed only then (STL files, seams of
/// textured models). A mesh that is inside out is turned. Whether the surface cuts itself is not
/// checked: there the pseudo-normals of the nearest triangles decide what is inside.
///
/// Throws Error{invalid_input} at `where` for: no triangles, an index out of range, a coordinate
/// that is not finite or above 1e100, a triangle without area (twice its area at most 1e-14 of its
/// longest edge squared), an open or overused edge, no volume.
TriangleMesh closed_surface(TriangleMesh mesh, const std::string& where);

/// An edge of a triangle: its two vertices in increasing order and the triangle's corner at which
/// it starts (3 * triangle + corner).
struct HalfEdge {
  int low, high;
  bool rising;  ///< runs from low to high
  int start;
};

/// All edges, sorted so that in a closed surface every two entries in sequence are one edge:
/// [3 * triangles].
std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh);

}  // namespace supple
