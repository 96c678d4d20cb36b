#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/test_scenes.h"
#include "supple/simulation.h"

/// No length, mass or time is special, except those that the documentation names: a scene in other
/// units moves in the same way. Powers of two round nothing, so it agrees to the last bit.
namespace supple {
namespace {

/// How many new units make one old unit.
struct Units {
  double length, mass, time;
};

/// Two blocks, one held at a corner, fall on the ground and on each other.
Scene falling_blocks(const std::string& solver, double friction) {
  Scene scene = test::free_block(test::material_of(solver));
  scene.bodies[0].velocity = {0, -1, 0};
  scene.bodies.push_back(scene.bodies[0]);
  for (Vec3& x : scene.bodies[1].mesh.vertices) x = {x[0] + 0.1, 0.7 * x[1] + 0.55, x[2] - 0.05};
  scene.bodies[1].velocity = {0.25, -3, 0};
  Pin pin;
  pin.vertices = {0};
  pin.stiffness = 2e3;
  pin.motion.velocity = {0, -0.5, 0.25};
  scene.bodies[0].pins = {pin};
  scene.gravity = {0.5, -9.75, 0};
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.3125}, {}});
  scene.contact.friction = friction;
  scene.time.step = 1.0 / 64;
  scene.damping.drag = 0.25;
  scene.solver.method = from_string<SolverMethod>(solver);
  return scene;
}

Scene in(const Units& units, Scene scene) {
  const double speed = units.length / units.time, acceleration = speed / units.time;
  const double pressure = units.mass / units.length / units.time / units.time;
  const auto scale = [](Vec3& x, double by) {
    for (double& c : x) c *= by;
  };
  scene.time.step *= units.time;
  scene.damping.drag /= units.time;
  scale(scene.gravity, acceleration);
  for (Body& body : scene.bodies) {
    for (Vec3& x : body.mesh.vertices) scale(x, units.length);
    scale(body.velocity, speed);
    body.density *= units.mass / std::pow(units.length, 3);
    for (auto* parameter : {&body.material.mu, &body.material.lambda}) parameter->value *= pressure;
    for (Pin& pin : body.pins) {
      pin.stiffness *= units.mass / units.time / units.time;
      scale(*pin.motion.velocity, speed);
    }
  }
  for (Collider& collider : scene.colliders) {
    std::get<PlaneShape>(collider.shape).offset *= units.length;
  }
  return scene;
}

void expect_same_motion(const Scene& scene, const Units& units) {
  Simulation one(scene, {.threads = 1}), other(in(units, scene), {.threads = 1});
  int contacts = 0;
  for (int frame = 1; frame <= 16; ++frame) {
    const StepReport report = one.step();
    ASSERT_NE(report.status, StepStatus::non_finite);
    ASSERT_EQ(other.step().status, report.status);
    contacts += report.contacts;
    const std::vector<Vec3> x = test::positions_of(one), y = test::positions_of(other);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        most = std::max(most, std::abs(y[i][k] / units.length - x[i][k]));
      }
    }
    ASSERT_EQ(most, 0) << frame << ": " << report.contacts << " contacts";
  }
  EXPECT_GT(contacts, 0);
}

class UnitsOf : public testing::TestWithParam<std::string> {};

TEST_P(UnitsOf, AMotionIsTheSameInOthers) {
  constexpr double l = 1.0 / 128, m = 1024, t = 16;
  for (const Units& units : {Units{l, 1, 1}, Units{1 / l, 1, 1}, Units{1, m, 1}, Units{1, 1 / m, 1},
                             Units{1, 1, t}, Units{1, 1, 1 / t}}) {
    SCOPED_TRACE(std::to_string(units.length) + " " + std::to_string(units.mass) + " " +
                 std::to_string(units.time));
    // Friction holds bodies smaller than a metre up to a slip of their size per second, and larger
    // ones up to 1 mm.
    expect_same_motion(falling_blocks(GetParam(), units.mass == 1 ? 0 : 0.5), units);
  }
}

std::vector<std::string> solvers() {
  std::vector<std::string> names;
  for (const Description& solver : list_solvers()) names.push_back(solver.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Solvers, UnitsOf, testing::ValuesIn(solvers()),
                         [](const auto& own) { return own.param; });

}  // namespace
}  // namespace supple
