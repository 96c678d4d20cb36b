#include "descent/minimise.h"

#include <cmath>

#include "base/stopwatch.h"
#include "descent/line_search.h"

namespace supple {

Minimiser::Minimiser(int num_vertices)
    : gradient_(static_cast<std::size_t>(num_vertices)),
      p_(gradient_),
      trial_(gradient_),
      trial_gradient_(gradient_) {}

MinimiseReport Minimiser::run(Objective& objective, Direction& direction,
                              const SolverSettings& settings, VectorField& z) {
  MinimiseReport report;
  FieldAlgebra& algebra = objective.algebra();
  direction.begin_step(objective);
  double value = objective.value_and_gradient(z, gradient_);
  report.elastic = objective.elastic_energy();
  for (int k = 0;; ++k) {
    objective.choose_contacts(z, value, gradient_);
    report.value = value;
    report.gradient_norm = algebra.norm(gradient_);
    report.iterations = k;
    if (k == 0) report.start_gradient_norm = report.gradient_norm;
    if (!std::isfinite(value) || !std::isfinite(report.gradient_norm)) {
      report.status = StepStatus::non_finite;
      return report;
    }
    const double goal = settings.tolerance * report.start_gradient_norm;
    if (report.gradient_norm <= goal) {
      report.status = StepStatus::converged;
      return report;
    }
    if (k == settings.iterations) return report;

    const Stopwatch watch;
    const Iterate from{z, gradient_, value};
    const bool has_direction = direction.compute(objective, from, p_);
    report.direction_milliseconds += watch.milliseconds();
    LineSearchResult search{.end = LineSearchEnd::not_a_descent};
    if (has_direction) {
      search = backtrack(objective, from, p_, settings.line_search, trial_, trial_gradient_);
    }
    if (search.end != LineSearchEnd::accepted) {
      report.status = StepStatus::stalled;
      return report;
    }
    const Stopwatch accept_watch;
    direction.accept(objective, from, {trial_, trial_gradient_, search.value}, search.alpha);
    report.direction_milliseconds += accept_watch.milliseconds();
    std::swap(z, trial_);
    std::swap(gradient_, trial_gradient_);
    value = search.value;
    report.elastic = objective.elastic_energy();
  }
}

}  // namespace supple
