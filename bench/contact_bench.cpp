// What contact costs, and how fast steps with it converge:
//   build/release/bin/supple_contact_bench times SCENE [first last threads]
// runs a scene to frame `last`, five times; from frame `first` on, it also takes each step from the
// same state without colliders. Prints medians of the processor's milliseconds with and without
// colliders, and of their ratio.
//   build/release/bin/supple_contact_bench errors SCENE FRAME... [SOLVER] [bare]
// prints how many iterations and milliseconds the scene's solver, or SOLVER, needs in these frames
// on one thread to reach relative errors of 1e-3 and 1e-6, measured against the best of its own end
// and that of 1,000 iterations of L-BFGS(20); and the evaluations of a hundred iterations. bare:
// without colliders, from the same states.
//   build/release/bin/supple_contact_bench pile [soft|barrier]
// prints the same for L-BFGS in frames 5, 8 and 12 of 45 blocks that fall onto each other and rub,
// from the states that Newton's method reaches.
//   build/release/bin/supple_contact_bench grounds [threads]
// lets sheets and slabs fall flat on a floor, a ball and a sheet on a height field, and a sheet and
// a slab on a sphere, by L-BFGS and by Newton's method with ten iterations. Prints the most
// contacts, and medians of the milliseconds of the frames in which anything touches, and the most.
// Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "supple/compare.h"
#include "supple/io.h"
#include "supple/supple.h"

namespace {

using supple::Scene;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Processor time of all threads of this process: other programs do not count.
double processor_milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int times(Scene scene, int first, int last, int threads) {
  constexpr int repeats = 5;
  struct Frame {
    std::vector<double> with, without, ratio, local, solve, contact;
    supple::StepReport report;
  };
  std::vector<Frame> frames(static_cast<std::size_t>(last - first + 1));
  Scene bare = scene;
  bare.colliders.clear();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    supple::Simulation simulation(scene, {.threads = threads});
    supple::Simulation free(bare, {.threads = threads});
    for (int k = 1; k <= last; ++k) {
      const supple::SimulationState state = simulation.state();
      const double begin = processor_milliseconds();
      const supple::StepReport report = simulation.step();
      const double with = processor_milliseconds() - begin;
      if (k < first) continue;
      free.set_state(state);
      const double free_begin = processor_milliseconds();
      free.step();
      const double without = processor_milliseconds() - free_begin;
      Frame& own = frames[static_cast<std::size_t>(k - first)];
      own.report = report;
      own.with.push_back(with);
      own.without.push_back(without);
      own.ratio.push_back(with / without);
      own.local.push_back(report.local_milliseconds);
      own.solve.push_back(report.solve_milliseconds);
      own.contact.push_back(report.contact_milliseconds);
    }
  }
  fmt::print("{:>6}{:>10}{:>12}{:>13}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}\n", "frame", "contacts",
             "iterations", "evaluations", "local", "solve", "contact", "ms", "without", "ratio");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame& own = frames[i];
    fmt::print("{:>6}{:>10}{:>12}{:>13}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}{:>8.2f}\n",
               first + static_cast<int>(i), own.report.contacts, own.report.iterations,
               own.report.evaluations, median(own.local), median(own.solve), median(own.contact),
               median(own.with), median(own.without), median(own.ratio));
    ratios.push_back(median(own.ratio));
  }
  fmt::print("median ratio {:.2f}\n", median(ratios));
  return 0;
}

struct Reached {
  int iterations = -1;
  double milliseconds = 0;
};

Reached reached(const supple::ConvergenceCurve& curve, double g_start, double g_end, double error) {
  for (const supple::ConvergencePoint& point : curve.points) {
    if ((point.objective - g_end) <= error * (g_start - g_end)) {
      return {point.iteration, point.milliseconds};
    }
  }
  return {};
}

