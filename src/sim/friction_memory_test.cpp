#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/index.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// What friction holds stays where it is.
namespace supple {
namespace {

using test::place_of;
using test::positions_of;
using test::run;

constexpr double g = 9.81;

/// A cube of half a metre on the ground, whose weight is inclined by an angle.
Scene inclined_cube(double degrees, double friction) {
  constexpr double pi = 3.14159265358979323846;
  const double angle = degrees * pi / 180;
  Scene scene = test::free_block("stable_neo_hookean");
  scene.time.step = 1.0 / 60;
  scene.gravity = {g * std::sin(angle), -g * std::cos(angle), 0};
  Body& cube = scene.bodies[0];
  cube.mesh =
      generate(BoxGenerator{.size = {0.5, 0.5, 0.5}, .cells = {3, 3, 3}, .center = {0, 0.25, 0}});
  const auto [mu, lambda] = lame_parameters(1e6, 0.4);
  cube.material.mu = mu;
  cube.material.lambda = lambda;
  scene.colliders = {{.name = "ground", .shape = PlaneShape{}}};
  scene.contact.friction = friction;
  scene.solver.iterations = 20;
  return scene;
}

/// The largest distance that a vertex moves in so many frames, m.
double way(Simulation& simulation, int frames) {
  const std::vector<Vec3> before = positions_of(simulation);
  run(simulation, frames);
  const std::vector<Vec3> after = positions_of(simulation);
  double most = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    most = std::max(most, std::hypot(after[i][0] - before[i][0], after[i][1] - before[i][1],
                                     after[i][2] - before[i][2]));
  }
  return most;
}

TEST(FrictionMemory, ACubeOnASlopeDoesNotCreep) {
  for (const char* method : {"l_bfgs", "newton", "xpbd", "vertex_block_descent"}) {
    for (const ContactMode mode : {ContactMode::soft, ContactMode::barrier}) {
      SCOPED_TRACE(std::string(method) + " " + to_string(mode));
      Scene scene = inclined_cube(20, 0.5);
      scene.solver.method = from_string<SolverMethod>(method);
      scene.contact.mode = mode;
      Simulation simulation(scene, {.threads = 2});
      run(simulation, 120);
      // Without a memory it creeps by 0.6 mm in a second. What is left is that it comes to rest.
      EXPECT_LT(way(simulation, 60), 1e-6);
      EXPECT_LT(way(simulation, 60), 1e-6);
    }
  }
}

/// At tan(20 degrees)/mu of a thousandth of its diagonal in a second, 0.63 mm.
TEST(FrictionMemory, OtherIntegratorsLetItCreep) {
  Scene scene = inclined_cube(20, 0.5);
  scene.time.integrator = TimeIntegrator::bdf2;
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 120);
  EXPECT_NEAR(way(simulation, 60), 0.63e-3, 0.05e-3);
  EXPECT_TRUE(simulation.state().friction.empty());
}

TEST(FrictionMemory, ACubeOnASteeperSlopeSlidesAsItShould) {
  const Scene scene = inclined_cube(35, 0.5);
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 60);
  const double first = positions_of(simulation)[0][0];
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  const double speed = v[0];
  run(simulation, 60);
  simulation.copy_velocities(v);
  const double acceleration = scene.gravity[0] + 0.5 * scene.gravity[1];
  // Friction of a step is that of the normal force of the step before.
  EXPECT_NEAR(v[0] - speed, acceleration, 0.05 * acceleration);
  EXPECT_GT(positions_of(simulation)[0][0], first + 1);
}

TEST(FrictionMemory, ACubeOnACubeDoesNotCreep) {
  Scene scene = inclined_cube(15, 0.5);
  Body upper = scene.bodies[0];
  upper.name = "upper";
  for (Vec3& x : upper.mesh.vertices) {
    x = {0.8 * x[0] + 0.02, 0.5 + 0.8 * x[1], 0.8 * x[2] + 0.01};
  }
  scene.bodies.push_back(upper);
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 240);
  // A twelfth of what a cube creeps without a memory: the nearest features change.
  EXPECT_LT(way(simulation, 60), 5e-5);
}

/// What sticks is carried along by the collider, and is let go when that is turned over.
TEST(FrictionMemory, GoesAlongWithAMovingCollider) {
  Scene scene = inclined_cube(0, 0.5);
  scene.colliders = {{.name = "belt",
                      .shape = BoxShape{.center = {0, -0.5, 0}, .size = {40, 1, 4}},
                      .motion = {.velocity = Vec3{0.5, 0, 0}}}};
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 120);
  const double before = positions_of(simulation)[0][0];
  run(simulation, 60);
  EXPECT_NEAR(positions_of(simulation)[0][0] - before, 0.5, 1e-3);
}

