#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/earlier.h"
#include "descent/direction.h"
#include "position/position_solver.h"
#include "sim/solver_options.h"
#include "supple/simulation.h"

namespace supple {

/// The direction that the settings name, for a step with 1/a^2 = inverse_a2. Throws
/// Error{invalid_input} naming the key for an unknown name, a value out of its range, and a
/// material that the method cannot run (with those that it can). earlier: the constant matrix of
/// another scene with these settings, some of whose bodies stay as they are.
std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2,
                                          const Earlier<Laplacian>& earlier = {});

/// Like make_direction, for a position-based method.
std::unique_ptr<PositionSolver> make_position_solver(const Model& model, ContactEnergy* contact,
                                                     const SolverSettings& settings);

/// Whether an integrator of list_integrators() solves nothing and so reads no solver settings.
bool is_explicit(TimeIntegrator integrator);

/// Throws Error{invalid_input} for colliders that are functions, out of which barrier mode cannot
/// keep bodies, and for explicit integrators.
void check_contact(const Scene& scene);

/// Throws Error{invalid_input} for time and solver settings out of their range and for materials
/// that the method cannot run.
void check_settings(const Scene& scene);

/// A material, or a curve of fibers, that a scene's method cannot run.
struct MaterialFault {
  std::string where;  ///< its JSON pointer
  const char* key;    ///< its part at fault in a scene file: "/poisson"; or nothing
  std::string message;
};

/// The first material that a method cannot run: incompressible with a method of energies, without
/// constraint form with xpbd and step_and_project, or with a curve of fibers with these and
/// projective_dynamics.
std::optional<MaterialFault> find_material_fault(const Scene& scene, SolverMethod method);

}  // namespace supple
