#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sim/test_scenes.h"

/// Settings that can change at no cost while a simulation runs.
namespace supple {
namespace {

using test::expect_same_bits;
using test::fresh;
using test::place_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Setting {
  std::string name;
  std::function<void(Simulation&)> set;
};

std::vector<Setting> settings() {
  LineSearchSettings exact;
  exact.type = LineSearchType::exact;
  return {{"gravity",
           [](Simulation& s) {
             s.set_gravity({3, -5, 1});
           }},
          {"drag", [](Simulation& s) { s.set_drag(4); }},
          {"friction", [](Simulation& s) { s.set_friction(0.9); }},
          {"iterations", [](Simulation& s) { s.set_iterations(3); }},
          {"tolerance", [](Simulation& s) { s.set_tolerance(1e-3); }},
          {"line search", [=](Simulation& s) { s.set_line_search(exact); }},
          {"no drag", [](Simulation& s) { s.set_drag(0); }},
          {"no gravity",
           [](Simulation& s) {
             s.set_gravity({0, 0, 0});
           }},
          // Never reached; without a budget a step does not read the clock.
          {"budget", [](Simulation& s) { s.set_budget(1e7); }}};
}

Scene scene_of(const std::string& solver, const std::string& integrator) {
  Scene scene = test::twisting_bar({6, 2, 2}, test::material_of(solver));
  scene.gravity = {0, -9.81, 0};
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.45}, {}});
  scene.solver.method = from_string<SolverMethod>(solver);
  scene.time.integrator = from_string<TimeIntegrator>(integrator);
  scene.time.substeps = 2;
  return scene;
}

TEST(Settings, EveryStepAfterAChangeIsThatOfASimulationBuiltWithIt) {
  std::vector<std::pair<std::string, std::string>> methods;
  for (const Description& solver : list_solvers()) {
    methods.push_back({solver.name, "backward_euler"});
  }
  for (const char* integrator : {"implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
    methods.push_back({"l_bfgs", integrator});
  }
  for (const auto& [solver, integrator] : methods) {
    SCOPED_TRACE(solver + ", " + integrator);
    Simulation simulation(scene_of(solver, integrator), {.threads = 1});
    simulation.step();
    for (const Setting& setting : settings()) {
      SCOPED_TRACE(setting.name);
      if (integrator == "quasi_static" && setting.name == "drag") continue;
      const SimulationState before = simulation.state();
      setting.set(simulation);
      Simulation built = fresh(simulation);
      EXPECT_EQ(simulation.state().positions, before.positions);
      for (int frame = 0; frame < 2; ++frame) {
        simulation.step();
        built.step();
        expect_same_bits(simulation, built);
      }
      if (HasFailure()) return;
    }
  }
}

TEST(Settings, AreSeenInTheSceneAndFelt) {
  Simulation simulation(test::free_block("neo_hookean"), {.threads = 1});
  simulation.set_gravity({0, -2, 0});
  EXPECT_EQ(simulation.scene().gravity, (Vec3{0, -2, 0}));
  simulation.step();
  const double fallen = simulation.state().velocities[1];
  EXPECT_NEAR(fallen, -2 * simulation.scene().time.step, 1e-12);
  simulation.set_gravity({0, 0, 0});
  simulation.set_drag(5);
  simulation.step();
  EXPECT_NEAR(simulation.state().velocities[1],
              fallen * std::exp(-5 * simulation.scene().time.step), 1e-12);
  simulation.set_iterations(2);
  EXPECT_LE(simulation.step().iterations, 2);
  simulation.set_friction(0.7);
  simulation.set_tolerance(0.5);
  simulation.set_budget(3);
  EXPECT_EQ(simulation.scene().contact.friction, 0.7);
  EXPECT_EQ(simulation.scene().solver.tolerance, 0.5);
  EXPECT_EQ(simulation.scene().solver.budget_ms, 3);
}

TEST(Settings, HoldForASceneThatWaitsToo) {
  const Scene scene = scene_of("l_bfgs", "backward_euler");
  Simulation simulation(scene, {.threads = 1});
  simulation.change(scene, 1);
  simulation.set_gravity({0, -1, 0});
  simulation.set_iterations(4);
  simulation.step();
  ASSERT_EQ(simulation.step().change, SceneChange::done);
  EXPECT_EQ(simulation.scene().gravity, (Vec3{0, -1, 0}));
  EXPECT_EQ(simulation.scene().solver.iterations, 4);
}

TEST(Settings, OutOfTheirRangeAreRefusedAndChangeNothing) {
  Simulation simulation(scene_of("l_bfgs", "backward_euler"), {.threads = 1});
  simulation.step();
  Simulation other = fresh(simulation);
  LineSearchSettings odd;
  odd.type = static_cast<LineSearchType>(4);
  EXPECT_EQ(place_of([&] { simulation.set_gravity({0, nan, 0}); }), "/gravity");
  EXPECT_EQ(place_of([&] { simulation.set_drag(-1); }), "/damping/drag");
  EXPECT_EQ(place_of([&] { simulation.set_friction(nan); }), "/contact/friction");
  EXPECT_EQ(place_of([&] { simulation.set_iterations(0); }), "/solver/iterations");
  EXPECT_EQ(place_of([&] { simulation.set_tolerance(-1); }), "/solver/tolerance");
  EXPECT_EQ(place_of([&] { simulation.set_budget(-1); }), "/solver/budget_ms");
  EXPECT_EQ(place_of([&] { simulation.set_line_search(odd); }), "/solver/line_search/type");
  EXPECT_EQ(simulation.scene().gravity, other.scene().gravity);
  simulation.step();
  other.step();
  expect_same_bits(simulation, other);
  Simulation still(scene_of("l_bfgs", "quasi_static"), {.threads = 1});
  EXPECT_EQ(place_of([&] { still.set_drag(1); }), "/damping/drag");
}

}  // namespace
}  // namespace supple
