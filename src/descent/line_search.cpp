#include "descent/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace supple {

namespace {

/// After this many shrinks the step is below rounding for every sensible beta.
constexpr int max_trials = 40;
/// Rejected trials before vertices are solved for separately, which costs as much as some trials.
/// If that starts after the first trial, a frame of the published squirrel takes 1.3 times as long
/// for the same error; after the fourth, at an eighth of the step, as long as without it, and a
/// frame of the tibiman a third as long.
constexpr int trials_before_apart = 3;

/// g is a sum of many terms. Differences below its rounding mean nothing; near the minimum they
/// would reject every step.
double rounding_of(const LineSearchPlace& place) {
  return 4 * std::numeric_limits<double>::epsilon() *
         (std::abs(place.from.value) + place.objective.energy_scale());
}

/// g along the line, as a function of alpha.
class Line {
 public:
  explicit Line(const LineSearchPlace& place) : place_(place) {}

  /// g(x + alpha p); leaves the trial and its gradient in `place`.
  double value(double alpha) {
    const bool is_there = std::exchange(place_.known.is_ahead, false) && alpha == 1;
    if (!is_there) {
      place_.objective.algebra().step(place_.from.x, alpha, place_.p, place_.trial);
    }
    if (place_.direction != nullptr) place_.direction->settle(place_.objective, place_.trial);
    // Rigid bodies rotate, while p is straight.
    const bool turns = !place_.objective.rigid().empty();
    if (turns) place_.objective.make_rigid(place_.trial);
    const auto contacts = is_there && !turns && place_.known.found_contacts ? Contacts::are_found
                                                                            : Contacts::to_be_found;
    return place_.objective.value_and_gradient(place_.trial, place_.trial_gradient, contacts);
  }
  /// grad g(x + alpha p) . p at the last trial.
  double slope() { return place_.objective.algebra().dot(place_.trial_gradient, place_.p); }

 private:
  LineSearchPlace place_;
};

double slope_at_start(const LineSearchPlace& place) {
  if (place.known.slope) return *place.known.slope;
  return place.objective.algebra().dot(place.from.gradient, place.p);
}

/// Begins every search: computes the slope, and ends the search if g cannot tell steps apart any
/// more. True: the search goes on.
bool begin(const LineSearchPlace& place, LineSearchResult& result) {
  VectorAlgebra& algebra = place.objective.algebra();
  result.slope = slope_at_start(place);
  if (!(result.slope < 0) || !std::isfinite(result.slope)) {
    result.end = LineSearchEnd::not_a_descent;
    return false;
  }
  const double rounding = rounding_of(place);
  if (-result.slope > rounding) return true;
  // The gradient can, for a few more digits.
  const double value = Line(place).value(1);
  const bool smaller = algebra.norm(place.trial_gradient) < 0.9 * algebra.norm(place.from.gradient);
  if (value <= place.from.value + rounding && smaller) {
    result = {LineSearchEnd::accepted, 1, value, result.slope};
  } else {
    result.end = LineSearchEnd::at_rounding;
  }
  return false;
}

/// The minimum of the parabola through g(x), its slope there and g(x + alpha p) [Nocedal & Wright
/// 2006, eq. 3.58], but at least alpha/10: far from the minimum a parabola says little. alpha if
/// the parabola has no minimum.
double parabola_minimum(const LineSearchPlace& place, double slope, double alpha, double value) {
  constexpr double least = 0.1;
  const double bend = value - place.from.value - slope * alpha;
  if (!std::isfinite(bend) || !(bend > 0) || !(slope < 0)) return alpha;
  return std::max(least * alpha, -slope * alpha * alpha / (2 * bend));
}

/// Shrinks until g(x + alpha p) <= g(x) + decrease * alpha: by the factor `shrink` and, from the
/// third time on, by more if a parabola says so. If a step is too long by orders of magnitude, this
/// takes less than half the evaluations.
LineSearchResult shrink_until(const LineSearchPlace& place, double decrease, double shrink,
                              LineSearchResult result) {
  const double bound = place.from.value + rounding_of(place);
  Line line(place);
  double alpha = 1;
  for (int i = 0; i < max_trials; ++i) {
    const double value = line.value(alpha);
    if (std::isfinite(value) && value <= bound + decrease * alpha) {
      return {LineSearchEnd::accepted, alpha, value, result.slope};
    }
    if (i == trials_before_apart && place.direction != nullptr &&
        place.direction->set_apart(place.objective, place.from.x)) {
      result.end = LineSearchEnd::set_apart;
      return result;
    }
    const double shrunk = shrink * alpha;
    alpha = i < 2 ? shrunk : std::min(shrunk, parabola_minimum(place, result.slope, alpha, value));
  }
  result.end = LineSearchEnd::exhausted;
  return result;
}

/// A point of the line: step length, g and its slope there.
struct Point {
  double alpha;
  double value;
  double slope;
};

/// The minimum of the cubic through two points and their slopes [Nocedal & Wright 2006, eq. 3.59],
/// kept away from the ends of the interval; the middle if there is no minimum.
double cubic_minimum(const Point& a, const Point& b) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.alpha - b.alpha);
  const double square = d1 * d1 - a.slope * b.slope;
  const double low = std::min(a.alpha, b.alpha), high = std::max(a.alpha, b.alpha);
  const double least = 0.05 * (high - low);
  double minimum = 0.5 * (low + high);
  if (square >= 0) {
    const double d2 = std::copysign(std::sqrt(square), b.alpha - a.alpha);
    const double cubic =
        b.alpha - (b.alpha - a.alpha) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    if (std::isfinite(cubic)) minimum = cubic;
  }
  return std::clamp(minimum, low + least, high - least);
}

