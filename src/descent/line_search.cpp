#include "descent/line_search.h"

#include <cmath>
#include <limits>

namespace supple {

namespace {

/// After so many shrinks the step is below rounding for every sensible beta.
constexpr int max_trials = 40;

}  // namespace

LineSearchResult backtrack(Objective& objective, const Iterate& from, const VectorField& p,
                           const LineSearchSettings& settings, VectorField& trial,
                           VectorField& trial_gradient) {
  const double slope = objective.algebra().dot(from.gradient, p);
  if (!(slope < 0) || !std::isfinite(slope)) return {.end = LineSearchEnd::not_a_descent};
  // g is a sum of many terms: differences below its own rounding say nothing, and near the minimum
  // they would reject every step.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() *
                          (std::abs(from.value) + objective.energy_scale());
  if (-slope <= rounding) {
    // g cannot tell any more whether a step is good; the gradient still can, for a few digits.
    objective.algebra().step(from.x, 1, p, trial);
    const double value = objective.value_and_gradient(trial, trial_gradient);
    const bool smaller =
        objective.algebra().norm(trial_gradient) < 0.9 * objective.algebra().norm(from.gradient);
    if (value <= from.value + rounding && smaller) {
      return {.end = LineSearchEnd::accepted, .alpha = 1, .value = value};
    }
    return {.end = LineSearchEnd::at_rounding};
  }
  double alpha = 1;
  for (int i = 0; i < max_trials; ++i, alpha *= settings.shrink) {
    objective.algebra().step(from.x, alpha, p, trial);
    const double value = objective.value_and_gradient(trial, trial_gradient);
    const double bound = from.value + settings.sufficient_decrease * alpha * slope + rounding;
    if (std::isfinite(value) && value <= bound) {
      return {.end = LineSearchEnd::accepted, .alpha = alpha, .value = value};
    }
  }
  return {.end = LineSearchEnd::exhausted};
}

}  // namespace supple
