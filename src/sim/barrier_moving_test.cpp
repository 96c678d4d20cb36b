// Contact mode barrier with colliders that move.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contact/test_meshes.h"
#include "math/vec3.h"
#include "sim/test_barrier.h"
#include "sim/test_scenes.h"
#include "supple/warnings.h"

namespace supple {
namespace {

using namespace test::barrier;

Motion path(std::vector<std::pair<double, Vec3>> places) {
  Motion motion;
  for (const auto& [time, place] : places) {
    motion.keyframes.push_back({.time = time, .translate = place});
  }
  return motion;
}

MeshShape box_mesh(const Vec3& center, const Vec3& size) {
  const Body body{.mesh =
                      generate(BoxGenerator{.size = size, .cells = {2, 1, 2}, .center = center})};
  return {{.vertices = body.mesh.vertices, .triangles = surface_triangles(body.mesh)}};
}

/// A block on the floor below a press that comes down until this share of its height is left.
Scene press(double size, double left, bool is_mesh) {
  Scene scene = barrier_scene({block({0, 0.5 * size, 0}, size, 3, 10)});
  const Vec3 center{0, 1.35 * size, 0}, sides{2 * size, 0.5 * size, 2 * size};
  Collider plate{"plate", BoxShape{.center = center, .size = sides}, {}};
  if (is_mesh) plate.shape = box_mesh(center, sides);
  const double way = (1.1 - left) * size;
  plate.motion = path({{0, {0, 0, 0}}, {0.4, {0, -way, 0}}, {0.6, {0, -way, 0}}, {1, {0, 0, 0}}});
  scene.colliders = {{"floor", PlaneShape{}, {}}, plate};
  scene.contact.friction = 0.4;
  return scene;
}

TEST(BarrierMoving, APressSqueezesABodyAndNothingEnters) {
  for (const double size : {1e-3, 0.5, 100.0}) {
    for (const bool is_mesh : {false, true}) {
      for (const double step : {1.0 / 120, 1.0 / 30}) {
        for (const int iterations : {2, 5, 10}) {
          SCOPED_TRACE(std::to_string(size) + " m, " + std::to_string(step) + " s, " +
                       std::to_string(iterations) + " iterations, " + std::to_string(is_mesh));
          Scene scene = press(size, 0.5, is_mesh);
          scene.time.step = step;
          scene.solver.iterations = iterations;
          Simulation simulation(scene, {.threads = 1});
          double lowest = 1e300;
          for (int frame = 0; frame < 1.2 / step; ++frame) {
            run_apart(simulation, 1);
            if (HasFailure()) return;
            lowest = std::min(lowest, middle_of(simulation, 0)[1]);
          }
          EXPECT_LT(lowest, 0.3 * size);
          EXPECT_GT(middle_of(simulation, 0)[1], 0.35 * size);
        }
      }
    }
  }
}

class BarrierMovingOfSolver : public testing::TestWithParam<std::string> {};

/// A press, a paddle that turns and a ball that passes through the place of a body.
TEST_P(BarrierMovingOfSolver, NothingMeetsInAnyMethod) {
  Body pressed = block({0, 0.25, 0}, 0.5, 3), swept = block({2, 0.2, 0}, 0.4, 3),
       pushed = block({4, 0.25, 0}, 0.5, 2);
  for (Body* body : {&pressed, &swept, &pushed}) {
    body->material = test::soft_material(test::material_of(GetParam()));
  }
  Scene scene = barrier_scene({pressed, swept, pushed});
  scene.contact.friction = 0.3;
  scene.colliders = {
      {"floor", PlaneShape{}, {}},
      {"plate", box_mesh({0, 0.65, 0}, {1, 0.2, 1}),
       path({{0, {0, 0, 0}}, {0.2, {0, -0.25, 0}}, {0.4, {0, 0, 0}}})},
      {"paddle",
       BoxShape{.center = {2.9, 0.3, 0}, .size = {1, 0.5, 0.05}},
       {.rotate = Rotation{.axis = {0, 1, 0}, .center = {3.3, 0, 0}, .degrees_per_second = 200}}},
      {"ball", SphereShape{{4, 0.4, 1}, 0.3}, {.velocity = Vec3{0, 0, -3}}}};
  scene.solver.method = from_string<SolverMethod>(GetParam());
  Simulation simulation(scene, {.threads = 2});
  run_apart(simulation, 30);
}

INSTANTIATE_TEST_SUITE_P(Solvers, BarrierMovingOfSolver, testing::ValuesIn(all_solvers()),
                         [](const auto& solver) { return solver.param; });

/// Two jaws close on a block and lift it.
Scene gripper(double size, bool is_mesh) {
  Scene scene = barrier_scene({block({0, 0.5 * size, 0}, size, 3, 4)});
  const double way = 0.24 * size;
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  for (const double side : {-1.0, 1.0}) {
    const Vec3 center{0.9 * side * size, 0.5 * size, 0}, sides{0.4 * size, 0.6 * size, 0.8 * size};
    Collider jaw{side < 0 ? "left" : "right", BoxShape{.center = center, .size = sides}, {}};
    if (is_mesh) jaw.shape = box_mesh(center, sides);
    jaw.motion =
        path({{0, {0, 0, 0}}, {0.4, {-side * way, 0, 0}}, {1, {-side * way, 0.8 * size, 0}}});
    scene.colliders.push_back(jaw);
  }
  scene.contact.friction = 0.8;
  return scene;
}

TEST(BarrierMoving, AGripperLiftsABody) {
  for (const double size : {0.1, 0.5}) {
    for (const bool is_mesh : {false, true}) {
      SCOPED_TRACE(std::to_string(size) + (is_mesh ? " mesh" : ""));
      Scene scene = gripper(size, is_mesh);
      scene.time.step = 1.0 / 120;
      Simulation simulation(scene, {.threads = 1});
      RunWatch watch(scene);
      for (int frame = 0; frame < 200; ++frame) {
        const StepReport report = run_apart(simulation, 1);
        if (HasFailure()) return;
        watch.add(frame + 1, report, simulation.energies());
      }
      EXPECT_NEAR(middle_of(simulation, 0)[1], 1.3 * size, 0.1 * size);
      for (const Warning& warning : watch.warnings()) {
        EXPECT_NE(warning.code, "self_intersection");
      }
    }
  }
}

/// Two jaws squeeze a ball by a fifth and lift it within 0.7 s.
Scene squeezed_ball(double size, double young, double mu) {
  Body ball{.mesh = generate(
                SphereGenerator{.radius = 0.5 * size, .cells = 7, .center = {0, 0.506 * size, 0}}),
            .material = test::soft_material("stable_neo_hookean")};
  ball.material.mu = young / 2.8;
  ball.material.lambda = young / 0.7;
  Scene scene = barrier_scene({ball});
  scene.time.step = 1.0 / 120;
  scene.solver.iterations = 15;
  scene.contact.friction = mu;
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  for (const double side : {-1.0, 1.0}) {
    const double way = -0.3 * side * size;
    scene.colliders.push_back({"jaw",
                               BoxShape{.center = {0, 0.5 * size, 0.8 * side * size},
                                        .size = {0.9 * size, 0.7 * size, 0.2 * size}},
                               path({{0, {0, 0, 0}}, {0.3, {0, 0, way}}, {0.7, {0, size, way}}})});
  }
  return scene;
}

double mass_of(const Body& body) {
  double sum = 0;
  for (const auto& tet : body.mesh.tets) {
    const auto x = [&](std::size_t i) {
      return body.mesh.vertices[static_cast<std::size_t>(tet[i])];
    };
    const auto side = [&](std::size_t i) { return x(i) + -1 * x(0); };
    sum += std::abs(vec3::dot(vec3::cross(side(1), side(2)), side(3))) / 6;
  }
  return body.density * sum;
}

/// The layer's own barrier can bear only 0.1 N of the 5 N of the squeeze.
TEST(BarrierMoving, FrictionHoldsWhatIsSqueezedHard) {
  struct Case {
    double size, young, mu;
  };
  for (const Case& own : {Case{0.01, 1e6, 0.5}, Case{0.01, 4e4, 0.8}, Case{0.1, 1e6, 0.5}}) {
    SCOPED_TRACE(std::to_string(own.size) + " " + std::to_string(own.young));
    Scene scene = squeezed_ball(own.size, own.young, own.mu);
    // The squeeze is a thousand times the weight: 15 iterations hold the ball, but leave one
    // percent of the squeeze as noise in each frame's forces.
    scene.solver.iterations = 40;
    Simulation simulation(scene, {.threads = 1});
    RunWatch watch(scene);
    double first = 0, lifted = 0;
    int count = 0;
    for (int frame = 1; frame <= 180; ++frame) {
      const StepReport report = simulation.step();
      watch.add(frame, report, simulation.energies());
      if (frame == 100) first = middle_of(simulation, 0)[1];
      if (frame <= 100) continue;
      ASSERT_EQ(report.held_back, 0) << frame;
      double up = 0, normal = 0;
      for (const BodyContact& contact : simulation.contacts()) {
        ASSERT_GT(contact.collider, 0);
        up += contact.force[1];
        normal += vec3::dot(contact.force, contact.normal);
      }
      EXPECT_GT(normal, 0.05 * own.young * own.size * own.size) << frame;
      lifted += up;
      ++count;
    }
    const double weight = 9.81 * mass_of(scene.bodies[0]);
    EXPECT_NEAR(lifted / count, weight, 0.5 * weight);
    EXPECT_NEAR(middle_of(simulation, 0)[1], first, 2e-3 * own.size);
    for (const Warning& warning : watch.warnings()) EXPECT_NE(warning.code, "self_intersection");
  }
}

/// The contacts of elements that soft contacts let invert, whose system becomes indefinite by
/// rounding.
TEST(BarrierMoving, InSoftModeASqueezeWhoseContactsHaveNoFactorGoesOn) {
  Scene scene = squeezed_ball(0.01, 4e4, 0.5);
  scene.contact.mode = ContactMode::soft;
  scene.time.step = 1.0 / 30;
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 0; frame < 36; ++frame) {
    EXPECT_NE(simulation.step().status, StepStatus::non_finite) << frame;
  }
}

TEST(BarrierMoving, WhatHasNoWayOutIsSaidAndComesOutAsSoonAsThereIsRoom) {
  for (const bool is_mesh : {false, true}) {
    for (const bool two : {false, true}) {
      SCOPED_TRACE(std::to_string(is_mesh) + " " + std::to_string(two));
      // The press goes into the floor.
      Scene scene = press(0.5, -0.05, is_mesh);
      if (two) {
        // A collider that is in a body by a fifth of its width carries it along by friction, like a
        // nail.
        scene.contact.friction = 0;
        Body other = block({0.05, 0.25, 0.52}, 0.4, 2, 10);
        for (Vec3& x : other.mesh.vertices) x[1] -= 0.04;
        scene.bodies.push_back(other);
      }
      Simulation simulation(scene, {.threads = 1});
      RunWatch watch(scene);
      int worst = 0;
      for (int frame = 0; frame < 90; ++frame) {
        const StepReport report = simulation.step();
        watch.add(frame + 1, report, simulation.energies());
        ASSERT_NE(report.status, StepStatus::non_finite) << frame;
        // The other body and the floor, which rests, are never entered.
        ASSERT_EQ(num_intersections(simulation), 0) << frame;
        for (const Vec3& x : test::positions_of(simulation)) ASSERT_GT(x[1], 0) << frame;
        worst = std::max(worst, report.tunnelled);
        if (report.tunnelled == 0) {
          ASSERT_EQ(num_collider_intersections(simulation), 0) << frame;
          ASSERT_GT(least_distance(simulation), 0) << frame;
        }
      }
      EXPECT_GT(worst, 0);
      const auto warnings = watch.warnings();
      EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                              [](const Warning& warning) { return warning.code == "tunnelled"; }));
      // After two bodies were crushed together, single triangles stay caught in a mesh for seconds.
      if (two && is_mesh) {
        EXPECT_LT(simulation.step().tunnelled, worst / 10);
      } else {
        EXPECT_EQ(run_apart(simulation, 1).tunnelled, 0);
      }
    }
  }
}

