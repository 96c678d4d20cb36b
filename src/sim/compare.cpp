#include "supple/compare.h"

#include <cmath>
#include <memory>

#include "base/refuse.h"
#include "base/stopwatch.h"
#include "descent/laplacian.h"
#include "sim/running_scene.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Newton's method needs fewer, unless contacts or a clamped Hessian make it creep.
constexpr int max_newton_iterations = 500;

/// The first substep after a state, ready to be minimised.
class Step {
 public:
  Step(const Scene& scene, const SimulationState& from, int threads)
      : scene_(scene, {.threads = threads}, RunningScene::Begin::to_be_posed),
        posed_(pose(from)),
        minimiser_(scene_.model().num_vertices) {}

  const Model& model() const { return scene_.model(); }
  ContactEnergy* contact() const { return posed_.contact; }
  Objective& objective() { return posed_.objective; }
  double inverse_a2() const { return posed_.setup.inverse_a2(); }

  Threads& threads() { return posed_.threads; }

  /// y and x_0 of the scene's own solver, m.
  const VectorField& target() const { return posed_.setup.target(); }
  const VectorField& start() const { return posed_.start; }

  /// Minimises from z on.
  MinimiseReport minimise(Direction& direction, const SolverSettings& settings, VectorField& z,
                          const MinimiseOptions& options = {}) {
    return minimiser_.run(posed_.objective, direction, settings, z, options);
  }

  MinimiseReport project(PositionSolver& solver, const SolverSettings& settings, VectorField& z,
                         const MinimiseOptions& options) {
    PositionRun run;
    return run.run(posed_.objective, solver, posed_.step, settings, true, z, options);
  }

  /// In scene order: [num_vertices * 3].
  std::vector<double> unpadded(const VectorField& z) const {
    std::vector<double> positions(3 * z.size());
    scene_.numbering().unpad_to_scene(z, positions);
    return positions;
  }

  /// Root mean square over the vertices of |z - x*|, m; reference: in scene order.
  double rms_distance(const VectorField& z, const std::vector<double>& reference) const {
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const PaddedVector& own =
          z[static_cast<std::size_t>(scene_.numbering().to_model(static_cast<int>(i)))];
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = own.v[k] - reference[3 * i + k];
        sum += d * d;
      }
    }
    return std::sqrt(sum / static_cast<double>(z.size()));
  }

 private:
  RunningScene::Posed pose(const SimulationState& from) {
    const TimeIntegrator integrator = scene_.scene().time.integrator;
    require(!is_explicit(integrator), "/time/integrator",
            std::string(to_string(integrator)) + " solves nothing: there is no descent to compare");
    scene_.set_state(from);
    return scene_.pose();
  }

  RunningScene scene_;
  RunningScene::Posed posed_;
  Minimiser minimiser_;
};

/// Records iterates; its own time does not count.
class Recorder {
 public:
  Recorder(const Step& step, const ConvergedStep& reference, ConvergenceCurve& curve)
      : step_(step), reference_(reference), curve_(curve) {}

  void operator()(int iteration, const Iterate& at, double gradient_norm) {
    milliseconds_ += watch_.milliseconds();
    const double range = reference_.start_objective - reference_.objective;
    curve_.points.push_back(
        {.iteration = iteration,
         .milliseconds = milliseconds_,
         .objective = at.value,
         .gradient_norm = gradient_norm,
         .relative_error = range > 0 ? (at.value - reference_.objective) / range : 0,
         .position_error =
             step_.rms_distance(at.x, reference_.positions) / step_.model().diagonal_length});
    watch_ = Stopwatch();
  }

 private:
  const Step& step_;
  const ConvergedStep& reference_;
  ConvergenceCurve& curve_;
  Stopwatch watch_;
  double milliseconds_ = 0;
};

}  // namespace

