#include "contact/contact_energy.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "contact/test_allocations.h"
#include "contact/test_meshes.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double h = 0.02;
constexpr double eps = friction_slip_speed * h;

std::vector<double> padded(const std::vector<Vec3>& points) {
  std::vector<double> x;
  for (const Vec3& p : points) x.insert(x.end(), {p[0], p[1], p[2], 0});
  return x;
}

/// This many vertices of one stiffness that come out of what they start in as fast as they can.
std::vector<ContactVertex> all(int n, double stiffness) {
  std::vector<ContactVertex> vertices;
  for (int i = 0; i < n; ++i) vertices.push_back({.vertex = i, .stiffness = stiffness});
  return vertices;
}

/// A step from x_n to time_end, whose minimisation starts at x_n.
ContactStep step_from(const std::vector<double>& x_n, double time_end) {
  return {.time_end = time_end, .h = h, .x_n = x_n.data()};
}

std::vector<ColliderObject> objects(const std::vector<Collider>& colliders) {
  std::vector<ColliderObject> result;
  for (const Collider& c : colliders) result.emplace_back(c, "/colliders");
  return result;
}

Collider ground() { return {"ground", PlaneShape{{0, 1, 0}, 0}, {}}; }

/// Overlapping shapes, some of them moving.
std::vector<Collider> crowd() {
  Motion turning;
  turning.rotate = Rotation{{1, 2, 0}, {0.2, 0, 0}, 90};
  Motion moving;
  moving.velocity = Vec3{0.1, -0.2, 0.3};
  return {{"", PlaneShape{{0.1, 1, 0}, -0.6}, {}},
          {"", SphereShape{{0.5, 0.2, 0}, 0.6}, moving},
          {"", TorusShape{{-0.4, 0, 0.1}, {1, 1, 0}, 0.6, 0.25}, turning},
          {"", CapsuleShape{{0, 0, -1}, {0, 0.5, 1}, 0.2}, {}},
          {"", CylinderShape{{0.6, -0.6, 0}, {0, 1, 1}, 0.3, 0.8}, moving},
          {"", BoxShape{{-0.6, 0.6, -0.6}, {0.7, 0.5, 0.9}, {1, 0, 0}, 20}, turning},
          {"", MeshShape{test_meshes::burr()}, turning}};
}

class Cloud {
 public:
  Cloud(unsigned seed, int count, double half) : engine_(seed), side_(-half, half) {
    points_.resize(static_cast<std::size_t>(count));
    for (Vec3& x : points_) x = random();
  }
  std::vector<double> x() const { return padded(points_); }
  /// All points, displaced by vectors of this length.
  std::vector<double> displaced(double by) {
    std::vector<Vec3> moved = points_;
    for (Vec3& p : moved) p = p + by * direction(random(), {1, 0, 0});
    return padded(moved);
  }
  const std::vector<Vec3>& points() const { return points_; }

 private:
  Vec3 random() { return {side_(engine_), side_(engine_), side_(engine_)}; }
  std::mt19937 engine_;
  std::uniform_real_distribution<double> side_;
  std::vector<Vec3> points_;
};

double energy(const ContactEnergy& contact, const std::vector<double>& x) {
  std::vector<double> gradient(x.size());
  return contact.add(x.data(), gradient.data());
}

std::vector<double> gradient(const ContactEnergy& contact, const std::vector<double>& x) {
  std::vector<double> g(x.size());
  contact.add(x.data(), g.data());
  return g;
}

TEST(ContactEnergy, ItIsHalfTheStiffnessTimesTheSquaredDepthWhereItWasChosen) {
  Threads threads(1);
  const Cloud cloud(1, 400, 1);
  const std::vector<double> x = cloud.x();
  ContactEnergy contact(objects(crowd()), 0, all(400, 300));
  contact.begin_step(step_from(x, 0.4), threads);
  contact.detect(x.data(), threads);
  double expected = 0;
  std::vector<double> g(x.size());
  std::size_t count = 0;
  for (const ColliderObject& collider : contact.colliders()) {
    for (std::size_t i = 0; i < cloud.points().size(); ++i) {
      const SurfacePoint at = collider.surface(cloud.points()[i]);
      if (at.distance >= 0) continue;
      ++count;
      expected += 150 * at.distance * at.distance;
      for (std::size_t k = 0; k < 3; ++k) g[4 * i + k] += 300 * at.distance * at.normal[k];
    }
  }
  EXPECT_GT(count, 100u);
  EXPECT_EQ(contact.contacts().size(), count);
  EXPECT_NEAR(energy(contact, x), expected, 1e-13 * expected);
  const std::vector<double> found = gradient(contact, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found[i], g[i], 1e-11);
}

