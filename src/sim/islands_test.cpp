#include "sim/islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "sim/test_scenes.h"

namespace supple {
namespace {

Body block(const Vec3& center, int cells, const std::string& model) {
  Body body{.mesh = generate(BoxGenerator{
                .size = {0.5, 0.5, 0.5}, .cells = {cells, cells, cells}, .center = center})};
  body.material = test::soft_material(model);
  return body;
}

/// Two blocks fall on top of each other onto the ground, a bar hangs from one end, and a stiff
/// block slides down.
Scene scene_of_four() {
  Scene scene;
  scene.bodies = {block({0, 0.3, 0}, 3, "neo_hookean"), block({0.1, 0.9, 0.05}, 4, "corotated"),
                  block({3, 0.26, 0}, 3, "stable_neo_hookean")};
  scene.bodies[2].velocity = {1, 0, 0.5};
  scene.bodies[2].density = 2000;
  Scene bar = test::twisting_bar({6, 2, 2}, "mooney_rivlin");
  Body& own = scene.bodies.emplace_back(bar.bodies.front());
  const auto left = std::min_element(own.mesh.vertices.begin(), own.mesh.vertices.end());
  own.pins = {{.box = {{-100, -100, -100}, {(*left)[0] + 1e-6, 100, 100}}}};
  for (Vec3& x : own.mesh.vertices) x = {x[0], x[1] + 3, x[2] + 5};
  scene.colliders = {{.shape = PlaneShape{}}};
  scene.contact.friction = 0.3;
  scene.time.step = 1.0 / 60;
  return scene;
}

Scene only(Scene scene, const std::vector<std::size_t>& bodies) {
  std::vector<Body> kept;
  for (const std::size_t body : bodies) kept.push_back(scene.bodies[body]);
  scene.bodies = std::move(kept);
  return scene;
}

std::vector<double> bits_of(const Simulation& simulation, int body) {
  const auto first =
      static_cast<std::size_t>(simulation.body_vertices()[static_cast<std::size_t>(body)]);
  const auto last =
      static_cast<std::size_t>(simulation.body_vertices()[static_cast<std::size_t>(body) + 1]);
  const SimulationState state = simulation.state();
  std::vector<double> bits(state.positions.begin() + static_cast<std::ptrdiff_t>(3 * first),
                           state.positions.begin() + static_cast<std::ptrdiff_t>(3 * last));
  bits.insert(bits.end(), state.velocities.begin() + static_cast<std::ptrdiff_t>(3 * first),
              state.velocities.begin() + static_cast<std::ptrdiff_t>(3 * last));
  return bits;
}

class IslandsOf : public testing::TestWithParam<std::tuple<SolverMethod, int>> {};

/// A body's motion does not change by a bit for what it does not touch. (There is no weight: the
/// total weight determines how hard bodies push each other.)
TEST_P(IslandsOf, ABodyMovesAsItDoesAlone) {
  Scene scene = scene_of_four();
  scene.gravity = {0, 0, 0};
  for (const std::size_t body : {0, 1, 2}) scene.bodies[body].velocity[1] = body == 1 ? -2 : -0.5;
  scene.bodies[3].velocity = {0, -3, 1};
  std::tie(scene.solver.method, scene.solver.iterations) = GetParam();
  Simulation all(scene, {.threads = 2});
  const std::vector<std::vector<std::size_t>> islands{{0, 1}, {2}, {3}};
  std::vector<Simulation> alone;
  for (const auto& bodies : islands) alone.emplace_back(only(scene, bodies));
  bool have_touched = false;
  for (int frame = 0; frame < 60; ++frame) {
    all.step();
    for (Simulation& one : alone) one.step();
    for (const BodyContact& own : all.contacts()) {
      have_touched = have_touched || own.other_body >= 0;
    }
  }
  EXPECT_TRUE(have_touched);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (std::size_t k = 0; k < islands[i].size(); ++k) {
      EXPECT_EQ(bits_of(all, static_cast<int>(islands[i][k])),
                bits_of(alone[i], static_cast<int>(k)))
          << "body " << islands[i][k];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, IslandsOf,
                         testing::Combine(testing::Values(SolverMethod::l_bfgs,
                                                          SolverMethod::quasi_newton),
                                          testing::Values(1, 7, 10)),
                         [](const auto& own) {
                           return std::string(to_string(std::get<0>(own.param))) + "_" +
                                  std::to_string(std::get<1>(own.param));
                         });

TEST(Islands, AreTheSameBitsHoweverRun) {
  test::expect_same_bits_however_run(scene_of_four(), 20, 20);
}

/// A step reports the iterations of the island that took most, not their sum.
TEST(Islands, ReportWhatTheHardestOfThemTook) {
  Scene scene = only(scene_of_four(), {2, 3});
  scene.solver.iterations = 7;
  Simulation simulation(scene);
  for (int frame = 0; frame < 20; ++frame) {
    const StepReport report = simulation.step();
    EXPECT_LE(report.iterations, 7 * (1 + report.repeated_substeps));
    EXPECT_GE(report.evaluations, report.iterations);
  }
}

TEST(Islands, WithoutContactAreTheBodiesOrOne) {
  Islands islands(3);
  EXPECT_EQ(islands.count(), 1);
  islands.find(nullptr, true);
  ASSERT_EQ(islands.count(), 3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(islands[i].size(), 1u);
    EXPECT_EQ(islands[i][0], i);
  }
  islands.find(nullptr, false);
  ASSERT_EQ(islands.count(), 1);
  EXPECT_EQ(islands[0].size(), 3u);
}

}  // namespace
}  // namespace supple
