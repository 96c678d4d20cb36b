// Frames of XPBD against the size of the body: a cube of stable Neo-Hookean tets (Poisson's ratio
// 0.5, E = 1e5 Pa) that hangs by its top and swings, 10 substeps of one iteration in a frame of
// 1/60 s. Prints the median of 30 frames in ms for doubles and floats on one and two threads, the
// share of it that is not projection, and by interpolation the largest body whose frame takes 1/60
// s; writes no file:
//   build/release/bin/supple_xpbd_frame_bench

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Scene;

Scene hanging_cube(int cells) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 0, .substeps = 10};
  scene.gravity = {3, -9.81, 0};
  scene.solver.method = supple::SolverMethod::xpbd;
  scene.solver.iterations = 1;
  supple::Body body;
  body.mesh = supple::generate(
      supple::BoxGenerator{.size = {1, 1, 1}, .cells = {cells, cells, cells}, .tets_per_cell = 6});
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.5);
  body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  body.pins.push_back({.box = {{-1, 0.499, -1}, {1, 0.501, 1}}, .stiffness = 1e6});
  scene.bodies.push_back(std::move(body));
  return scene;
}

struct Frame {
  double milliseconds = 0;
  double other = 0;  ///< share that is not projection
};

Frame median_frame(const Scene& scene, int threads) {
  supple::Simulation simulation(scene, {.threads = threads});
  std::vector<Frame> frames;
  for (int i = 0; i < 35; ++i) {
    const supple::StepReport report = simulation.step();
    if (i < 5) continue;
    frames.push_back(
        {report.total_milliseconds, 1 - report.solve_milliseconds / report.total_milliseconds});
  }
  const auto middle = frames.begin() + static_cast<std::ptrdiff_t>(frames.size() / 2);
  std::nth_element(frames.begin(), middle, frames.end(),
                   [](const Frame& a, const Frame& b) { return a.milliseconds < b.milliseconds; });
  return *middle;
}

}  // namespace

int main() {
  const double budget = 1000.0 / 60;
  const std::vector<int> sizes = {12, 16, 20, 24, 28, 32};
  fmt::print("{:>9}", "tets");
  struct Column {
    std::string precision;
    int threads;
    double largest = 0, last_ms = 0, last_tets = 0;
  };
  std::vector<Column> columns = {{"double", 1}, {"double", 2}, {"float", 1}, {"float", 2}};
  for (const Column& c : columns) {
    fmt::print("{:>24}",
               fmt::format("{}, {} thread{}", c.precision, c.threads, c.threads > 1 ? "s" : ""));
  }
  fmt::print("\n");
  for (const int cells : sizes) {
    Scene scene = hanging_cube(cells);
    const auto tets = static_cast<double>(scene.bodies[0].mesh.tets.size());
    fmt::print("{:>9.0f}", tets);
    for (Column& c : columns) {
      scene.solver.precision = supple::from_string<supple::XpbdPrecision>(c.precision);
      const Frame frame = median_frame(scene, c.threads);
      fmt::print("{:>24}",
                 fmt::format("{:.2f} ms ({:.0f} %)", frame.milliseconds, 100 * frame.other));
      if (frame.milliseconds <= budget) {
        c.largest = tets;
      } else if (c.last_ms > 0 && c.last_ms <= budget) {
        c.largest = c.last_tets +
                    (tets - c.last_tets) * (budget - c.last_ms) / (frame.milliseconds - c.last_ms);
      }
      c.last_ms = frame.milliseconds;
      c.last_tets = tets;
    }
    fmt::print("\n");
  }
  fmt::print("{:>9}", "60 Hz");
  for (const Column& c : columns) fmt::print("{:>24}", fmt::format("{:.0f} tets", c.largest));
  fmt::print("\n");
  return 0;
}
