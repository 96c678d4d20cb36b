// Hulls, height fields and functions as colliders; friction and touch lists of each collider; what
// can be read of contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/test_scenes.h"
#include "supple/error.h"

namespace supple {
namespace {

using Kind = std::pair<std::string, ColliderShape>;

/// A box of points, with many more inside and on its sides; its top is at y = 0.
ConvexHullShape slab(double thickness) {
  ConvexHullShape shape;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 2; ++j) {
      for (int k = 0; k <= 4; ++k) {
        shape.points.push_back({i - 2.0, -thickness * j / 2, k - 2.0});
      }
    }
  }
  return shape;
}

/// Start of the balls of these tests, chosen so that none rolls.
constexpr double ball_x = 0.05, ball_z = -0.03;

/// A hollow among hills of some centimetres, or flat, at y = 0.
HeightFieldShape ground(double hills) {
  HeightFieldShape shape{.nx = 9, .nz = 9, .cell = 0.5, .center = {ball_x, 0, ball_z}};
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 9; ++i) {
      shape.heights.push_back(hills * (0.4 * (i - 4) * (i - 4) + 0.4 * (j - 4) * (j - 4) + 1 -
                                       std::cos(2.0 * (i - 4)) * std::cos(3.0 * (j - 4))));
    }
  }
  return shape;
}

/// Solid below y = 0.
DistanceShape half_space() {
  return {[](const Vec3& x, Vec3& gradient) {
    gradient = {0, 1, 0};
    return x[1];
  }};
}

/// A bowl: everything outside a ball of 3 m.
DistanceShape bowl() {
  return {[](const Vec3& x, Vec3& gradient) {
    const Vec3 d{x[0] - ball_x, x[1] - 3, x[2] - ball_z};
    const double r = std::hypot(d[0], d[1], d[2]);
    gradient = {-d[0], -d[1], -d[2]};
    return 3 - r;
  }};
}

std::vector<Kind> kinds() {
  return {{"hull", slab(0.2)},
          {"level field", ground(0)},
          {"hills", ground(0.02)},
          {"half space", half_space()},
          {"bowl", bowl()}};
}

/// A ball of 0.3 m with 192 tets, whose lowest point is at a height, m.
Body ball(double height, const std::string& name = "ball") {
  Body body{.name = name,
            .mesh = generate(SphereGenerator{
                .radius = 0.3, .cells = 4, .center = {ball_x, height + 0.3, ball_z}})};
  body.material = test::soft_material("stable_neo_hookean");
  return body;
}

Scene ball_on(const ColliderShape& shape, double height = 0.02) {
  Scene scene;
  scene.bodies.push_back(ball(height));
  scene.colliders.push_back({.name = "ground", .shape = shape});
  scene.time.step = 1.0 / 60;
  return scene;
}

double weight_of(const Simulation& simulation) {
  // -sum m g . x changes by the weight if everything moves down by a metre.
  SimulationState state = simulation.state();
  Simulation other(simulation.scene(), {.threads = 1});
  const double before = simulation.energies().gravity;
  for (std::size_t i = 1; i < state.positions.size(); i += 3) state.positions[i] += 1;
  other.set_state(state);
  return other.energies().gravity - before;
}

/// Expects the same force on the only collider when it is read in three ways.
void expect_same_reads(const Simulation& simulation, double weight) {
  const ColliderForce of_collider = simulation.collider_forces()[0];
  const Vec3& center = of_collider.center;
  Vec3 of_contacts{0, 0, 0}, torque{0, 0, 0}, of_vertices{0, 0, 0};
  for (const BodyContact& contact : simulation.contacts()) {
    const Vec3 &f = contact.force, &p = contact.point;
    for (std::size_t k = 0; k < 3; ++k) {
      of_contacts[k] -= f[k];
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      torque[k] -= (p[l] - center[l]) * f[m] - (p[m] - center[m]) * f[l];
    }
  }
  std::vector<double> at_vertices(static_cast<std::size_t>(3 * simulation.num_vertices()));
  simulation.copy_contact_forces(at_vertices);
  for (std::size_t i = 0; i < at_vertices.size(); ++i) of_vertices[i % 3] -= at_vertices[i];
  // Rounding of sums of forces as large as the weight.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(of_contacts[k], of_collider.force[k], 1e-9 * weight);
    EXPECT_NEAR(of_vertices[k], of_collider.force[k], 1e-9 * weight);
    EXPECT_NEAR(torque[k], of_collider.torque[k], 1e-9 * weight);
  }
}