/// Checks derivatives at points that are `by` away from where the contacts were chosen, with the
/// positions at the start of the step `slip` away.
void expect_derivatives(double by, double slip, const ContactVertex& like = {.stiffness = 300}) {
  Threads threads(1);
  Cloud cloud(2, 150, 1);
  const std::vector<double> chosen = cloud.x();
  const std::vector<double> x_n = cloud.displaced(slip);
  const std::vector<double> x = cloud.displaced(by);
  std::vector<Collider> still = crowd();
  for (Collider& c : still) c.motion = Motion{};
  std::vector<ContactVertex> vertices = all(150, 300);
  for (ContactVertex& own : vertices) {
    own.added = like.added;
    own.soft_depth = like.soft_depth;
  }
  ContactEnergy contact(objects(still), 0.4, vertices);
  contact.begin_step(step_from(x_n, 0.4), threads);
  contact.detect(chosen.data(), threads);
  ASSERT_GT(contact.contacts().size(), 50u);
  // The friction of one contact bends over eps, so steps must be short compared with that.
  const double e = 1e-3 * eps;
  std::vector<double> blocks(9 * 150);
  contact.visit_hessian(x.data(), [&](int vertex, int, const double* block) {
    for (std::size_t k = 0; k < 9; ++k)
      blocks[9 * static_cast<std::size_t>(vertex) + k] += block[k];
  });
  const std::vector<double> g = gradient(contact, x);
  std::set<int> touched;
  for (const Contact& c : contact.contacts()) touched.insert(c.point.vertices[0]);
  int smooth = 0;
  for (int vertex : touched) {
    const auto v = static_cast<std::size_t>(vertex);
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<double> low = x, high = x;
      low[4 * v + k] -= e;
      high[4 * v + k] += e;
      // Rounding of an energy of about 1000 J over 2e = 4e-8 m is 3e-6 N.
      EXPECT_NEAR((energy(contact, high) - energy(contact, low)) / (2 * e), g[4 * v + k], 1e-4);
      const std::vector<double> g_low = gradient(contact, low), g_high = gradient(contact, high);
      for (std::size_t i = 0; i < 3; ++i) {
        const double block = blocks[9 * v + 3 * i + k];
        const double slope = (g_high[4 * v + i] - g_low[4 * v + i]) / (2 * e);
        // Exact except for rounding and for the square of e over the radius of the bend, eps.
        if (std::abs(slope - block) <= 1e-4 * (300 + std::abs(block))) ++smooth;
      }
    }
  }
  // Only a kink within the difference is excused, of the normal force or of the friction.
  EXPECT_GE(smooth, static_cast<int>(9 * touched.size()) * 98 / 100);
}

TEST(ContactEnergy, ItsDerivativesAreThoseOfDifferencesWhereVerticesSlip) {
  expect_derivatives(0, 0.05);
  expect_derivatives(0.02, 0.05);
}

TEST(ContactEnergy, ItsDerivativesAreThoseOfDifferencesWhereVerticesStick) {
  expect_derivatives(0, 0.5 * eps);
  expect_derivatives(0.3 * eps, 0.3 * eps);
}

TEST(ContactEnergy, ItsDerivativesAreThoseOfDifferencesWhereSomeSeparate) {
  expect_derivatives(0.3, 0.05);
}

TEST(ContactEnergy, ItsDerivativesAreThoseOfDifferencesWhereSomeAreStifferDeepDown) {
  expect_derivatives(0.02, 0.05, {.added = 700, .soft_depth = 0.1});
}

