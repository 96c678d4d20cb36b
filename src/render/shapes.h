#pragma once

#include "supple/scene.h"

namespace supple {

/// The surface of a collider as triangles, counter-clockwise seen from outside, at rest (without
/// its motion). A plane becomes a square of half side `plane_radius` about the point of it nearest
/// to `plane_center`. Round shapes are fine enough for a picture: 64 segments around, 96 for a
/// torus. Of a height field it is the ground alone; a function has none. A zero axis counts as the
/// y axis. Throws nothing but std::bad_alloc.
TriangleMesh tessellate(const ColliderShape& shape, const Vec3& plane_center, double plane_radius);

}  // namespace supple
