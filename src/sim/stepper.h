#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/earlier.h"
#include "descent/direction.h"
#include "position/position_solver.h"
#include "supple/simulation.h"

namespace supple {

/// A method by its scene name: of descent, or position-based.
struct SolverEntry {
  Description description;
  /// Keys of /solver that this method reads beside those that all methods read (iterations,
  /// tolerance, budget_ms, start, stiffness_range, line_search).
  std::vector<std::string> options;
  bool is_position_based = false;

  bool reads(const std::string& key) const;
};

/// All of them, in the order of the docs. make_direction or make_position_solver makes one.
const std::vector<SolverEntry>& solver_entries();

/// The entry of a method. Throws Error{invalid_input} at /solver/method for a name not known.
const SolverEntry& solver_entry(const std::string& method);

/// Names that a key of /solver may have for a method; empty for a key that is not a choice.
std::vector<std::string> solver_choices(const std::string& method, const std::string& key);

/// Whether the settings leave a system to /solver/linear_solver: the initial Hessians identity and
/// warped_rest do not.
bool uses_linear_solver(const SolverSettings& solver);

/// Whether the settings have Chebyshev acceleration around jacobi, gauss_seidel or
/// vertex_block_descent.
bool is_accelerated(const SolverSettings& solver);

/// Whether the method has weights that /solver/weights speaks of.
bool uses_weights(const SolverSettings& solver);

/// Iterations before Chebyshev acceleration begins.
int plain_iterations(const SolverSettings& solver);

/// A key of /solver whose value does not go with the others, and why.
struct SolverConflict {
  std::string key;
  std::string message;
};

/// The first conflict between settings that are each allowed by themselves.
std::optional<SolverConflict> find_conflict(const SolverSettings& solver);

/// The direction that the settings name, for a step with 1/a^2 = inverse_a2. Throws
/// Error{invalid_input} naming the key for a name that is not known, a value out of its range, and
/// a material that the method cannot run (with those that it can). earlier: constant matrix of
/// another scene with these settings, of whose bodies some stay as they are.
std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2,
                                          const Earlier<Laplacian>& earlier = {});

/// Whether a method moves positions until constraints hold, and does not descend.
bool is_position_based(const std::string& method);

/// As make_direction, of a position-based method.
std::unique_ptr<PositionSolver> make_position_solver(const Model& model, ContactEnergy* contact,
                                                     const SolverSettings& settings);

/// Whether an integrator of list_integrators() solves nothing: it reads no solver settings.
bool is_explicit(const std::string& integrator);

/// Names that /contact/mode may have.
const std::vector<std::string>& contact_modes();

/// Throws Error{invalid_input} for a contact mode that is not known, and for what the mode barrier
/// cannot keep out: colliders that move, or have no shape that it can prove to be left alone, and
/// explicit integrators.
void check_contact(const Scene& scene);

/// Throws Error{invalid_input} for time and solver settings out of their range and for materials
/// that the method cannot run.
void check_settings(const Scene& scene);

/// A material that a scene's method cannot run.
struct MaterialFault {
  std::string where;    ///< its JSON pointer
  bool incompressible;  ///< for its Poisson's ratio of 0.5
  std::string message;
};

/// The first that a method cannot run: incompressible with a method of energies, without constraint
/// form with xpbd and step_and_project.
std::optional<MaterialFault> find_material_fault(const Scene& scene, const std::string& method);

/// As check_settings, of the solver alone.
void check_solver(const SolverSettings& solver);

}  // namespace supple
