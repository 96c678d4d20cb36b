#pragma once

#include <string>

#include "supple/mesh.h"

namespace supple {

/// The body inside a closed surface as a lattice of cubes of five tets each, `cells` of them along
/// its longest side: where the centre of a cube is inside (by the crossings of a ray), the cube
/// belongs to it. Its surface has steps; it is there to be played with. Throws Error{bad_file}
/// naming `name` for a surface that holds no cube, or a box without volume.
TetMesh voxel_body(const TriangleMesh& surface, int cells, const std::string& name);

}  // namespace supple
