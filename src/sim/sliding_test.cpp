// A block that slides on another body: over the edges of its surface, without and with friction.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "sim/test_scenes.h"

namespace supple {
namespace {

constexpr double speed = 2, step = 1.0 / 60;
constexpr int frames = 40;

/// How far the block gets in 40 frames, m. It starts above a body that is held everywhere, at this
/// distance.
double way_of_block(const std::string& method, double friction, double gap) {
  Scene scene;
  scene.time.step = step;
  scene.contact.friction = friction;
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = method == "newton" ? 20 : 10;
  Body block, base;
  block.mesh = generate(
      BoxGenerator{.size = {0.4, 0.4, 0.4}, .cells = {4, 4, 4}, .center = {0, 0.2 + gap, 0}});
  base.mesh =
      generate(BoxGenerator{.size = {4, 0.4, 1}, .cells = {16, 2, 4}, .center = {1, -0.2, 0}});
  for (Body* const body : {&block, &base}) {
    body->material.model = "stable_neo_hookean";
    std::tie(body->material.mu, body->material.lambda) = lame_parameters(1e6, 0.3);
  }
  block.velocity = {speed, 0, 0};
  base.pins = {Pin{.box = {{-9, -9, -9}, {9, 9, 9}}}};
  scene.bodies = {block, base};
  Simulation simulation(scene);
  const auto middle = [&] {
    const std::vector<Vec3> x = test::positions_of(simulation);
    const int count = simulation.body_vertices()[1];
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += x[static_cast<std::size_t>(i)][0] / count;
    return sum;
  };
  const double start = middle();
  test::run(simulation, frames);
  return middle() - start;
}

class SlidingOf : public testing::TestWithParam<std::string> {};

/// Its leading edge passes each edge of the flat surface within the layer's thickness. The block's
/// bottom is nearer still, so that edge must not push it back.
TEST_P(SlidingOf, WithoutFrictionAsFastAsBefore) {
  const double way = speed * step * frames;
  for (const double gap : {0.0, 0.001, 0.003, 0.01}) {
    EXPECT_NEAR(way_of_block(GetParam(), 0, gap), way, 1e-3 * way) << gap;
  }
}

/// Friction goes by what pressed in the step before: by nothing in the first one, and by the layers
/// as thick as they were while they grow. Edges that only hold what is near press nothing when a
/// step begins, so friction is a little too low.
TEST_P(SlidingOf, FrictionStopsItAsCoulombSays) {
  constexpr double friction = 0.5, deceleration = friction * 9.81;
  const double way = speed * speed / (2 * deceleration) + speed * step / 2;
  for (const double gap : {0.0, 0.001, 0.003}) {
    EXPECT_NEAR(way_of_block(GetParam(), friction, gap), way, 0.08 * way) << gap;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SlidingOf, testing::Values("l_bfgs", "newton"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace supple
