#pragma once

#include <string>
#include <utility>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// The mesh as the surface of a solid: every edge in exactly two triangles that run along it in
/// opposite directions, a positive volume, counter-clockwise triangles seen from outside.
///
/// A mesh that is closed only once vertices of equal coordinates are taken as one (STL files, seams
/// of textured models) is joined so. One that is inside out is turned. Whether the surface cuts
/// itself is not checked: there the inside is what the pseudo-normals of the nearest triangles say.
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

/// All edges sorted, so that in a closed surface every two in sequence are one edge: [3 *
/// triangles].
std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh);

}  // namespace supple
