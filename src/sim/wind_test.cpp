#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

/// A flat square metre of cloth, 0.3 kg, free and weightless.
Scene free_cloth() {
  Scene scene = test::hanging_membrane("corotated");
  scene.gravity = {0, 0, 0};
  scene.bodies[0].pins.clear();
  scene.time.step = 1e-3;
  return scene;
}

Vec3 mean_velocity(const Simulation& simulation) {
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  // Corners of cells have different masses, so the mean is by momentum.
  const Scene& scene = simulation.scene();
  std::vector<double> mass(v.size() / 3, 0.0);
  for (const auto& t : scene.bodies[0].triangles) {
    for (const int vertex : t) mass[static_cast<std::size_t>(vertex)] += 0.3 / 120;
  }
  Vec3 sum{};
  for (std::size_t i = 0; i < v.size(); ++i) sum[i % 3] += mass[i / 3] * v[i] / 0.3;
  return sum;
}

/// Straight at the face: F = rho A C_D w^2/2, whatever the lift.
TEST(Wind, AtAFaceThatItBlowsAtItPushesByDragAlone) {
  for (const double lift : {0.0, 2.0}) {
    Scene scene = free_cloth();
    scene.wind = WindSettings{.velocity = {0, 4, 0}, .density = 1.2, .drag = 1.3, .lift = lift};
    Simulation simulation(scene, {.threads = 1});
    simulation.step();
    const double expected = 0.5 * 1.2 * 1.3 * 16 / 0.3 * 1e-3;
    // The step's divisor: h K/m = 1e-3 * 0.6 (1.3 + lift) 4/0.3 on average.
    const double divisor = 1 + 1e-3 * 0.6 * (1.3 + lift) * 4 / 0.3;
    EXPECT_NEAR(mean_velocity(simulation)[1], expected / divisor, 2e-3 * expected);
  }
}

/// At 45 degrees: n.w = w/sqrt 2, drag along w and lift along n - w/(sqrt 2 |w|).
TEST(Wind, AskewItAlsoLifts) {
  Scene scene = free_cloth();
  scene.time.step = 1e-5;
  const double w = 3;
  scene.wind = WindSettings{.velocity = {w, w, 0}, .density = 1, .drag = 0.5, .lift = 0.8};
  Simulation simulation(scene, {.threads = 1});
  simulation.step();
  const double flow = 0.5 * w / 0.3 * 1e-5;  // rho A (n.w)/2 h/m
  const Vec3 v = mean_velocity(simulation);
  const double speed = std::sqrt(2.0) * w;
  EXPECT_NEAR(v[0], flow * (0.5 * w - 0.8 * w * w / speed), 1e-3 * flow);
  EXPECT_NEAR(v[1], flow * (0.5 * w + 0.8 * (speed - w * w / speed)), 1e-3 * flow);
  EXPECT_NEAR(v[2], 0, 1e-9 * flow);
}

TEST(Wind, AlongAFaceItDoesNothing) {
  Scene scene = free_cloth();
  scene.wind = WindSettings{.velocity = {5, 0, 2}};
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 20);
  for (const double v : mean_velocity(simulation)) EXPECT_NEAR(v, 0, 1e-9);
}

/// Large steps, light cloth and a storm: it ends up moving with the wind and is never faster.
TEST(Wind, ACarriedClothComesToMoveWithIt) {
  Scene scene = free_cloth();
  scene.time.step = 1.0 / 30;
  scene.wind = WindSettings{.velocity = {0, 30, 0}};
  Simulation simulation(scene, {.threads = 1});
  double last = 0;
  for (int frame = 0; frame < 120; ++frame) {
    simulation.step();
    const double v = mean_velocity(simulation)[1];
    EXPECT_GE(v, last - 1e-9);
    EXPECT_LE(v, 30);
    last = v;
  }
  EXPECT_GT(last, 28);
}

/// m g = rho A C_D v^2/2.
TEST(Wind, StillAirBrakesAFall) {
  Scene scene = free_cloth();
  scene.time.step = 1.0 / 240;  // the divisor of the step: h K/m is 0.02
  scene.gravity = {0, -9.81, 0};
  scene.bodies[0].membrane->bending = 10;  // a stiff plate, so that it stays flat
  scene.wind = WindSettings{.lift = 0};
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 960);
  const double expected = std::sqrt(0.3 * 9.81 / (0.5 * 1.2));
  EXPECT_NEAR(-mean_velocity(simulation)[1], expected, 0.03 * expected);
}

TEST(Wind, BlowsAtClothOfSpringsTooAndWithPositionBasedMethods) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    Scene scene = test::hanging_cloth();
    scene.gravity = {0, 0, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.wind = WindSettings{.velocity = {0, 8, 0}};
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 4);
    EXPECT_GT(mean_velocity(simulation)[1], 0.1) << method;
  }
}

TEST(Wind, TheNumberOfThreadsChangesNoBit) {
  Scene scene = test::hanging_membrane("neo_hookean");
  scene.wind = WindSettings{.velocity = {1, 2, 8}};
  Simulation one(scene, {.threads = 1}), three(scene, {.threads = 3});
  test::run(one, 5);
  test::run(three, 5);
  test::expect_same_bits(one, three);
}

TEST(Wind, WhatItCannotBeIsRefused) {
  const auto refused = [](const Scene& scene, const std::string& place) {
    try {
      Simulation simulation(scene, {.threads = 1});
      ADD_FAILURE() << place << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  };
  Scene scene = free_cloth();
  scene.wind = WindSettings{.velocity = {0, std::nan(""), 0}};
  refused(scene, "/wind/velocity");
  scene.wind = WindSettings{.density = 0};
  refused(scene, "/wind/density");
  scene.wind = WindSettings{.drag = -1};
  refused(scene, "/wind/drag");
  scene.wind = WindSettings{.lift = -1};
  refused(scene, "/wind/lift");
  Scene block = test::free_block("neo_hookean");
  block.wind = WindSettings{};
  refused(block, "/wind");
  scene = test::hanging_membrane("neo_hookean");
  scene.wind = WindSettings{};
  scene.time.integrator = TimeIntegrator::quasi_static;
  refused(scene, "/wind");
}

}  // namespace
}  // namespace supple