/// Beyond its soft depth a contact has the stiffness of both parts; friction follows the force.
TEST(ContactEnergy, DeepDownItIsStiffer) {
  Threads threads(1);
  const std::vector<double> x_n{0, -0.3, 0, 0}, z{0.1, -0.3, 0, 0};
  std::vector<Collider> ground{{"", PlaneShape{{0, 1, 0}, 0}, {}}};
  ContactEnergy contact(objects(ground), 0.5,
                        {{.vertex = 0, .stiffness = 10, .added = 90, .soft_depth = 0.1}});
  contact.begin_step(step_from(x_n, 0.4), threads);
  contact.detect(z.data(), threads);
  ASSERT_EQ(contact.touching().size(), 1u);
  EXPECT_DOUBLE_EQ(contact.touch().energy, 0.5 * (10 * 0.3 * 0.3 + 90 * 0.2 * 0.2));
  const std::vector<double> g = gradient(contact, z);
  EXPECT_NEAR(g[1], -(10 * 0.3 + 90 * 0.2), 1e-13);
  EXPECT_NEAR(g[0], 0.5 * (10 * 0.3 + 90 * 0.2), 1e-13);
}

TEST(ContactEnergy, ItsHessianBlocksArePositiveSemiDefinite) {
  Threads threads(1);
  Cloud cloud(3, 300, 1);
  const std::vector<double> chosen = cloud.x();
  int blocks = 0;
  for (double slip : {0.0, 0.5 * eps, 2 * eps, 0.1}) {
    const std::vector<double> x_n = cloud.displaced(slip);
    const std::vector<double> x = cloud.displaced(slip);
    ContactEnergy contact(objects(crowd()), 0.7, all(300, 300));
    contact.begin_step(step_from(x_n, 0.4), threads);
    contact.detect(chosen.data(), threads);
    contact.visit_hessian(x.data(), [&](int, int, const double* block) {
      ++blocks;
      double largest = 0;
      for (int k = 0; k < 9; ++k) largest = std::max(largest, std::abs(block[k]));
      for (const Vec3& p : cloud.points()) {
        const Vec3 d = direction(p, {1, 0, 0});
        double form = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            form += d[i] * block[3 * i + j] * d[j];
            EXPECT_EQ(block[3 * i + j], block[3 * j + i]);
          }
        }
        EXPECT_GE(form, -1e-14 * largest);
      }
    });
  }
  EXPECT_GT(blocks, 400);
}

/// Found anew at every place, it is one function: its gradient matches differences wherever
/// vertices enter or leave, and in the middle of a step as at its end.
TEST(ContactEnergy, FoundAnewEverywhereItIsOneFunctionOfPositions) {
  Threads threads(1);
  for (const double stage : {1.0, 0.5}) {
    Cloud cloud(12, 200, 1);
    const std::vector<double> x_n = cloud.x();
    const std::vector<double> from = cloud.displaced(0.2), to = cloud.displaced(0.2);
    std::vector<Collider> still = crowd();
    for (Collider& c : still) c.motion = Motion{};
    ContactEnergy contact(objects(still), 0.3, all(200, 300));
    contact.begin_step({.time_end = 0.4, .h = h, .x_n = x_n.data(), .stage = stage}, threads);
    std::vector<double> z(from.size()), g(from.size());
    const auto at = [&](double t) {
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = (1 - t) * from[i] + t * to[i];
      contact.detect(z.data(), threads);
      g.assign(g.size(), 0);
      return contact.add(z.data(), g.data());
    };
    // Over many small steps the change of the energy is the integral of its slope; jumps would be
    // missing from it. Trapezoids err by the square of the step, at kinks of the distance by the
    // step itself.
    constexpr int steps = 4000;
    double last = at(0), sum = 0, largest = 0;
    const auto slope = [&] {
      double value = 0;
      for (std::size_t i = 0; i < z.size(); ++i) value += g[i] * (to[i] - from[i]);
      return value;
    };
    const double first = last;
    double slope_before = slope();
    for (int k = 1; k <= steps; ++k) {
      const double value = at(static_cast<double>(k) / steps);
      const double slope_now = slope();
      sum += 0.5 * (slope_before + slope_now) / steps;
      largest = std::max(largest, std::abs(value - last));
      slope_before = slope_now;
      last = value;
    }
    EXPECT_GT(std::abs(last - first) + largest, 1);
    EXPECT_NEAR(sum, last - first, 2e-3 * std::abs(last));
    EXPECT_LT(largest, 0.02 * std::abs(last));
  }
}

