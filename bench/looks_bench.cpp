// What do the looks at convergence cost? Steps seven scenes twice, with looks and without,
// alternating frame by frame, on one thread:
//   build/release/bin/supple_looks_bench scenes [FRAMES]
// prints how many frames were looked at, the time of the frames without looks, what looks add to
// the whole run relative to that, and the longest frame with looks over the median one without.
// Times are processor times, which a shared machine disturbs less. Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "supple/io.h"
#include "supple/supple.h"

namespace {

double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double timed_step(supple::Simulation& simulation) {
  const double before = processor_ms();
  simulation.step();
  return processor_ms() - before;
}

void measure(const std::string& name, const supple::Scene& scene, int frames) {
  supple::Simulation with(scene, {.threads = 1}), without(scene, {.threads = 1});
  supple::SimulationState state = without.state();
  state.next_look = std::int64_t{1} << 60;
  state.look_interval = 1;
  without.set_state(state);
  std::vector<double> plain;
  double sum_with = 0, sum_without = 0, longest = 0;
  int looks = 0;
  for (int frame = 1; frame <= frames; ++frame) {
    double a = 0, b = 0;
    if (frame % 2 == 0) a = timed_step(with);  // the second one finds the scene in the cache
    b = timed_step(without);
    if (frame % 2 == 1) a = timed_step(with);
    sum_with += a;
    sum_without += b;
    longest = std::max(longest, a);
    plain.push_back(b);
    const supple::SimulationState now = with.state();
    if (now.next_look - now.look_interval == frame) ++looks;
  }
  std::sort(plain.begin(), plain.end());
  const double median = plain[plain.size() / 2];
  fmt::print("| {} | {} | {} | {:.2f} ms | {:.2f} % | {:.1f} |\n", name, frames, looks,
             sum_without / frames, 100 * (sum_with - sum_without) / sum_without, longest / median);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "{}: expected a folder of scenes\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const int frames = argc > 2 ? std::stoi(argv[2]) : 150;
  fmt::print(
      "| scene | frames | looks | frame without | looks add | longest over median |\n"
      "|---|---|---|---|---|---|\n");
  measure("twisting bar", supple::load_scene(folder / "twisting_bar.json"), frames);
  measure("shaking bar", supple::load_scene(folder / "shaking_bar.json"), frames);
  measure("ball that falls", supple::load_scene(folder / "falling_ball.json"), frames);
  measure("ball that lies",
          supple::load_scene(folder / "falling_ball.json",
                             {{"/bodies/0/transform/translate", "[0, 0.5, 0]"}}),
          frames);
  for (const char* method : {"newton", "vertex_block_descent", "xpbd"}) {
    std::vector<supple::Override> overrides{
        {"/solver", fmt::format(R"({{"method": "{}"}})", method)},
        {"/bodies/0/mesh/sphere/cells", "8"}};
    if (std::string(method) == "xpbd") {
      overrides.push_back({"/time/substeps", "20"});
      overrides.push_back({"/solver/iterations", "1"});
    }
    measure(fmt::format("ball of 3,072 tets that falls, `{}`", method),
            supple::load_scene(folder / "falling_ball.json", overrides), frames);
  }
  return 0;
}
