#pragma once

#include <string>
#include <utility>
#include <vector>

#include "potentials/membrane.h"
#include "supple/scene.h"

namespace supple {

/// Adds the membrane of a body, whose vertices begin at `first_vertex` of the model and lie at
/// `rest`. range: the stretches over which the constant stiffness is fitted. Throws
/// Error{invalid_input} at or below `where` for a thickness or bending out of range, a body that
/// also has tets, segments or springs or that has no triangles, a triangle without area, a material
/// that sheets cannot have, an unknown bending model, a fold without an edge, and a warp that is
/// perpendicular to a triangle.
void add_membrane(const Body& body, const std::string& where, int first_vertex,
                  std::pair<double, double> range, const std::vector<Vec3>& rest, MembraneSet& set);

/// Throws Error{invalid_input} below `where` for folds of a body that has no dihedral angles, and
/// for an angle out of range.
void check_folds(const Body& body, const std::string& where);

/// Removes the folds of a torn body that have no edge between two triangles left.
void keep_folds(Body& body);

}  // namespace supple