TEST(ContactEnergy, APathThroughAThinColliderIsHeldWhereItEntered) {
  Threads threads(1);
  const std::vector<Collider> walls{{"", BoxShape{{0, 0, 0}, {4, 0.2, 4}, {0, 1, 0}, 0}, {}},
                                    {"", CylinderShape{{0, 0, 0}, {0, 1, 0}, 2, 0.2}, {}},
                                    {"", CapsuleShape{{-2, 0, 0}, {2, 0, 0}, 0.1}, {}},
                                    {"", SphereShape{{0, 0, 0}, 0.1}, {}},
                                    {"", TorusShape{{-1, 0, 0}, {0, 1, 0}, 1, 0.1}, {}}};
  for (const Collider& wall : walls) {
    // To the far side, and beyond the middle.
    for (const double end : {-5.0, -0.06}) {
      const std::vector<double> x_n = padded({{0, 0.5, 0}});
      const std::vector<double> reach = padded({{0.001, end, 0}});
      ContactEnergy contact(objects({wall}), 0, all(1, 100));
      contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = reach.data()},
                         threads);
      contact.detect(reach.data(), threads);
      ASSERT_EQ(contact.touching().size(), 1u);
      EXPECT_NEAR(contact.touching()[0].normal[1], 1, 1e-3);
      EXPECT_NEAR(contact.touching()[0].depth, 0.1 - end, 1e-3);
      EXPECT_LT(gradient(contact, reach)[1], -9);  // up, by 100 N/m times more than 0.1 m
      EXPECT_EQ(contact.sweep(reach.data(), threads).crossings, 0);  // it is held already
    }
  }
}

TEST(ContactEnergy, AColliderThatSweepsOverAVertexTakesItAlong) {
  Threads threads(1);
  Motion motion;
  motion.velocity = Vec3{0, 100, 0};
  const Collider plate{"", BoxShape{{0, -1, 0}, {4, 0.2, 4}, {0, 1, 0}, 0}, motion};
  const std::vector<double> x_n = padded({{0, 0, 0}});
  ContactEnergy contact(objects({plate}), 0, all(1, 100));
  contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = x_n.data()}, threads);
  contact.detect(x_n.data(), threads);
  ASSERT_EQ(contact.touching().size(), 1u);
  EXPECT_NEAR(contact.touching()[0].normal[1], 1, 1e-12);
  EXPECT_NEAR(contact.touching()[0].depth, 1.1, 1e-9);  // from y = 2 - 1 + 0.1
}

TEST(ContactEnergy, SlidingRoundAnEdgeIsNoWayThrough) {
  Threads threads(1);
  const Collider box{"", BoxShape{{0, 0, 0}, {2, 2, 2}, {0, 1, 0}, 0}, {}};
  const std::vector<double> x_n = padded({{0.99, 1, 0}});
  const std::vector<double> reach = padded({{1.05, 0.9, 0}});
  ContactEnergy contact(objects({box}), 0, all(1, 100));
  contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = reach.data()}, threads);
  contact.detect(reach.data(), threads);
  EXPECT_TRUE(contact.touching().empty());
}

TEST(ContactEnergy, WhatStartsDeepInsideIsPushedFromAsFarAsItMayCome) {
  Threads threads(1);
  const double size = 0.5;
  for (const double depth : {5.0, 0.1, 0.004}) {
    ContactEnergy contact(objects({ground()}), 0, {{.vertex = 0, .stiffness = 100, .size = size}});
    const std::vector<double> x_n = padded({{0, -depth, 0}});
    contact.begin_step(step_from(x_n, h), threads);
    contact.detect(x_n.data(), threads);
    ASSERT_EQ(contact.touching().size(), 1u);
    // Vertices deeper than twice a hundredth of the size come out at the exit speed, others all the
    // way.
    const double allowed = depth > 0.02 * size ? exit_speed * size * h : depth;
    EXPECT_NEAR(contact.touching()[0].depth, std::min(depth, allowed), 1e-15 * depth);
    EXPECT_NEAR(contact.touch().deepest, depth, 1e-15 * depth);
  }
}

