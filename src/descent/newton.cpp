#include "descent/newton.h"

namespace supple {

// A direct solver asks for no time step.
Newton::Newton(const Model& model) : system_(model, SolverSettings{}, 0) {}

Newton::Newton(const Model& model, const SolverSettings& settings, double inverse_a2)
    : system_(model, settings, inverse_a2) {}

bool Newton::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (!system_.prepare(objective, at.x)) return false;
  system_.solve(at.gradient, p, objective.threads());
  return true;
}

}  // namespace supple
