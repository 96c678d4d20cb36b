#pragma once

#include <string>
#include <utility>
#include <vector>

#include "potentials/membrane.h"
#include "supple/scene.h"

namespace supple {

/// Adds the membrane of a body, whose vertices begin at `first_vertex` of the model and lie at
/// `rest`. range: of stretches over which the constant stiffness is fitted. Throws
/// Error{invalid_input} at or below `where` for a thickness or bending out of range, a body that
/// also has tets, segments or springs or has no triangles, a triangle without area, a material that
/// is no sheet's, an unknown bending model, a fold without an edge, and a warp that stands across a
/// triangle; Error{bad_file} for a vertex that is
/// not finite.
void add_membrane(const Body& body, const std::string& where, int first_vertex,
                  std::pair<double, double> range, const std::vector<Vec3>& rest, MembraneSet& set);

/// Throws Error{invalid_input} below `where` for folds of a body that keeps no angles, and for an
/// angle out of range.
void check_folds(const Body& body, const std::string& where);

/// Takes out the folds of a body that has come apart of which no edge between two triangles is
/// left.
void keep_folds(Body& body);

}  // namespace supple
