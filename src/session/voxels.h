#pragma once

#include <string>

#include "supple/mesh.h"

namespace supple {

/// The body inside a closed surface as a lattice of cubes of five tets each, with `cells` cubes
/// along its longest side. A cube belongs to the body if its centre is inside (by the crossings of
/// a ray). The surface of the body has steps; the body is meant to be played with. Throws
/// Error{bad_file} naming `name` for a surface that contains no cube, or a box without volume.
TetMesh voxel_body(const TriangleMesh& surface, int cells, const std::string& name);

}  // namespace supple
