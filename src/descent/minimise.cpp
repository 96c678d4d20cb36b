#include "descent/minimise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/budget.h"
#include "base/stopwatch.h"
#include "descent/line_search.h"

namespace supple {

namespace {

/// A round ends once its gradient has fallen to this part of the first one: the multipliers of the
/// next round change more than that.
constexpr double solved = 1e-2;
/// J: a method that finds no direction does not know how much g could still decrease.
constexpr double no_promise = std::numeric_limits<double>::infinity();

}  // namespace

Minimiser::Minimiser(int num_vertices)
    : gradient_(static_cast<std::size_t>(num_vertices)),
      p_(gradient_),
      trial_(gradient_),
      trial_gradient_(gradient_) {}

MinimiseReport Minimiser::run(Objective& objective, Direction& direction,
                              const SolverSettings& settings, VectorField& z,
                              const MinimiseOptions& options) {
  MinimiseReport report;
  VectorAlgebra& algebra = objective.algebra();
  Budget budget(options.deadline);
  direction.begin_step(objective);
  objective.make_rigid(z);
  double value = objective.value_and_gradient(z, gradient_);
  const auto note = [&] {
    report.elastic = objective.elastic_energy();
    report.num_inverted = objective.num_inverted();
  };
  note();
  bool is_new = true;  // the gradient before z is unknown
  // Solving for vertices separately may take as long as thirty evaluations.
  Direction* settling = options.deadline ? nullptr : &direction;
  const auto finish = [&](StepStatus status) {
    report.status = status;
    report.ends_at_last = status != StepStatus::stalled && status != StepStatus::non_finite;
    return report;
  };
  int round_start = 0;
  double round_norm = 0;
  const auto begin_round = [&](int k) {
    if (!options.next_round || k == round_start || k == settings.iterations) return false;
    round_start = k;
    if (!options.next_round(z)) return false;
    value = objective.value_and_gradient(z, gradient_);
    round_norm = algebra.norm(gradient_);
    is_new = true;
    note();
    return true;
  };
  for (int k = 0;; ++k) {
    report.gradient_norm = algebra.norm(gradient_);
    if (k == 0) round_norm = report.gradient_norm;
    const bool ends_round = k - round_start >= options.iterations_of_round ||
                            report.gradient_norm <= solved * round_norm ||
                            report.gradient_norm <= settings.tolerance * report.start_gradient_norm;
    if (ends_round && begin_round(k)) report.gradient_norm = round_norm;
    report.value = value;
    report.iterations = k;
    if (k == 0) {
      report.start_value = value;
      report.start_gradient_norm = std::max(report.gradient_norm, options.least_start_norm);
    }
    if (!std::isfinite(value) || !std::isfinite(report.gradient_norm)) {
      return finish(StepStatus::non_finite);
    }
    if (options.visit) options.visit(k, {z, gradient_, value}, report.gradient_norm);
    if (report.gradient_norm <= settings.tolerance * report.start_gradient_norm) {
      return finish(StepStatus::converged);
    }
    const bool is_enough = k > 0 && report.gradient_norm <= options.good_enough;
    if (is_enough || k == settings.iterations) return finish(StepStatus::iteration_limit);
    if (!budget.allows_another()) return finish(StepStatus::out_of_time);
    if (options.changes && k == options.look_at && options.changes(z)) {
      direction.begin_step(objective);
      value = objective.value_and_gradient(z, gradient_);
      is_new = true;
    }

    LineSearchResult search;
    bool has_direction = false;
    for (bool again = false;; again = true) {
      const Iterate from{z, gradient_, value, is_new ? nullptr : &trial_gradient_, &trial_};
      // The line search tried other points last; the direction starts at z.
      if (again) objective.find_contacts(z);
      const Stopwatch watch;
      has_direction = direction.compute(objective, from, p_);
      report.direction_milliseconds += watch.milliseconds();
      search = {.end = LineSearchEnd::not_a_descent};
      if (has_direction) {
        search = search_line(
            {objective, from, p_, trial_, trial_gradient_, direction.byproducts(), settling},
            direction.step_rule(), settings.line_search);
      }
      if (search.end == LineSearchEnd::set_apart) {
        algebra.copy(z, trial_);
        direction.settle(objective, trial_);
        const double settled = objective.value_and_gradient(trial_, trial_gradient_);
        if (settled <= value) {
          algebra.swap(z, trial_);
          algebra.swap(gradient_, trial_gradient_);
          value = settled;
          note();
        } else {
          settling = nullptr;
        }
        is_new = true;
        continue;
      }
      const bool failed =
          search.end == LineSearchEnd::not_a_descent || search.end == LineSearchEnd::exhausted;
      if (!failed || !direction.restart()) break;
    }
    report.expected_decrease = has_direction ? -0.5 * search.slope : no_promise;
    if (search.end == LineSearchEnd::non_finite) return finish(StepStatus::non_finite);
    if (search.end != LineSearchEnd::accepted) {
      if (begin_round(k)) continue;
      return finish(StepStatus::stalled);
    }
    const Stopwatch accept_watch;
    direction.accept(objective, {z, gradient_, value}, {trial_, trial_gradient_, search.value},
                     search.alpha);
    report.direction_milliseconds += accept_watch.milliseconds();
    algebra.swap(z, trial_);
    algebra.swap(gradient_, trial_gradient_);
    value = search.value;
    is_new = false;
    note();
  }
}

}  // namespace supple