TEST(ContactEnergy, AVertexPastItsPlaneFeelsNothing) {
  Threads threads(1);
  ContactEnergy contact(objects({ground()}), 0, all(1, 1e5));
  const std::vector<double> inside = padded({{0.3, -0.01, 0.2}});
  contact.begin_step(step_from(inside, h), threads);
  contact.detect(inside.data(), threads);
  ASSERT_EQ(contact.contacts().size(), 1u);
  EXPECT_EQ(contact.contacts()[0].depth, 0.01);
  EXPECT_EQ(contact.contacts()[0].surface, (Vec3{0.3, 0, 0.2}));
  for (double height : {0.0, 1e-12, 0.01, 5.0}) {
    const std::vector<double> x = padded({{0.4, height, 0.1}});
    EXPECT_EQ(energy(contact, x), 0);
    EXPECT_EQ(gradient(contact, x), std::vector<double>(4, 0.0));
    contact.visit_hessian(x.data(), [&](int, int, const double* block) {
      for (int k = 0; k < 9; ++k) EXPECT_EQ(block[k], 0);
    });
  }
  // It vanishes continuously with its gradient, and never pulls.
  for (double height : {-1e-3, -1e-6, -1e-9}) {
    const std::vector<double> g = gradient(contact, padded({{0.4, height, 0.1}}));
    EXPECT_NEAR(g[1], 1e5 * height, 1e-9 * std::abs(g[1]));
    EXPECT_LT(g[1], 0);
  }
}

TEST(ContactEnergy, AVertexOutsideHasNoContact) {
  Threads threads(1);
  ContactEnergy contact(objects({ground()}), 0.5, all(2, 1e5));
  const std::vector<double> x = padded({{0, 0.1, 0}, {0, 0, 0}});
  contact.begin_step(step_from(x, h), threads);
  contact.detect(x.data(), threads);
  EXPECT_TRUE(contact.contacts().empty());
  EXPECT_EQ(energy(contact, x), 0);
}

TEST(ContactEnergy, EveryColliderThatHoldsAVertexGivesItsContact) {
  Threads threads(1);
  const Collider wall{"wall", PlaneShape{{1, 0, 0}, 0}, {}};
  ContactEnergy contact(objects({ground(), wall}), 0, all(2, 100));
  const std::vector<double> x = padded({{-0.2, -0.1, 0}, {-0.2, 0.1, 0}});
  contact.begin_step(step_from(x, h), threads);
  contact.detect(x.data(), threads);
  ASSERT_EQ(contact.contacts().size(), 3u);
  EXPECT_NEAR(energy(contact, x), 50 * (0.04 + 0.01 + 0.04), 1e-14);
  const std::vector<double> g = gradient(contact, x);
  EXPECT_NEAR(g[0], -20, 1e-13);
  EXPECT_NEAR(g[1], -10, 1e-13);
  EXPECT_EQ(g[5], 0);
}

TEST(ContactEnergy, OnlyTheVerticesToTestAreTested) {
  Threads threads(1);
  ContactEnergy contact(objects({ground()}), 0, {{.vertex = 2, .stiffness = 100}});
  const std::vector<double> x = padded({{0, -1, 0}, {0, -1, 0}, {0, -1, 0}});
  contact.begin_step(step_from(x, h), threads);
  contact.detect(x.data(), threads);
  ASSERT_EQ(contact.contacts().size(), 1u);
  EXPECT_EQ(contact.contacts()[0].point.vertices[0], 2);
}

TEST(ContactEnergy, FrictionIsMuTimesTheNormalForceAgainstTheSlip) {
  Threads threads(1);
  ContactEnergy contact(objects({ground()}), 0.3, all(1, 1000));
  const std::vector<double> x_n = padded({{0, -0.02, 0}});
  const std::vector<double> x = padded({{0.03, -0.01, -0.04}});
  contact.begin_step(step_from(x_n, h), threads);
  contact.detect(x.data(), threads);
  const std::vector<double> g = gradient(contact, x);
  // N = 1000 * 0.02 from the state before; the slip is 0.05 along (0.6, 0, -0.8).
  EXPECT_NEAR(g[0], 0.3 * 20 * 0.6, 1e-12);
  EXPECT_NEAR(g[1], -10, 1e-12);
  EXPECT_NEAR(g[2], 0.3 * 20 * -0.8, 1e-12);
  // Within eps it falls off linearly.
  const std::vector<double> slow = padded({{0.25 * eps, -0.01, 0}});
  EXPECT_NEAR(gradient(contact, slow)[0], 0.25 * 0.3 * 20, 1e-12);
}

