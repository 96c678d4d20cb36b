#include "studies/reproduce/liu2017/cloth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "studies/reproduce/convergence.h"
#include "studies/reproduce/csv.h"
#include "studies/reproduce/liu2017/experiments.h"
#include "studies/reproduce/motion_record.h"
#include "studies/reproduce/plots.h"
#include "supple/error.h"

namespace supple::reproduce::liu2017 {

namespace {

Scene cloth_scene(const std::string& name, const ClothGenerator& generator,
                  const SpringSettings& springs) {
  const SpringMesh mesh = generate(generator);
  Scene scene;
  scene.name = name;
  scene.gravity = {0, -10, 0};
  scene.solver.weights = LaplacianWeights::constant;  // as in the paper
  Body body;
  body.name = name;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = make_springs(mesh, springs);
  body.mass = 1;
  scene.bodies.push_back(std::move(body));
  return scene;
}

void pin(Scene& scene, std::vector<int> vertices, double stiffness) {
  Pin held;
  held.vertices = std::move(vertices);
  held.stiffness = stiffness;
  scene.bodies.front().pins.push_back(std::move(held));
}

}  // namespace

Scene hanging_cloth(const Context& context) {
  const int cells = context.pick(80, 16);
  // The corners of the square, projected, are (-5, 8, -5) and (5, -1.85, -3.26).
  Scene scene = cloth_scene("cloth",
                            {.center = {0, 3.075, -4.13},
                             .u = {10, 0, 0},
                             .v = {0, -9.85, 1.74},
                             .cells = {cells, cells}},
                            {.stiffness = 80, .shear = 80, .bending = 20});
  pin(scene, {0, cells}, 120);
  return scene;
}

Scene curtain(int cells, double stiffness, int iterations) {
  Scene scene = cloth_scene(
      "curtain", {.center = {0, 0, 0}, .u = {1, 0, 0}, .v = {0, 0, 1}, .cells = {cells, cells}},
      {.stiffness = stiffness, .shear = stiffness, .bending = stiffness});
  std::vector<int> edge(static_cast<std::size_t>(cells) + 1);
  std::iota(edge.begin(), edge.end(), 0);
  pin(scene, edge, 1e4);
  scene.solver.method = SolverMethod::quasi_newton;
  scene.solver.iterations = iterations;
  return scene;
}

void thesis_figure_5_1(Context& context, Finding& finding) {
  const int cells = context.pick(60, 12), frame = 15;
  const std::string ours = "local/global", direct = "Newton, direct", pcg = "Newton, PCG";
  finding.scene = fmt::format(
      "Frame {} of a swinging curtain of {} x {} vertices (Hooke springs). Local/global is "
      "Projective Dynamics, which on springs is the descent with M/h^2 + L and whole steps.",
      frame, cells + 1, cells + 1);
  ConvergenceStudy what;
  what.trials = {{ours, "projective_dynamics", 100},
                 {direct, "newton", 40},
                 {pcg,
                  "newton:linear_solver=cg,linear_iterations=100,"
                  "preconditioner=incomplete_cholesky",
                  40}};
  what.shown_iterations = 100;
  what.tests = {
      {"Newton's method gets to the exact answer in few iterations, local/global only at a linear "
       "rate.",
       {"iterations to a relative error of 1e-8, Newton over local/global", Relation::below, 0.5},
       [=](const Curves& curves) { return curves.iterations_ratio(direct, ours, 1e-8); }},
      {"Ten iterations of local/global have a smaller error than one of Newton's method ...",
       {"relative error, local/global over Newton", Relation::below, 1},
       [=](const Curves& curves) {
         return error_ratio(ours, error_after(curves[ours], 10), direct,
                            error_after(curves[direct], 1));
       }},
      {"... and take less time, even with PCG in Newton's method.",
       {"time, ten of local/global over one of Newton with PCG", Relation::below, 1},
       [=](const Curves& curves) {
         return ratio(ours, milliseconds_after(curves[ours], 10), pcg,
                      milliseconds_after(curves[pcg], 1), "ms");
       }},
      {"Here PCG is much faster than a sparse direct solver.",
       {"time to a relative error of 1e-6, PCG over direct", Relation::below, 0.5},
       [=](const Curves& curves) { return curves.time_ratio(pcg, direct, 1e-6); }}};
  finding.claims = claims_of(what.tests);
  const int threads = context.settings().threads;
  context.working("frames before");
  // 500 N/m at 20 cells a side, proportional to the resolution as in thesis Figure 5.3.
  const Scene scene = curtain(cells, 25.0 * cells, 10);
  const SimulationState state = state_before(scene, frame, threads);
  context.working("converged answer");
  study(context, what, make_problem_by_descent("curtain", scene, state, threads), finding);
}

namespace {

/// Mean over frames of the relative error of each iteration.
struct MeanCurve {
  std::string label;
  std::vector<double> errors;
};

MeanCurve mean_curve(Context& context, const std::string& label, const Scene& scene, int frames,
                     int every, int iterations) {
  const int threads = context.settings().threads;
  MeanCurve mean{label, std::vector<double>(static_cast<std::size_t>(iterations) + 1, 0)};
  Simulation simulation(scene, {.threads = threads});
  int count = 0;
  for (int frame = 1; frame <= frames; ++frame) {
    if (frame % every == 0) {
      context.working(fmt::format("{}, frame {}", label, frame));
      const Problem problem = make_problem_by_descent(label, scene, simulation.state(), threads);
      const Descent descent =
          run_trial(problem, {label, "projective_dynamics", iterations}, 1, 0, threads);
      if (!descent.ran()) throw Error(ErrorKind::invalid_input, descent.solver, descent.error);
      for (int k = 0; k <= iterations; ++k) {
        mean.errors[static_cast<std::size_t>(k)] += error_after(descent, k);
      }
      ++count;
    }
    simulation.step();
    simulation.check_step();
  }
  for (double& error : mean.errors) error /= count;
  return mean;
}

Figure mean_plot(const std::string& caption, const std::vector<MeanCurve>& curves) {
  std::vector<Line> lines;
  for (const MeanCurve& curve : curves) {
    Line line{.label = curve.label, .x = {}, .y = curve.errors};
    line.x.resize(line.y.size());
    std::iota(line.x.begin(), line.x.end(), 0.0);
    lines.push_back(std::move(line));
  }
  return line_plot(caption, {.x = "iteration", .y = "mean relative error", .log_y = true}, lines);
}

double at(const MeanCurve& curve, int iteration) {
  return curve.errors[static_cast<std::size_t>(iteration)];
}

void add_rows(std::string& csv, const std::string& varied, const std::vector<MeanCurve>& curves) {
  for (const MeanCurve& curve : curves) {
    for (std::size_t k = 0; k < curve.errors.size(); ++k) {
      csv += csv_row(
          {varied, curve.label, fmt::format("{}", k), fmt::format("{:.6e}", curve.errors[k])});
    }
  }
}

}  // namespace

void thesis_figure_5_3(Context& context, Finding& finding) {
  const int frames = context.pick(50, 10), every = 5, iterations = 50;
  const int cells = context.pick(20, 8);
  finding.scene = fmt::format(
      "The swinging curtain (1 m x 1 m, 1 kg); relative error of local/global against iterations, "
      "averaged over every {}th of {} frames. Left: {} vertices, stiffness varied. Right: "
      "resolution varied, stiffness in proportion to it.",
      every, frames, (cells + 1) * (cells + 1));
  finding.claims = {
      {"Stiffer springs converge more slowly.",
       {"mean error after 10 iterations, each stiffness over the next softer one: the smallest",
        Relation::above, 1},
       {}},
      {"The first iterations reduce the error fast, later ones are less effective.",
       {"factor by which an iteration reduces the error, iterations 1 to 5 over 20 to 40: the "
        "largest of all curves",
        Relation::below, 1},
       {}}};
  std::vector<MeanCurve> stiffness, resolution;
  const std::vector<double> values =
      context.quick() ? std::vector<double>{100, 1600} : std::vector<double>{100, 400, 1600, 6400};
  for (const double k : values) {
    stiffness.push_back(mean_curve(context, fmt::format("{} N/m", k), curtain(cells, k, 10), frames,
                                   every, iterations));
  }
  const std::vector<int> sizes =
      context.quick() ? std::vector<int>{4, 8} : std::vector<int>{10, 20, 40, 60};
  for (const int n : sizes) {
    resolution.push_back(mean_curve(context, fmt::format("{} x {}", n + 1, n + 1),
                                    curtain(n, 25.0 * n, 10), frames, every, iterations));
  }
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  std::string errors;
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    errors += fmt::format("{}{}: {}", i > 0 ? ", " : "", stiffness[i].label,
                          number(at(stiffness[i], 10)));
    if (i > 0) smallest = std::min(smallest, at(stiffness[i], 10) / at(stiffness[i - 1], 10));
  }
  std::string factors;
  for (const auto* curves : {&stiffness, &resolution}) {
    for (const MeanCurve& curve : *curves) {
      const double early = std::pow(at(curve, 5) / at(curve, 0), 1.0 / 5);
      const double late = std::pow(at(curve, 40) / at(curve, 20), 1.0 / 20);
      factors += fmt::format("{}{}: {:.2f} and {:.2f}", factors.empty() ? "" : ", ", curve.label,
                             early, late);
      largest = std::max(largest, early / late);
    }
  }
  finding.claims[0].measure("curtain", smallest, errors);
  finding.claims[1].measure("curtain", largest, factors);
  finding.figures = {mean_plot("stiffness varied", stiffness),
                     mean_plot("resolution varied", resolution)};
  finding.data.push_back({"mean_errors.csv", csv_row({"varied", "value", "iteration", "error"})});
  add_rows(finding.data[0].content, "stiffness", stiffness);
  add_rows(finding.data[0].content, "resolution", resolution);
}

