#include "position/pbd.h"

#include <gtest/gtest.h>

#include <set>

#include "contact/test_allocations.h"
#include "position/constraint_test_support.h"

namespace supple {
namespace {

using test::box_scene;
using test::contact_with;
using test::plane;
using test::shaken;

constexpr double h = 1.0 / 60;

SolverSettings stiff(double stiffness, double volume_stiffness) {
  SolverSettings settings;
  settings.stiffness = stiffness;
  settings.volume_stiffness = volume_stiffness;
  return settings;
}

/// z after some iterations from y.
VectorField project(const Model& model, const SolverSettings& settings, const VectorField& y,
                    int iterations, int num_threads = 1) {
  const auto solver = make_pbd(model, nullptr, settings);
  Threads threads(num_threads);
  solver->begin({y, y, 1 / (h * h), h, h}, threads);
  for (int i = 0; i < iterations; ++i) EXPECT_TRUE(solver->iterate(threads));
  VectorField z(y.size());
  solver->copy_positions(z);
  return z;
}

double distance(const PaddedVector& a, const PaddedVector& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double worst_length(const Model& model, const VectorField& z) {
  double worst = 0;
  for (const auto& spring : model.springs.springs) {
    const double l =
        distance(z[static_cast<std::size_t>(spring.a)], z[static_cast<std::size_t>(spring.b)]);
    worst = std::max(worst, std::abs(l - spring.rest_length));
  }
  return worst;
}

double worst_volume(const Model& model, const VectorField& z) {
  double worst = 0;
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    double e[3][3];
    for (std::size_t i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        e[i][k] = z[static_cast<std::size_t>(model.tets[t][i + 1])][k] -
                  z[static_cast<std::size_t>(model.tets[t][0])][k];
      }
    }
    const double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                       e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    worst = std::max(worst, std::abs(det / 6 / model.volume[t] - 1));
  }
  return worst;
}

TEST(Pbd, StiffnessOneConvergesToTheLengths) {
  const Model model = test::strand_model(20, 10, false);
  const VectorField y = shaken(model, 0.02);
  EXPECT_GT(worst_length(model, y), 5e-3);
  EXPECT_LT(worst_length(model, project(model, stiff(1, 1), y, 1000)), 1e-10);
}

TEST(Pbd, AnIterationGoesTheShareOfTheWayThatStiffnessNames) {
  // One spring: after n iterations (1 - stiffness)^n is left.
  const Model model = test::strand_model(1, 10, false);
  VectorField y = test::rest_of(model);
  y[1][0] += 0.5;
  const double left = worst_length(model, project(model, stiff(0.3, 0), y, 4));
  EXPECT_NEAR(left, 0.5 * std::pow(0.7, 4), 1e-14);
}

TEST(Pbd, WithoutStiffnessNothingMoves) {
  Scene scene = box_scene(3, "arap", 100, 0);
  scene.bodies[0].springs = {{0, 35, 500, 1}};
  const Model model = build_model(scene);
  const VectorField y = shaken(model, 0.05);
  const VectorField z = project(model, stiff(0, 0), y, 5);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(z[i][k], y[i][k]);
  }
}

TEST(Pbd, ABoxGoesBackToItsShape) {
  // Its edges have their lengths at rest only in that shape, apart from mirrored parts far away.
  const Model model = build_model(box_scene(3, "arap", 100, 0));
  const VectorField y = shaken(model, 0.02);
  const VectorField z = project(model, stiff(1, 1), y, 3000);
  for (const auto& tet : model.tets) {
    for (std::size_t i = 1; i < 4; ++i) {
      const auto a = static_cast<std::size_t>(tet[0]), b = static_cast<std::size_t>(tet[i]);
      const Vec3 &p = model.rest[a], &q = model.rest[b];
      EXPECT_NEAR(distance(z[a], z[b]), std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]), 1e-8);
    }
  }
  EXPECT_LT(worst_volume(model, z), 1e-7);
}

TEST(Pbd, VolumesAloneAreKeptToo) {
  const Model model = build_model(box_scene(3, "arap", 100, 0));
  const VectorField y = shaken(model, 0.02);
  EXPECT_GT(worst_volume(model, y), 0.05);
  // Volumes of neighbours compete, so the rest falls more slowly than by a constant factor.
  EXPECT_LT(worst_volume(model, project(model, stiff(0, 1), y, 3000)), 1e-3);
}

