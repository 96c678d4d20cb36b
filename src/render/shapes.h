#pragma once

#include "supple/scene.h"

namespace supple {

/// The surface of a collider as triangles, counter-clockwise seen from outside, at rest (without
/// its motion). A plane becomes a square of half side `plane_radius` about its point nearest to
/// `plane_center`. Round shapes are fine enough for a picture: 64 segments around, 96 for a torus.
/// A height field gives only its ground, and a function gives nothing. A zero axis counts as the y
/// axis. Throws nothing but std::bad_alloc.
TriangleMesh tessellate(const ColliderShape& shape, const Vec3& plane_center, double plane_radius);

}  // namespace supple