ConvergedStep solve_converged(const Scene& scene, const SimulationState& state, int threads) {
  check_settings(scene);
  require(
      !separates(scene), "/bodies",
      "bodies that tear or are cut have no one mesh to compare on; expected neither tearing nor "
      "blades");
  if (const auto fault = find_material_fault(scene, SolverMethod::newton)) {
    throw Error(ErrorKind::invalid_input, fault->where,
                "there is no converged answer by energies: " + fault->message);
  }
  Step step(scene, state, threads);
  SolverSettings settings;
  settings.method = SolverMethod::newton;
  settings.iterations = max_newton_iterations;
  const std::unique_ptr<Direction> newton =
      make_direction(step.model(), settings, step.inverse_a2());
  VectorField z = step.target();
  ConvergedStep converged;
  const MinimiseReport report =
      step.minimise(*newton, settings, z, {.visit = [&](int k, const Iterate& at, double) {
        if (k == 0) converged.start_objective = at.value;
      }});
  if (report.status == StepStatus::non_finite) {
    throw Error(ErrorKind::non_finite, "step",
                "Newton's method meets an energy that is not finite: there is no converged answer");
  }
  converged.objective = report.value;
  converged.gradient_norm = report.gradient_norm;
  converged.iterations = report.iterations;
  converged.converged = report.status == StepStatus::stalled ||
                        report.gradient_norm <= 1e-12 * report.start_gradient_norm;
  converged.positions = step.unpadded(z);
  return converged;
}

ConvergenceCurve record_descent(const Scene& scene, const SimulationState& state,
                                const ConvergedStep& reference, int threads) {
  check_settings(scene);
  require(
      !separates(scene), "/bodies",
      "bodies that tear or are cut have no one mesh to compare on; expected neither tearing nor "
      "blades");
  Step step(scene, state, threads);
  if (reference.positions.size() != 3 * static_cast<std::size_t>(step.model().num_vertices)) {
    throw Error(ErrorKind::invalid_input, "reference", "is the answer of another scene");
  }
  ConvergenceCurve curve;
  curve.points.reserve(static_cast<std::size_t>(scene.solver.iterations) + 1);
  curve.label = to_string(scene.solver.method);
  curve.energy_scale = step.objective().energy_scale();
  const SolverSettings& solver = scene.solver;
  std::unique_ptr<Direction> direction;
  std::unique_ptr<PositionSolver> position_solver;
  const Stopwatch build;
  if (is_position_based(solver.method)) {
    position_solver = make_position_solver(step.model(), step.contact(), solver);
  } else {
    direction = make_direction(step.model(), solver, step.inverse_a2());
  }
  curve.build_milliseconds = build.milliseconds();
  if (Laplacian* const matrix = direction ? direction->constant_matrix() : nullptr) {
    matrix->set_memory({state.weights, state.weights_spent, state.weights_worked}, step.model(),
                       step.threads());
  }
  VectorField z = step.start();
  const MinimiseOptions options{.visit = Recorder(step, reference, curve)};
  const MinimiseReport report = position_solver ? step.project(*position_solver, solver, z, options)
                                                : step.minimise(*direction, solver, z, options);
  curve.status = report.status;
  curve.evaluations = step.objective().num_evaluations();
  curve.positions = step.unpadded(z);
  return curve;
}

Comparison compare_solvers(const Scene& scene, const SimulationState& state,
                           std::span<const LabelledSolver> solvers, const CompareOptions& options) {
  const int total = static_cast<int>(solvers.size()) + 1;
  const auto report = [&](int done, const std::string& label) {
    if (options.progress) options.progress(done, total, label);
  };
  // Refuse what cannot run before anything is computed.
  for (const LabelledSolver& solver : solvers) {
    try {
      check_solver(solver.settings);
    } catch (const Error& error) {
      throw Error(error.kind(), solver.label + ": " + error.where(), error.message());
    }
  }
  Comparison comparison;
  report(0, "newton, converged");
  comparison.reference = solve_converged(scene, state, options.threads);
  for (const LabelledSolver& solver : solvers) {
    report(static_cast<int>(comparison.curves.size()) + 1, solver.label);
    Scene own = scene;
    own.solver = solver.settings;
    own.solver.iterations = options.iterations;
    own.solver.tolerance = 0;
    own.solver.budget_ms = 0;
    try {
      comparison.curves.push_back(
          record_descent(own, state, comparison.reference, options.threads));
    } catch (const Error& error) {
      throw Error(error.kind(), solver.label + ": " + error.where(), error.message());
    }
    comparison.curves.back().label = solver.label;
  }
  report(total, "");
  return comparison;
}

}  // namespace supple