TEST(ContactEnergy, AVertexThatMovesWithItsColliderSticks) {
  Threads threads(1);
  Motion motion;
  motion.rotate = Rotation{{0, 1, 0}, {0.1, 0, 0.2}, 120};
  motion.velocity = Vec3{0.5, 0.1, 0.3};
  const double t = 0.7;
  const Pose end = evaluate(motion, t), start = evaluate(motion, t - h);
  const Collider belt{"belt", BoxShape{{0, -0.5, 0}, {4, 1, 4}, {0, 1, 0}, 0}, motion};
  ContactEnergy contact(objects({belt}), 0.8, all(2, 1000));
  // Vertices a little below the upper face. The collider's motion is taken at its surface, and the
  // first vertex moves with it there.
  const Vec3 q{0.7, 0, -0.4}, below{0, -0.01, 0};
  const Vec3 carried = start.apply(q) + below;
  const Vec3 left_behind = carried + Vec3{-0.03, 0, 0};
  const std::vector<double> x_n = padded({carried, left_behind});
  const std::vector<double> x = padded({end.apply(q) + below, end.apply(q) + below});
  contact.begin_step(step_from(x_n, t), threads);
  contact.detect(x.data(), threads);
  ASSERT_EQ(contact.touching().size(), 2u);
  ASSERT_EQ(contact.contacts().size(), 4u);  // and friction on both
  const std::vector<double> g = gradient(contact, x);
  EXPECT_NEAR(g[0], 0, 1e-6);  // slip of 1e-16 over eps, times mu N
  EXPECT_NEAR(g[1], -10, 1e-10);
  EXPECT_NEAR(g[2], 0, 1e-6);
  // It went 0.03 farther than the belt, which has turned by 2.4 degrees, so it is held back.
  EXPECT_NEAR(std::hypot(g[4], g[6]), 0.8 * 10, 1e-9);
  EXPECT_GT(g[4], 0.8 * 10 * std::cos(0.06));
}

/// One vertex of mass m under gravity, moved by implicit Euler steps that Newton's method solves.
struct Particle {
  double mass = 0.5;
  Vec3 gravity{0, -10, 0};
  Vec3 x{0, 0, 0}, v{0, 0, 0};

  void step(ContactEnergy& contact, double time_end) {
    Threads threads(1);
    const std::vector<double> x_n = padded({x});
    const Vec3 y = x + h * v + (h * h) * gravity;
    contact.begin_step(step_from(x_n, time_end), threads);
    std::vector<double> z = padded({x});
    for (int iteration = 0; iteration < 60; ++iteration) {
      contact.detect(z.data(), threads);
      std::vector<double> g(4);
      contact.add(z.data(), g.data());
      const double inertia = mass / (h * h);
      Mat3<double> hessian = Mat3<double>::diagonal(inertia, inertia, inertia);
      contact.visit_hessian(z.data(), [&](int, int, const double* block) {
        for (int k = 0; k < 9; ++k) hessian(k / 3, k % 3) += block[k];
      });
      Vector3<double> r{};
      for (int k = 0; k < 3; ++k) {
        r[k] = g[static_cast<std::size_t>(k)] +
               inertia * (z[static_cast<std::size_t>(k)] - y[static_cast<std::size_t>(k)]);
      }
      const Vector3<double> p = inverse(hessian) * r;
      for (int k = 0; k < 3; ++k) z[static_cast<std::size_t>(k)] -= p[k];
    }
    const Vec3 end{z[0], z[1], z[2]};
    v = (1 / h) * (end - x);
    x = end;
  }
};

TEST(ContactEnergy, ARestingVertexSinksByItsWeightOverTheStiffness) {
  ContactEnergy contact(objects({ground()}), 0, all(1, 1000));
  Particle particle;
  particle.x = {0, 0.2, 0};
  for (int n = 1; n <= 400; ++n) particle.step(contact, n * h);
  // Implicit Euler damps the bounce; nothing of it is left after 8 s.
  EXPECT_NEAR(particle.x[1], -0.5 * 10 / 1000, 1e-9);
}

