#pragma once

#include <optional>

#include "descent/direction.h"
#include "supple/scene.h"

namespace supple {

/// How a line search ended.
enum class LineSearchEnd {
  accepted,
  not_a_descent,  ///< grad g . p >= 0, or not finite
  set_apart,      ///< steps were rejected and vertices are solved for apart: x moves
  at_rounding,    ///< the decrease to expect is below the rounding of g and the gradient stays
  exhausted,      ///< no tried length decreased g enough
  non_finite,     ///< the whole step was to be taken and ends where g is not finite
};

struct LineSearchResult {
  LineSearchEnd end = LineSearchEnd::exhausted;
  double alpha = 0;  ///< accepted step length
  double value = 0;  ///< g there, J
  double slope = 0;  ///< grad g . p at alpha = 0, J
};

/// Where a search stands: `trial` and `trial_gradient` hold x + alpha p and the gradient there when
/// a length was accepted, so that nothing is evaluated twice. A value that is not finite is a
/// rejection.
struct LineSearchPlace {
  Objective& objective;
  const Iterate& from;
  const VectorField& p;
  VectorField& trial;
  VectorField& trial_gradient;
  std::optional<double> known_slope = {};  ///< grad g . p at alpha = 0, J
  bool trial_is_there = false;             ///< `trial` holds x + p already
  bool contacts_are_found = false;         ///< those there
  Direction* direction = nullptr;          ///< that `settle`s, and is asked to `set_apart`
};

/// What the rule of the direction and the settings ask for.
LineSearchResult search_line(const LineSearchPlace& place, StepRule rule,
                             const LineSearchSettings& settings);

/// Backtracking until the Armijo condition holds [thesis Alg. 3; Nocedal & Wright 2006, eq. 3.4]:
///   g(x + alpha p) <= g(x) + gamma alpha grad g . p,
/// alpha = 1, beta, beta^2, and from then on beta alpha or, where that is less, the minimum of the
/// parabola through the last trial [eq. 3.58 there], but at least alpha/10.
LineSearchResult backtrack(const LineSearchPlace& place, const LineSearchSettings& settings);

/// The strong Wolfe conditions [Nocedal & Wright 2006, eqs. 3.7, Algs. 3.5 and 3.6]: Armijo's, and
///   |grad g(x + alpha p) . p| <= c |grad g(x) . p|,
/// found by bracketing from alpha = 1 and cubic interpolation.
LineSearchResult strong_wolfe(const LineSearchPlace& place, const LineSearchSettings& settings);

/// The minimum of g along p nearest to alpha = 0, to 1e-6 of the slope at 0: the same search with a
/// curvature constant that leaves no slope.
LineSearchResult exact_search(const LineSearchPlace& place);

/// The whole step, whatever it does to g.
LineSearchResult whole_step(const LineSearchPlace& place);

}  // namespace supple
