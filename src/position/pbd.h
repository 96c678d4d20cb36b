#pragma once

#include <memory>

#include "position/position_solver.h"
#include "supple/scene.h"

namespace supple {

/// Position-based dynamics [Mueller et al. 2007]: edges of tets and springs keep their lengths,
/// tets their volumes, pins their targets, and vertices stay out of colliders. A projection goes
/// the share `stiffness` (edges, springs) or `volume_stiffness` (volumes), in [0, 1], of the way.
/// So the apparent stiffness of a body depends on the number of iterations and on the time step;
/// materials are not read. Pinned vertices are at their targets, whatever the stiffness of their
/// pins. Friction undoes motion along a collider by at most its coefficient times the depth. Every
/// projection of lengths and volumes keeps linear and angular momentum. Of the settings it reads
/// stiffness and volume_stiffness. `model` and `contact` must outlive the solver.
std::unique_ptr<PositionSolver> make_pbd(const Model& model, ContactEnergy* contact,
                                         const SolverSettings& settings);

}  // namespace supple
