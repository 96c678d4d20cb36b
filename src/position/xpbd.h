#pragma once

#include <memory>

#include "position/position_solver.h"
#include "supple/scene.h"

namespace supple {

/// XPBD [Macklin & Mueller 2021, Algorithm 1] over all that the model stores energy in: tets,
/// fibers, springs, pins and, where `contact` is given, colliders. Reads of the settings
/// projection, multipliers, order and precision. `model` and `contact` must outlive the solver.
/// Throws Error{invalid_input} for a material without a constraint form and as make_schedule.
std::unique_ptr<PositionSolver> make_xpbd(const Model& model, ContactEnergy* contact,
                                          const SolverSettings& settings);

}  // namespace supple
