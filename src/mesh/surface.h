#pragma once

#include <array>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// A triangle of surface_triangles() and the tet that it is a face of.
struct SurfaceFace {
  std::array<int, 3> corners;
  int tet;
};

/// Like surface_triangles(), with the tets.
std::vector<SurfaceFace> surface_faces(const TetMesh& mesh);

/// Each edge once, from its lower vertex to its higher one, in ascending order.
std::vector<std::array<int, 2>> triangle_edges(const std::vector<std::array<int, 3>>& triangles);

/// Gives any triangles springs: structural ones along all edges, and for bending one across each
/// edge of two triangles, from far corner to far corner, unless an edge is there. There are none
/// for shear, which the edges resist.
void connect_triangles(SpringMesh& cloth);

}  // namespace supple
