#pragma once

#include "descent/direction.h"
#include "supple/scene.h"

namespace supple {

/// How a line search ended.
enum class LineSearchEnd {
  accepted,
  not_a_descent,  ///< grad g . p >= 0, or not finite
  set_apart,      ///< steps were rejected; some vertices are now solved for separately, x moves
  at_rounding,    ///< the expected decrease is below g's rounding, the gradient does not decrease
  exhausted,      ///< no tried length decreased g enough
  non_finite,     ///< the whole step was asked for, and g is not finite at its end
};

struct LineSearchResult {
  LineSearchEnd end = LineSearchEnd::exhausted;
  double alpha = 0;  ///< accepted step length
  double value = 0;  ///< g there, J
  double slope = 0;  ///< grad g . p at alpha = 0, J
};

/// What a search works on. After a length was accepted, `trial` and `trial_gradient` hold
/// x + alpha p and the gradient there, so nothing is evaluated twice. A value that is not finite
/// rejects the length.
struct LineSearchPlace {
  Objective& objective;
  const Iterate& from;
  const VectorField& p;
  VectorField& trial;
  VectorField& trial_gradient;
  Byproducts known = {};           ///< of p; is_ahead: `trial` holds x + p
  Direction* direction = nullptr;  ///< its `settle` and `set_apart` are called; null: they are not
};

/// The search that the rule of the direction and the settings ask for.
LineSearchResult search_line(const LineSearchPlace& place, StepRule rule,
                             const LineSearchSettings& settings);

/// Backtracking until the Armijo condition holds [thesis Alg. 3; Nocedal & Wright 2006, eq. 3.4]:
///   g(x + alpha p) <= g(x) + gamma alpha grad g . p,
/// with alpha = 1, beta, beta^2, and then the smaller of beta alpha and the minimum of the parabola
/// through the last trial [eq. 3.58 there], but at least alpha/10.
LineSearchResult backtrack(const LineSearchPlace& place, const LineSearchSettings& settings);

/// The strong Wolfe conditions [Nocedal & Wright 2006, eqs. 3.7, Algs. 3.5 and 3.6]: Armijo's, and
///   |grad g(x + alpha p) . p| <= c |grad g(x) . p|,
/// found by bracketing from alpha = 1 and cubic interpolation.
LineSearchResult strong_wolfe(const LineSearchPlace& place, const LineSearchSettings& settings);

/// The minimum of g along p nearest to alpha = 0, up to a slope of 1e-6 times that at 0: the strong
/// Wolfe search with so small a curvature constant.
LineSearchResult exact_search(const LineSearchPlace& place);

/// The whole step, whatever it does to g.
LineSearchResult whole_step(const LineSearchPlace& place);

}  // namespace supple
