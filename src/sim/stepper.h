#pragma once

#include <memory>
#include <string>
#include <vector>

#include "descent/direction.h"
#include "supple/simulation.h"

namespace supple {

/// A descent method by its scene name.
struct SolverEntry {
  Description description;
  bool uses_history;          ///< reads solver/history
  bool uses_initial_hessian;  ///< reads solver/initial_hessian
  std::unique_ptr<Direction> (*make)(const Model&, const SolverSettings&, double inverse_a2);
};

/// All of them, in the order of the docs.
const std::vector<SolverEntry>& solver_entries();

/// The direction that the settings name, for a step with 1/a^2 = inverse_a2. Throws
/// Error{invalid_input} naming the key for a name that is not known and a value out of its range.
std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2);

/// Throws Error{invalid_input} for time and solver settings out of their range.
void check_settings(const Scene& scene);

}  // namespace supple