TEST(Pbd, MomentumIsKeptByEveryProjection) {
  Scene scene = box_scene(2, "arap", 100, 0);
  scene.bodies[0].springs = {{0, 26, 500, 0.7}};
  const Model model = build_model(scene);
  for (const SolverSettings& settings : {stiff(1, 0), stiff(0, 0.5)}) {
    VectorField y = shaken(model, 0.05);
    for (int i = 0; i < 5; ++i) {
      const VectorField z = project(model, settings, y, 1);
      const test::Momentum m = test::momentum(model, y, z);
      EXPECT_GT(m.scale, 1e-3);
      for (double p : m.linear) EXPECT_NEAR(p, 0, 1e-13 * m.scale);
      y = z;
    }
  }
  // A visit acts where the vertices are at that time, so its torque is seen only if it is alone.
  Scene one;
  Body body;
  body.mesh = generate(TetrahedronGenerator{});
  body.material = scene.bodies[0].material;
  one.bodies.push_back(body);
  const Model tet = build_model(one);
  const VectorField y = shaken(tet, 0.2);
  const test::Momentum m = test::momentum(tet, y, project(tet, stiff(0, 1), y, 1));
  EXPECT_GT(m.scale, 1);
  for (double L : m.angular) EXPECT_NEAR(L, 0, 1e-13 * m.scale);
}

TEST(Pbd, PinnedVerticesStandAtTheirTargets) {
  Model model = test::strand_model(10, 10, true);
  model.pins.motions[0].velocity = Vec3{0, 3, 0};
  const VectorField y = test::rest_of(model);
  const VectorField z = project(model, stiff(1, 1), y, 1000);
  EXPECT_EQ(z[0][1], 3 * h);
  EXPECT_LT(worst_length(model, z), 1e-8);
  EXPECT_GT(z[1][1], 0);  // the strand follows
}

TEST(Pbd, AllVerticesMayBePinned) {
  Scene scene = box_scene(1, "arap", 100, 0);
  Pin all;
  all.box = {{-9, -9, -9}, {9, 9, 9}};
  scene.bodies[0].pins.push_back(all);
  const Model model = build_model(scene);
  const VectorField z = project(model, stiff(1, 1), shaken(model, 0.1), 3);
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(z[i].v[k], model.rest[i][k]);
  }
}

TEST(Pbd, APointThatPinnedVerticesCarryThrowsNoOther) {
  // The point is a ten-thousandth of the way from the first vertex to the second: to move it alone,
  // the second would have to go ten thousand times as far.
  for (const bool is_pinned : {true, false}) {
    Model model = test::particles({{0, 0, 0}, {1, 0, 0}}, {is_pinned ? 1.0 : 1e9, 1});
    if (is_pinned) model.pins.pins.push_back({0, 0, 1e3, {0, 0, 0}});
    const int first = static_cast<int>(model.pins.pins.size());
    const Vec3 target{1e-4, 0.02, 0};
    for (int vertex : {0, 1}) model.pins.pins.push_back({vertex, 0, 1e3, target, -1, 0});
    model.pins.points.push_back({first, 2, 1e3, {1 - 1e-4, 1e-4}});
    const VectorField y = test::rest_of(model);
    const VectorField z = project(model, stiff(1, 1), y, 1);
    EXPECT_NEAR(z[1][0], 1, 1e-12);
    EXPECT_GT(z[1][1], 0);
    EXPECT_LT(z[1][1], 0.02);
  }
  // Two free vertices bring it to its place.
  Model model = test::particles({{0, 0, 0}, {1, 0, 0}}, {1, 2});
  for (int vertex : {0, 1}) model.pins.pins.push_back({vertex, 0, 1e3, {0.5, 0.02, 0}, -1, 0});
  model.pins.points.push_back({0, 2, 1e3, {0.5, 0.5}});
  const VectorField z = project(model, stiff(1, 1), test::rest_of(model), 1);
  EXPECT_NEAR(0.5 * (z[0][1] + z[1][1]), 0.02, 1e-15);
}

TEST(Pbd, ACollapsedBodyStaysFinite) {
  const Model model = build_model(box_scene(2, "arap", 100, 0));
  VectorField point(model.rest.size()), flat = test::rest_of(model), line = flat;
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i][1] = line[i][1] = line[i][2] = 0;
  for (const VectorField& y : {point, flat, line}) {
    const VectorField z = project(model, stiff(1, 1), y, 50);
    for (const PaddedVector& p : z) EXPECT_LT(std::hypot(p[0], p[1], p[2]), 100);
  }
}

