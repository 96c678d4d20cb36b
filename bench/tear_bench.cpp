#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "supple/mesh.h"
#include "supple/simulation.h"

/// The cost of a frame in which a block tears or is cut, beside one in which it does not, in
/// processor time, which a shared machine disturbs least; and how long such frames last where the
/// block is built anew beside 30 frames per second, by /time/separate_after:
///   supple_tear_bench
namespace {

using namespace supple;

template <class Work>
double milliseconds(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Scene hanging_block(std::array<int, 3> cells, const std::string& method) {
  const auto [mu, lambda] = lame_parameters(1e5, 0.4);
  Body block{.mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = cells})};
  block.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  block.pins = {{.box = {{-2.01, -9, -9}, {-1.99, 9, 9}}}, {.box = {{1.99, -9, -9}, {2.01, 9, 9}}}};
  Scene scene{.bodies = {block}};
  scene.solver.method = from_string<SolverMethod>(method);
  return scene;
}

/// The blade passes through the block in a second.
const Blade passing_blade{.points = {{0.01, 0.6, -1}, {0.01, 0.6, 1}},
                          .motion = {.velocity = Vec3{0, -1.5, 0}}};

void measure(std::array<int, 3> cells, const std::string& method) {
  Scene scene = hanging_block(cells, method);
  Simulation plain(scene, {.threads = 1});
  const double built = milliseconds([&] { Simulation other(scene, {.threads = 1}); });
  for (int i = 0; i < 5; ++i) plain.step();
  std::vector<double> usual, watched, torn;
  for (int i = 0; i < 20; ++i) usual.push_back(milliseconds([&] { plain.step(); }));
  // A limit and a blade that are checked in each frame but never take effect.
  scene.bodies[0].tearing = TearingSettings{.stretch = 50};
  scene.blades = {{.points = {{0, 3, -1}, {0, 3, 1}}, .motion = {.velocity = Vec3{0.1, 0, 0}}}};
  Simulation watching(scene, {.threads = 1});
  for (int i = 0; i < 5; ++i) watching.step();
  for (int i = 0; i < 20; ++i) {
    watched.push_back(milliseconds([&] { watching.step(); }));
  }
  scene.blades = {passing_blade};
  Simulation cutting(scene, {.threads = 1});
  for (int i = 0; i < 40; ++i) {
    const int before = cutting.num_vertices();
    const double taken = milliseconds([&] { cutting.step(); });
    if (cutting.num_vertices() > before) torn.push_back(taken);
  }
  fmt::print("{:>7} {:<22}{:>8.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>8}{:>10.1f}\n",
             scene.bodies[0].mesh.tets.size(), method, median(usual), median(watched), median(torn),
             torn.empty() ? 0 : *std::max_element(torn.begin(), torn.end()), torn.size(), built);
}

void measure_waits(std::array<int, 3> cells, const std::string& method, int separate_after) {
  using Clock = std::chrono::steady_clock;
  Scene scene = hanging_block(cells, method);
  scene.time.separate_after = separate_after;
  scene.blades = {passing_blade};
  const auto frame =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(scene.time.step));
  std::vector<double> usual, torn;
  for (int round = 0; round < 5; ++round) {
    Simulation cutting(scene, {.threads = 2});
    Clock::time_point due = Clock::now();
    for (int i = 0; i < 40; ++i) {
      std::this_thread::sleep_until(due);
      due = std::max(due + frame, Clock::now());
      const Clock::time_point start = Clock::now();
      const bool has_torn = cutting.step().separated > 0;
      const double taken = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      (has_torn ? torn : usual).push_back(taken);
    }
  }
  fmt::print("{:>7} {:<22}{:>8}{:>8.1f}{:>8.1f}{:>8.1f}{:>8}\n", scene.bodies[0].mesh.tets.size(),
             method, separate_after, median(usual), median(torn),
             *std::max_element(torn.begin(), torn.end()), torn.size());
}

}  // namespace

int main() {
  fmt::print(
      "ms of a processor for a frame: usual, with a limit and a blade that do nothing, with a "
      "tear (median, most, how many), for a new Simulation\n");
  fmt::print("{:>7} {:<22}{:>8}{:>10}{:>10}{:>10}{:>8}{:>10}\n", "tets", "method", "usual",
             "watched", "tear", "most", "tears", "new");
  for (const std::string method : {"l_bfgs", "vertex_block_descent", "xpbd"}) {
    measure({20, 7, 7}, method);
    measure({32, 11, 11}, method);
  }
  fmt::print(
      "\nms of a frame on 2 threads, 30 frames per second: usual, with a tear (median, most, how "
      "many)\n");
  fmt::print("{:>7} {:<22}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "tets", "method", "after", "usual", "tear",
             "most", "tears");
  for (const std::string method : {"l_bfgs", "xpbd"}) {
    for (const int after : {0, 1, 2, 3}) measure_waits({32, 11, 11}, method, after);
  }
}
