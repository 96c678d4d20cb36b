#pragma once

#include <string>

#include "supple/scene.h"

namespace supple {

/// The field as a closed surface: two triangles per cell, walls down from its border, and a floor
/// so deep that the ground is nearer to everything that is not below the lowest height.
///
/// Throws Error{invalid_input} below `where` for fewer than two heights per side, more than 2^20 in
/// all, a wrong number of them, one that is not finite or above 1e100, a cell that is not positive,
/// a zero axis.
TriangleMesh height_surface(const HeightFieldShape& shape, const std::string& where);

/// The ground alone, for pictures. Errors as above.
TriangleMesh height_ground(const HeightFieldShape& shape, const std::string& where);

}  // namespace supple
