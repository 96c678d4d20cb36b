// What a query of the deformed surface costs, on a waving cloth of 51,200 triangles and on a ball
// of tets: the first query, which builds the tree of boxes; the first after the positions have
// changed, which fits the tree to them; and each of 100,000 others. Prints a table and writes no
// file:
//   build/release/bin/supple_queries_bench

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "supple/supple.h"

namespace {

using supple::Simulation;
using supple::Stopwatch;
using supple::Vec3;

constexpr int repeats = 9, questions = 100000;

supple::Scene scene_of(supple::Body body) {
  supple::Scene scene;
  scene.solver.method = supple::SolverMethod::gradient_descent;  // nothing is factorised
  scene.bodies.push_back(std::move(body));
  return scene;
}

supple::Scene cloth() {
  const supple::SpringMesh mesh =
      generate(supple::ClothGenerator{.u = {2, 0, 0}, .v = {0, 0, -2}, .cells = {160, 160}});
  supple::Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = make_springs(mesh, {.stiffness = 1e3});
  return scene_of(std::move(body));
}

supple::Scene ball() {
  supple::Body body;
  body.mesh = generate(supple::SphereGenerator{.radius = 1, .cells = 40});
  const auto [mu, lambda] = supple::lame_parameters(1e6, 0.4);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  return scene_of(std::move(body));
}

void measure(const std::string& name, const supple::Scene& scene) {
  Simulation simulation(scene, {.threads = 1});
  supple::SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.positions.size(); i += 3) {
    state.positions[i + 1] +=
        0.2 * std::sin(9 * state.positions[i]) * std::cos(7 * state.positions[i + 2]);
  }
  const Vec3 above{0, 5, 0}, down{0, -1, 0};
  Stopwatch watch;
  simulation.raycast(above, down);
  const double first = watch.milliseconds();
  std::vector<double> fits;
  for (int k = 0; k < repeats; ++k) {
    simulation.set_state(state);
    watch = Stopwatch();
    simulation.raycast(above, down);
    fits.push_back(watch.milliseconds());
  }
  std::sort(fits.begin(), fits.end());

  std::mt19937 engine(1);
  std::uniform_real_distribution<double> side(-1, 1);
  std::vector<Vec3> from(questions), toward(questions);
  for (int i = 0; i < questions; ++i) {
    const auto k = static_cast<std::size_t>(i);
    from[k] = {2 * side(engine), 2 + side(engine), 2 * side(engine)};
    toward[k] = {side(engine) - from[k][0], 0.2 * side(engine) - from[k][1],
                 side(engine) - from[k][2]};
  }
  const auto microseconds = [&](const std::function<bool(std::size_t)>& ask) {
    const Stopwatch asked;
    int found = 0;
    for (std::size_t k = 0; k < from.size(); ++k) found += ask(k) ? 1 : 0;
    return found > 0 ? 1000 * asked.milliseconds() / questions : 0;
  };
  const double ray = microseconds(
      [&](std::size_t k) { return simulation.raycast(from[k], toward[k]).has_value(); });
  const double near =
      microseconds([&](std::size_t k) { return simulation.closest_point(from[k]).has_value(); });
  const double touch = microseconds([&](std::size_t k) {
    return !simulation.overlap(supple::SphereShape{from[k], 1.5}).empty();
  });
  fmt::print("{:<24} {:>9} {:>11.2f} {:>10.3f} {:>11.2f} {:>17.2f} {:>11.2f}\n", name,
             simulation.surface().size(), first, fits[repeats / 2], ray, near, touch);
}

}  // namespace

int main() {
  fmt::print("{:<24} {:>9} {:>11} {:>10} {:>11} {:>17} {:>11}\n", "body", "triangles", "first, ms",
             "fit, ms", "raycast, us", "closest_point, us", "overlap, us");
  measure("cloth", cloth());
  measure("ball of tets", ball());
}
