// Contact mode barrier with meshes and height fields as colliders.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "contact/test_meshes.h"
#include "sim/test_barrier.h"
#include "sim/test_scenes.h"
#include "supple/warnings.h"

namespace supple {
namespace {

using namespace test::barrier;

std::vector<Collider> mesh_colliders(double size = 1) {
  using test_meshes::scaled;
  const auto mesh = [&](TriangleMesh own, const Vec3& by) {
    return MeshShape{scaled(std::move(own), {size * by[0], size * by[1], size * by[2]})};
  };
  HeightFieldShape ground = test_meshes::bumps();
  ground.cell *= size;
  for (double& height : ground.heights) height *= size;
  return {{"ball", mesh(test_meshes::sphere(2), {0.4, 0.3, 0.35}), {}},
          {"burr", mesh(test_meshes::burr(), {0.5, 0.5, 0.5}), {}},
          {"needle", mesh(test_meshes::sphere(1), {0.9, 0.06, 0.01}), {}},
          {"thin_walls", mesh(test_meshes::thin_walls(), {1, 1, 1}), {}},
          {"ground", ground, {}}};
}

/// Moves all vertices at random by up to `most`, m.
void jitter(Body& body, double most, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> side(-most, most);
  for (Vec3& x : body.mesh.vertices) {
    for (double& coordinate : x) coordinate += side(engine);
  }
}

class BarrierOfMesh : public testing::TestWithParam<int> {
 protected:
  static Collider collider(double size = 1) {
    return mesh_colliders(size)[static_cast<std::size_t>(GetParam())];
  }
};

TEST_P(BarrierOfMesh, CoarseBodiesThatFallOnItStayOutside) {
  for (const double speed : {1.0, 60.0}) {
    for (const unsigned seed : {1U, 2U}) {
      Body body = block({0.03, 0.95, 0.05}, 0.6, 2);
      turn(body, 12, {0.03, 0.95, 0.05});
      jitter(body, 0.03, seed);
      body.velocity = {0, -speed, 0};
      Scene scene = barrier_scene({body});
      scene.colliders = {collider()};
      scene.solver.iterations = 6;
      Simulation simulation(scene, {.threads = 1});
      SCOPED_TRACE(std::to_string(speed) + " m/s, " + std::to_string(seed));
      run_apart(simulation, speed > 10 ? 12 : 40);
    }
  }
}

TEST_P(BarrierOfMesh, FineBodiesThatFallOnItStayOutside) {
  Body body = block({0.03, 0.75, 0.05}, 0.3, 6);
  turn(body, 40, {0.03, 0.75, 0.05});
  body.velocity = {0, -3, 0};
  Scene scene = barrier_scene({body});
  scene.colliders = {collider()};
  scene.contact.friction = 0.5;
  Simulation simulation(scene, {.threads = 1});
  run_apart(simulation, 40);
}

TEST_P(BarrierOfMesh, ClothAndStrandsThatFallOnItStayOutside) {
  for (const double step : {1.0 / 120, 1.0 / 15}) {
    Body cloth = test::cloth_body();
    Vec3 middle{0, 0, 0};
    for (const Vec3& x : cloth.mesh.vertices) {
      middle = middle + (1.0 / static_cast<double>(cloth.mesh.vertices.size())) * x;
    }
    for (Vec3& x : cloth.mesh.vertices) x = x + -1 * middle + Vec3{0.04, 0.7, 0.02};
    cloth.velocity = {0, -2, 0};
    Body strand = test::rod_body(generate(
        StrandGenerator{.start = {-0.5, 0.75, -0.1}, .end = {0.5, 0.75, 0.14}, .segments = 8}));
    strand.velocity = {0, -4, 0};
    Scene scene = barrier_scene({cloth, strand});
    scene.colliders = {collider()};
    scene.contact.self = true;
    scene.contact.friction = 0.3;
    scene.time.step = step;
    Simulation simulation(scene, {.threads = 1});
    SCOPED_TRACE(step);
    run_apart(simulation, 30);
  }
}

TEST_P(BarrierOfMesh, NothingMeetsAtAnyBudgetStepAndScale) {
  for (const double size : {1e-3, 0.5, 100.0}) {
    for (const double step : {1.0 / 240, 1.0 / 60, 1.0 / 10}) {
      for (const int iterations : {2, 5, 10}) {
        SCOPED_TRACE(std::to_string(size) + " m, " + std::to_string(step) + " s, " +
                     std::to_string(iterations) + " iterations");
        const Vec3 center{0.1 * size, 0.9 * size, 0.05 * size};
        Body body = block(center, 0.5 * size, 2);
        turn(body, 25, center);
        body.velocity = {0, -3 * std::sqrt(size), 0};
        Scene scene = barrier_scene({body});
        scene.colliders = {collider(size)};
        scene.contact.friction = 0.4;
        scene.time.step = step;
        scene.solver.iterations = iterations;
        Simulation simulation(scene, {.threads = 1});
        run_apart(simulation, 10);
        if (HasFailure()) return;
        EXPECT_LT(middle_of(simulation, 0)[1], center[1]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, BarrierOfMesh,
                         testing::Range(0, static_cast<int>(mesh_colliders().size())),
                         [](const auto& mesh) {
                           return mesh_colliders()[static_cast<std::size_t>(mesh.param)].name;
                         });

class BarrierOnMeshOfSolver : public testing::TestWithParam<std::string> {};

TEST_P(BarrierOnMeshOfSolver, NothingMeetsInAnyMethod) {
  // The second block falls into spikes.
  Scene scene = fallen_and_pressed(GetParam(), 0.4, {0.05, 0.75, 0.02}, {2.03, 0.8, 0.04});
  MeshShape spikes{test_meshes::scaled(test_meshes::burr(), {0.5, 0.5, 0.5})};
  for (Vec3& x : spikes.mesh.vertices) x[0] += 2;
  scene.colliders = {{"ground", test_meshes::bumps(), {}}, {"spikes", spikes, {}}};
  Simulation simulation(scene, {.threads = 2});
  run_apart(simulation, 25);
}

INSTANTIATE_TEST_SUITE_P(Solvers, BarrierOnMeshOfSolver, testing::ValuesIn(all_solvers()),
                         [](const auto& solver) { return solver.param; });

/// A slope with so many cells a side, tilted about z.
HeightFieldShape slope(double degrees, int cells) {
  HeightFieldShape field{.nx = cells + 1, .nz = cells + 1, .cell = 4.0 / cells};
  field.heights.assign(static_cast<std::size_t>((cells + 1) * (cells + 1)), 0.0);
  field.axis = {0, 0, 1};
  field.degrees = degrees;
  return field;
}

/// Speed of a block along a slope after a second, m/s.
double speed_on(const Collider& ground, double degrees) {
  const double a = degrees * std::numbers::pi / 180;
  Body body = block({0.03, 0.25, 0.02}, 0.5, 3, 100);
  for (Vec3& x : body.mesh.vertices) {
    x = {std::cos(a) * x[0] - std::sin(a) * x[1], std::sin(a) * x[0] + std::cos(a) * x[1], x[2]};
  }
  Scene scene = barrier_scene({body});
  scene.colliders = {ground};
  scene.contact.friction = 0.5;
  scene.solver.iterations = 20;
  Simulation simulation(scene, {.threads = 1});
  const auto along = [&] {
    const Vec3 x = middle_of(simulation, 0);
    return std::cos(a) * x[0] + std::sin(a) * x[1];
  };
  int held = 0;
  for (int frame = 0; frame < 60; ++frame) held += simulation.step().held_back;
  const double before = along();
  for (int frame = 0; frame < 12; ++frame) held += simulation.step().held_back;
  EXPECT_EQ(held, 0);
  EXPECT_EQ(num_collider_intersections(simulation), 0);
  return (along() - before) / 0.2;
}

TEST(Barrier, FrictionOnAMeshHoldsBelowItsAngleAndSlowsAboveIt) {
  for (const int cells : {2, 17, 40}) {
    SCOPED_TRACE(cells);
    // Friction is smooth below 1 mm/s. Converged steps creep at 0.73 mm/s, and ten iterations at up
    // to 1.7 mm/s.
    EXPECT_LT(std::abs(speed_on({"slope", slope(20, cells), {}}, 20)), 1e-3);
    const double a = 35 * std::numbers::pi / 180;
    const double right = -9.81 * (std::sin(a) - 0.5 * std::cos(a)) * 1.1;
    EXPECT_NEAR(speed_on({"slope", slope(35, cells), {}}, 35), right, -0.05 * right);
  }
}

TEST(Barrier, ABodyRestsOnRoughGroundWithTheForcesOfItsWeight) {
  for (const double size : {1e-3, 0.5, 100.0}) {
    SCOPED_TRACE(size);
    Scene scene = barrier_scene({block({0, 0.8 * size, 0}, size, 3, 10)});
    HeightFieldShape ground = test_meshes::bumps();
    ground.cell *= size;
    for (double& height : ground.heights) height *= size;
    scene.colliders = {{"ground", ground, {}}};
    scene.contact.friction = 0.5;
    scene.damping.drag = 5 / std::sqrt(size);
    scene.time.step = std::sqrt(size) / 40;
    Simulation simulation(scene, {.threads = 1});
    RunWatch watch(scene);
    int held = 0;
    for (int frame = 0; frame < 200; ++frame) {
      const StepReport report = run_apart(simulation, 1);
      if (HasFailure()) return;
      watch.add(frame + 1, report, simulation.energies());
      held += report.held_back;
    }
    EXPECT_LE(held, 5);
    const double weight = 1000 * size * size * size * 9.81;
    EXPECT_NEAR(simulation.collider_forces()[0].force[1], -weight, 0.05 * weight);
    for (const Warning& warning : watch.warnings()) {
      EXPECT_NE(warning.code, "self_intersection");
      EXPECT_NE(warning.code, "tunnelled");
    }
  }
}

TEST(Barrier, OnAMeshTheSameBitsComeAtAnyNumberOfThreadsAndFromACheckpoint) {
  Body falling = block({0.05, 0.75, 0.02}, 0.4, 3);
  turn(falling, 30, {0.05, 0.75, 0.02});
  falling.velocity = {0, -4, 0};
  Scene scene = barrier_scene({falling});
  scene.colliders = {
      {"burr", MeshShape{test_meshes::scaled(test_meshes::burr(), {0.4, 0.4, 0.4})}, {}},
      {"ground", test_meshes::bumps(), {}}};
  scene.solver.iterations = 4;
  test::expect_same_bits_however_run(scene, 6, 12);
}

TEST(Barrier, WhatStartsInAMeshIsRefusedByNameAndWhatTouchesIsMovedOut) {
  const auto place = [](const Collider& collider, double height) {
    Scene scene = barrier_scene({block({0, height, 0}, 0.5, 2)});
    scene.colliders = {collider};
    return test::place_of([&] { Simulation simulation(scene); });
  };
  const Collider ground{"flat", slope(0, 5), {}};
  EXPECT_EQ(place(ground, 0.25), "nothing");
  EXPECT_EQ(place(ground, 0.2), "/bodies/0");
  // A spike inside a face, with all vertices of the body outside; then a body inside the mesh.
  Collider spike{
      "spike", MeshShape{test_meshes::scaled(test_meshes::sphere(0), {0.2, 1, 0.2})}, {}};
  EXPECT_EQ(place(spike, 1.2), "/bodies/0");
  EXPECT_EQ(place(spike, 1.26), "nothing");
  EXPECT_EQ(
      place({"around", MeshShape{test_meshes::scaled(test_meshes::sphere(2), {3, 3, 3})}, {}}, 0),
      "/bodies/0");
}

}  // namespace
}  // namespace supple