TEST(ColliderKinds, ABallRestsAndTheForcesThatAreReadAddUpToItsWeight) {
  for (const auto& [name, shape] : kinds()) {
    for (const char* method : {"l_bfgs", "xpbd"}) {
      SCOPED_TRACE(name + std::string(", ") + method);
      // Each substep samples all triangles nearby, which takes seconds.
      const bool is_field = std::holds_alternative<HeightFieldShape>(shape);
      if (is_field && method == std::string("xpbd")) continue;
      Scene scene = ball_on(shape, 0.001);
      scene.damping.drag = 8;
      scene.solver.method = from_string<SolverMethod>(method);
      // Stiff contacts show what has not converged: at 10 iterations forces are off by a tenth.
      scene.solver.iterations = 40;
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 4;
        scene.solver.iterations = 2;
      }
      Simulation simulation(scene, {.threads = 1});
      test::run(simulation, 70);
      const double weight = weight_of(simulation);
      const std::vector<ColliderForce> forces = simulation.collider_forces();
      ASSERT_EQ(forces.size(), 1U);
      const Vec3 force = forces[0].force;
      // xpbd has not converged, and what settles in a bowl still trembles a little.
      const double tolerance = scene.solver.method == SolverMethod::xpbd ? 0.05 : 0.02;
      EXPECT_NEAR(force[1], -weight, tolerance * weight);
      EXPECT_NEAR(force[0], 0, tolerance * weight);
      EXPECT_NEAR(force[2], 0, tolerance * weight);
      expect_same_reads(simulation, weight);
      simulation.set_friction(0.8);
      test::run(simulation, 3);
      expect_same_reads(simulation, weight);
    }
  }
}

TEST(ColliderKinds, AFastBodyDoesNotPass) {
  for (const double speed : {30.0, 200.0}) {
    for (const auto& [name, shape] : kinds()) {
      const bool is_field = std::holds_alternative<HeightFieldShape>(shape);
      for (const char* method : {"l_bfgs", "xpbd"}) {
        // Seconds, as above.
        if (is_field && (speed < 100 || method == std::string("xpbd"))) continue;
        SCOPED_TRACE(name + std::string(", ") + method + " at " + std::to_string(speed));
        Scene scene = ball_on(shape, 0.6);
        scene.time.step = 1.0 / 30;
        scene.solver.method = from_string<SolverMethod>(method);
        scene.bodies[0].velocity = {0, -speed, 0};
        scene.gravity = {0, 0, 0};
        Simulation simulation(scene, {.threads = 1});
        int tunnelled = 0;
        bool touched = false;
        double lowest = 1;
        for (int frame = 0; frame < 4; ++frame) {
          const StepReport report = simulation.step();
          ASSERT_NE(report.status, StepStatus::non_finite);
          tunnelled += report.tunnelled;
          touched = touched || report.contacts > 0;
          double middle = 0;
          const std::vector<Vec3> x = test::positions_of(simulation);
          for (const Vec3& p : x) middle += p[1] / static_cast<double>(x.size());
          lowest = std::min(lowest, middle);
        }
        EXPECT_TRUE(touched);
        EXPECT_EQ(tunnelled, 0);
        // Its middle stays above the ground, however flat it is pressed.
        EXPECT_GT(lowest, -0.03);
      }
    }
  }
}

TEST(ColliderKinds, SameBitsAtAnyNumberOfThreads) {
  for (const auto& [name, shape] : kinds()) {
    SCOPED_TRACE(name);
    Scene scene = ball_on(shape);
    scene.contact.friction = 0.3;
    scene.bodies[0].velocity = {1, 0, 0.2};
    Simulation one(scene, {.threads = 1});
    test::run(one, 10);
    for (const int threads : {2, 3, 8}) {
      Simulation other(scene, {.threads = threads});
      test::run(other, 10);
      test::expect_same_bits(one, other);
    }
  }
}

/// A block falls on the edge of a ridge that none of its vertices meets.
TEST(ColliderKinds, ARidgeOfAHeightFieldHoldsAFaceBetweenItsVertices) {
  HeightFieldShape ridge{.nx = 5, .nz = 3, .cell = 0.5};
  for (int j = 0; j < 3; ++j) {
    for (const double height : {-2.0, -2.0, 0.0, -2.0, -2.0}) ridge.heights.push_back(height);
  }
  Scene scene;
  Body block{.mesh = generate(BoxGenerator{
                 .size = {0.8, 0.4, 0.8}, .cells = {1, 1, 1}, .center = {0, 0.25, 0}})};
  block.material = test::soft_material("stable_neo_hookean");
  scene.bodies.push_back(std::move(block));
  scene.colliders.push_back({.shape = ridge});
  scene.time.step = 1.0 / 60;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 60);
  double middle = 0;
  const std::vector<Vec3> x = test::positions_of(simulation);
  for (const Vec3& p : x) middle += p[1] / static_cast<double>(x.size());
  EXPECT_GT(middle, 0.1);
}

