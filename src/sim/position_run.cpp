#include "sim/position_run.h"

#include <cmath>

#include "base/budget.h"
#include "base/stopwatch.h"

namespace supple {

double PositionRun::measure(Objective& objective, PositionSolver& solver, const VectorField& z,
                            bool with_multipliers, MinimiseReport& report) {
  gradient_.resize(z.size());
  report.value = objective.value_and_gradient(z, gradient_);
  report.elastic = objective.elastic_energy();
  report.num_inverted = objective.num_inverted();
  // At x_0 the multipliers belong to another step.
  if (with_multipliers) solver.add_constraint_forces(z, objective.threads(), gradient_);
  return objective.algebra().norm(gradient_);
}

MinimiseReport PositionRun::run(Objective& objective, PositionSolver& solver,
                                const PositionStep& step, const SolverSettings& settings,
                                bool measured, VectorField& z, const MinimiseOptions& options) {
  MinimiseReport report;
  Budget budget(options.deadline);
  Threads& threads = objective.threads();
  const bool every_iteration = options.visit || settings.tolerance > 0;
  if (measured || every_iteration) {
    report.start_gradient_norm = measure(objective, solver, z, false, report);
    report.gradient_norm = report.start_gradient_norm;
    if (options.visit) options.visit(0, {z, gradient_, report.value}, report.gradient_norm);
  }
  const auto finish = [&](StepStatus status) {
    if (!every_iteration) {
      solver.copy_positions(z);
      if (measured) report.gradient_norm = measure(objective, solver, z, true, report);
    }
    const bool finite = std::isfinite(report.value) && std::isfinite(report.gradient_norm);
    report.status = finite ? status : StepStatus::non_finite;
    return report;
  };
  Stopwatch watch;
  solver.begin(step, threads);
  report.direction_milliseconds += watch.milliseconds();
  while (true) {
    if (report.iterations == settings.iterations) return finish(StepStatus::iteration_limit);
    if (!budget.allows_another()) return finish(StepStatus::out_of_time);
    watch = Stopwatch();
    const bool finite = solver.iterate(threads);
    report.direction_milliseconds += watch.milliseconds();
    ++report.iterations;
    if (!finite) return finish(StepStatus::non_finite);
    if (!every_iteration) continue;
    solver.copy_positions(z);
    report.gradient_norm = measure(objective, solver, z, true, report);
    if (!std::isfinite(report.gradient_norm)) return finish(StepStatus::non_finite);
    if (options.visit) {
      options.visit(report.iterations, {z, gradient_, report.value}, report.gradient_norm);
    }
    if (report.gradient_norm <= settings.tolerance * report.start_gradient_norm) {
      return finish(StepStatus::converged);
    }
  }
}

}  // namespace supple
