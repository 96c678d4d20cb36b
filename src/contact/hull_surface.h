#pragma once

#include <string>

#include "supple/scene.h"

namespace supple {

/// The surface of the smallest convex solid that holds the points, made of triangles that are
/// counter-clockwise seen from outside, by Quickhull [Barber, Dobkin & Huhdanpaa 1996]. Points that
/// stand out of it by less than 1e-9 of its size are left out, so that flat sides have few
/// triangles. Which side of a triangle a point is on is decided exactly, on a grid of 2^40 cells
/// per side.
///
/// Throws Error{invalid_input} at `where` for fewer than four points, points in one plane (to 1e-10
/// of their size), a coordinate that is not finite or above 1e100, more than 2^24 points.
TriangleMesh hull_surface(const ConvexHullShape& shape, const std::string& where);

}  // namespace supple