TEST(ColliderKinds, WhatAFunctionThrowsIsWhyTheStepFailed) {
  const auto is_broken = std::make_shared<std::atomic<int>>(0);
  Scene scene = ball_on(DistanceShape{[is_broken](const Vec3& x, Vec3& gradient) -> double {
    gradient = {0, 1, 0};
    if (*is_broken == 1) throw std::runtime_error("no such place");
    return *is_broken == 2 ? std::nan("") : x[1];
  }});
  Simulation simulation(scene, {.threads = 2});
  test::run(simulation, 5);
  const SimulationState before = simulation.state();
  *is_broken = 1;
  EXPECT_EQ(simulation.step().status, StepStatus::failed);
  EXPECT_EQ(simulation.state().positions, before.positions);
  try {
    simulation.check_step();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no such place");
  }
  *is_broken = 2;
  EXPECT_EQ(simulation.step().status, StepStatus::failed);
  EXPECT_EQ(test::place_of([&] { simulation.check_step(); }), "/colliders/0/distance");
  *is_broken = 0;
  test::run(simulation, 5);
}

/// Two balls slide on two floors that differ only in friction.
TEST(ColliderFriction, IsEachCollidersOwn) {
  for (const char* method : {"l_bfgs", "xpbd", "pbd"}) {
    SCOPED_TRACE(method);
    Scene scene;
    for (const double z : {-2.0, 2.0}) {
      Body block{.mesh = generate(BoxGenerator{
                     .size = {0.5, 0.25, 0.5}, .cells = {2, 1, 2}, .center = {0, 0.126, z}})};
      block.material = test::soft_material("arap");
      block.velocity = {2, 0, 0};
      scene.bodies.push_back(std::move(block));
      scene.colliders.push_back({.shape = BoxShape{{0, -0.5, z}, {40, 1, 2}, {0, 1, 0}, 0}});
    }
    scene.contact.friction = 0.1;
    scene.colliders[1].friction = 0.4;
    scene.time.step = 1.0 / 60;
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    double work = 0;
    for (int frame = 0; frame < 30; ++frame) work += simulation.step().friction_work;
    const std::vector<double> v = simulation.state().velocities;
    const auto second = static_cast<std::size_t>(3 * simulation.body_vertices()[1]);
    // v - mu g t after half a second, except that the first frames have no normal force yet.
    EXPECT_NEAR(v[0], 2 - 0.1 * 9.81 * 0.5, 0.2);
    EXPECT_NEAR(v[second], 2 - 0.4 * 9.81 * 0.5, 0.4);
    EXPECT_LT(v[second] + 0.8, v[0]);
    // pbd takes vertices back instead of pushing them, so no force does work.
    if (scene.solver.method == SolverMethod::pbd) {
      EXPECT_EQ(work, 0);
    } else {
      EXPECT_LT(work, 0);
    }
  }
}

TEST(FrictionWork, IsWhatASlidingBlockLoses) {
  Scene scene = test::free_block("stable_neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.bodies[0].velocity = {3, 0, 0};
  scene.contact.friction = 0.3;
  scene.colliders.push_back({.shape = PlaneShape{{0, 1, 0}, -0.25}});
  scene.time.step = 1.0 / 120;
  scene.solver.iterations = 30;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 30);
  const double before = simulation.energies().kinetic;
  double work = 0;
  for (int frame = 0; frame < 30; ++frame) work += simulation.step().friction_work;
  const double lost = before - simulation.energies().kinetic;
  EXPECT_GT(lost, 50);
  // Backward Euler takes some of the energy of what trembles; force times distance does not include
  // it.
  EXPECT_NEAR(-work, lost, 0.03 * lost);
}

TEST(FrictionWork, IsPositiveWhereAColliderDrags) {
  Scene scene = test::free_block("stable_neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.contact.friction = 0.5;
  Motion belt;
  belt.velocity = Vec3{1, 0, 0};
  scene.colliders.push_back({"belt", PlaneShape{{0, 1, 0}, -0.25}, belt});
  Simulation simulation(scene, {.threads = 1});
  double work = 0;
  for (int frame = 0; frame < 30; ++frame) work += simulation.step().friction_work;
  EXPECT_GT(work, 0);
}

double lowest_of(const Simulation& simulation, std::size_t body) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  double lowest = 1e9;
  for (int v = simulation.body_vertices()[body]; v < simulation.body_vertices()[body + 1]; ++v) {
    lowest = std::min(lowest, x[static_cast<std::size_t>(v)][1]);
  }
  return lowest;
}

