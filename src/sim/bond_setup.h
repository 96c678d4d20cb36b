#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "sim/numbering.h"
#include "supple/scene.h"

/// What ties bodies together: Scene::bonds and seams, and Simulation::attach with another body.
namespace supple {

/// Those of a scene, between vertices of the model, which has no bonds yet. Throws
/// Error{invalid_input} naming the place of what selects or ties nothing, or a vertex to itself.
BondSet make_bonds(const Scene& scene, const Model& model, const Numbering& numbering);

/// Vertices of the scene become those of the model.
void to_model(const Numbering& numbering, std::span<PointBond> bonds);

/// Vertices of a body, tied where they are at the positions x of the model to another body there,
/// between vertices of the scene. Throws Error{invalid_input} naming the argument.
std::vector<PointBond> bonds_between(const Scene& scene, const Model& model,
                                     const Numbering& numbering, const VectorField& x, int body,
                                     std::span<const int> vertices, int to, double stiffness);

}  // namespace supple
