#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supple/compare.h"

namespace supple::reproduce {

/// One step that several methods solve from the same state.
struct Problem {
  std::string subject;  ///< which body
  std::string name;     ///< among a Context's problems; empty: none of them
  Scene scene;
  SimulationState state;
  ConvergedStep reference;
};

/// The step after `state`, with the converged answer of Newton's method.
Problem make_problem(const std::string& subject, const Scene& scene, const SimulationState& state,
                     int threads);

/// How far a method gets on its own in so many iterations: `converged` says whether the gradient
/// fell to 1e-8 of that at x_0, or to rounding. Throws Error{non_finite}.
ConvergedStep descend_far(Scene scene, const SimulationState& state, const std::string& solver,
                          int iterations, int threads);

/// The step after `state`, with the answer to which L-BFGS with a long history converges: where the
/// gradient vanishes it is as good, and on large bodies, slack cloth and in contact, where Newton's
/// method with projected Hessians creeps, it takes seconds instead of minutes. Where L-BFGS does
/// not get there, Newton's method tries, and the lower of the two stands.
Problem make_problem_by_descent(const std::string& subject, const Scene& scene,
                                const SimulationState& state, int threads);

/// The state of the scene before a frame, counted from 1, with the scene's own solver and, as
/// published, constant weights. Throws
/// Error{non_finite} where it fails on the way.
SimulationState state_before(Scene scene, int frame, int threads);

/// A solver and how far it is followed.
struct Trial {
  std::string label;
  std::string solver;  ///< as parse_solver reads it: "l_bfgs:history=5,initial_hessian=rest"
  int iterations = 0;
  /// See SolverSettings.
  std::optional<std::pair<double, double>> stiffness_range = std::nullopt;
};

/// How a trial went.
struct Descent {
  std::string label;
  std::string solver;
  std::string error;  ///< why there is no curve; empty: there is one
  ConvergenceCurve curve;

  bool ran() const { return error.empty(); }
};

/// Runs a trial `repeats` times; the times of its points are medians. Repeating ends early once it
/// has taken `enough_milliseconds`.
Descent run_trial(const Problem& problem, const Trial& trial, int repeats,
                  double enough_milliseconds, int threads);

/// Below this relative error g is known by its rounding alone: smaller errors count as this one.
inline constexpr double smallest_error = 1e-12;

/// Relative error after so many iterations, or at the end where it ended before. NaN where it did
/// not run.
double error_after(const Descent& descent, int iterations);
/// Smallest relative error reached by then. NaN where it did not run.
double error_at_time(const Descent& descent, double milliseconds);
/// Iterations until the relative error is at most `error`, interpolated in its logarithm; infinite
/// where that is not reached, NaN where it did not run.
double iterations_to(const Descent& descent, double error);
/// As iterations_to, ms.
double milliseconds_to(const Descent& descent, double error);
/// Since the step began, ms; NaN where it did not run.
double milliseconds_after(const Descent& descent, int iterations);

/// NaN where there are none, or where one is NaN.
double median(std::vector<double> values);

/// As CSV: subject,solver,iteration,milliseconds,objective,gradient_norm,relative_error,
/// position_error. The header stands first where `text` is empty.
void append_csv(std::string& text, const std::string& subject,
                const std::vector<Descent>& descents);

/// A line about every trial that could not be run.
std::vector<std::string> failures(const std::string& subject, const std::vector<Descent>& descents);

}  // namespace supple::reproduce