TEST(ContactEnergy, ASlidingVertexIsSlowedByMuGravityAndStops) {
  const double mu = 0.3;
  ContactEnergy contact(objects({ground()}), mu, all(1, 1000));
  Particle particle;
  particle.x = {0, -0.5 * 10 / 1000, 0};
  particle.v = {1, 0, 0};
  for (int n = 1; n <= 15; ++n) {
    particle.step(contact, n * h);
    EXPECT_NEAR(particle.v[0], 1 - mu * 10 * h * n, 1e-9);
    EXPECT_NEAR(particle.x[1], -0.005, 1e-11);
  }
  for (int n = 16; n <= 30; ++n) particle.step(contact, n * h);
  EXPECT_NEAR(particle.v[0], 0, 1e-6);
  EXPECT_NEAR(particle.v[2], 0, 1e-12);
}

TEST(ContactEnergy, OnASlopeFrictionHoldsUpToItsAngleWithTheCreepOfItsSlipSpeed) {
  const double slope = 0.2;  // as the tangent of the angle
  const Vec3 normal = direction({-slope, 1, 0}, {0, 1, 0});
  const Vec3 down = direction({-1, -slope, 0}, {1, 0, 0});
  for (double mu : {0.1, 0.4}) {
    ContactEnergy contact(objects({{"", PlaneShape{normal, 0}, {}}}), mu, all(1, 1000));
    Particle particle;
    const double load = 0.5 * 10 / std::sqrt(1 + slope * slope);
    particle.x = (-load / 1000) * normal;
    for (int n = 1; n <= 50; ++n) particle.step(contact, n * h);
    const double speed = dot(particle.v, down);
    if (mu > slope) {
      // mu N |u| / eps = N slope.
      EXPECT_NEAR(speed, friction_slip_speed * slope / mu, 1e-3 * friction_slip_speed);
    } else {
      EXPECT_NEAR(speed, (slope - mu) * load / 0.5 * (50 * h), 1e-6);
    }
  }
}

TEST(ContactEnergy, ThreadsDoNotShowInTheBits) {
  Cloud cloud(6, 5000, 1);
  const std::vector<double> x = cloud.x();
  const std::vector<double> x_n = cloud.displaced(0.01);
  std::vector<double> expected;
  std::vector<int> order;
  for (int count : {1, 2, 3, 8}) {
    Threads threads(count);
    ContactEnergy contact(objects(crowd()), 0.3, all(5000, 1e4));
    contact.begin_step(step_from(x_n, 0.4), threads);
    for (int again = 0; again < 3; ++again) {
      contact.detect(x.data(), threads);
      std::vector<double> found = gradient(contact, x);
      found.push_back(energy(contact, x));
      std::vector<int> found_order;
      for (const Contact& c : contact.contacts()) {
        found_order.insert(found_order.end(), {c.point.vertices[0], c.collider});
      }
      if (expected.empty()) {
        expected = found;
        order = found_order;
        EXPECT_GT(order.size(), 1000u);
      }
      EXPECT_EQ(found, expected);
      EXPECT_EQ(found_order, order);
    }
  }
}

TEST(ContactEnergy, ANewStepStartsWithoutContacts) {
  Threads threads(1);
  ContactEnergy contact(objects({ground()}), 0, all(1, 100));
  const std::vector<double> x = padded({{0, -1, 0}});
  contact.begin_step(step_from(x, h), threads);
  contact.detect(x.data(), threads);
  EXPECT_EQ(contact.contacts().size(), 1u);
  contact.begin_step(step_from(x, 2 * h), threads);
  EXPECT_TRUE(contact.contacts().empty());
  EXPECT_EQ(energy(contact, x), 0);
}

TEST(ContactEnergy, NothingIsAllocatedAfterConstruction) {
  Threads threads(1);
  Cloud cloud(7, 1000, 1);
  const std::vector<double> x = cloud.x();
  const std::vector<double> x_n = cloud.displaced(0.01);
  std::vector<double> g(x.size());
  ContactEnergy contact(objects(crowd()), 0.3, all(1000, 1e4));
  double sum = 0;
  const long before = num_allocations();
  contact.begin_step(step_from(x_n, 0.4), threads);
  contact.detect(x.data(), threads);
  sum += contact.add(x.data(), g.data());
  contact.visit_hessian(x.data(), [&](int, int, const double* block) { sum += block[0]; });
  EXPECT_EQ(num_allocations() - before, 0);
  EXPECT_GT(before, 0) << "the counter does not count";
  EXPECT_GT(sum, 0);
}

