// Milliseconds per frame of the twisting bar, 10 L-BFGS(5) iterations, beside the plain Eigen
// yardstick, and nanoseconds per tet of the local step, beside the yardstick's loop. Prints a table
// of medians and writes no file:
//   build/release/bin/supple_frame_bench [frames]

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/stopwatch.h"
#include "elements/element_energy.h"
#include "studies/performance/scenes.h"
#include "studies/performance/yardstick.h"
#include "supple/simulation.h"

namespace {

using supple::Simulation;
using supple::Stopwatch;
using supple::bench::turned_bar;
using supple::bench::Yardstick;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Frames in a row: all but the first find in the caches what the previous one left there.
constexpr int frames_in_a_row = 10;

void compare_frames(const std::string& material, int frames) {
  const supple::Scene scene = turned_bar(material);
  Simulation one(scene, {.threads = 1});
  Simulation two(scene, {.threads = 2});
  Yardstick plain(scene);
  std::vector<double> plain_times, one_times, two_times;
  // In turn, so that other work of the machine affects all three alike.
  for (int done = 0; done < frames; done += frames_in_a_row) {
    const int count = std::min(frames_in_a_row, frames - done);
    for (int i = 0; i < count; ++i) {
      const Stopwatch watch;
      plain.step();
      plain_times.push_back(watch.milliseconds());
    }
    for (int i = 0; i < count; ++i) one_times.push_back(one.step().total_milliseconds);
    for (int i = 0; i < count; ++i) two_times.push_back(two.step().total_milliseconds);
  }
  // Both ran the same method: if their positions agree, the times are for the same work.
  std::vector<double> x(3 * static_cast<std::size_t>(one.num_vertices()));
  one.copy_positions(x);
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i / 3), column = static_cast<Eigen::Index>(i % 3);
    distance = std::max(distance, std::abs(x[i] - plain.positions()(row, column)));
  }
  const double plain_ms = median(plain_times), one_ms = median(one_times),
               two_ms = median(two_times);
  fmt::print("{:<22}{:>12.2f}{:>12.2f}{:>12.2f}{:>9.1f}x{:>9.1f}x{:>14.1e}\n", material, plain_ms,
             one_ms, two_ms, plain_ms / one_ms, plain_ms / two_ms, distance);
}

void compare_local_step(const std::string& material) {
  const supple::Scene scene = turned_bar(material);
  const supple::Model model = supple::build_model(scene);
  supple::ElementEnergy elements(model);
  Simulation simulation(scene, {.threads = 1});
  for (int i = 0; i < 20; ++i) simulation.step();
  supple::VectorField x(static_cast<std::size_t>(model.num_vertices));
  supple::pad(simulation.state().positions, x);
  const double to_ns = 1e6 / model.num_tets;
  double ns[2];
  for (int count : {1, 2}) {
    supple::Threads threads(count);
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
      const Stopwatch watch;
      elements.evaluate(x, threads);
      times.push_back(watch.milliseconds() * to_ns);
    }
    ns[count - 1] = median(times);
  }
  std::string plain_text = "-", ratio_text = "-";
  if (material == "neo_hookean" || material == "corotated" || material == "polynomial") {
    const Yardstick plain(scene);
    Eigen::MatrixX3d y(static_cast<Eigen::Index>(x.size()), 3), gradient;
    for (std::size_t i = 0; i < x.size(); ++i) {
      y.row(static_cast<Eigen::Index>(i)) << x[i][0], x[i][1], x[i][2];
    }
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
      const Stopwatch watch;
      plain.elastic(y, gradient);
      times.push_back(watch.milliseconds() * to_ns);
    }
    plain_text = fmt::format("{:.0f}", median(times));
    ratio_text = fmt::format("{:.1f}x", median(times) / ns[0]);
  }
  fmt::print("{:<22}{:>12}{:>12.1f}{:>12.1f}{:>10}\n", material, plain_text, ns[0], ns[1],
             ratio_text);
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::max(1, std::atoi(argv[1])) : 60;
  fmt::print("local step of the twisting bar (9,996 tets), ns a tet, medians\n");
  fmt::print("{:<22}{:>12}{:>12}{:>12}{:>10}\n", "material", "plain Eigen", "1 thread", "2 threads",
             "ratio");
  for (const supple::Description& material : supple::list_materials()) {
    if (material.name != "valanis_landel") compare_local_step(material.name);
  }
  fmt::print("\nframe of the twisting bar, 10 L-BFGS(5) iterations, ms, medians of {}\n", frames);
  fmt::print("{:<22}{:>12}{:>12}{:>12}{:>10}{:>10}{:>14}\n", "material", "plain Eigen", "1 thread",
             "2 threads", "ratio", "ratio 2", "difference, m");
  for (const char* material : {"neo_hookean", "corotated", "polynomial"}) {
    compare_frames(material, frames);
  }
  return 0;
}
