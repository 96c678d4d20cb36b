#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"

/// Vertex block descent as published: the start of its steps, the benefit of acceleration, contact
/// and friction (descent/coordinate_methods_test.cpp tests the sweep itself).
namespace supple {
namespace {

MaterialSettings material(double young) {
  const auto [mu, lambda] = lame_parameters(young, 0.3);
  return {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
}

/// A block on a slope that is level: gravity is tilted instead.
Scene block_on_slope(double degrees, double young, int iterations) {
  const double angle = degrees * std::acos(-1.0) / 180;
  Scene scene = test::free_block("stable_neo_hookean");
  scene.bodies[0].material = material(young);
  scene.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
  scene.colliders.push_back({"slope", PlaneShape{{0, 1, 0}, -0.25}, {}});
  scene.contact.friction = 0.5;
  scene.time.step = 1.0 / 60;
  scene.solver.method = SolverMethod::vertex_block_descent;
  scene.solver.iterations = iterations;
  return scene;
}

/// |M g|, N.
double weight_norm(const Scene& scene) {
  double square = 0;
  for (const double mass : build_model(scene).mass) square += mass * mass;
  const Vec3& g = scene.gravity;
  return std::hypot(g[0], g[1], g[2]) * std::sqrt(square);
}

TEST(VertexBlockDescent, AStepBeginsInBalanceInFreeFallAndAtRest) {
  Scene falling = test::free_block("stable_neo_hookean");
  falling.gravity = {0, -9.81, 0};
  falling.solver.method = SolverMethod::vertex_block_descent;
  Scene resting = block_on_slope(0, 1e5, 10);
  resting.damping.drag = 2;
  for (const Scene& scene : {falling, resting}) {
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 200);
    // From y, which lies in the ground, it would be hundreds. Ten iterations leave a resting body
    // with a vibration of 0.3 % of its weight.
    const double share = simulation.step().start_gradient_norm / weight_norm(scene);
    EXPECT_LT(share, scene.colliders.empty() ? 1e-9 : 1e-2);
  }
}

TEST(VertexBlockDescent, AccelerationMakesAStiffBarConvergeInFewerIterations) {
  Scene scene;
  scene.time.step = 1.0 / 60;
  Body body;
  body.mesh = generate(BoxGenerator{.size = {2, 0.5, 0.5}, .cells = {8, 2, 2}});
  body.material = material(1e6);
  body.pins.push_back(Pin{.box = {{-1.01, -9, -9}, {-0.99, 9, 9}}, .stiffness = 1e8});
  scene.bodies.push_back(body);
  scene.solver.method = SolverMethod::vertex_block_descent;
  scene.solver.iterations = 40;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 5);
  scene.solver.iterations = 20;
  const SimulationState state = simulation.state();
  const ConvergedStep reference = solve_converged(scene, state, 1);
  const ConvergenceCurve accelerated = record_descent(scene, state, reference, 1);
  scene.solver.acceleration = Acceleration::none;
  const ConvergenceCurve plain = record_descent(scene, state, reference, 1);
  // Observed: 0.3 and 0.01.
  EXPECT_LT(accelerated.points[10].relative_error, 0.5 * plain.points[10].relative_error);
  EXPECT_LT(accelerated.points[20].relative_error, 0.1 * plain.points[20].relative_error);
}

TEST(VertexBlockDescent, FrictionHoldsABlockUpToItsAngleInFewIterations) {
  for (const double degrees : {15.0, 25.5}) {
    Simulation simulation(block_on_slope(degrees, 5e6, 5), {.threads = 1});
    test::run(simulation, 60);
    const double at_one = test::positions_of(simulation)[0][0];
    test::run(simulation, 60);
    // Friction lets it creep at less than a millimetre a second.
    EXPECT_LT(std::abs(test::positions_of(simulation)[0][0] - at_one), 1.1e-3) << degrees;
  }
}

TEST(VertexBlockDescent, ABlockSlidesAboveThatAngle) {
  const double angle = 35 * std::acos(-1.0) / 180;
  const double slide = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  Simulation simulation(block_on_slope(35, 1e6, 40), {.threads = 1});
  test::run(simulation, 60);
  const double at_one = test::positions_of(simulation)[0][0];
  test::run(simulation, 60);
  // From rest: 3/2 a t^2 in the second second, except for the first frames, while it settles.
  EXPECT_NEAR(test::positions_of(simulation)[0][0] - at_one, 1.5 * slide, 0.1 * slide);
}

/// Vertices that are moved one after the other push each other unequally; the body as a whole is
/// not affected.
TEST(VertexBlockDescent, KeepsTheMomentumOfAFreeBody) {
  Scene scene = test::free_block("stable_neo_hookean");
  scene.bodies[0].material = material(1e6);
  scene.bodies[0].initial = Stretch{{1.3, 0.8, 1.1}};
  scene.bodies[0].velocity = {1, -2, 0.5};
  scene.gravity = {0, 0, 0};
  scene.solver.method = SolverMethod::vertex_block_descent;
  scene.solver.iterations = 5;
  Simulation simulation(scene, {.threads = 1});
  const TetMesh& mesh = scene.bodies[0].mesh;
  std::vector<double> mass(mesh.vertices.size());
  double total = 0;
  for (const auto& tet : mesh.tets) {
    const auto edge = [&](std::size_t a, std::size_t k) {
      return mesh.vertices[static_cast<std::size_t>(tet[a])][k] -
             mesh.vertices[static_cast<std::size_t>(tet[0])][k];
    };
    double six_volumes = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      six_volumes += edge(1, k) * (edge(2, l) * edge(3, m) - edge(2, m) * edge(3, l));
    }
    const double own = scene.bodies[0].density * std::abs(six_volumes) / 6;
    total += own;
    for (const int vertex : tet) mass[static_cast<std::size_t>(vertex)] += own / 4;
  }
  test::run(simulation, 60);
  const SimulationState state = simulation.state();
  for (std::size_t k = 0; k < 3; ++k) {
    double momentum = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) momentum += mass[i] * state.velocities[3 * i + k];
    // Rounding of 60 frames; a drift by a hundredth had been seen.
    EXPECT_NEAR(momentum, total * scene.bodies[0].velocity[k], 1e-10 * total);
  }
}

}  // namespace
}  // namespace supple
