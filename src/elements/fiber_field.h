#pragma once

#include <string>
#include <vector>

#include "base/parallel_for.h"
#include "supple/scene.h"

namespace supple {

/// Directions of fibers along a Laplace field [as of muscles and the heart: Bayer et al. 2012]: the
/// gradient of the function u, linear in each tet, that is 0 on one set of vertices, 1 on another
/// one and minimises the integral of |grad u|^2 in between, so that it has no slope across the rest
/// of the surface. Unit vectors, [num_tets], by one solve with a sparse Cholesky factor.
///
/// Throws Error{invalid_input} at `where` or below it for sets that are empty, have a vertex in
/// common or one that does not exist, and for tets that no way from one set to the other leads
/// through.
std::vector<Vec3> laplace_directions(const TetMesh& mesh, const LaplaceFibers& fibers,
                                     const std::string& where, Threads& threads);

/// A scene with the directions of all its Laplace fields.
Scene with_fiber_directions(Scene scene, Threads& threads);

}  // namespace supple
