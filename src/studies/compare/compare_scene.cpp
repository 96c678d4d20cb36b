#include "studies/compare/compare_scene.h"

#include <fmt/format.h>

#include <set>

#include "base/stopwatch.h"
#include "io/exports/atomic_file.h"
#include "studies/compare/compare_report.h"
#include "studies/compare/convergence_plot.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {

namespace {

/// A field of a CSV file [RFC 4180]: quoted if it contains a character that separates fields.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void check(const CompareSceneOptions& options) {
  if (options.frame < 1) {
    throw Error(ErrorKind::invalid_input, "--frame", "expected a frame from 1");
  }
  if (options.solvers.empty()) {
    throw Error(ErrorKind::invalid_input, "--solver", "there is no solver to compare");
  }
  std::set<std::string> labels;
  for (const LabelledSolver& solver : options.solvers) {
    if (!labels.insert(solver.label).second) {
      throw Error(ErrorKind::invalid_input, "--solver", solver.label + " is given twice");
    }
  }
}

/// The state after frames 1 to N - 1, simulated with the scene's own solver.
SimulationState state_before(const LoadedScene& loaded, const CompareSceneOptions& options,
                             const CompareObserver& observer) {
  Simulation simulation(loaded.scene, {.threads = options.threads});
  for (int frame = 1; frame < options.frame; ++frame) {
    const StepStatus status = simulation.step().status;
    simulation.check_step();
    if (status == StepStatus::non_finite) {
      throw Error(ErrorKind::non_finite, options.scene_file,
                  fmt::format("frame {} became non-finite: there is no frame {} to compare", frame,
                              options.frame));
    }
    if (observer.frame_done) observer.frame_done(frame);
  }
  return simulation.state();
}

}  // namespace

std::string convergence_csv(const Comparison& comparison) {
  std::string text =
      "solver,iteration,milliseconds,objective,gradient_norm,relative_error,position_error\n";
  for (const ConvergenceCurve& curve : comparison.curves) {
    const std::string label = csv_field(curve.label);
    for (const ConvergencePoint& point : curve.points) {
      text += fmt::format("{},{},{:.4f},{},{},{},{}\n", label, point.iteration, point.milliseconds,
                          point.objective, point.gradient_norm, point.relative_error,
                          point.position_error);
    }
  }
  return text;
}

CompareSceneResult compare_scene(const LoadedScene& loaded, const CompareSceneOptions& options,
                                 const CompareObserver& observer) {
  const Stopwatch watch;
  check(options);
  CompareSceneResult result;
  const SimulationState state = state_before(loaded, options, observer);
  result.comparison = compare_solvers(
      loaded.scene, state, options.solvers,
      {.iterations = options.iterations, .threads = options.threads, .progress = observer.solver});
  make_folder(options.folder);
  const auto write = [&](const std::string& name, std::string_view content) {
    write_file(options.folder / name, content);
    result.files.push_back(name);
  };
  write("convergence.csv", convergence_csv(result.comparison));
  const plot::Figure figure =
      convergence_figure(loaded.scene.name, options.frame, result.comparison);
  write("convergence.svg", plot::svg_text(figure));
  const std::vector<unsigned char> png = plot::png_bytes(figure);
  write("convergence.png", {reinterpret_cast<const char*>(png.data()), png.size()});
  write("compare.json", compare_report(loaded, options, result.comparison));
  result.wall_seconds = 1e-3 * watch.milliseconds();
  return result;
}

}  // namespace supple
