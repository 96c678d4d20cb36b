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
  std::string name;     ///< of a problem kept by a Context; empty if it is not kept
  Scene scene;
  SimulationState state;
  ConvergedStep reference;
};

/// The step after `state`, with the converged answer of Newton's method.
Problem make_problem(const std::string& subject, const Scene& scene, const SimulationState& state,
                     int threads);

/// How far a method gets in so many iterations. `converged` says whether the gradient fell to 1e-8
/// of its value at x_0, or to rounding. Throws Error{non_finite}.
ConvergedStep descend_far(Scene scene, const SimulationState& state, const std::string& solver,
                          int iterations, int threads);

/// The step after `state`, with the answer to which L-BFGS with a long history converges. If the
/// gradient vanishes there, this answer is as good as Newton's. On large bodies, slack cloth and in
/// contact, where Newton's method with projected Hessians is slow, L-BFGS takes seconds instead of
/// minutes. If L-BFGS does not converge, Newton's method tries as well, and the lower of the two is
/// used.
Problem make_problem_by_descent(const std::string& subject, const Scene& scene,
                                const SimulationState& state, int threads);

/// The state of the scene before a frame, counted from 1, simulated with the scene's own solver and
/// constant weights, as published. Throws Error{non_finite} if a frame on the way fails.
SimulationState state_before(Scene scene, int frame, int threads);

/// A solver and how many iterations it gets.
struct Trial {
  std::string label;
  std::string solver;  ///< as parse_solver reads it: "l_bfgs:history=5,initial_hessian=rest"
  int iterations = 0;
  /// See SolverSettings.
  std::optional<std::pair<double, double>> stiffness_range = std::nullopt;
};

/// The result of a trial.
struct Descent {
  std::string label;
  std::string solver;
  std::string error;  ///< why there is no curve; empty if there is one
  ConvergenceCurve curve;

  bool ran() const { return error.empty(); }
};

/// Runs a trial up to `repeats` times; the times of its points are medians. No further repetition
/// starts after `enough_milliseconds`.
Descent run_trial(const Problem& problem, const Trial& trial, int repeats,
                  double enough_milliseconds, int threads);

/// Below this relative error, rounding dominates g: smaller errors count as this one.
inline constexpr double smallest_error = 1e-12;

/// Relative error after so many iterations, or at the end if the descent ended earlier. NaN if it
/// did not run.
double error_after(const Descent& descent, int iterations);
/// Smallest relative error reached within this time. NaN if the descent did not run.
double error_at_time(const Descent& descent, double milliseconds);
/// Iterations until the relative error is at most `error`, interpolated in its logarithm; infinite
/// if that is not reached, NaN if the descent did not run.
double iterations_to(const Descent& descent, double error);
/// The time of that, ms: when the iteration that reaches the error is finished.
double milliseconds_to(const Descent& descent, double error);
/// Time since the step began, ms; NaN if the descent did not run.
double milliseconds_after(const Descent& descent, int iterations);

/// NaN if there are no values or if one is NaN.
double median(std::vector<double> values);

/// Appends CSV: subject,solver,iteration,milliseconds,objective,gradient_norm,relative_error,
/// position_error. If `text` is empty, the header comes first.
void append_csv(std::string& text, const std::string& subject,
                const std::vector<Descent>& descents);

/// One line for each trial that could not be run.
std::vector<std::string> failures(const std::string& subject, const std::vector<Descent>& descents);

}  // namespace supple::reproduce
