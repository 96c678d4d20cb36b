#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "supple/mesh.h"
#include "supple/simulation.h"

/// What a frame costs in which a block tears or is cut, beside one in which it does not:
///   supple_tear_bench [THREADS]
namespace {

using namespace supple;

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
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
  scene.solver.method = method;
  return scene;
}

void measure(std::array<int, 3> cells, const std::string& method, int threads) {
  Scene scene = hanging_block(cells, method);
  Simulation plain(scene, {.threads = threads});
  const double built = milliseconds([&] { Simulation other(scene, {.threads = threads}); });
  for (int i = 0; i < 5; ++i) plain.step();
  std::vector<double> usual, watched, torn;
  for (int i = 0; i < 20; ++i) usual.push_back(plain.step().total_milliseconds);
  // A limit and a blade that are looked at in each frame, and nothing is beyond them.
  scene.bodies[0].tearing = TearingSettings{.stretch = 50};
  scene.blades = {{.points = {{0, 3, -1}, {0, 3, 1}}, .motion = {.velocity = Vec3{0.1, 0, 0}}}};
  Simulation watching(scene, {.threads = threads});
  for (int i = 0; i < 5; ++i) watching.step();
  for (int i = 0; i < 20; ++i) watched.push_back(watching.step().total_milliseconds);
  // A blade that goes through the block in a second.
  scene.blades = {
      {.points = {{0.01, 0.6, -1}, {0.01, 0.6, 1}}, .motion = {.velocity = Vec3{0, -1.5, 0}}}};
  Simulation cutting(scene, {.threads = threads});
  for (int i = 0; i < 40; ++i) {
    const int before = cutting.num_vertices();
    const StepReport report = cutting.step();
    if (cutting.num_vertices() > before) torn.push_back(report.total_milliseconds);
  }
  fmt::print("{:>7} {:<22}{:>8.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>8}{:>10.1f}\n",
             scene.bodies[0].mesh.tets.size(), method, median(usual), median(watched), median(torn),
             torn.empty() ? 0 : *std::max_element(torn.begin(), torn.end()), torn.size(), built);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  fmt::print(
      "ms a frame, {} thread{}: usual, with a limit and a blade that do nothing, with a "
      "tear (median, most, how many), a new Simulation\n",
      threads, threads == 1 ? "" : "s");
  fmt::print("{:>7} {:<22}{:>8}{:>10}{:>10}{:>10}{:>8}{:>10}\n", "tets", "method", "usual",
             "watched", "tear", "most", "tears", "new");
  for (const std::string method : {"l_bfgs", "vertex_block_descent", "xpbd"}) {
    measure({20, 7, 7}, method, threads);
    measure({32, 11, 11}, method, threads);
  }
}