// A body at rest is solved where it is. From y, below the ground, ten iterations do not get there.
TEST(FrictionMemory, AtRestADescentStartsAtItsEnd) {
  constexpr double weight = 9.81 * 1000 * 0.125;
  for (const DescentStart start : {DescentStart::automatic, DescentStart::inertia}) {
    Scene scene = inclined_cube(20, 0.5);
    scene.solver.iterations = 10;
    scene.solver.start = start;
    Simulation simulation(scene);
    run(simulation, 240);
    const StepReport report = simulation.step();
    const ConvergedStep answer = solve_converged(scene, simulation.state());
    const ConvergenceCurve curve = record_descent(scene, simulation.state(), answer);
    const double error = curve.points[0].objective - answer.objective;
    if (start == DescentStart::automatic) {
      EXPECT_EQ(report.repeated_substeps, 0);
      EXPECT_LT(report.gradient_norm, 1e-5 * weight);
      EXPECT_LT(error, 1e-6 * (answer.start_objective - answer.objective));
      EXPECT_GT(report.start_gradient_norm, 0.1 * weight / std::sqrt(64));
    } else {
      EXPECT_GT(report.repeated_substeps, 0);
      EXPECT_EQ(curve.points[0].objective, answer.start_objective);
    }
  }
}

// What a tolerance refers to is the weight then, so that a body at rest costs least.
TEST(FrictionMemory, AtRestAToleranceIsMetAtOnce) {
  Scene scene = inclined_cube(20, 0.5);
  scene.solver.tolerance = 1e-3;
  Simulation simulation(scene);
  run(simulation, 240);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_EQ(report.iterations, 0);
}

TEST(FrictionMemory, AStateHoldsIt) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    Scene scene = inclined_cube(20, 0.5);
    scene.solver.method = from_string<SolverMethod>(method);
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "upper";
    for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] += 0.51;
    test::expect_same_bits_however_run(scene, 20, 10);
  }
  const Scene scene = inclined_cube(20, 0.5);
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 30);
  const SimulationState good = simulation.state();
  ASSERT_EQ(good.friction.size(), 4 * static_cast<std::size_t>(simulation.num_vertices()));
  const auto expect_refused = [&](std::size_t i, double number) {
    SimulationState bad = good;
    bad.friction[i] = number;
    EXPECT_EQ(place_of([&] { simulation.set_state(bad); }), "friction");
  };
  expect_refused(0, 2);
  expect_refused(1, std::nan(""));
  expect_refused(3, 0.5);
  expect_refused(3, 1e300);
  SimulationState bad = good;
  bad.friction.pop_back();
  EXPECT_EQ(place_of([&] { simulation.set_state(bad); }), "friction");
  for (const std::vector<double>& forces : {std::vector<double>{0, 0},
                                            {0, 1, 2},
                                            {0.5, 0.5, 1},
                                            {-1, 0, 1},
                                            {0, 0, -1},
                                            {0, 0, std::nan("")}}) {
    bad = good;
    bad.normal_forces = forces;
    EXPECT_EQ(place_of([&] { simulation.set_state(bad); }), "normal_forces");
  }
}

TEST(FrictionMemory, StaysWhenOtherBodiesComeAndGo) {
  Scene scene = inclined_cube(20, 0.5);
  Body other = scene.bodies[0];
  other.name = "other";
  for (Vec3& x : other.mesh.vertices) x[0] -= 3;
  scene.bodies.insert(scene.bodies.begin(), other);
  Body upper = scene.bodies[1];
  upper.name = "upper";
  for (Vec3& x : upper.mesh.vertices) x = {0.8 * x[0], 0.5 + 0.8 * x[1], 0.8 * x[2]};
  scene.bodies.push_back(upper);
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 240);
  const std::size_t gone = 4 * scene.bodies[0].mesh.vertices.size();
  std::vector<double> before = simulation.state().friction;
  before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(gone));
  for (std::size_t i = 3; i < before.size(); i += 4) {
    if (before[i] < -1) before[i] += 1;  // bodies 1 and 2 become 0 and 1
  }
  std::vector<double> forces = simulation.state().normal_forces;
  ASSERT_EQ(forces.size(), 3u);  // bodies 1 and 2; what rests on a collider has none
  EXPECT_GT(forces[2], 0);
  forces[0] = 0;
  forces[1] = 1;
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(simulation.state().friction, before);
  EXPECT_EQ(simulation.state().normal_forces, forces);
  simulation.step();
  simulation.check_step();
}

}  // namespace
}  // namespace supple