namespace {

/// How wrinkled a cloth is: the distance between an inner vertex and the mean of its four
/// neighbours, rms over these vertices, over the length of a cell.
double wrinkles(const std::vector<double>& x, int cells, double length) {
  double sum = 0;
  int count = 0;
  const auto place = [&](int i, int j) {
    return 3 * static_cast<std::size_t>(j * (cells + 1) + i);
  };
  for (int j = 1; j < cells; ++j) {
    for (int i = 1; i < cells; ++i, ++count) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double mean = 0.25 * (x[place(i - 1, j) + k] + x[place(i + 1, j) + k] +
                                    x[place(i, j - 1) + k] + x[place(i, j + 1) + k]);
        sum += (x[place(i, j) + k] - mean) * (x[place(i, j) + k] - mean);
      }
    }
  }
  return std::sqrt(sum / count) / length;
}

double rms_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));
}

}  // namespace

void figure_10(Context& context, Finding& finding) {
  const int cells = context.pick(60, 16), frames = context.pick(60, 15);
  const int converged_iterations = context.pick(300, 60);
  finding.scene = fmt::format(
      "A cloth of {} x {} vertices that falls from level, held at two corners of one side; 10 "
      "iterations a frame of Projective Dynamics with and without L-BFGS, held against L-BFGS with "
      "{}, {} frames. How wrinkled it is: the rms distance of a vertex from the mean of its four "
      "neighbours, over the length of a cell.",
      cells + 1, cells + 1, converged_iterations, frames);
  finding.claims = {
      {"With L-BFGS the wrinkles are more realistic: they are nearer to those of the converged "
       "simulation.",
       {"distance of the wrinkle measure from the converged one's, mean over the frames, with over "
        "without L-BFGS",
        Relation::below, 1},
       {}},
      {"So is the whole shape.",
       {"rms distance to the converged simulation, mean over the frames, with over without L-BFGS",
        Relation::below, 1},
       {}}};
  Scene scene = curtain(cells, 25.0 * cells, 10);
  scene.bodies.front().pins.clear();
  pin(scene, {0, cells}, 1e4);
  scene.solver.method = SolverMethod::projective_dynamics;
  const MotionRecord plain = record_motion(context, scene, frames, "without L-BFGS");
  scene.solver.method = SolverMethod::l_bfgs;
  const MotionRecord ours = record_motion(context, scene, frames, "with L-BFGS");
  scene.solver.iterations = converged_iterations;
  const MotionRecord converged = record_motion(context, scene, frames, "converged");
  double wrinkle_error[2] = {0, 0}, distance[2] = {0, 0};
  Line lines[3] = {{"converged", {}, {}}, {"with L-BFGS", {}, {}}, {"without L-BFGS", {}, {}}};
  const MotionRecord* const records[3] = {&converged, &ours, &plain};
  std::string csv = csv_row({"simulation", "frame", "wrinkles", "distance"});
  for (int frame = 1; frame <= frames; ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    double measure[3];
    for (int i = 0; i < 3; ++i) {
      measure[i] = wrinkles(records[i]->positions.at(k), cells, 1.0 / cells);
      lines[i].x.push_back(frame);
      lines[i].y.push_back(measure[i]);
      const double apart = rms_distance(records[i]->positions[k], converged.positions[k]);
      csv += csv_row({lines[i].label, fmt::format("{}", frame), fmt::format("{:.6e}", measure[i]),
                      fmt::format("{:.6e}", apart)});
      if (i == 0) continue;
      wrinkle_error[i - 1] += std::abs(measure[i] - measure[0]) / frames;
      distance[i - 1] += apart / frames;
    }
  }
  const Measured wrinkle = ratio("with", wrinkle_error[0], "without", wrinkle_error[1]);
  const Measured apart = ratio("with", distance[0], "without", distance[1], "m");
  finding.claims[0].measure("cloth", wrinkle.value, wrinkle.text);
  finding.claims[1].measure("cloth", apart.value, apart.text);
  finding.figures.push_back(motion_figure(context, "the cloth", {&converged, &ours, &plain},
                                          {"converged", "with L-BFGS", "without"},
                                          {frames / 4, frames / 2, frames}));
  finding.figures.push_back(line_plot("how wrinkled the cloth is",
                                      {.x = "frame", .y = "wrinkle measure"},
                                      {lines[0], lines[1], lines[2]}));
  finding.data.push_back({"wrinkles.csv", csv});
}

}  // namespace supple::reproduce::liu2017
