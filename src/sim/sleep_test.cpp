#include "sim/sleep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/test_scenes.h"

namespace supple {
namespace {

constexpr double after = 0.25;

Body block(const Vec3& center, double size = 0.5) {
  Body body{.mesh = generate(
                BoxGenerator{.size = {size, size, size}, .cells = {2, 2, 2}, .center = center})};
  body.material = test::soft_material("stable_neo_hookean");
  return body;
}

/// Two blocks on top of each other, and one far away, on the ground.
Scene scene_of_three() {
  Scene scene;
  scene.bodies = {block({0, 0.26, 0}), block({0, 0.78, 0}), block({5, 0.26, 0})};
  scene.colliders = {{.shape = PlaneShape{}}};
  scene.contact.friction = 0.5;
  scene.time.step = 1.0 / 60;
  scene.time.sleep_after = after;
  return scene;
}

/// Steps until so many bodies sleep. Returns the number of frames; -1: more than ten seconds.
int run_until(Simulation& simulation, int count) {
  for (int frame = 1; frame <= 600; ++frame) {
    if (simulation.step().sleeping_bodies == count) return frame;
  }
  return -1;
}

std::vector<bool> asleep(const Simulation& simulation) {
  std::vector<bool> all;
  for (int body = 0; body < static_cast<int>(simulation.scene().bodies.size()); ++body) {
    all.push_back(simulation.is_asleep(body));
  }
  return all;
}

using Flags = std::vector<bool>;

class SleepOf : public testing::TestWithParam<std::string> {};

/// Sleeping bodies stay in place to the bit and have no velocity while time goes on. Contacts stay
/// as they were, and nothing begins or ends.
TEST_P(SleepOf, BodiesThatHaveComeToRestStayThere) {
  Scene scene = scene_of_three();
  scene.time.integrator = from_string<TimeIntegrator>(GetParam());
  scene.damping.drag = 2;  // bdf2 hardly damps by itself
  Simulation simulation(scene);
  ASSERT_GT(run_until(simulation, 3), static_cast<int>(after * 60));
  const SimulationState before = simulation.state();
  const std::size_t contacts = simulation.contacts().size();
  EXPECT_GT(contacts, 0U);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.sleeping_bodies, 3);
  EXPECT_EQ(report.evaluations, 0);
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_GT(report.contacts, 0);
  const SimulationState now = simulation.state();
  EXPECT_EQ(now.positions, before.positions);
  EXPECT_TRUE(
      std::all_of(now.velocities.begin(), now.velocities.end(), [](double v) { return v == 0; }));
  EXPECT_EQ(now.frame, before.frame + 1);
  EXPECT_NEAR(now.time, before.time + 1.0 / 60, 1e-12);
  EXPECT_EQ(simulation.contacts().size(), contacts);
  EXPECT_TRUE(simulation.contact_events().empty());
}

/// Once awake, a body goes on as if it had never slept: it stays at rest.
TEST_P(SleepOf, WhatWakesInPeaceStaysAtRest) {
  Scene scene = scene_of_three();
  scene.time.integrator = from_string<TimeIntegrator>(GetParam());
  scene.damping.drag = 2;
  Simulation simulation(scene);
  ASSERT_GT(run_until(simulation, 3), 0);
  const std::vector<double> before = simulation.state().positions;
  simulation.wake(0);
  EXPECT_EQ(asleep(simulation), (Flags{false, true, true}));
  // The body on top of it wakes too; steps of bdf2 are not solved by islands.
  const bool has_islands = GetParam() == "backward_euler";
  simulation.step();
  EXPECT_EQ(asleep(simulation), (Flags{false, false, has_islands}));
  ASSERT_GT(run_until(simulation, 3), 0);
  const std::vector<double> now = simulation.state().positions;
  // It can have moved at the speed at which it fell asleep until it fell asleep again.
  const double way = 2 * after * Sleep::rest_speed * std::sqrt(0.75);
  for (std::size_t i = 0; i < now.size(); ++i) ASSERT_NEAR(now[i], before[i], way);
}

INSTANTIATE_TEST_SUITE_P(Integrators, SleepOf, testing::Values("backward_euler", "bdf2"),
                         [](const auto& own) { return own.param; });

TEST(Sleep, WhateverActsOnABodyWakesIt) {
  const Scene scene = scene_of_three();
  Simulation simulation(scene);
  ASSERT_GT(run_until(simulation, 3), 0);
  const SimulationState rest = simulation.state();
  const auto wakes = [&](const auto& act) {
    simulation.set_state(rest);
    EXPECT_EQ(asleep(simulation), (Flags{true, true, true}));
    act();
    return asleep(simulation);
  };
  const Flags third{true, true, false}, all{false, false, false};
  EXPECT_EQ(wakes([&] { simulation.add_force(2, {0, 1, 0}); }), third);
  EXPECT_EQ(wakes([&] { simulation.add_impulse(2, {0, 1, 0}); }), third);
  EXPECT_EQ(wakes([&] { simulation.set_velocity(2, {0, 1, 0}); }), third);
  EXPECT_EQ(wakes([&] { simulation.set_material(2, test::soft_material("corotated")); }), third);
  EXPECT_EQ(wakes([&] { simulation.set_gravity({0, -1, 0}); }), all);
  EXPECT_EQ(wakes([&] {
              simulation.set_pins(2, {{.box = {{-9, 0.4, -9}, {9, 9, 9}}, .stiffness = 1e4}});
            }),
            third);
  const std::vector<int> first{0};
  Attachment held;
  EXPECT_EQ(wakes([&] {
              held = simulation.attach(2, first, std::vector<Vec3>{{5, 0, 0}}, 10);
            }),
            third);
  EXPECT_EQ(wakes([&] { simulation.set_target(held, {5, 1, 0}); }), third);
  EXPECT_EQ(wakes([&] { simulation.detach(held); }), third);
  Scene other = scene;
  other.contact.friction = 0.4;
  EXPECT_EQ(wakes([&] { simulation.change(other); }), all);
}

/// A body that falls on a pile wakes the pile and nothing else. Single bodies on the ground are not
/// woken by a body that comes or goes elsewhere.
TEST(Sleep, WhatFallsOnAPileWakesThePile) {
  Simulation simulation(scene_of_three());
  ASSERT_GT(run_until(simulation, 3), 0);
  const BodyHandle ball = simulation.add_body(block({0, 1.25, 0}, 0.2));
  EXPECT_EQ(asleep(simulation), (Flags{true, true, true, false}));
  bool has_woken = false;
  for (int frame = 0; frame < 60 && !has_woken; ++frame) {
    EXPECT_TRUE(simulation.is_asleep(2));
    simulation.step();
    has_woken = !simulation.is_asleep(1);
    EXPECT_EQ(simulation.is_asleep(0), simulation.is_asleep(1));
  }
  EXPECT_TRUE(has_woken);
  test::run(simulation, 30);
  EXPECT_TRUE(simulation.is_asleep(2));
  ASSERT_GT(run_until(simulation, 4), 0);
  // The body below wakes when it is removed.
  simulation.remove_body(ball);
  EXPECT_FALSE(simulation.is_asleep(1));
  EXPECT_TRUE(simulation.is_asleep(2));
}

TEST(Sleep, WhatABodyLayOnIsMissed) {
  Simulation simulation(scene_of_three());
  ASSERT_GT(run_until(simulation, 3), 0);
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(asleep(simulation), (Flags{false, true}));
  test::run(simulation, 60);
  EXPECT_LT(simulation.body_bounds(0).min[1], 0.1);
}

TEST(Sleep, CollidersThatChangeWakeWhatTheyComeNear) {
  Simulation simulation(scene_of_three());
  ASSERT_GT(run_until(simulation, 3), 0);
  std::vector<Collider> colliders = simulation.scene().colliders;
  colliders.push_back({.shape = SphereShape{{5, 2, 0}, 0.5}});
  simulation.set_colliders(colliders);
  EXPECT_EQ(asleep(simulation), (Flags{true, true, true}));
  colliders[1].shape = SphereShape{{5, 0.9, 0}, 0.5};
  simulation.set_colliders(colliders);
  EXPECT_EQ(asleep(simulation), (Flags{true, true, false}));
  ASSERT_GT(run_until(simulation, 3), 0);
  colliders.pop_back();  // it lay on the body
  simulation.set_colliders(colliders);
  EXPECT_EQ(asleep(simulation), (Flags{true, true, false}));
  ASSERT_GT(run_until(simulation, 3), 0);
  simulation.set_colliders({});  // the ground
  EXPECT_EQ(asleep(simulation), (Flags{false, true, false}));
  simulation.step();
  EXPECT_EQ(asleep(simulation), (Flags{false, false, false}));
}

/// A moving ball pushes away a body that has slept, at any speed.
TEST(Sleep, CollidersThatMoveWakeWhatTheyComeNear) {
  for (const double speed : {1.0, 100.0}) {
    Scene scene = scene_of_three();
    Collider ball{.shape = SphereShape{{0, 0, 0}, 0.4}};
    const double start = 5, way = 10;
    ball.motion.keyframes = {{.time = 0, .translate = {5 - way, 0.3, 0}},
                             {.time = start, .translate = {5 - way, 0.3, 0}},
                             {.time = start + 2 * way / speed, .translate = {5 + way, 0.3, 0}}};
    ball.touches = {{"far"}};
    scene.bodies[2].name = "far";
    scene.colliders.push_back(ball);
    Simulation simulation(scene);
    ASSERT_GT(run_until(simulation, 3), 0);
    ASSERT_LT(simulation.time(), start);
    while (simulation.time() < start + 2 * way / speed) simulation.step();
    EXPECT_EQ(asleep(simulation), (Flags{true, true, false})) << speed;
    const Box box = simulation.body_bounds(2);
    EXPECT_GT(std::abs(box.min[0] + box.max[0] - 10) + std::abs(box.min[2] + box.max[2]), 0.1);
  }
}

/// A body on which something changes with time does not sleep through it.
TEST(Sleep, WhatChangesWithTimeStaysAwake) {
  Scene scene;
  scene.bodies = {block({0, 0, 0}), block({5, 0, 0})};
  scene.bodies[0].pins = {{.box = {{-9, 0.2, -9}, {9, 9, 9}}, .stiffness = 1e4}};
  scene.bodies[1].pins = scene.bodies[0].pins;
  scene.bodies[1].pins[0].motion.keyframes = {{.time = 3}, {.time = 4, .translate = {0, 1, 0}}};
  scene.gravity = {0, -1, 0};
  scene.time.step = 1.0 / 60;
  scene.time.sleep_after = after;
  Simulation simulation(scene);
  ASSERT_GT(run_until(simulation, 1), 0);
  EXPECT_EQ(asleep(simulation), (Flags{true, false}));
  while (simulation.time() < 4) simulation.step();
  EXPECT_EQ(asleep(simulation), (Flags{true, false}));
  EXPECT_GT(simulation.body_bounds(1).min[1], 0.5);
}

/// A scene that is one island sleeps as a whole.
TEST(Sleep, OtherMethodsSleepAllAtOnce) {
  for (const std::string method : {"xpbd", "newton", "vertex_block_descent"}) {
    Scene scene = scene_of_three();
    scene.solver.method = from_string<SolverMethod>(method);
    if (method == "xpbd") scene.time.substeps = 10;
    scene.damping.drag = 2;
    Simulation simulation(scene);
    ASSERT_GT(run_until(simulation, 3), 0) << method;
    EXPECT_EQ(simulation.step().evaluations, 0);
    simulation.wake(2);
    simulation.step();
    EXPECT_EQ(asleep(simulation), (Flags{false, false, false}));
  }
}

TEST(Sleep, TheStateHoldsIt) {
  test::expect_same_bits_however_run(scene_of_three(), 20, 60);
  Simulation simulation(scene_of_three());
  EXPECT_TRUE(simulation.state().rested.empty());
  ASSERT_GT(run_until(simulation, 3), 0);
  SimulationState state = simulation.state();
  EXPECT_EQ(state.rested, (std::vector<double>{-1, -1, -1}));
  Simulation other(scene_of_three());
  other.set_state(state);
  EXPECT_EQ(asleep(other), (Flags{true, true, true}));
  state.rested = {0};
  EXPECT_EQ(test::place_of([&] { other.set_state(state); }), "rested");
  state.rested = {0, -2, 0};
  EXPECT_EQ(test::place_of([&] { other.set_state(state); }), "rested");
  state.rested = {0, NAN, 0};
  EXPECT_EQ(test::place_of([&] { other.set_state(state); }), "rested");
}

/// Neither a body that stands still for a moment nor one that creeps is at rest.
TEST(Sleep, WhatMovesSlowlyForAMomentDoesNotSleep) {
  Scene scene;
  scene.bodies = {block({0, 5, 0})};
  scene.bodies[0].velocity = {0, 3, 0};
  scene.time.step = 1.0 / 60;
  scene.time.sleep_after = after;
  Simulation thrown(scene);
  for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(thrown.step().sleeping_bodies, 0);
  scene.gravity = {0, 0, 0};
  scene.bodies[0].velocity = {0.9 * std::sqrt(0.75) * Sleep::rest_speed, 0, 0};
  Simulation slow(scene);
  EXPECT_GT(run_until(slow, 1), 0);
  scene.bodies[0].velocity[0] *= 1.2 / 0.9;
  Simulation faster(scene);
  EXPECT_EQ(run_until(faster, 1), -1);
}

TEST(Sleep, WrongSettingsAreRefused) {
  Scene scene = scene_of_three();
  for (const double wrong : {-1.0, double{NAN}, double{INFINITY}}) {
    scene.time.sleep_after = wrong;
    EXPECT_EQ(test::place_of([&] { Simulation{scene}; }), "/time/sleep_after");
  }
  scene.time.sleep_after = 1;
  scene.time.integrator = TimeIntegrator::quasi_static;
  EXPECT_EQ(test::place_of([&] { Simulation{scene}; }), "/time/sleep_after");
  scene.time.integrator = TimeIntegrator::backward_euler;
  const Simulation simulation(scene);
  EXPECT_EQ(test::place_of([&] { (void)simulation.is_asleep(3); }), "/bodies");
}

}  // namespace
}  // namespace supple
