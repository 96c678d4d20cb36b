#include "descent/rest_hessian.h"

#include "descent/laplacian.h"

namespace supple {

namespace {

SolverSettings clamped(SolverSettings settings) {
  settings.definiteness = "clamp";
  return settings;
}

}  // namespace

RestHessian::RestHessian(const Model& model, const SolverSettings& settings, double inverse_a2)
    : system_(model, clamped(settings), inverse_a2) {
  if (!system_.prepare_at_rest(inverse_a2)) throw not_positive_definite("of the rest pose");
}

bool RestHessian::compute(Objective& objective, const Iterate& at, VectorField& p) {
  system_.solve(at.gradient, p, objective.threads());
  return true;
}

}  // namespace supple
