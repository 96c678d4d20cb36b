#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "sim/numbering.h"
#include "supple/scene.h"

/// What ties bodies together: Scene::bonds and seams, and Simulation::attach with another body.
namespace supple {

/// The bonds of a scene, between vertices of the model, which has no bonds yet. copies: see
/// TornBodies. In bodies that have come apart they are those of the whole bodies: each
/// element around a vertex has a part of its stiffness, by its size, and holds on to an element of
/// the other body.
/// Throws Error{invalid_input} naming the place if an entry selects or ties nothing, or ties a
/// vertex to itself.
BondSet make_bonds(const Scene& scene, const Model& model, const Numbering& numbering,
                   std::span<const std::vector<int>> copies);

/// Replaces vertices of the scene by those of the model.
void to_model(const Numbering& numbering, std::span<PointBond> bonds);

/// Bonds between vertices of the scene that tie vertices of a body, at the positions x of the
/// model, to the places of another body there. Throws Error{invalid_input} naming the argument.
std::vector<PointBond> bonds_between(const Scene& scene, const Model& model,
                                     const Numbering& numbering, const VectorField& x, int body,
                                     std::span<const int> vertices, int to, double stiffness);

}  // namespace supple
