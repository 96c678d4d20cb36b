#include "studies/reproduce/descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "studies/reproduce/csv.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple::reproduce {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

double shown(const ConvergencePoint& point) {
  return std::max(point.relative_error, smallest_error);
}

/// The place on the curve where the error falls to `error`: the index of a point, with a fraction.
double crossing(const Descent& descent, double error) {
  const auto& points = descent.curve.points;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!(shown(points[k]) <= error)) continue;
    if (k == 0) return 0;
    const double before = std::log(shown(points[k - 1])), after = std::log(shown(points[k]));
    return static_cast<double>(k - 1) + (before - std::log(error)) / (before - after);
  }
  return infinity;
}

}  // namespace

Problem make_problem(const std::string& subject, const Scene& scene, const SimulationState& state,
                     int threads) {
  return {subject, "", scene, state, solve_converged(scene, state, threads)};
}

ConvergedStep descend_far(Scene scene, const SimulationState& state, const std::string& solver,
                          int iterations, int threads) {
  // g - g* falls with the square of the gradient: the tolerance corresponds to at most 1e-12 of
  // g(x_0) - g* if the curvatures of g along the last and the first gradient differ by 1e4.
  constexpr double tolerance = 1e-8;
  scene.solver = parse_solver(solver).settings;
  scene.solver.iterations = iterations;
  scene.solver.tolerance = tolerance;
  ConvergedStep unknown;
  unknown.positions = state.positions;
  const ConvergenceCurve curve = record_descent(scene, state, unknown, threads);
  if (curve.points.empty() || curve.status == StepStatus::non_finite) {
    throw Error(ErrorKind::non_finite, scene.name, "the step has no converged answer");
  }
  ConvergedStep reached;
  reached.start_objective = curve.points.front().objective;
  reached.objective = curve.points.back().objective;
  reached.gradient_norm = curve.points.back().gradient_norm;
  reached.iterations = curve.points.back().iteration;
  reached.converged = curve.status == StepStatus::converged || curve.status == StepStatus::stalled;
  reached.positions = curve.positions;
  return reached;
}

Problem make_problem_by_descent(const std::string& subject, const Scene& scene,
                                const SimulationState& state, int threads) {
  constexpr int far = 2000, newton_iterations = 40;
  ConvergedStep reference = descend_far(scene, state, "l_bfgs:history=20", far, threads);
  if (!reference.converged) {
    ConvergedStep other = descend_far(scene, state, "newton", newton_iterations, threads);
    if (other.objective < reference.objective) reference = std::move(other);
  }
  return {subject, "", scene, state, std::move(reference)};
}

SimulationState state_before(Scene scene, int frame, int threads) {
  scene.solver.weights = LaplacianWeights::constant;  // as published
  Simulation simulation(scene, {.threads = threads});
  for (int k = 1; k < frame; ++k) {
    const StepStatus status = simulation.step().status;
    simulation.check_step();
    if (status == StepStatus::non_finite) {
      throw Error(ErrorKind::non_finite, scene.name, fmt::format("frame {} is not finite", k));
    }
  }
  return simulation.state();
}

Descent run_trial(const Problem& problem, const Trial& trial, int repeats,
                  double enough_milliseconds, int threads) {
  Descent descent{.label = trial.label, .solver = trial.solver};
  std::vector<ConvergenceCurve> curves;
  double spent = 0;
  try {
    Scene scene = problem.scene;
    scene.solver = parse_solver(trial.solver).settings;
    scene.solver.iterations = trial.iterations;
    if (trial.stiffness_range) scene.solver.stiffness_range = *trial.stiffness_range;
    while (static_cast<int>(curves.size()) < repeats && spent <= enough_milliseconds) {
      curves.push_back(record_descent(scene, problem.state, problem.reference, threads));
      if (curves.back().points.empty()) {
        throw Error(ErrorKind::non_finite, "step", "is not finite at its start");
      }
      spent += curves.back().points.back().milliseconds + curves.back().build_milliseconds;
    }
  } catch (const Error& error) {
    descent.error = error.what();
    return descent;
  }
  descent.curve = curves.front();
  for (std::size_t k = 0; k < descent.curve.points.size(); ++k) {
    std::vector<double> times;
    for (const ConvergenceCurve& curve : curves) {
      if (k < curve.points.size()) times.push_back(curve.points[k].milliseconds);
    }
    descent.curve.points[k].milliseconds = median(times);
  }
  return descent;
}

double error_after(const Descent& descent, int iterations) {
  if (!descent.ran()) return nan;
  const auto last = static_cast<std::size_t>(std::max(iterations, 0));
  return shown(descent.curve.points[std::min(last, descent.curve.points.size() - 1)]);
}

double error_at_time(const Descent& descent, double milliseconds) {
  if (!descent.ran() || std::isnan(milliseconds)) return nan;
  double best = shown(descent.curve.points.front());
  for (const ConvergencePoint& point : descent.curve.points) {
    if (point.milliseconds <= milliseconds) best = std::min(best, shown(point));
  }
  return best;
}

double iterations_to(const Descent& descent, double error) {
  if (!descent.ran()) return nan;
  return crossing(descent, error);
}

double milliseconds_to(const Descent& descent, double error) {
  if (!descent.ran()) return nan;
  const double place = crossing(descent, error);
  if (std::isinf(place)) return place;
  // The effect of an iteration is known only when it is done, so its time has no fraction.
  return descent.curve.points[static_cast<std::size_t>(std::ceil(place))].milliseconds;
}

double milliseconds_after(const Descent& descent, int iterations) {
  if (!descent.ran()) return nan;
  const auto last = static_cast<std::size_t>(std::max(iterations, 0));
  return descent.curve.points[std::min(last, descent.curve.points.size() - 1)].milliseconds;
}

double median(std::vector<double> values) {
  if (values.empty()) return nan;
  for (const double value : values) {
    if (std::isnan(value)) return nan;
  }
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

void append_csv(std::string& text, const std::string& subject,
                const std::vector<Descent>& descents) {
  if (text.empty()) {
    text = csv_row({"subject", "solver", "iteration", "milliseconds", "objective", "gradient_norm",
                    "relative_error", "position_error"});
  }
  for (const Descent& descent : descents) {
    for (const ConvergencePoint& point : descent.curve.points) {
      text += csv_row(
          {subject, descent.label, fmt::format("{}", point.iteration),
           fmt::format("{:.4f}", point.milliseconds), fmt::format("{:.17g}", point.objective),
           fmt::format("{:.6e}", point.gradient_norm), fmt::format("{:.6e}", point.relative_error),
           fmt::format("{:.6e}", point.position_error)});
    }
  }
}

std::vector<std::string> failures(const std::string& subject,
                                  const std::vector<Descent>& descents) {
  std::vector<std::string> lines;
  for (const Descent& descent : descents) {
    if (!descent.ran()) {
      lines.push_back(fmt::format("{}, {} ({}): could not be run: {}", subject, descent.label,
                                  descent.solver, descent.error));
    }
  }
  return lines;
}

}  // namespace supple::reproduce
