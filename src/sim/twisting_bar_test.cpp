#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "integrate/backward_euler.h"
#include "sim/test_scenes.h"

/// The paper's measure of convergence on its "twisting bar": a Neo-Hookean bar of 10,000 tets.
namespace supple {
namespace {

/// g after a minimisation from y.
double minimum(Objective& objective, Direction& direction, int iterations, const VectorField& y) {
  Minimiser minimiser(static_cast<int>(y.size()));
  SolverSettings settings;
  settings.iterations = iterations;
  VectorField z = y;
  return minimiser.run(objective, direction, settings, z).value;
}

TEST(TwistingBar, TenIterationsOfLBfgsBringTheErrorBelowOneThousandth) {
  const Scene scene = test::twisting_bar({34, 7, 7}, "neo_hookean");
  Simulation simulation(scene);
  for (int frame = 0; frame < 29; ++frame) simulation.step();

  Threads threads(1);
  const Model model = build_model(scene);
  ASSERT_NEAR(model.num_tets, 10000, 10);
  const SimulationState saved = simulation.state();
  State state = initial_state(scene, model);
  pad(saved.positions, state.x);
  pad(saved.velocities, state.v);
  const double h = scene.time.step;
  Objective objective(model, nullptr, threads);
  VectorField y(state.x.size()), gradient(state.x.size());
  backward_euler::inertial_target(model, state, h, scene.gravity, 0, y);
  objective.begin_step(
      {.y = y, .inverse_a2 = 1 / (h * h), .x_start = state.x, .time = 30 * h, .h = h});

  const double at_start = objective.value_and_gradient(y, gradient);
  Newton newton(model);
  const double lowest = minimum(objective, newton, 40, y);
  LBfgs direction(model, std::make_unique<Laplacian>(model, 1 / (h * h)), 5);
  // Relative error [thesis eq. 7.15]: (g(x_k) - g*) / (g(y) - g*).
  double last = 1;
  for (int iterations : {5, 10, 20, 40}) {
    const double error =
        (minimum(objective, direction, iterations, y) - lowest) / (at_start - lowest);
    std::printf("L-BFGS(5), %d iterations: relative error %.2g\n", iterations, error);
    EXPECT_LT(error, last);
    if (iterations >= 10) {
      EXPECT_LT(error, 1e-3);
    }
    last = error;
  }
  EXPECT_LT(last, 1e-8);
}

}  // namespace
}  // namespace supple