int errors(const Scene& scene, std::span<const int> frames, bool is_bare,
           const std::string& solver) {
  fmt::print("{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}{:>8}{:>10}{:>8}{:>10}{:>13}{:>16}\n", "frame",
             "at 5", "at 10", "at 20", "at 40", "at 60", "1e-3", "ms", "1e-6", "ms", "evaluations",
             "g*");
  supple::Simulation simulation(scene, {.threads = 1});
  int done = 0;
  for (const int frame : frames) {
    for (; done + 1 < frame; ++done) simulation.step();
    const supple::SimulationState state = simulation.state();
    supple::ConvergedStep unknown;
    unknown.positions = state.positions;
    Scene far = scene;
    if (is_bare) far.colliders.clear();
    far.solver.method = supple::SolverMethod::l_bfgs;
    far.solver.history = 20;
    far.solver.iterations = 1000;
    const supple::ConvergenceCurve long_one = record_descent(far, state, unknown, 1);
    Scene own = scene;
    if (is_bare) own.colliders.clear();
    if (!solver.empty()) own.solver = supple::parse_solver(solver).settings;
    own.solver.iterations = 100;
    const supple::ConvergenceCurve curve = record_descent(own, state, unknown, 1);
    const double start = curve.points.front().objective;
    const double end = std::min(curve.points.back().objective, long_one.points.back().objective);
    const auto error_at = [&](std::size_t k) {
      const std::size_t place = std::min(k, curve.points.size() - 1);
      return (curve.points[place].objective - end) / (start - end);
    };
    const Reached coarse = reached(curve, start, end, 1e-3),
                  fine = reached(curve, start, end, 1e-6);
    fmt::print(
        "{:>6}{:>10.1e}{:>10.1e}{:>10.1e}{:>10.1e}{:>10.1e}{:>8}{:>10.1f}{:>8}{:>10.1f}{:>13}"
        "{:>16.9g}\n",
        frame, error_at(5), error_at(10), error_at(20), error_at(40), error_at(60),
        coarse.iterations, coarse.milliseconds, fine.iterations, fine.milliseconds,
        curve.evaluations, end);
    std::fflush(stdout);
  }
  return 0;
}

/// A square sheet of springs, 1 m wide, 5 cm above the floor.
supple::Body sheet(int cells, double height) {
  const supple::SpringMesh mesh = supple::generate(supple::ClothGenerator{
      .center = {0, height, 0}, .u = {1, 0, 0}, .v = {0, 0, -1}, .cells = {cells, cells}});
  supple::Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = supple::make_springs(mesh, {50, 50, 5});
  body.density = 0.2;
  return body;
}

supple::Body flesh(supple::TetMesh mesh) {
  supple::Body body{.mesh = std::move(mesh)};
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  return body;
}

/// Five layers of nine blocks of 384 tets, each layer shifted by half a block.
Scene pile(supple::ContactMode mode) {
  Scene scene;
  scene.colliders = {{"ground", supple::PlaneShape{}, {}}};
  scene.time.step = 1.0 / 30;
  scene.contact.mode = mode;
  scene.contact.friction = 0.3;
  scene.solver.method = supple::SolverMethod::newton;
  scene.solver.iterations = 15;
  for (int i = 0; i < 45; ++i) {
    const int layer = i / 9, row = i / 3 % 3, column = i % 3;
    const double shift = layer % 2 == 0 ? 0 : 0.25, jitter = 0.004 * (i * 7 % 5);
    scene.bodies.push_back(flesh(supple::generate(
        supple::BoxGenerator{.size = {0.5, 0.5, 0.5},
                             .cells = {4, 4, 4},
                             .center = {0.55 * column + shift + jitter, 0.26 + 0.53 * layer,
                                        0.55 * row + shift - jitter}})));
  }
  return scene;
}

/// Hills of 25 cm with stones of 10 cm, 12 m wide.
supple::HeightFieldShape hills() {
  constexpr int n = 40;
  supple::HeightFieldShape field{.nx = n, .nz = n, .cell = 0.3};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double stone = 0.1 * std::sin(12.9 * i + 78.2 * j);
      field.heights.push_back(0.25 * std::sin(0.7 * i) * std::cos(0.5 * j) + stone);
    }
  }
  return field;
}