TEST(ContactEnergy, PositionsThatAreNotFiniteGiveNoContact) {
  Threads threads(1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Collider> colliders = crowd();
  colliders.erase(colliders.begin());  // -infinity is rightly inside a plane
  ContactEnergy contact(objects(colliders), 0.3, all(5, 1e4));
  const std::vector<double> x =
      padded({{nan, 0, 0}, {0, infinity, 0}, {0, 0, -infinity}, {nan, nan, nan}, {0.5, 0.2, 0}});
  contact.begin_step(step_from(x, h), threads);
  contact.detect(x.data(), threads);
  ASSERT_GE(contact.contacts().size(), 1u);
  for (const Contact& c : contact.contacts()) EXPECT_EQ(c.point.vertices[0], 4);
}

/// The contacts of each vertex by itself are those of all vertices together.
TEST(ContactEnergy, FindsTheContactsOfOneVertexAsThoseOfAll) {
  Threads threads(1);
  const std::vector<double> x_n = Cloud(3, 400, 1.2).x();
  ContactEnergy contact(objects(crowd()), 0.4, all(400, 300));
  contact.begin_step(step_from(x_n, 0.4), threads);
  const std::vector<double> z = Cloud(4, 400, 1.2).x();
  contact.detect(z.data(), threads);
  ASSERT_GT(contact.touching().size(), 20u);
  std::size_t count = 0;
  for (std::size_t place = 0; place < 400; ++place) {
    contact.visit_touching(place, z.data() + 4 * place, [&](const Contact& own) {
      const auto same = [&](const Contact& other) {
        return other.place == own.place && other.collider == own.collider &&
               other.surface == own.surface && other.normal == own.normal &&
               other.depth == own.depth;
      };
      EXPECT_EQ(std::count_if(contact.touching().begin(), contact.touching().end(), same), 1);
      ++count;
    });
  }
  EXPECT_EQ(count, contact.touching().size());
}

TEST(ContactEnergy, BrokenSettingsAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_refusal = [](double stiffness, double friction, int vertex,
                                 const std::string& where) {
    try {
      const ContactEnergy contact(objects({ground()}), friction,
                                  {{.vertex = vertex, .stiffness = stiffness}});
      ADD_FAILURE() << "accepted: " << where;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), where);
    }
  };
  expect_refusal(0, 0, 0, "/contact/stiffness");
  expect_refusal(-5, 0, 0, "/contact/stiffness");
  expect_refusal(nan, 0, 0, "/contact/stiffness");
  expect_refusal(1, -0.1, 0, "/contact/friction");
  expect_refusal(1, nan, 0, "/contact/friction");
  expect_refusal(1, 0, -1, "/contact");
}

/// Vertices above the ground; the second moves up, and the third is inner.
TEST(ContactEnergy, LooksAheadAlongTheMotionOfAStep) {
  const std::vector<double> x_n = padded({{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}});
  const std::vector<double> z = padded({{0, 0.89, 0}, {1, 1.1, 0}, {2, 0.8, 0}, {3, 0.85, 0}});
  std::vector<ContactVertex> vertices = all(4, 1e4);
  vertices[2].is_inner = true;
  ContactEnergy energy(objects({ground()}), 0, vertices);
  Threads threads(1);
  energy.begin_step(step_from(x_n, h), threads);
  std::vector<int> found{5};
  energy.find_ahead(z.data(), {0, 0, 0}, 2, found);
  EXPECT_TRUE(found.empty());
  energy.find_ahead(z.data(), {0, 0, 0}, 10, found);
  EXPECT_EQ(found, (std::vector{3, 0}));
  // What gravity adds in this step is not carried on to the next ones.
  energy.find_ahead(z.data(), {0, -0.02, 0}, 10, found);
  EXPECT_EQ(found, (std::vector{3}));
}

}  // namespace
}  // namespace supple
