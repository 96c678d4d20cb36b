#include "descent/crushed_patches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/index.h"
#include "contact/test_allocations.h"
#include "descent/contact_matrix.h"
#include "descent/l_bfgs.h"
#include "descent/minimise.h"
#include "descent/test_problem.h"

namespace supple {
namespace {

using test::h;
constexpr double a2 = 1 / (h * h);

/// A block that is free, or has a pin at each of these vertices.
Scene block(const std::vector<int>& pinned = {}) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.cells = {16, 16, 16}});
  body.material.model = "neo_hookean";
  body.material.mu = 4e4;
  body.material.lambda = 6e4;
  for (const int vertex : pinned) {
    Pin pin;
    pin.vertices = {vertex};
    pin.stiffness = 1e4;
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

/// The vertex nearest to the middle of the block. It has this number in the scene too: the model
/// keeps the order.
int middle_of(const Model& model) {
  const auto distance = [](const Vec3& x) { return std::hypot(x[0], x[1], x[2]); };
  const auto nearest =
      std::min_element(model.rest.begin(), model.rest.end(),
                       [&](const Vec3& a, const Vec3& b) { return distance(a) < distance(b); });
  return static_cast<int>(nearest - model.rest.begin());
}

/// A step whose target is the rest shape, except that one vertex is three cells off, so that its
/// tets are inside out.
struct Crushed {
  explicit Crushed(const Scene& scene, int threads = 1)
      : problem(scene, threads), vertex(middle_of(problem.model)), z(problem.y.size()) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) z[i].v[k] = problem.model.rest[i][k];
    }
    z[at(vertex)][0] += 0.1875;
    y = z;
    problem.objective.begin_step({.y = y, .inverse_a2 = a2, .x_start = y, .time = h, .h = h});
  }
  std::vector<double> momentum() const {
    std::vector<double> sum(3);
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (int k = 0; k < 3; ++k) sum[at(k)] += problem.model.mass[i] * z[i][k];
    }
    return sum;
  }
  test::Problem problem;
  int vertex;
  VectorField z, y;
};

double size_at(const std::vector<int>& vertices, const VectorField& gradient) {
  double sum = 0;
  for (const int i : vertices) {
    for (int k = 0; k < 3; ++k) sum += gradient[at(i)][k] * gradient[at(i)][k];
  }
  return std::sqrt(sum);
}

TEST(CrushedPatches, AreSolvedForWithTheOthersStandingStill) {
  Crushed crushed(block());
  Objective& objective = crushed.problem.objective;
  VectorField gradient(crushed.z.size());
  const double before = objective.value_and_gradient(crushed.z, gradient);
  CrushedPatches patches;
  ASSERT_TRUE(patches.find(objective, crushed.z));
  ASSERT_EQ(patches.count(), 1);
  const std::vector<int>& inside = patches.vertices(0);
  EXPECT_TRUE(std::binary_search(inside.begin(), inside.end(), crushed.vertex));
  const double force = size_at(inside, gradient);
  const std::vector<double> momentum = crushed.momentum();
  const VectorField start = crushed.z;

  patches.solve(objective, crushed.z);
  const double after = objective.value_and_gradient(crushed.z, gradient);
  EXPECT_LT(after, 0.1 * before);
  EXPECT_LT(size_at(inside, gradient), 0.01 * force);
  // The others move together, so that the centre of mass stays.
  const std::size_t corner = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (std::binary_search(inside.begin(), inside.end(), static_cast<int>(i))) continue;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(crushed.z[i][k] - start[i][k], crushed.z[corner][k] - start[corner][k], 1e-15);
    }
  }
  // A sum over 4913 vertices rounds to this.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(crushed.momentum()[k], momentum[k], 1e-13 * crushed.problem.model.mass[0] * 4913);
  }
}

TEST(CrushedPatches, AreFoundOnceInAStep) {
  Crushed crushed(block());
  CrushedPatches patches;
  EXPECT_TRUE(patches.find(crushed.problem.objective, crushed.z));
  EXPECT_FALSE(patches.find(crushed.problem.objective, crushed.z));
  patches.begin_step();
  EXPECT_EQ(patches.count(), 0);
  EXPECT_TRUE(patches.find(crushed.problem.objective, crushed.z));
}

