// How stiff XPBD makes a material with different iterations and substeps: a block of 0.4 x 1 x 0.4
// m (324 tets, E = 1.5e5 Pa, density 1,000 kg/m^3) hangs by its top and settles with a drag of 6/s
// over six seconds of frames of 1/60 s, beside Newton's method in equilibrium. Prints for Poisson's
// ratios 0.4 and 0.495 the sag over the exact one and the volume over that at rest, a row for each
// projection and a column for iterations x substeps, and writes no file:
//   build/release/bin/supple_xpbd_steps_bench

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "supple/supple.h"

namespace {

using supple::Scene;
using supple::Simulation;

Scene hanging_block(double poisson) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 360, .substeps = 1};
  scene.damping.drag = 6;
  supple::Body body;
  body.mesh = supple::generate(
      supple::BoxGenerator{.size = {0.4, 1, 0.4}, .cells = {3, 6, 3}, .tets_per_cell = 6});
  const auto [mu, lambda] = supple::lame_parameters(1.5e5, poisson);
  body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  body.pins.push_back({.box = {{-1, 0.499, -1}, {1, 0.501, 1}}, .stiffness = 1e7});
  scene.bodies.push_back(std::move(body));
  return scene;
}

struct Settled {
  double sag = NAN;     ///< m, mean over the bottom
  double volume = NAN;  ///< over that at rest
};

Settled measure(const Simulation& simulation) {
  const auto& rest = simulation.scene().bodies[0].mesh.vertices;
  const supple::SimulationState state = simulation.state();
  Settled settled{0, 0};
  int count = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i][1] > -0.499) continue;
    settled.sag += rest[i][1] - state.positions[3 * i + 1];
    ++count;
  }
  settled.sag /= count;
  const std::vector<double> J = simulation.measure(state.positions).determinant;
  for (const double j : J) settled.volume += j / static_cast<double>(J.size());
  return settled;
}

Settled settle(Scene scene, int iterations, int substeps) {
  scene.solver.iterations = iterations;
  scene.time.substeps = substeps;
  Simulation simulation(scene);
  for (int frame = 0; frame < scene.time.frames; ++frame) {
    if (simulation.step().status == supple::StepStatus::non_finite) return {};
  }
  return measure(simulation);
}

Settled exact(double poisson) {
  Scene scene = hanging_block(poisson);
  scene.solver.method = supple::SolverMethod::newton;
  scene.solver.iterations = 200;
  scene.time.integrator = supple::TimeIntegrator::quasi_static;
  scene.damping.drag = 0;
  Simulation simulation(scene);
  simulation.step();
  return measure(simulation);
}

}  // namespace

int main() {
  const std::vector<std::pair<int, int>> columns = {{1, 5},   {1, 20}, {1, 100}, {5, 10},
                                                    {10, 10}, {60, 2}, {60, 1},  {200, 1}};
  for (const double poisson : {0.4, 0.495}) {
    const Settled answer = exact(poisson);
    fmt::print("Poisson's ratio {}: exact sag {:.3f} mm, volume {:.5f}\n", poisson,
               1e3 * answer.sag, answer.volume);
    fmt::print("{:<22}", "sag / exact, volume");
    for (const auto& [iterations, substeps] : columns) {
      fmt::print("{:>15}", fmt::format("{} x {}", iterations, substeps));
    }
    fmt::print("\n");
    for (const std::string projection : {"stress", "block", "sequential"}) {
      for (const std::string multipliers : {"zero", "kept"}) {
        Scene scene = hanging_block(poisson);
        scene.solver.method = supple::SolverMethod::xpbd;
        scene.solver.projection = supple::from_string<supple::XpbdProjection>(projection);
        scene.solver.multipliers = supple::from_string<supple::XpbdMultipliers>(multipliers);
        fmt::print("{:<22}", projection + (multipliers == "kept" ? ", kept" : ""));
        for (const auto& [iterations, substeps] : columns) {
          const Settled settled = settle(scene, iterations, substeps);
          fmt::print("{:>15}",
                     std::isfinite(settled.sag)
                         ? fmt::format("{:.4f} {:.3f}", settled.sag / answer.sag, settled.volume)
                         : "blew up");
        }
        fmt::print("\n");
      }
    }
    for (const std::string method : {"step_and_project"}) {
      Scene scene = hanging_block(poisson);
      scene.solver.method = supple::from_string<supple::SolverMethod>(method);
      fmt::print("{:<22}", method);
      for (const auto& [iterations, substeps] : columns) {
        if (iterations * substeps > 100) {
          fmt::print("{:>15}", "-");
          continue;
        }
        const Settled settled = settle(scene, iterations, substeps);
        fmt::print("{:>15}",
                   std::isfinite(settled.sag)
                       ? fmt::format("{:.4f} {:.3f}", settled.sag / answer.sag, settled.volume)
                       : "blew up");
      }
      fmt::print("\n");
    }
    fmt::print("\n");
  }
  return 0;
}