/// `low` lies under `high`, above a floor of the given shape.
Scene two_balls(const ColliderShape& floor) {
  Scene scene;
  scene.bodies = {ball(0.01, "low"), ball(0.63, "high")};
  scene.colliders.push_back({.name = "floor", .shape = floor});
  scene.time.step = 1.0 / 60;
  return scene;
}

TEST(Touches, ACollidersListLetsOthersPass) {
  for (const auto& [name, shape] : kinds()) {
    for (const char* method : {"l_bfgs", "xpbd", "vertex_block_descent"}) {
      if (name != "hull" && method != std::string("l_bfgs")) continue;
      SCOPED_TRACE(name + std::string(", ") + method);
      Scene scene = two_balls(shape);
      scene.bodies[1].mesh =
          generate(SphereGenerator{.radius = 0.3, .cells = 4, .center = {0.9, 0.35, -0.03}});
      scene.solver.method = from_string<SolverMethod>(method);
      scene.colliders[0].touches = {"low"};
      Simulation simulation(scene, {.threads = 1});
      test::run(simulation, 40);
      EXPECT_GT(lowest_of(simulation, 0), -0.1);
      EXPECT_LT(lowest_of(simulation, 1), -1.5);
      for (const BodyContact& contact : simulation.contacts()) EXPECT_EQ(contact.body, 0);
    }
  }
}

TEST(Touches, ABodysListIsOfBodiesAndColliders) {
  Scene scene = two_balls(half_space());
  // It falls through the other ball onto the floor.
  scene.bodies[1].touches = {"floor"};
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 90);
  EXPECT_GT(lowest_of(simulation, 0), -0.1);
  EXPECT_GT(lowest_of(simulation, 1), -0.1);
  EXPECT_LT(lowest_of(simulation, 1), 0.1);
  for (const BodyContact& contact : simulation.contacts()) EXPECT_EQ(contact.other_body, -1);
  // And through the floor onto the other ball.
  scene.bodies[1].touches = std::vector<std::string>{"low"};
  scene.bodies[1].mesh =
      generate(SphereGenerator{.radius = 0.3, .cells = 4, .center = {2, 0.4, 0}});
  Simulation other(scene, {.threads = 1});
  test::run(other, 60);
  EXPECT_LT(lowest_of(other, 1), -2);
  // A body with an empty list touches nothing.
  scene.bodies[0].touches = std::vector<std::string>{};
  Simulation none(scene, {.threads = 1});
  test::run(none, 60);
  EXPECT_LT(lowest_of(none, 0), -2);
}

TEST(Touches, WrongNamesAreRefusedWithTheirPlace) {
  Scene scene = two_balls(half_space());
  const auto refused = [&] { return test::place_of([&] { Simulation{scene}; }); };
  scene.colliders[0].touches = {"low", "hihg"};
  EXPECT_EQ(refused(), "/colliders/0/touches/1");
  scene.colliders[0].touches = {"floor"};
  EXPECT_EQ(refused(), "/colliders/0/touches/0") << "colliders do not touch each other";
  scene.colliders[0].touches = {"high"};
  scene.bodies[1].touches = {"floor", "low", "high"};
  EXPECT_EQ(refused(), "/bodies/1/touches/2") << "its own name";
  scene.bodies[1].touches = {"floor", "low"};
  EXPECT_EQ(refused(), "nothing");
  Simulation simulation(scene);
  std::vector<Collider> colliders = scene.colliders;
  colliders[0].touches = {"nobody"};
  EXPECT_EQ(test::place_of([&] { simulation.set_colliders(colliders); }), "/colliders/0/touches/0");
  EXPECT_EQ(simulation.scene().colliders[0].touches, scene.colliders[0].touches);
}

/// Text of events: "0-1" for bodies, "0|2" for a body and a collider, with + or -.
std::string words(const std::vector<ContactEvent>& events) {
  std::string text;
  for (const ContactEvent& event : events) {
    text += (text.empty() ? "" : " ") + std::string(event.begins ? "+" : "-") +
            std::to_string(event.body) +
            (event.collider < 0 ? "-" + std::to_string(event.other_body)
                                : "|" + std::to_string(event.collider));
  }
  return text;
}

