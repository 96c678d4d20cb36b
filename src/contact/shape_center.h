#pragma once

#include "supple/scene.h"

namespace supple {

/// The middle of a collider at rest, m: its centre; for a capsule the middle of its line, for a
/// mesh or points that of their box, for a plane its point nearest to the origin, for a function
/// the origin.
Vec3 center_of(const ColliderShape& shape);

}  // namespace supple
