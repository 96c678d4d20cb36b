#include "studies/performance/growth.h"

#include <fmt/format.h>

#include <memory>

#include "base/stopwatch.h"
#include "studies/performance/measure.h"
#include "studies/reproduce/descent.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple::bench {

namespace {

void measure_size(const Scene& scene, int frames, int threads, std::vector<GrowthResult>& results) {
  const Body& body = scene.bodies.front();
  GrowthResult result;
  result.material = body.material.model;
  result.tets = static_cast<int>(body.mesh.tets.size());
  result.vertices = static_cast<int>(body.mesh.vertices.size());
  result.frames = frames;
  result.memory = memory_of([&] {
    const auto simulation = std::make_shared<Simulation>(scene, SimulationOptions{.threads = 1});
    simulation->step();
    simulation->check_step();
    return simulation;
  });
  std::vector<int> counts{1};
  if (threads > 1) counts.push_back(threads);
  std::vector<Simulation> simulations;
  std::vector<double> setups;
  for (const int count : counts) {
    setups.push_back(setup_milliseconds(scene, count, 3));
    simulations.emplace_back(scene, SimulationOptions{.threads = count});
  }
  std::vector<std::vector<double>> times(counts.size());
  for (int k = -1; k < frames; ++k) {
    for (std::size_t i = 0; i < simulations.size(); ++i) {
      const Stopwatch watch;
      const StepReport report = simulations[i].step();
      if (k >= 0) times[i].push_back(watch.milliseconds());
      if (report.status == StepStatus::non_finite) {
        throw Error(ErrorKind::non_finite, "growth",
                    fmt::format("{}, {} tets: frame {} became non-finite", result.material,
                                result.tets, k + 2));
      }
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.threads = counts[i];
    result.setup = setups[i];
    result.frame = reproduce::median(times[i]);
    result.slowest = percentile(times[i], 0.99);
    results.push_back(result);
  }
}

}  // namespace

std::vector<GrowthResult> measure_growth(bool quick, int threads,
                                         const std::function<void(const std::string&)>& working) {
  // Cells across the bar: 24 cells^3 tets, 1,536 to 292,008 (648 and 3,000 if quick).
  const std::vector<int> sizes =
      quick ? std::vector<int>{3, 5} : std::vector<int>{4, 5, 7, 11, 16, 23};
  constexpr double tet_frames = 2e6;
  std::vector<GrowthResult> results;
  for (const char* material : {"neo_hookean", "corotated"}) {
    for (const int cells : sizes) {
      const Scene scene = turned_bar(material, {4 * cells, cells, cells});
      const auto tets = static_cast<double>(scene.bodies.front().mesh.tets.size());
      if (working) working(fmt::format("{}, {:.0f} tets", material, tets));
      const int frames = quick ? 5 : std::clamp(static_cast<int>(tet_frames / tets), 10, 100);
      measure_size(scene, frames, threads, results);
    }
  }
  return results;
}

}  // namespace supple::bench