/// Brackets and narrows until the strong Wolfe conditions hold [Nocedal & Wright 2006, Algs. 3.5
/// and 3.6]. Differences of g below its rounding count as none.
LineSearchResult narrow(const LineSearchPlace& place, double gamma, double curvature) {
  LineSearchResult result;
  if (!begin(place, result)) return result;
  Line line(place);
  const double rounding = rounding_of(place);
  const Point start{0, place.from.value, result.slope};
  const auto too_high = [&](double alpha, double value) {
    return !std::isfinite(value) || value > start.value + gamma * alpha * start.slope + rounding;
  };
  Point low = start;   // the best point that decreases g enough
  Point high = start;  // the other end of the bracket, once there is one
  bool bracketed = false;
  double alpha = 1;
  for (int i = 0; i < max_trials; ++i) {
    Point point{alpha, line.value(alpha), 0};
    const bool finite = std::isfinite(point.value);
    point.slope = finite ? line.slope() : 0;
    if (too_high(alpha, point.value) || (low.alpha > 0 && point.value > low.value + rounding) ||
        !std::isfinite(point.slope)) {
      // Beyond an infinite wall there is nothing to interpolate.
      high = point;
      bracketed = true;
      if (!finite) {
        alpha = low.alpha + 0.5 * (alpha - low.alpha);
        continue;
      }
    } else {
      if (std::abs(point.slope) <= curvature * std::abs(start.slope)) {
        return {LineSearchEnd::accepted, alpha, point.value, start.slope};
      }
      if (bracketed ? point.slope * (high.alpha - low.alpha) >= 0 : point.slope >= 0) {
        high = low;
        bracketed = true;
      }
      low = point;
    }
    alpha = bracketed ? cubic_minimum(low, high) : 2 * alpha;
    const double width = std::abs(high.alpha - low.alpha);
    if (bracketed && width <= 1e-12 * std::max(high.alpha, low.alpha)) break;
  }
  if (low.alpha == 0) {
    result.end = LineSearchEnd::exhausted;
    return result;
  }
  // Enough decrease, but not the slope that was asked for: g's rounding hides the rest.
  const double value = line.value(low.alpha);
  return {LineSearchEnd::accepted, low.alpha, value, start.slope};
}

}  // namespace

LineSearchResult backtrack(const LineSearchPlace& place, const LineSearchSettings& settings) {
  LineSearchResult result;
  if (!begin(place, result)) return result;
  return shrink_until(place, settings.sufficient_decrease * result.slope, settings.shrink, result);
}

LineSearchResult strong_wolfe(const LineSearchPlace& place, const LineSearchSettings& settings) {
  return narrow(place, settings.sufficient_decrease, settings.curvature);
}

LineSearchResult exact_search(const LineSearchPlace& place) { return narrow(place, 1e-4, 1e-6); }

LineSearchResult whole_step(const LineSearchPlace& place) {
  LineSearchResult result;
  result.slope = slope_at_start(place);
  result.value = Line(place).value(1);
  result.alpha = 1;
  result.end = std::isfinite(result.value) ? LineSearchEnd::accepted : LineSearchEnd::non_finite;
  return result;
}

LineSearchResult search_line(const LineSearchPlace& place, StepRule rule,
                             const LineSearchSettings& settings) {
  if (rule == StepRule::whole || settings.type == LineSearchType::none) return whole_step(place);
  if (rule == StepRule::decrease) {
    return shrink_until(place, 0, settings.shrink, {.slope = slope_at_start(place)});
  }
  if (settings.type == LineSearchType::wolfe) return strong_wolfe(place, settings);
  if (settings.type == LineSearchType::exact) return exact_search(place);
  return backtrack(place, settings);
}

}  // namespace supple
