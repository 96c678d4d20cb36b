#pragma once

#include "descent/direction.h"
#include "supple/scene.h"

namespace supple {

/// How a line search ended.
enum class LineSearchEnd {
  accepted,
  not_a_descent,  ///< grad g . p >= 0, or not finite
  at_rounding,    ///< the decrease to expect is below the rounding of g and the gradient stays
  exhausted,      ///< no tried length decreased g enough
};

struct LineSearchResult {
  LineSearchEnd end = LineSearchEnd::exhausted;
  double alpha = 0;  ///< accepted step length
  double value = 0;  ///< g there, J
};

/// Backtracking until the Armijo condition holds [thesis Alg. 3; Nocedal & Wright 2006, eq. 3.4]:
///   g(x + alpha p) <= g(x) + gamma alpha grad g . p,  alpha = 1, beta, beta^2, ...
/// A value that is not finite is a rejection. `trial` and `trial_gradient` hold x + alpha p and the
/// gradient there when accepted: nothing is evaluated twice.
LineSearchResult backtrack(Objective& objective, const Iterate& from, const VectorField& p,
                           const LineSearchSettings& settings, VectorField& trial,
                           VectorField& trial_gradient);

}  // namespace supple
