// How long is a frame in which many bodies touch each other, in contact mode barrier?
//   build/release/bin/supple_crowd_bench tets [FRAMES [THREADS [METHOD:ITERATIONS]]]
//       96 blocks, 103,680 tets, fall onto each other and the ground
//   build/release/bin/supple_crowd_bench cloth [FRAMES [THREADS [METHOD:ITERATIONS]]]
//       fifty layers of cloth, 246,000 vertices, fall onto each other and the ground
// prints a row for the first, the last and every tenth frame, or for all if there are at most
// twenty, and the medians over all frames: ms of the wall clock, of the processor over all threads,
// and of the wall clock to find contacts; contacts, evaluations, bodies held back. Defaults: 60
// frames (cloth: 10), two threads, l_bfgs:10. Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Body;
using supple::Scene;
using supple::Vec3;

Scene barrier_scene() {
  Scene scene;
  scene.time.step = 1.0 / 30;
  scene.colliders = {{"ground", supple::PlaneShape{}, {}}};
  scene.contact.mode = supple::ContactMode::barrier;
  scene.contact.friction = 0.3;
  return scene;
}

/// Six layers of sixteen blocks, each layer shifted by half a block, so that a block falls onto
/// several others.
Scene blocks() {
  Scene scene = barrier_scene();
  std::mt19937 random(1);
  const auto jitter = [&] { return 0.02 * (random() / 4294967296.0); };
  for (int layer = 0; layer < 6; ++layer) {
    for (int i = 0; i < 16; ++i) {
      const int row = i / 4, column = i % 4;
      const double shift = layer % 2 == 0 ? 0 : 0.25;
      const Vec3 center{0.55 * column + shift + jitter(), 0.26 + 0.53 * layer,
                        0.55 * row + shift + jitter()};
      Body body{.mesh = generate(supple::BoxGenerator{
                    .size = {0.5, 0.5, 0.5}, .cells = {6, 6, 6}, .center = center})};
      body.material.mu = 7.14e4;  // 2e5 Pa, Poisson's ratio 0.4
      body.material.lambda = 2.86e5;
      scene.bodies.push_back(std::move(body));
    }
  }
  return scene;
}

/// Fifty cloths of 82 x 60 vertices.
Scene layers() {
  Scene scene = barrier_scene();
  for (int layer = 0; layer < 50; ++layer) {
    supple::ClothGenerator cloth;
    cloth.u = {1.4, 0, 0};
    cloth.v = {0, 0, -1};
    cloth.cells = {81, 59};
    cloth.center = {0, 0.006 + 0.006 * layer, 0};
    const supple::SpringMesh mesh = generate(cloth);
    Body body;
    body.mesh.vertices = mesh.vertices;
    body.triangles = mesh.triangles;
    body.springs = make_springs(mesh, {100, 100, 10});
    body.density = 0.3;
    scene.bodies.push_back(std::move(body));
  }
  return scene;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

int number(int argc, char** argv, int i, int otherwise) {
  return argc > i ? std::max(1, std::atoi(argv[i])) : otherwise;
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "tets" && what != "cloth") {
    fmt::print(stderr, "supple_crowd_bench tets|cloth [FRAMES [THREADS [METHOD:ITERATIONS]]]\n");
    return 2;
  }
  Scene scene = what == "tets" ? blocks() : layers();
  const int frames = number(argc, argv, 2, what == "tets" ? 60 : 10);
  const int threads = number(argc, argv, 3, 2);
  const std::string solver = argc > 4 ? argv[4] : "l_bfgs:10";
  const std::size_t colon = std::min(solver.find(':'), solver.size());
  scene.solver.method = supple::from_string<supple::SolverMethod>(solver.substr(0, colon));
  if (colon < solver.size()) scene.solver.iterations = std::atoi(solver.c_str() + colon + 1);
  supple::Simulation simulation(scene, {.threads = threads});
  fmt::print("{}: {} vertices, {} bodies, {} threads, {}\n", what, simulation.num_vertices(),
             scene.bodies.size(), threads, solver);
  fmt::print("{:>6} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10}\n", "frame", "ms", "cpu ms",
             "find ms", "contacts", "evaluations", "held back");
  std::vector<double> times, cpu, of_contact;
  for (int frame = 1; frame <= frames; ++frame) {
    const std::clock_t cpu_start = std::clock();
    const auto start = std::chrono::steady_clock::now();
    const supple::StepReport report = simulation.step();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    simulation.check_step();
    times.push_back(time.count());
    cpu.push_back(1000.0 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    of_contact.push_back(report.contact_milliseconds);
    if (frames > 20 && frame % 10 != 0 && frame != 1 && frame != frames) continue;
    fmt::print("{:>6} {:>10.1f} {:>10.1f} {:>10.1f} {:>10} {:>12} {:>10}\n", frame, times.back(),
               cpu.back(), of_contact.back(), report.contacts, report.evaluations,
               report.held_back);
    std::fflush(stdout);
  }
  fmt::print("median {:>10.1f} {:>10.1f} {:>10.1f}, slowest {:.1f}\n", median(times), median(cpu),
             median(of_contact), *std::max_element(times.begin(), times.end()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "supple_crowd_bench: {}\n", error.what());
    return 1;
  }
}
