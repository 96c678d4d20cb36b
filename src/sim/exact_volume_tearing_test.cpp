#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/index.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/simulation.h"
#include "supple/state_bytes.h"

/// Bodies that keep their volumes and come apart.
namespace supple {
namespace {

using test::num_parts;
using test::plane_across;
using test::run;

/// A bar of 0.4 m of something that a Poisson's ratio of 0.3 would let be pressed together, between
/// a floor and a plate that comes down.
Scene pressed_bar(SolverMethod method, int iterations) {
  Scene scene;
  scene.time.step = 1.0 / 60;
  scene.solver.method = method;
  scene.solver.iterations = iterations;
  Body& bar = scene.bodies.emplace_back();
  bar.name = "bar";
  bar.mesh = generate(BoxGenerator{.size = {0.4, 0.2, 0.2}, .cells = {6, 3, 3}});
  bar.material.model = "stable_neo_hookean";
  std::tie(bar.material.mu, bar.material.lambda) = lame_parameters(1e5, 0.3);
  bar.volume = BodyVolume::exact;
  Motion down;
  down.keyframes = {{.time = 0}, {.time = 0.3, .translate = {0, -0.04, 0}}};
  scene.colliders = {{"floor", PlaneShape{{0, 1, 0}, -0.101}, {}},
                     {"plate", PlaneShape{{0, -1, 0}, -0.101}, down}};
  return scene;
}

TEST(ExactVolumeTearing, PartsKeepTheirVolumesAndThePressureOfTheWhole) {
  for (const SolverMethod method :
       {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::xpbd}) {
    SCOPED_TRACE(to_string(method));
    Scene scene = pressed_bar(method, 20);
    if (method == SolverMethod::xpbd) scene.time.substeps = 10;
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 40);
    const std::vector<double> whole = simulation.state().multipliers;
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_GT(whole[0], 500);  // Pa: it is pressed
    ASSERT_GT(simulation.cut(plane_across(0.02)), 0);
    ASSERT_EQ(num_parts(simulation), 2);
    EXPECT_EQ(simulation.state().multipliers, (std::vector<double>{whole[0], whole[0]}));
    EXPECT_EQ(simulation.scene().bodies[0].volume, BodyVolume::exact);
    double worst = 0;
    for (int i = 0; i < 40; ++i) worst = std::max(worst, simulation.step().constraint_error);
    // Where they rest: what the table of docs/inextensible.md has for blocks.
    EXPECT_LT(worst, 2e-3);
    const auto bytes = state_to_bytes(simulation.state());
    Simulation other(scene, {.threads = 1});
    other.set_state(state_from_bytes(bytes));
    run(other, 3);
    run(simulation, 3);
    test::expect_same_bits(simulation, other);
    EXPECT_EQ(simulation.state().multipliers, other.state().multipliers);
  }
}

/// A corner is cut off, then the rest in two: three parts of different sizes.
TEST(ExactVolumeTearing, PartsOfPartsGoOnKeepingTheirs) {
  Scene scene = pressed_bar(SolverMethod::newton, 30);
  scene.time.separate_after = 2;
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 30);
  for (const double x : {0.1, -0.08}) {
    ASSERT_GT(simulation.cut(plane_across(x)), 0);
    run(simulation, 10);
  }
  EXPECT_EQ(num_parts(simulation), 3);
  ASSERT_EQ(simulation.state().multipliers.size(), 3U);
  for (const double p : simulation.state().multipliers) EXPECT_GT(p, 100);
  EXPECT_LT(simulation.step().constraint_error, 1e-5);
}

/// While it tears, cracks open that do not part it yet: its volume is still that of its tets.
TEST(ExactVolumeTearing, TearsByItsStretch) {
  Scene scene = test::free_block("stable_neo_hookean");
  Body& bar = scene.bodies[0];
  bar.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  bar.pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}},
              {.box = {{0.49, -9, -9}, {9, 9, 9}}, .motion = {.velocity = Vec3{0.5, 0, 0}}}};
  bar.tearing = TearingSettings{.stretch = 1.3};
  bar.volume = BodyVolume::exact;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 20;
  Simulation simulation(scene, {.threads = 2});
  int separated = 0;
  double worst = 0;
  for (int i = 0; i < 90; ++i) {
    const StepReport report = simulation.step();
    separated += report.separated;
    worst = std::max(worst, report.constraint_error);
  }
  EXPECT_GT(separated, 0);
  EXPECT_GE(num_parts(simulation), 2);
  EXPECT_EQ(simulation.state().multipliers.size(), static_cast<std::size_t>(num_parts(simulation)));
  EXPECT_LT(worst, 1e-3);
}

TEST(ExactVolumeTearing, AClothThatIsCutLosesWhatItEncloses) {
  const SpringMesh mesh = generate(IcosphereGenerator{.radius = 0.1, .subdivisions = 2});
  Scene scene;
  scene.solver.method = SolverMethod::newton;
  Body& bag = scene.bodies.emplace_back();
  bag.mesh.vertices = mesh.vertices;
  bag.triangles = mesh.triangles;
  bag.density = 5;
  bag.membrane = MembraneSettings{.thickness = 1e-3};
  bag.material.model = "stvk";
  std::tie(bag.material.mu, bag.material.lambda) = lame_parameters(1e6, 0.3);
  bag.volume = BodyVolume::exact;
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 3);
  const SimulationState start = simulation.state();
  ASSERT_EQ(start.multipliers.size(), 1U);
  ASSERT_GT(simulation.cut(plane_across(0.011)), 0);
  EXPECT_TRUE(simulation.state().multipliers.empty());
  EXPECT_EQ(simulation.scene().bodies[0].volume, BodyVolume::free);
  run(simulation, 3);
  Simulation other(scene, {.threads = 1});
  other.set_state(simulation.state());
  run(simulation, 2);
  run(other, 2);
  test::expect_same_bits(simulation, other);
  other.set_state(start);
  EXPECT_EQ(other.scene().bodies[0].volume, BodyVolume::exact) << "whole again";
}

}  // namespace
}  // namespace supple
