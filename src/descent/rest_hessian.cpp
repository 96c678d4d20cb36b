#include "descent/rest_hessian.h"

#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"

namespace supple {

namespace {

SolverSettings clamped(SolverSettings settings) {
  settings.definiteness = Definiteness::clamp;
  return settings;
}

constexpr const char* name = "of the rest pose";

}  // namespace

PrefactoredSystem factorise_at_rest(const Model& model, double inverse_a2) {
  const Adjacency adjacency = vertex_adjacency(model);
  std::vector<int> order = elimination_order(model);
  HessianAssembly hessian(model, order, adjacency);
  VectorField rest(model.rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) rest[i].v[k] = model.rest[i][k];
  }
  Threads alone(1);
  hessian.assemble(rest, inverse_a2, NegativeEigenvalues::clamp, alone, false);
  return {model,
          inverse_a2,
          std::move(order),
          hessian.lower(),
          PrefactoredSystem::Coupling::full,
          Precision::full,
          name};
}

RestHessian::RestHessian(const Model& model, const SolverSettings& settings, double inverse_a2) {
  if (settings.linear_solver == LinearSolver::direct) {
    matrix_.emplace(factorise_at_rest(model, inverse_a2));
    return;
  }
  system_.emplace(model, clamped(settings), inverse_a2);
  if (!system_->prepare_at_rest(inverse_a2)) throw not_positive_definite(name);
}

void RestHessian::pins_changed(const PinChange& change) {
  if (matrix_) {
    matrix_->pins_changed(change.model, change.h);
    return;
  }
  system_->pins_changed(change.inverse_a2);
  if (!system_->prepare_at_rest(change.inverse_a2)) throw not_positive_definite(name);
}

void RestHessian::begin_step(Objective&) {
  if (matrix_) matrix_->begin_step();
}

bool RestHessian::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (matrix_) {
    matrix_->solve(at.gradient, p, objective.threads());
  } else {
    system_->solve(at.gradient, p, objective.threads());
  }
  return true;
}

}  // namespace supple
