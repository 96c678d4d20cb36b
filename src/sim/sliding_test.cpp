// A block that slides on another body: over the edges of its surface, without and with friction.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "sim/test_scenes.h"

namespace supple {
namespace {

constexpr double speed = 2, step = 1.0 / 60;
constexpr int frames = 40;

enum class Ground { body, plane };

struct Slide {
  std::string method;
  int iterations;
  ContactMode mode;
  Ground ground;
};

std::string name_of(const testing::TestParamInfo<Slide>& tested) {
  const Slide& own = tested.param;
  return own.method + (own.mode == ContactMode::soft ? "_soft" : "_barrier") +
         (own.ground == Ground::body ? "_on_a_body" : "_on_a_plane");
}

/// How far the block gets in 40 frames, m. It starts above a plane, or a body that is held
/// everywhere, at this distance.
double way_of_block(const Slide& slide, double friction, double gap) {
  Scene scene;
  scene.time.step = step;
  scene.contact.friction = friction;
  scene.contact.mode = slide.mode;
  scene.solver.method = from_string<SolverMethod>(slide.method);
  scene.solver.iterations = slide.iterations;
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
  scene.bodies = {block};
  if (slide.ground == Ground::body) {
    scene.bodies.push_back(base);
  } else {
    scene.colliders = {Collider{.name = "ground", .shape = PlaneShape{}}};
  }
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

class SlidingOf : public testing::TestWithParam<Slide> {};

/// Its leading edge passes each edge of the flat surface within the layer's thickness. The block's
/// bottom is nearer still, so that edge must not push it back.
TEST_P(SlidingOf, WithoutFrictionAsFastAsBefore) {
  const double way = speed * step * frames;
  for (const double gap : {0.0, 0.001, 0.003, 0.01}) {
    EXPECT_NEAR(way_of_block(GetParam(), 0, gap), way, 1e-3 * way) << gap;
  }
}

/// Friction goes by the normal force with which the step before ended: by none in the first one,
/// and by the layers as thick as they were while they grow. The block's fall takes as much from its
/// speed as it adds to that force.
TEST_P(SlidingOf, FrictionStopsItAsCoulombSays) {
  constexpr double friction = 0.5, g = 9.81;
  for (const double gap : {0.0, 0.001, 0.003, 0.01}) {
    const double fall = std::sqrt(2 * gap / g), left = speed - friction * g * fall;
    const double way = speed * fall + left * left / (2 * friction * g) + speed * step / 2;
    EXPECT_NEAR(way_of_block(GetParam(), friction, gap), way, 0.02 * way) << gap;
  }
}

INSTANTIATE_TEST_SUITE_P(Slides, SlidingOf,
                         testing::Values(Slide{"l_bfgs", 10, ContactMode::soft, Ground::body},
                                         Slide{"newton", 20, ContactMode::soft, Ground::body},
                                         Slide{"l_bfgs", 10, ContactMode::soft, Ground::plane},
                                         Slide{"l_bfgs", 10, ContactMode::barrier, Ground::plane},
                                         Slide{"l_bfgs", 40, ContactMode::barrier, Ground::body},
                                         Slide{"newton", 20, ContactMode::barrier, Ground::body}),
                         name_of);

}  // namespace
}  // namespace supple
