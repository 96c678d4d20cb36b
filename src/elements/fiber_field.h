#pragma once

#include <string>
#include <vector>

#include "base/parallel_for.h"
#include "supple/scene.h"

namespace supple {

/// Directions of fibers along a Laplace field, as used for muscles and the heart [Bayer et al.
/// 2012]. The field is the gradient of a function u that is linear in each tet, 0 on one set of
/// vertices and 1 on another. In between, u minimises the integral of |grad u|^2, so it has no
/// slope across the rest of the surface. Returns unit vectors, [num_tets], at the cost of one solve
/// with a sparse Cholesky factor.
///
/// Throws Error{invalid_input} at `where` or below it for sets that are empty, share a vertex or
/// name a vertex that does not exist, and for tets through which no path leads from one set to the
/// other.
std::vector<Vec3> laplace_directions(const TetMesh& mesh, const LaplaceFibers& fibers,
                                     const std::string& where, Threads& threads);

/// The scene with the directions of all its Laplace fields filled in.
Scene with_fiber_directions(Scene scene, Threads& threads);

}  // namespace supple
