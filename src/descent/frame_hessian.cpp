#include "descent/frame_hessian.h"

namespace supple {

namespace {

SolverSettings clamped(SolverSettings settings) {
  settings.definiteness = Definiteness::clamp;
  return settings;
}

}  // namespace

FrameHessian::FrameHessian(const Model& model, const SolverSettings& settings, double inverse_a2)
    : system_(model, clamped(settings), inverse_a2) {}

bool FrameHessian::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (!prepared_ && !system_.prepare(objective, at.x)) return false;
  prepared_ = true;
  system_.solve(at.gradient, p, objective.threads());
  return true;
}

}  // namespace supple
