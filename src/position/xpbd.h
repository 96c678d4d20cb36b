#pragma once

#include <memory>

#include "position/position_solver.h"
#include "supple/scene.h"

namespace supple {

/// XPBD [Macklin & Mueller 2021, Algorithm 1] over everything in which the model stores energy:
/// tets, fibers, membranes, rods, springs, bonds, volumes, pins and, if `contact` is given,
/// colliders. Of the settings it reads projection, multipliers, order and precision. `model` and
/// `contact` must outlive the solver. Throws Error{invalid_input} for a material without a
/// constraint form, and like make_schedule.
std::unique_ptr<PositionSolver> make_xpbd(const Model& model, ContactEnergy* contact,
                                          const SolverSettings& settings);

}  // namespace supple
