#include <gtest/gtest.h>

#include <cmath>

#include "sim/test_scenes.h"

/// Bodies that come back: from a fall and from random positions.
namespace supple {
namespace {

TEST(Recovery, ANeoHookeanCubeDroppedFromSeveralTimesItsHeightComesToRest) {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -2.25}, {}});  // 4 heights below
  scene.contact.stiffness = 1e5;
  Simulation simulation(scene);
  StepReport report;
  bool touched = false;
  for (int frame = 0; frame < 240; ++frame) {
    report = simulation.step();
    ASSERT_NE(report.status, StepStatus::non_finite) << "frame " << frame;
    touched = touched || report.contacts > 0;
  }
  EXPECT_TRUE(touched);
  EXPECT_EQ(report.inverted_tets, 0);
  double fastest = 0;
  for (double v : simulation.state().velocities) fastest = std::max(fastest, std::abs(v));
  EXPECT_LT(fastest, 1e-2);  // m/s, after a fall that ended at 6 m/s
  double lowest = 1e9;
  for (const Vec3& x : test::positions_of(simulation)) lowest = std::min(lowest, x[1]);
  // 16 vertices carry 125 kg g: 77 N each, 0.8 mm of penetration at 1e5 N/m; corners carry less.
  EXPECT_NEAR(lowest, -2.25, 3e-3);
}

/// Largest distance from the rest shape over its size, after a long time.
double distance_after(Scene scene, unsigned seed) {
  const Box box = bounding_box(scene.bodies[0].mesh.vertices);
  scene.bodies[0].initial = Randomize{box, seed};
  scene.solver.method = "newton";
  scene.solver.iterations = 30;
  // A long step: inertia fades and the body is led to a minimum of its energy.
  scene.time.step = 0.5;
  Simulation simulation(scene);
  const std::vector<Vec3> rest = scene.bodies[0].mesh.vertices;
  const double size =
      std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
  double distance = 1e9;
  for (int frame = 0; frame < 60 && distance > 1e-3 * size; ++frame) {
    if (simulation.step().status == StepStatus::non_finite) return 1e9;
    distance = test::distance_to_rest(simulation, rest);
  }
  return distance / size;
}

TEST(Recovery, ABlockFromRandomPositionsRecoversItsShape) {
  for (const Description& material : list_materials()) {
    if (material.name == "stvk") continue;  // false minima: see below
    for (unsigned seed = 1; seed <= 20; ++seed) {
      EXPECT_LT(distance_after(test::free_block(material.name), seed), 1e-3)
          << material.name << ", seed " << seed;
    }
  }
}

TEST(Recovery, ASphereFromRandomPositionsRecoversItsShape) {
  for (const Description& material : list_materials()) {
    if (material.name == "stvk") continue;  // false minima: see below
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Scene scene = test::free_block(material.name);
      scene.bodies[0].mesh = generate(SphereGenerator{.radius = 0.3, .cells = 4});
      EXPECT_LT(distance_after(scene, seed), 1e-3) << material.name << ", seed " << seed;
    }
  }
}

TEST(Recovery, StVenantKirchhoffHasFalseMinima) {
  // Its energy is even in the stretches: F = diag(1, 1, -1) is as good as the rest shape.
  int lost = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    lost += distance_after(test::free_block("stvk"), seed) > 1e-3 ? 1 : 0;
  }
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace supple
