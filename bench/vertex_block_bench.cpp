// How many iterations vertex block descent needs:
//   build/release/bin/supple_vertex_block_bench
// prints the table of docs/solvers.md: the difference of the result from that of Newton's method
// with 40 iterations, in percent of the latter, for the method as published and, below it, for
// plain sweeps from the inertial target ("start": "inertia", "acceleration": "none"); and
// milliseconds per frame. A star: the run warns. Writes no file.

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::Vec3;

constexpr double degree = 3.14159265358979323846 / 180;

supple::MaterialSettings material(double young) {
  const auto [mu, lambda] = supple::lame_parameters(young, 0.4);
  return {.model = "neo_hookean", .mu = mu, .lambda = lambda};
}

/// A bar of 2 m, held at one end, bends under its weight for a second; its free half is `ratio`
/// times stiffer.
Scene bar(double young, double ratio) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 60};
  supple::Body body;
  body.mesh = supple::generate(supple::BoxGenerator{.size = {2, 0.5, 0.5}, .cells = {12, 3, 3}});
  body.material = material(young);
  if (ratio != 1)
    body.regions.push_back({.box = {{0, -9, -9}, {9, 9, 9}}, .material = material(young * ratio)});
  supple::Pin pin;
  for (std::size_t i = 0; i < body.mesh.vertices.size(); ++i) {
    if (body.mesh.vertices[i][0] < -0.999) pin.vertices.push_back(static_cast<int>(i));
  }
  pin.stiffness = 1e8;
  body.pins.push_back(pin);
  scene.bodies.push_back(body);
  return scene;
}

/// A block slides down a slope with a coefficient of friction of 0.5 for a second. The slope is the
/// ground; gravity is turned.
Scene slope(double degrees, double young) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 60};
  scene.gravity = {9.81 * std::sin(degrees * degree), -9.81 * std::cos(degrees * degree), 0};
  supple::Body body;
  body.mesh = supple::generate(supple::BoxGenerator{.size = {0.5, 0.5, 0.5}, .cells = {4, 4, 4}});
  for (Vec3& x : body.mesh.vertices) x[1] += 0.25;
  body.material = material(young);
  scene.bodies.push_back(body);
  scene.colliders.push_back({"ground", supple::PlaneShape{{0, 1, 0}, 0}, {}});
  scene.contact.friction = 0.5;
  return scene;
}

/// A ball is dropped on a ball and bounces until it is highest again.
Scene drop(double young) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 50};
  supple::Body body;
  body.mesh =
      supple::generate(supple::SphereGenerator{.radius = 0.5, .cells = 6, .center = {0, 1.5, 0}});
  body.material = material(young);
  scene.bodies.push_back(body);
  scene.colliders.push_back({"ball", supple::SphereShape{{0, 0, 0}, 0.5}, {}});
  return scene;
}

struct Case {
  std::string name;
  Scene scene;
  int axis;  ///< along which the body's mean is measured
};

struct Outcome {
  double value = 0, milliseconds = 0;
  bool warns = false;
};

/// Measures how far the body's mean has moved.
Outcome run(const Case& of, const supple::SolverSettings& solver) {
  Scene scene = of.scene;
  scene.solver = solver;
  supple::Simulation simulation(scene, {.threads = 1});
  supple::RunWatch watch(scene);
  Outcome outcome;
  const auto mean = [&] {
    std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
    simulation.copy_positions(x);
    double sum = 0;
    for (std::size_t i = static_cast<std::size_t>(of.axis); i < x.size(); i += 3) sum += x[i];
    return 3 * sum / static_cast<double>(x.size());
  };
  const double before = mean();
  for (int frame = 1; frame <= scene.time.frames; ++frame) {
    const supple::StepReport report = simulation.step();
    watch.add(frame, report, simulation.energies());
    outcome.milliseconds += report.total_milliseconds / scene.time.frames;
  }
  outcome.value = mean() - before;
  outcome.warns = !watch.warnings().empty();
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    fmt::print(stderr, "{}: expected no arguments\n", argv[0]);
    return 2;
  }
  const std::vector<Case> cases = {
      {"bar, 1e5 Pa", bar(1e5, 1), 1},
      {"bar, 1e6 Pa", bar(1e6, 1), 1},
      {"bar, 1e7 Pa", bar(1e7, 1), 1},
      {"far half 1000 times stiffer", bar(2e4, 1000), 1},
      {"block slides, 1e6 Pa", slope(35, 1e6), 0},
      {"block slides, 5e6 Pa", slope(35, 5e6), 0},
      {"ball bounces, 1e5 Pa", drop(1e5), 1},
  };
  const std::vector<int> budgets = {5, 10, 20, 40, 100};
  std::string head = "| |", rule = "|---|---|";
  head += " |";
  for (const int iterations : budgets) {
    head += fmt::format(" {} |", iterations);
    rule += "---|";
  }
  fmt::print("{} ms a frame at 10 |\n{}---|\n", head, rule);
  for (const Case& own : cases) {
    supple::SolverSettings newton;
    newton.method = supple::SolverMethod::newton;
    newton.iterations = 40;
    const double right = run(own, newton).value;
    for (const bool plain : {false, true}) {
      supple::SolverSettings solver;
      solver.method = supple::SolverMethod::vertex_block_descent;
      if (plain) {
        solver.start = supple::DescentStart::inertia;
        solver.acceleration = supple::Acceleration::none;
      }
      std::string row =
          fmt::format("| {} | {} |", plain ? "" : own.name, plain ? "plain" : "published");
      double milliseconds = 0;
      for (const int iterations : budgets) {
        solver.iterations = iterations;
        const Outcome outcome = run(own, solver);
        const double error = 100 * std::abs(outcome.value - right) / std::abs(right);
        row += fmt::format(" {:.2g} %{} |", error, outcome.warns ? "\\*" : "");
        if (iterations == 10) milliseconds = outcome.milliseconds;
      }
      fmt::print("{} {:.1f} |\n", row, milliseconds);
      std::fflush(stdout);
    }
  }
  return 0;
}
