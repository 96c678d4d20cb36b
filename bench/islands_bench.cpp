// What many bodies in one scene cost: a frame of 1, 10, 100 and 1000 equal blocks that lie on the
// ground apart from each other. Compares one simulation of all, one simulation for each, one of all
// with xpbd, and one in which all blocks, or all but one, sleep. Prints medians over the frames
// after the blocks have come to rest, and writes no file:
//   build/release/bin/supple_islands_bench [threads [cells]]

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::Simulation;
using supple::Stopwatch;

constexpr int frames_before = 60, frames = 20;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Blocks in a square, each turned a little and at a slightly different height.
Scene scene_of(int count, int cells, const std::string& method) {
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  Scene scene;
  for (int i = 0; i < count; ++i) {
    supple::Body body;
    body.mesh =
        supple::generate(supple::BoxGenerator{.size = {1, 1, 1}, .cells = {cells, cells, cells}});
    const double angle = 0.02 * (i % 7);
    for (supple::Vec3& x : body.mesh.vertices) {
      x = {std::cos(angle) * x[0] - std::sin(angle) * x[1] + 2 * (i % side),
           std::sin(angle) * x[0] + std::cos(angle) * x[1] + 0.7 + 0.02 * (i % 5),
           x[2] + 2.0 * (i / side)};
    }
    const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
    body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
    scene.bodies.push_back(std::move(body));
  }
  scene.colliders = {{.shape = supple::PlaneShape{}}};
  scene.time.step = 1.0 / 60;
  scene.solver.method = supple::from_string<supple::SolverMethod>(method);
  if (method == "xpbd") {
    scene.time.substeps = 10;
    scene.solver.iterations = 1;
  }
  return scene;
}

struct Cost {
  double milliseconds, evaluations;
};

/// Cost of a frame of all the simulations together.
Cost cost_of(std::vector<Simulation>& simulations) {
  std::vector<double> milliseconds, evaluations;
  for (int frame = 0; frame < frames_before + frames; ++frame) {
    const Stopwatch watch;
    double most = 0;
    for (Simulation& simulation : simulations) {
      most = std::max(most, static_cast<double>(simulation.step().evaluations));
    }
    if (frame < frames_before) continue;
    milliseconds.push_back(watch.milliseconds());
    evaluations.push_back(most);
  }
  return {median(milliseconds), median(evaluations)};
}

/// Cost of a frame while all bodies sleep, or all but one that is woken before each frame.
Cost cost_asleep(Scene scene, int threads, bool is_one_awake) {
  scene.time.sleep_after = 0.5;
  Simulation simulation(scene, {.threads = threads});
  const int count = static_cast<int>(scene.bodies.size());
  for (int frame = 0; frame < 600 && simulation.step().sleeping_bodies < count;) ++frame;
  std::vector<double> milliseconds, evaluations;
  for (int frame = 0; frame < frames; ++frame) {
    if (is_one_awake) simulation.wake(count / 2);
    const Stopwatch watch;
    evaluations.push_back(simulation.step().evaluations);
    milliseconds.push_back(watch.milliseconds());
  }
  return {median(milliseconds), median(evaluations)};
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1, cells = argc > 2 ? std::atoi(argv[2]) : 2;
  if (threads < 1 || cells < 1 || cells > 20) {
    fmt::print(stderr, "expected threads >= 1 and 1 to 20 cells\n");
    return 2;
  }
  fmt::print("{} tets a body, {} threads\n", 6 * cells * cells * cells, threads);
  fmt::print("{:>6} {:>22} {:>22} {:>10} {:>15} {:>12}\n", "bodies", "one simulation, ms (ev)",
             "one for each, ms (ev)", "xpbd, ms", "one awake, ms", "asleep, ms");
  for (const int count : {1, 10, 100, 1000}) {
    std::vector<Simulation> together, apart, xpbd;
    const Scene scene = scene_of(count, cells, "l_bfgs");
    together.emplace_back(scene, supple::SimulationOptions{.threads = threads});
    for (const supple::Body& body : scene.bodies) {
      Scene own = scene;
      own.bodies = {body};
      apart.emplace_back(own, supple::SimulationOptions{.threads = threads});
    }
    xpbd.emplace_back(scene_of(count, cells, "xpbd"),
                      supple::SimulationOptions{.threads = threads});
    const Cost all = cost_of(together), each = cost_of(apart), other = cost_of(xpbd);
    fmt::print("{:>6} {:>15.2f} ({:>4}) {:>15.2f} ({:>4}) {:>10.2f} {:>15.3f} {:>12.4f}\n", count,
               all.milliseconds, all.evaluations, each.milliseconds, each.evaluations,
               other.milliseconds, cost_asleep(scene, threads, true).milliseconds,
               cost_asleep(scene, threads, false).milliseconds);
  }
  return 0;
}
