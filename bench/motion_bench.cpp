// Error against time over a whole motion: a bar of 0.4 m with 10,368 tets whose ends turn by two
// degrees a frame in opposite senses, 90 frames of 1/30 s. The error is the rms distance of all
// positions of all frames from the converged motion, over the bar's length; the time is the median
// over frames. Prints a table and writes no file:
//   build/release/bin/supple_motion_bench [filter [material [poisson [threads [stiffer]]]]]
// filter: methods whose name contains it; stiffer: factor on Young's modulus of 5e5 Pa.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::Simulation;
using supple::SolverSettings;

constexpr double length = 0.4;  // m
constexpr int num_frames = 90;

Scene turned_bar(const std::string& material, double poisson, double stiffer) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.time.step = 1.0 / 30;
  supple::Body body;
  body.mesh = supple::generate(
      supple::BoxGenerator{.size = {length, 0.05, 0.05}, .cells = {48, 6, 6}, .tets_per_cell = 6});
  body.density = 1000;
  body.material.model = material;
  const auto [mu, lambda] = supple::lame_parameters(5e5 * stiffer, poisson);
  body.material.mu = mu;
  body.material.lambda = lambda;
  for (const double side : {-1.0, 1.0}) {
    supple::Pin pin;
    pin.box = {{side * 0.2 - 1e-4, -1, -1}, {side * 0.2 + 1e-4, 1, 1}};
    pin.motion.rotate = supple::Rotation{{1, 0, 0}, {0, 0, 0}, side * 60};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

struct Motion {
  std::vector<double> positions;  // of all frames
  double milliseconds = 0;        // median over frames
  double worst = 0;               // 99th percentile
  double iterations = 0;          // mean over frames
  int non_finite = 0;             // frames
};

Motion simulate(const Scene& scene, int threads) {
  Simulation simulation(scene, {.threads = threads});
  const auto size = 3 * static_cast<std::size_t>(simulation.num_vertices());
  Motion motion;
  motion.positions.resize(size * num_frames);
  std::vector<double> times;
  for (std::size_t frame = 0; frame < num_frames; ++frame) {
    const supple::StepReport report = simulation.step();
    times.push_back(report.total_milliseconds);
    motion.iterations += report.iterations / static_cast<double>(num_frames);
    if (report.status == supple::StepStatus::non_finite) ++motion.non_finite;
    simulation.copy_positions(std::span(&motion.positions[frame * size], size));
  }
  std::sort(times.begin(), times.end());
  motion.milliseconds = times[times.size() / 2];
  motion.worst = times[times.size() * 99 / 100];
  return motion;
}

double rms_distance(const Motion& a, const Motion& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    sum += (a.positions[i] - b.positions[i]) * (a.positions[i] - b.positions[i]);
  }
  return std::sqrt(3 * sum / static_cast<double>(a.positions.size())) / length;
}

struct Method {
  std::string name;
  SolverSettings settings;
  std::vector<int> iterations;
};

std::vector<Method> methods() {
  std::vector<Method> list;
  const auto add = [&](const std::string& name, std::vector<int> iterations) -> SolverSettings& {
    list.push_back({name, {}, std::move(iterations)});
    return list.back().settings;
  };
  add("l_bfgs", {1, 2, 4, 5, 10, 16, 20, 40, 90});
  add("l_bfgs, history 10", {10, 20, 40, 90}).history = 10;
  add("l_bfgs warped_rest", {1, 5, 10}).initial_hessian = supple::InitialHessian::warped_rest;
  add("l_bfgs frame", {1, 3, 5}).initial_hessian = supple::InitialHessian::frame;
  add("quasi_newton frame", {1, 3, 5}).method = supple::SolverMethod::quasi_newton;
  list.back().settings.initial_hessian = supple::InitialHessian::frame;
  add("newton", {1, 2, 3}).method = supple::SolverMethod::newton;
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string filter = argc > 1 ? argv[1] : "";
  const std::string material = argc > 2 ? argv[2] : "stable_neo_hookean";
  const double poisson = argc > 3 ? std::atof(argv[3]) : 0.4;
  const int threads = argc > 4 ? std::atoi(argv[4]) : 1;
  const double stiffer = argc > 5 ? std::atof(argv[5]) : 1;
  Scene scene = turned_bar(material, poisson, stiffer);
  scene.solver.method = supple::SolverMethod::newton;
  scene.solver.iterations = 100;
  scene.solver.tolerance = 1e-9;
  const Motion converged = simulate(scene, threads);
  fmt::print("{}, Poisson's ratio {}, {:g} Pa; converged in {:.1f} Newton iterations a frame\n",
             material, poisson, 5e5 * stiffer, converged.iterations);
  fmt::print("{:<24}{:>6}{:>10}{:>10}{:>12}{:>10}\n", "solver", "its", "ms", "99 %", "rms error",
             "refused");
  for (const Method& method : methods()) {
    if (method.name.find(filter) == std::string::npos) continue;
    for (const int iterations : method.iterations) {
      scene.solver = method.settings;
      scene.solver.iterations = iterations;
      const Motion motion = simulate(scene, threads);
      fmt::print("{:<24}{:>6}{:>10.2f}{:>10.2f}{:>12.1e}{:>10}\n", method.name, iterations,
                 motion.milliseconds, motion.worst, rms_distance(motion, converged),
                 motion.non_finite);
      std::fflush(stdout);
    }
  }
  return 0;
}
