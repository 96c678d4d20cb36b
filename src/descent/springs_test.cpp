#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "descent/hessian.h"
#include "descent/laplacian.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;

/// A block of tets with springs between some of its vertices, and a pinned cloth.
Scene mixed_scene() {
  Scene scene = test::test_scene();
  Body& block = scene.bodies[0];
  block.springs = {{0, 35, 500, 1}, {3, 0, 800, 0.2}, {7, 21, 300, 0}};
  const SpringMesh mesh = generate(ClothGenerator{.center = {0, 2, 0}, .cells = {4, 3}});
  Body cloth;
  cloth.mesh.vertices = mesh.vertices;
  cloth.triangles = mesh.triangles;
  cloth.springs = make_springs(mesh, {2000, 1000, 100});
  cloth.density = 0.4;
  Pin pin;
  pin.vertices = {0};
  pin.stiffness = 1e4;
  cloth.pins.push_back(pin);
  scene.bodies.push_back(cloth);
  return scene;
}

TEST(SpringObjective, TheGradientIsThatOfTheValue) {
  Problem problem(mixed_scene());
  const VectorField x = deformed(problem.model, 0.05);
  VectorField gradient(x.size()), unused(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  EXPECT_DOUBLE_EQ(problem.objective.value_with(x, problem.objective.elastic_energy_at(x) +
                                                       problem.objective.inertia_energy(x)),
                   value);
  const double d = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      VectorField plus = x, minus = x;
      plus[i][k] += d;
      minus[i][k] -= d;
      const double slope = (problem.objective.value_and_gradient(plus, unused) -
                            problem.objective.value_and_gradient(minus, unused)) /
                           (2 * d);
      // g is about 1e4 J: its rounding over 2 d is 1e-6 N, of gradients of 1e4 N.
      EXPECT_NEAR(gradient[i][k], slope, 1e-4);
    }
  }
}

TEST(SpringHessianAssembly, IsTheDerivativeOfTheGradientWhereSpringsAreStretched) {
  Scene scene = mixed_scene();
  // Rest lengths far shorter than in the block, so that no spring is squeezed and nothing is
  // projected.
  for (Spring& spring : scene.bodies[0].springs) spring.rest_length *= 0.1;
  Problem problem(scene);
  VectorField x(static_cast<std::size_t>(problem.model.num_vertices));
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.005, 0.005);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      x[i][k] = 1.1 * problem.model.rest[i][static_cast<std::size_t>(k)] + uniform(generator);
    }
  }
  const Adjacency adjacency = vertex_adjacency(problem.model);
  const std::vector<int> order = fill_reducing_order(adjacency);
  HessianAssembly assembly(problem.model, order, adjacency);
  assembly.assemble(problem.objective, x);
  const Eigen::MatrixXd lower = assembly.lower();
  const Eigen::MatrixXd found = lower.selfadjointView<Eigen::Lower>();
  const double d = 1e-6;
  VectorField plus_gradient(x.size()), minus_gradient(x.size());
  double largest = 0, difference = 0;
  for (std::size_t j = 0; j < 3 * x.size(); ++j) {
    VectorField plus = x, minus = x;
    const auto vertex = static_cast<std::size_t>(order[j / 3]);
    plus[vertex][static_cast<int>(j % 3)] += d;
    minus[vertex][static_cast<int>(j % 3)] -= d;
    problem.objective.value_and_gradient(plus, plus_gradient);
    problem.objective.value_and_gradient(minus, minus_gradient);
    for (std::size_t i = 0; i < 3 * x.size(); ++i) {
      const auto row = static_cast<std::size_t>(order[i / 3]);
      const int k = static_cast<int>(i % 3);
      const double expected = (plus_gradient[row][k] - minus_gradient[row][k]) / (2 * d);
      largest = std::max(largest, std::abs(expected));
      difference = std::max(
          difference,
          std::abs(found(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) - expected));
    }
  }
  // Central differences of gradients of 1e4 N: rounding 1e-12 * 1e4 / 1e-6.
  EXPECT_LT(difference, 1e-6 * largest);
}

TEST(SpringLaplacian, SolvesTheMatrixOfTheThesis) {
  // Springs without rest length: g is quadratic, and its Hessian is M/h^2 + L itself.
  Scene scene = mixed_scene();
  scene.bodies.erase(scene.bodies.begin());
  for (Spring& spring : scene.bodies[0].springs) spring.rest_length = 0;
  Problem problem(scene);
  Laplacian laplacian(problem.model, 1 / (h * h), Precision::full);
  VectorField x = deformed(problem.model, 0.2), gradient(x.size()), p(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  const double before = problem.objective.algebra().norm(gradient);
  ASSERT_TRUE(laplacian.compute(problem.objective, {x, gradient, value}, p));
  problem.objective.algebra().add(1, p, x);
  problem.objective.value_and_gradient(x, gradient);
  EXPECT_LT(problem.objective.algebra().norm(gradient), 1e-11 * before);  // rounding of the solve
}

TEST(SpringLaplacian, TheDiagonalHoldsMassesSpringsAndPins) {
  Scene scene;
  Body body;
  body.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  body.segments = {{0, 1}, {1, 2}};
  body.springs = {{0, 1, 30, 1}, {2, 1, 50, 1}};
  body.mass = 4;
  Pin pin;
  pin.vertices = {0};
  pin.stiffness = 700;
  body.pins.push_back(pin);
  scene.bodies.push_back(body);
  const std::vector<double> diagonal = laplacian_diagonal(build_model(scene), 10);
  EXPECT_DOUBLE_EQ(diagonal[0], 10 + 30 + 700);
  EXPECT_DOUBLE_EQ(diagonal[1], 20 + 30 + 50);
  EXPECT_DOUBLE_EQ(diagonal[2], 10 + 50);
  const Adjacency adjacency = vertex_adjacency(build_model(scene));
  EXPECT_EQ(adjacency.start, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(adjacency.neighbour, (std::vector<int>{1, 0, 2, 1}));
}

}  // namespace
}  // namespace supple