TEST(BarrierMoving, TheSameBitsComeAtAnyNumberOfThreadsAndFromACheckpoint) {
  Scene scene = gripper(0.5, true);
  scene.bodies.push_back(block({0, 1.4, 0}, 0.4, 2, 10));
  scene.solver.iterations = 4;
  test::expect_same_bits_however_run(scene, 20, 12);
  // In the middle of a squeeze with no way out.
  Scene squeezed = press(0.5, -0.05, true);
  test::expect_same_bits_however_run(squeezed, 26, 14);
}

TEST(BarrierMoving, EveryIntegratorThatSolvesKeepsBodiesOut) {
  for (const std::string integrator : {"implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
    Scene scene = press(0.5, 0.5, true);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    if (integrator == "quasi_static") {
      scene.bodies[0].pins = {{.box = {{-9, -9, -9}, {9, 0.01, 9}}, .stiffness = 1e4}};
    }
    SCOPED_TRACE(integrator);
    Simulation simulation(scene, {.threads = 1});
    run_apart(simulation, 60);
  }
}

TEST(BarrierMoving, BodiesInWhatMovesAreRefusedAtTheStartAndWhenAdded) {
  Scene scene = press(0.5, 0.5, false);
  scene.colliders[1].motion = path({{0, {0, -0.3, 0}}, {1, {0, -0.3, 0}}});
  EXPECT_EQ(test::place_of([&] { Simulation simulation(scene); }), "/bodies/0");
  Scene later = press(0.5, 0.5, false);
  Simulation simulation(later, {.threads = 1});
  test::run(simulation, 24);
  // At the present place of the plate.
  const Body added = block({0.2, 0.6, 0}, 0.3, 2);
  EXPECT_EQ(test::place_of([&] { simulation.add_body(added); }), "/bodies/1");
}

}  // namespace
}  // namespace supple