TEST(CrushedPatches, LeaveOutWhatPinsHold) {
  const int vertex = middle_of(build_model(block()));
  Crushed crushed(block({vertex}));
  CrushedPatches patches;
  ASSERT_TRUE(patches.find(crushed.problem.objective, crushed.z));
  for (int p = 0; p < patches.count(); ++p) {
    for (const int i : patches.vertices(p)) EXPECT_NE(i, vertex);
  }
  const VectorField start = crushed.z;
  patches.solve(crushed.problem.objective, crushed.z);
  // Nothing keeps the momentum of a body that is held: it is not shifted.
  for (int k = 0; k < 3; ++k) EXPECT_EQ(crushed.z[at(vertex)][k], start[at(vertex)][k]);
}

TEST(CrushedPatches, AreNoneOfWhatElseActsOnTheVertices) {
  for (const std::string what : {"rest", "fiber", "damping", "all"}) {
    Scene scene = block();
    Body& body = scene.bodies.front();
    if (what == "fiber") body.fibers = {FiberSettings{{1, 0, 0}, 3e4}};
    if (what == "damping") scene.damping.stiffness = 0.01;
    Crushed crushed(scene);
    if (what == "rest") {
      crushed.z[at(crushed.vertex)][0] -= 0.1875;
    } else if (what == "all") {
      for (PaddedVector& x : crushed.z) x[0] *= -1;  // the whole body is inside out
    }
    CrushedPatches patches;
    EXPECT_FALSE(patches.find(crushed.problem.objective, crushed.z)) << what;
  }
}

TEST(CrushedPatches, NeedNoMemoryOnceTheyHaveIt) {
  Crushed crushed(block());
  CrushedPatches patches;
  ASSERT_TRUE(patches.find(crushed.problem.objective, crushed.z));
  VectorField z = crushed.z;
  patches.solve(crushed.problem.objective, z);
  z = crushed.z;
  const long before = num_allocations();
  patches.begin_step();
  patches.find(crushed.problem.objective, z);
  patches.solve(crushed.problem.objective, z);
  EXPECT_EQ(num_allocations(), before);
}

/// Ten iterations of L-BFGS from the crushed state.
struct Descent {
  std::vector<double> values;
  VectorField z;
  int evaluations = 0;
};

Descent descend(Weights weights, int threads) {
  Crushed crushed(block(), threads);
  const Model& model = crushed.problem.model;
  LBfgs direction(model, std::make_unique<ContactMatrix>(model, a2, weights), 5);
  SolverSettings settings;
  settings.iterations = 10;
  Descent descent;
  Minimiser minimiser(model.num_vertices);
  minimiser.run(
      crushed.problem.objective, direction, settings, crushed.z,
      {.visit = [&](int, const Iterate& at, double) { descent.values.push_back(at.value); }});
  descent.z = crushed.z;
  descent.evaluations = crushed.problem.objective.num_evaluations();
  return descent;
}

TEST(CrushedPatches, ShortenTheDescentAndNeverLetItRise) {
  const Descent published = descend(Weights::constant, 1), own = descend(Weights::following, 1);
  for (std::size_t k = 1; k < own.values.size(); ++k) EXPECT_LE(own.values[k], own.values[k - 1]);
  EXPECT_LT(own.evaluations, published.evaluations);
  EXPECT_LT(own.values.back(), published.values.back());
}

TEST(CrushedPatches, HaveTheSameBitsOnAnyNumberOfThreads) {
  const Descent one = descend(Weights::following, 1);
  for (const int threads : {2, 3}) {
    const Descent other = descend(Weights::following, threads);
    ASSERT_EQ(one.values, other.values);
    for (std::size_t i = 0; i < one.z.size(); ++i) {
      for (int k = 0; k < 3; ++k) ASSERT_EQ(one.z[i][k], other.z[i][k]);
    }
  }
}

}  // namespace
}  // namespace supple