int grounds(int threads) {
  struct Case {
    std::string name;
    supple::Body body;
    supple::ColliderShape ground;
  };
  std::vector<Case> cases;
  for (const int cells : {20, 40, 80}) {
    cases.push_back(
        {fmt::format("sheet of {} x {}", cells, cells), sheet(cells, 0.05), supple::PlaneShape{}});
  }
  for (const int cells : {16, 24, 40}) {
    cases.push_back(
        {fmt::format("slab of {} x {} x {}", cells, cells / 4, cells),
         flesh(supple::generate(supple::BoxGenerator{
             .size = {2, 0.4, 2}, .cells = {cells, cells / 4, cells}, .center = {0, 0.25, 0}})),
         supple::PlaneShape{}});
  }
  cases.push_back({"ball on hills",
                   flesh(supple::generate(
                       supple::SphereGenerator{.radius = 0.5, .cells = 12, .center = {0, 1.2, 0}})),
                   hills()});
  cases.push_back({"sheet of 40 x 40 on hills", sheet(40, 0.6), hills()});
  cases.push_back({"sheet of 40 x 40 on a sphere", sheet(40, 0.05),
                   supple::SphereShape{.center = {0, -0.6, 0}, .radius = 0.6}});
  cases.push_back({"slab of 40 x 10 x 40 on a sphere", cases[5].body,
                   supple::SphereShape{.center = {0, -10, 0}, .radius = 10}});
  fmt::print("{:<33}{:>10}{:>10}{:>12}{:>10}{:>12}{:>10}\n", "", "vertices", "contacts",
             "l_bfgs, ms", "most", "newton, ms", "most");
  for (const Case& own : cases) {
    fmt::print("{:<33}{:>10}", own.name, own.body.mesh.vertices.size());
    for (const auto method : {supple::SolverMethod::l_bfgs, supple::SolverMethod::newton}) {
      Scene scene;
      scene.bodies = {own.body};
      scene.colliders = {{"ground", own.ground, {}}};
      scene.time.step = 1.0 / 60;
      scene.solver.method = method;
      supple::Simulation simulation(scene, {.threads = threads});
      std::vector<double> touching;
      int contacts = 0;
      for (int frame = 0; frame < 60; ++frame) {
        const supple::StepReport report = simulation.step();
        if (report.contacts == 0) continue;
        touching.push_back(report.total_milliseconds);
        contacts = std::max(contacts, report.contacts);
      }
      if (method == supple::SolverMethod::l_bfgs) fmt::print("{:>10}", contacts);
      const double most =
          touching.empty() ? 0 : *std::max_element(touching.begin(), touching.end());
      fmt::print("{:>12.1f}{:>10.1f}", median(touching), most);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  return 0;
}

int run(std::span<const std::string> arguments) {
  if (!arguments.empty() && arguments[0] == "grounds") {
    return grounds(arguments.size() > 1 ? std::atoi(arguments[1].c_str()) : 1);
  }
  if (!arguments.empty() && arguments[0] == "pile") {
    const std::string mode = arguments.size() > 1 ? arguments[1] : "soft";
    return errors(pile(supple::from_string<supple::ContactMode>(mode)), std::array{5, 8, 12}, false,
                  "l_bfgs");
  }
  if (arguments.size() < 2) return 2;
  std::vector<int> numbers;
  bool is_bare = false;
  std::string solver;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "bare") {
      is_bare = true;
      continue;
    }
    if (std::isalpha(arguments[i][0])) {
      solver = arguments[i];
      continue;
    }
    numbers.push_back(std::atoi(arguments[i].c_str()));
  }
  const Scene scene = supple::load_scene(arguments[1]);
  if (arguments[0] == "errors") return errors(scene, numbers, is_bare, solver);
  const auto number = [&](std::size_t i, int otherwise) {
    return i < numbers.size() ? numbers[i] : otherwise;
  };
  return times(scene, number(0, 12), number(1, 45), number(2, 1));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "supple_contact_bench: {}\n", error.what());
    return 1;
  }
}
