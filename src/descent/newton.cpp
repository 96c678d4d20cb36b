#include "descent/newton.h"

namespace supple {

namespace {

/// Relative residual; a more exact direction brings the next iterate no closer.
constexpr double enough = 1e-4;
constexpr int most_iterations = 200;

bool has_stiffening(const Objective& objective) {
  return objective.pressure() != nullptr && objective.model().pressures.has_stiffening();
}

}  // namespace

// A direct solver does not depend on the time step.
Newton::Newton(const Model& model) : system_(model, SolverSettings{}, 0) {}

Newton::Newton(const Model& model, const SolverSettings& settings, double inverse_a2)
    : system_(model, settings, inverse_a2) {}

void Newton::begin_step(Objective& objective) {
  system_.begin_step();
  if (!has_stiffening(objective)) return;
  const auto n = static_cast<std::size_t>(objective.model().num_vertices);
  for (VectorField* field : {&residual_, &solved_, &d_, &minus_product_, &of_pressure_}) {
    field->resize(n);
  }
}

bool Newton::compute(Objective& objective, const Iterate& at, VectorField& p) {
  const bool has_rest = has_stiffening(objective);
  const auto solves = has_rest ? HessianSystem::Solves::many : HessianSystem::Solves::one;
  if (!system_.prepare(objective, at.x, solves)) return false;
  if (has_rest) {
    solve_stiffened(objective, at, p);
  } else {
    system_.solve(at.gradient, p, objective.threads());
  }
  return true;
}

/// Products with A are not needed: since the preconditioner is A itself, those of the directions
/// follow from the residuals.
void Newton::solve_stiffened(Objective& objective, const Iterate& at, VectorField& p) {
  VectorAlgebra& algebra = objective.algebra();
  const auto clear = [](VectorField& field) {
    for (PaddedVector& x : field) x = {};
  };
  algebra.copy(at.gradient, residual_);  // gradient + (A + B) p
  clear(p);
  system_.solve(residual_, d_, objective.threads());
  algebra.copy(residual_, minus_product_);  // -A d
  double along = -algebra.dot(residual_, d_);
  const double wanted = enough * enough * along;
  for (int k = 0; k < most_iterations && along > wanted; ++k) {
    clear(of_pressure_);  // B d
    objective.pressure()->add_stiffening(at.x, d_, objective.threads(), of_pressure_);
    const double curvature = algebra.dot(d_, of_pressure_) - algebra.dot(d_, minus_product_);
    if (!(curvature > 0)) {
      if (k == 0) algebra.add(1, d_, p);
      return;
    }
    const double step = along / curvature;
    algebra.add(step, d_, p);
    algebra.add(step, of_pressure_, residual_);
    algebra.add(-step, minus_product_, residual_);
    system_.solve(residual_, solved_, objective.threads());
    const double next = -algebra.dot(residual_, solved_);
    const double kept = next / along;
    along = next;
    algebra.step(solved_, kept, d_, d_);
    algebra.step(residual_, kept, minus_product_, minus_product_);
  }
}

}  // namespace supple
