#include "descent/following_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/index.h"
#include "descent/laplacian.h"
#include "descent/test_problem.h"
#include "supple/error.h"

namespace supple {
namespace {

using test::h;
constexpr double a2 = 1 / (h * h);

/// A box of one material, free.
Scene box_of(const MaterialSettings& material) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.cells = {4, 3, 3}});
  body.material = material;
  scene.bodies.push_back(body);
  return scene;
}

/// A material whose stiffness in tension grows with the square of the stretch.
MaterialSettings stvk() {
  MaterialSettings material;
  material.model = "stvk";
  material.mu = 3e4;
  material.lambda = 0;
  return material;
}

VectorField stretched(const Model& model, double factor) {
  VectorField x(at(model.num_vertices));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& r = model.rest[i];
    x[i] = {factor * r[0], r[1], r[2]};
  }
  return x;
}

/// Entries of A^-1 g for a gradient g that touches every vertex.
VectorField direction_of(Laplacian& matrix, test::Problem& problem) {
  VectorField gradient(problem.y.size()), p(problem.y.size());
  const double value = problem.objective.value_and_gradient(problem.y, gradient);
  matrix.compute(problem.objective, {problem.y, gradient, value}, p);
  return p;
}

double largest_difference(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  }
  return largest;
}

/// Takes steps from x, each of one iteration that tries so many lengths, until the matrix is a new
/// one. Returns whether it is.
bool follow(Laplacian& matrix, test::Problem& problem, const VectorField& x, int tries, int steps) {
  VectorField gradient(x.size()), p(x.size());
  const std::vector<double> before = matrix.weights()->memory().weights;
  for (int step = 0; step < steps; ++step) {
    problem.objective.begin_step({.y = x, .inverse_a2 = a2, .x_start = x, .time = h, .h = h});
    matrix.begin_step(problem.objective);
    if (matrix.weights()->memory().weights != before) return true;
    const double value = problem.objective.value_and_gradient(x, gradient);
    matrix.compute(problem.objective, {x, gradient, value}, p);
    for (int i = 0; i < tries; ++i) problem.objective.value_and_gradient(x, gradient);
    matrix.compute(problem.objective, {x, gradient, value}, p);
  }
  return false;
}

TEST(FollowingWeights, AreHalfTheLargestEigenvaluesOfTheStretches) {
  // Psi = mu/4 sum (s_i^2 - 1)^2: P = mu s (s^2 - 1), its derivative mu (3 s^2 - 1). At
  // s = (2, 1, 1) that is 11 mu; the modes that couple two stretches have (P_i + P_j)/(s_i + s_j) =
  // 2 mu and (P_i - P_j)/(s_i - s_j) = 6 mu.
  test::Problem problem(box_of(stvk()));
  Laplacian matrix(problem.model, a2, Precision::mixed, Weights::following);
  ASSERT_TRUE(follow(matrix, problem, stretched(problem.model, 2), 6, 1000));
  const std::vector<double> weights = matrix.weights()->memory().weights;
  ASSERT_EQ(weights.size(), at(problem.model.num_tets));
  // Rounding of F and of its singular values.
  for (const double k : weights) EXPECT_NEAR(k, 5.5 * 3e4, 1e-9 * 5.5 * 3e4);
}

TEST(FollowingWeights, MakeTheMatrixThatIsBuiltWithThem) {
  test::Problem problem(test::test_scene());  // with pins and two materials
  Model model = problem.model;
  std::vector<double> weights = model.stiffness.all();
  for (std::size_t t = 0; t < weights.size(); t += 2) weights[t] *= 1 + static_cast<double>(t % 7);
  model.stiffness = TetNumbers(weights);
  Laplacian other(model, a2, Precision::full),
      matrix(problem.model, a2, Precision::full, Weights::following);
  const VectorField before = direction_of(matrix, problem);
  matrix.set_memory({.weights = weights}, problem.model, problem.threads);
  const VectorField wanted = direction_of(other, problem), p = direction_of(matrix, problem);
  // The rounding of sums in two orders; the change itself is far larger.
  EXPECT_LT(largest_difference(p, wanted), 1e-12);
  EXPECT_GT(largest_difference(p, before), 1e-4);

  matrix.set_memory({}, problem.model, problem.threads);
  EXPECT_EQ(largest_difference(direction_of(matrix, problem), before), 0);
}

TEST(FollowingWeights, KeepPinsThatHaveChanged) {
  test::Problem problem(test::test_scene());
  Laplacian matrix(problem.model, a2, Precision::full, Weights::following);
  Model model = problem.model;
  model.pins.pins.resize(model.pins.pins.size() / 2);
  matrix.pins_changed({model, a2, h});
  std::vector<double> weights = model.stiffness.all();
  for (double& k : weights) k *= 3;
  matrix.set_memory({.weights = weights}, model, problem.threads);
  model.stiffness = TetNumbers(weights);
  Laplacian other(model, a2, Precision::full);
  EXPECT_LT(largest_difference(direction_of(matrix, problem), direction_of(other, problem)), 1e-12);
}

TEST(FollowingWeights, StayWhereNoStepIsShortened) {
  test::Problem problem(box_of(stvk()));
  Laplacian matrix(problem.model, a2, Precision::mixed, Weights::following);
  EXPECT_FALSE(follow(matrix, problem, stretched(problem.model, 2), 1, 1000));
}

TEST(FollowingWeights, StayWhereThereIsNoTimeForAFactor) {
  test::Problem problem(box_of(stvk()));
  Laplacian matrix(problem.model, a2, Precision::mixed, Weights::following);
  const VectorField x = stretched(problem.model, 2);
  matrix.weights()->set_longest_factor(1e-9);
  EXPECT_FALSE(follow(matrix, problem, x, 6, 1000));
  matrix.weights()->set_longest_factor(1);
  EXPECT_TRUE(follow(matrix, problem, x, 6, 1000));
}

TEST(FollowingWeights, AreAsFittedAgainAtRest) {
  test::Problem problem(box_of(stvk()));
  Laplacian matrix(problem.model, a2, Precision::mixed, Weights::following);
  ASSERT_TRUE(follow(matrix, problem, stretched(problem.model, 2), 6, 1000));
  EXPECT_TRUE(follow(matrix, problem, stretched(problem.model, 1), 1, 1000));
  EXPECT_TRUE(matrix.weights()->memory().weights.empty());
}

TEST(FollowingWeights, ThatAreNotPositiveOrNotAsManyAsTetsAreRefused) {
  test::Problem problem(box_of(stvk()));
  Laplacian matrix(problem.model, a2, Precision::mixed, Weights::following);
  const VectorField before = direction_of(matrix, problem);
  std::vector<double> negative = problem.model.stiffness.all(), few = negative;
  negative[5] = -1;
  few.pop_back();
  for (const std::vector<double>& weights : {negative, few}) {
    EXPECT_THROW(matrix.set_memory({.weights = weights}, problem.model, problem.threads), Error);
  }
  EXPECT_EQ(largest_difference(direction_of(matrix, problem), before), 0);
}

}  // namespace
}  // namespace supple