TEST(Pbd, VerticesLeaveCollidersAndFrictionHoldsThemInItsCone) {
  const Model model = test::particles({{0, 0, 0}, {0, 0, 0}, {1, 1, 0}}, {1, 1, 1});
  const double mu = 0.5, depth = 0.02;
  const auto contact = contact_with({plane({0, 1, 0})}, 3, 1e4, mu);
  const auto solver = make_pbd(model, contact.get(), stiff(1, 1));
  const VectorField start = test::rest_of(model);
  VectorField y = start, z(3);
  y[0] = {{0.005, -depth, 0, 0}};    // slips by less than mu depth: sticks
  y[1] = {{0.03, -depth, 0.04, 0}};  // slips by more: moved back by mu depth
  Threads threads(1);
  solver->begin({y, start, 1 / (h * h), h, h}, threads);
  ASSERT_TRUE(solver->iterate(threads));
  solver->copy_positions(z);
  EXPECT_EQ(solver->num_contacts(), 2);
  EXPECT_NEAR(distance(z[0], start[0]), 0, 1e-16);
  EXPECT_NEAR(z[1][1], 0, 1e-16);
  EXPECT_NEAR(std::hypot(z[1][0], z[1][2]), 0.05 - mu * depth, 1e-15);
  EXPECT_NEAR(z[1][0] / z[1][2], 0.75, 1e-14);
  EXPECT_EQ(z[2][1], 1);
}

TEST(Pbd, TheNumberOfThreadsDoesNotShow) {
  const Model model = build_model(box_scene(16, "arap", 100, 0));
  const VectorField y = shaken(model, 0.01);
  const VectorField one = project(model, stiff(1, 0.7), y, 3);
  const VectorField three = project(model, stiff(1, 0.7), y, 3, 3);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(one[i][k], three[i][k]);
  }
}

TEST(Pbd, GroupsHoldEveryEdgeSpringAndTetOnce) {
  Scene scene = box_scene(3, "arap", 100, 0);
  scene.bodies[0].springs = {{0, 35, 500, 1}, {3, 0, 800, 0.2}};
  const Model model = build_model(scene);
  std::set<std::pair<int, int>> edges;
  for (const auto& tet : model.tets) {
    for (int a : tet) {
      for (int b : tet) {
        if (a < b) edges.insert({a, b});
      }
    }
  }
  int found[3] = {0, 0, 0};
  for (const ConstraintGroup& group : make_pbd(model, nullptr, stiff(1, 1))->groups()) {
    found[group.of == "edges" ? 0 : group.of == "springs" ? 1 : 2] += group.size;
  }
  EXPECT_EQ(found[0], static_cast<int>(edges.size()));
  EXPECT_EQ(found[1], 2);
  EXPECT_EQ(found[2], model.num_tets);
}

TEST(Pbd, AStepAllocatesNothingAndNonFinitePositionsAreSeen) {
  const Model model = build_model(box_scene(4, "arap", 100, 0));
  const auto contact = contact_with({plane({0, 1, 0})}, model.num_vertices, 1e4, 0.2);
  const auto solver = make_pbd(model, contact.get(), stiff(1, 1));
  VectorField y = shaken(model, 0.02);
  Threads threads(2);
  const PositionStep step{y, y, 1 / (h * h), h, h};
  const long before = num_allocations();
  solver->begin(step, threads);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(solver->iterate(threads));
  EXPECT_EQ(num_allocations(), before);
  EXPECT_GT(solver->num_contacts(), 10);
  EXPECT_GT(solver->worst_violation(), 0);
  y[4][1] = std::nan("");
  solver->begin(step, threads);
  EXPECT_FALSE(solver->iterate(threads));
}

TEST(Pbd, ThereMayBeNothingToKeep) {
  const Model model = test::particles({{0, 0, 0}}, {1});
  VectorField y(1);
  y[0][0] = 2;
  EXPECT_EQ(project(model, stiff(1, 1), y, 2)[0][0], 2);
  const auto solver = make_pbd(model, nullptr, stiff(1, 1));
  EXPECT_TRUE(solver->groups().empty());
  EXPECT_EQ(solver->worst_violation(), 0);
}

}  // namespace
}  // namespace supple