TEST(ContactEvents, BeginAndEndOnce) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    SCOPED_TRACE(method);
    Scene scene = two_balls(half_space());
    scene.colliders.insert(scene.colliders.begin(),
                           {.name = "far", .shape = SphereShape{{9, 9, 9}, 1}});
    scene.damping.drag = 4;
    scene.solver.method = from_string<SolverMethod>(method);
    if (scene.solver.method == SolverMethod::xpbd) scene.time.substeps = 5;
    Simulation simulation(scene, {.threads = 1});
    EXPECT_EQ(words(simulation.contact_events()), "");
    std::string all;
    for (int frame = 0; frame < 40; ++frame) {
      simulation.step();
      const std::string own = words(simulation.contact_events());
      // The list agrees with what touches.
      for (const ContactEvent& event : simulation.contact_events()) {
        const std::vector<BodyContact> list = simulation.contacts();
        const bool touches = std::any_of(list.begin(), list.end(), [&](const BodyContact& contact) {
          const auto [low, high] = std::minmax(contact.body, contact.other_body);
          return contact.depth > 0 && contact.collider == event.collider &&
                 (event.collider >= 0 ? contact.body == event.body
                                      : low == event.body && high == event.other_body);
        });
        EXPECT_EQ(touches, event.begins) << own;
      }
      all += own.empty() ? "" : own + "; ";
    }
    EXPECT_NE(all.find("+0|1"), std::string::npos) << all;
    EXPECT_NE(all.find("+0-1"), std::string::npos) << all;
    EXPECT_EQ(all.find("|0"), std::string::npos) << all;
    // After a throw both contacts end; after a return to a state, what touches begins anew.
    const SimulationState resting = simulation.state();
    simulation.set_velocity(0, {0, 5, 0});
    simulation.set_velocity(1, {0, 9, 0});
    test::run(simulation, 1);
    const std::string thrown = words(simulation.contact_events());
    EXPECT_NE(thrown.find("-0|1"), std::string::npos) << thrown;
    simulation.set_state(resting);
    EXPECT_EQ(words(simulation.contact_events()), "");
    test::run(simulation, 1);
    const std::string again = words(simulation.contact_events());
    EXPECT_NE(again.find("+0|1"), std::string::npos) << again;
    // Replacing colliders by as many others keeps what touched.
    simulation.set_colliders(scene.colliders);
    test::run(simulation, 1);
    EXPECT_EQ(words(simulation.contact_events()).find("0|1"), std::string::npos);
  }
}

TEST(ContactEvents, GoOnWhereABodyIsRemoved) {
  Scene scene = two_balls(half_space());
  scene.damping.drag = 4;
  scene.colliders[0].touches = {"low", "high"};
  Body aside = ball(0.01, "aside");
  for (Vec3& x : aside.mesh.vertices) x[0] += 5;
  scene.bodies.insert(scene.bodies.begin(), std::move(aside));
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 40);
  // Names of removed bodies leave the lists.
  simulation.remove_body(simulation.handle(2));
  EXPECT_EQ(simulation.scene().colliders[0].touches, std::vector<std::string>{"low"});
  EXPECT_EQ(words(simulation.contact_events()), "");
  simulation.remove_body(simulation.handle(0));
  test::run(simulation, 1);
  EXPECT_EQ(words(simulation.contact_events()), "");
  simulation.set_velocity(0, {0, 5, 0});
  test::run(simulation, 1);
  EXPECT_EQ(words(simulation.contact_events()), "-0|0");
}

TEST(ColliderForces, TorqueIsAboutTheMovedCentre) {
  Scene scene = ball_on(BoxShape{{0.4, -0.5, 0}, {4, 1, 4}, {0, 1, 0}, 0}, 0.001);
  Motion shift;
  shift.keyframes.push_back({.time = 0, .translate = {0.5, 0, 0.25}});
  scene.colliders[0].motion = shift;
  scene.damping.drag = 8;
  Simulation simulation(scene, {.threads = 1});
  EXPECT_EQ(simulation.collider_forces()[0].force, (Vec3{0, 0, 0}));
  test::run(simulation, 100);
  const ColliderForce own = simulation.collider_forces()[0];
  EXPECT_NEAR(own.center[0], 0.9, 1e-12);
  EXPECT_NEAR(own.center[2], 0.25, 1e-12);
  // The weight of the ball at x = 0.05, z = -0.03: torque = arm x force.
  const double weight = weight_of(simulation);
  EXPECT_NEAR(own.torque[2], (0.05 - 0.9) * -weight, 0.02 * weight);
  EXPECT_NEAR(own.torque[0], -(-0.03 - 0.25) * -weight, 0.02 * weight);
}

}  // namespace
}  // namespace supple
