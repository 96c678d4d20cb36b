// What a change of a running scene costs: milliseconds of set_pins for 1, 8, 32 and more pins and
// of the frames after it, beside a simulation that is built anew with them and runs the same frames
// in turn; and the longest of 30 frames while another material is built on another thread, against
// building it in the way. Prints two tables of medians and writes no file:
//   build/release/bin/supple_changes_bench [threads [initial_hessian]]

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "supple/supple.h"

namespace {

using supple::Pin;
using supple::Scene;
using supple::Simulation;
using supple::Stopwatch;

constexpr int repeats = 15;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Held by a few vertices at its left end, under its weight.
Scene make_scene(supple::TetMesh mesh, double size) {
  Scene scene;
  supple::Body body;
  body.mesh = std::move(mesh);
  const auto [mu, lambda] = supple::lame_parameters(1e6, 0.4);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  Pin pin;
  pin.box = {{-10, -10, -10}, {-0.47 * size, 10, 10}};
  body.pins.push_back(pin);
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// The scene's pins and `count` further vertices spread over the body.
std::vector<Pin> more_pins(const Scene& scene, int count) {
  std::vector<Pin> pins = scene.bodies[0].pins;
  Pin pin;
  const int n = static_cast<int>(scene.bodies[0].mesh.vertices.size());
  for (int k = 0; k < count; ++k) pin.vertices.push_back((2 * k + 1) * n / (2 * count));
  pin.stiffness = 1e5;
  pin.motion.velocity = {0, 0.1, 0};
  if (count > 0) pins.push_back(pin);
  return pins;
}

double step_ms(Simulation& simulation) { return simulation.step().total_milliseconds; }

std::vector<double> positions_of(const Simulation& simulation) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(x);
  return x;
}

double rms_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// A simulation that gets the pins, beside one that is built with them from the same state.
struct Costs {
  std::vector<double> set, release, rebuild;
  std::vector<double> first, later;              ///< frames
  std::vector<double> fresh_first, fresh_later;  ///< of the other
  std::vector<double> difference;                ///< of the first frame, of its way
};

void measure_pins(const std::string& name, const Scene& scene, int threads) {
  for (const int count : {1, 8, 32, 128}) {
    Simulation simulation(scene, {.threads = threads});
    for (int k = 0; k < 5; ++k) simulation.step();
    const std::vector<Pin> own = scene.bodies[0].pins, more = more_pins(scene, count);
    Costs costs;
    for (int k = 0; k < repeats; ++k) {
      const Stopwatch set;
      simulation.set_pins(0, more);
      costs.set.push_back(set.milliseconds());
      const Stopwatch build;
      Simulation fresh(simulation.scene(), {.threads = threads});
      costs.rebuild.push_back(build.milliseconds());
      fresh.set_state(simulation.state());
      const std::vector<double> start = positions_of(simulation);
      for (int frame = 0; frame < 10; ++frame) {
        (frame == 0 ? costs.first : costs.later).push_back(step_ms(simulation));
        (frame == 0 ? costs.fresh_first : costs.fresh_later).push_back(step_ms(fresh));
        if (frame > 0) continue;
        const std::vector<double> expected = positions_of(fresh);
        costs.difference.push_back(rms_distance(positions_of(simulation), expected) /
                                   rms_distance(start, expected));
      }
      const Stopwatch release;
      simulation.set_pins(0, own);
      costs.release.push_back(release.milliseconds());
      for (int frame = 0; frame < 9; ++frame) simulation.step();
    }
    fmt::print("{:<6}{:>6}{:>10.2f}{:>9.2f}{:>9.1f}{:>10.2f}{:>8.2f}{:>9.2f}{:>8.2f}{:>12.1e}\n",
               name, count, median(costs.set), median(costs.release), median(costs.rebuild),
               median(costs.first), median(costs.fresh_first), median(costs.later),
               median(costs.fresh_later), median(costs.difference));
  }
}

void measure_change(const std::string& name, const Scene& scene, int threads) {
  Scene stiffer = scene;
  const auto [mu, lambda] = supple::lame_parameters(1.5e6, 0.4);
  stiffer.bodies[0].material.mu = mu;
  stiffer.bodies[0].material.lambda = lambda;
  constexpr int after_frames = 30;
  Simulation simulation(scene, {.threads = threads});
  for (int k = 0; k < 5; ++k) simulation.step();
  std::vector<double> plain, longest_plain, longest, taking_over, call, in_the_way;
  for (int k = 0; k < 5; ++k) {
    double most_plain = 0;
    for (int frame = 0; frame < after_frames; ++frame) {
      plain.push_back(step_ms(simulation));
      most_plain = std::max(most_plain, plain.back());
    }
    longest_plain.push_back(most_plain);
    const Stopwatch watch;
    const Scene& next = k % 2 == 0 ? stiffer : scene;
    simulation.change(next, after_frames);
    call.push_back(watch.milliseconds());
    double most = 0;
    for (int frame = 0; frame < after_frames; ++frame) most = std::max(most, step_ms(simulation));
    longest.push_back(most);
    taking_over.push_back(step_ms(simulation));
    const Stopwatch at_once;
    simulation.change(next);
    in_the_way.push_back(at_once.milliseconds());
  }
  fmt::print("{:<6}{:>9.2f}{:>10.2f}{:>10.2f}{:>14.2f}{:>13.2f}{:>12.1f}\n", name, median(plain),
             median(longest_plain), median(call), median(longest), median(taking_over),
             median(in_the_way));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<std::pair<std::string, Scene>> scenes = {
      {"bar", make_scene(supple::generate(supple::BoxGenerator{
                             .size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6}),
                         4)},
      {"ball",
       make_scene(supple::generate(supple::SphereGenerator{.radius = 0.5, .cells = 17}), 1)}};
  for (auto& [name, scene] : scenes) {
    if (argc > 2) scene.solver.initial_hessian = argv[2];
    fmt::print("{}: {} tets, {} vertices\n", name, scene.bodies[0].mesh.tets.size(),
               scene.bodies[0].mesh.vertices.size());
  }
  fmt::print("\nms, {} thread{}: pins that come and go again\n", threads, threads == 1 ? "" : "s");
  fmt::print("{:<6}{:>6}{:>10}{:>9}{:>9}{:>10}{:>8}{:>9}{:>8}{:>12}\n", "body", "pins", "set_pins",
             "release", "rebuild", "1st frame", "fresh", "later", "fresh", "difference");
  for (const auto& [name, scene] : scenes) measure_pins(name, scene, threads);
  fmt::print("\nms, {} thread{}: another material after 30 frames\n", threads,
             threads == 1 ? "" : "s");
  fmt::print("{:<6}{:>9}{:>10}{:>10}{:>14}{:>13}{:>12}\n", "body", "a frame", "longest", "change()",
             "longest then", "taking over", "in the way");
  for (const auto& [name, scene] : scenes) measure_change(name, scene, threads);
}
