#pragma once

#include "supple/scene.h"

namespace supple {

/// The middle of a collider at rest, m: its centre, of a capsule the middle of its line, of a mesh
/// and of points that of their box, of a plane its point nearest to the origin, of a function the
/// origin.
Vec3 center_of(const ColliderShape& shape);

}  // namespace supple
