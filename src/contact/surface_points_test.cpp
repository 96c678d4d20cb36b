#include "contact/surface_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "contact/contact_energy.h"
#include "contact/test_allocations.h"
#include "math/vec3.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double h = 0.02;

std::vector<double> padded(const std::vector<Vec3>& points) {
  std::vector<double> x;
  for (const Vec3& p : points) x.insert(x.end(), {p[0], p[1], p[2], 0});
  return x;
}

std::vector<double> lowered(std::vector<double> x, double by) {
  for (std::size_t i = 1; i < x.size(); i += 4) x[i] -= by;
  return x;
}

/// Two triangles that share an edge, of a body of 1 m.
std::vector<Vec3> square() { return {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}}; }

ContactEnergy contact_of_square(const ColliderShape& shape, double friction) {
  std::vector<ContactVertex> vertices;
  for (int i = 0; i < 4; ++i) {
    vertices.push_back({.vertex = i, .stiffness = 300.0 + 100 * i, .size = 1});
  }
  std::vector<ColliderObject> colliders;
  colliders.emplace_back(Collider{"", shape, {}}, "/colliders/0");
  return {std::move(colliders), friction, std::move(vertices), {{{{0, 1, 2}, {0, 2, 3}}, {}, 1}}};
}

/// Touches the first triangle within its face.
ColliderShape ball_below() { return SphereShape{{0.7, -0.1, -0.2}, 0.1}; }
/// Touches three edges: two sides and the diagonal.
ColliderShape pole_below() { return CapsuleShape{{0.3, -0.1, 2}, {0.3, -0.1, -3}, 0.1}; }
ColliderShape edge_below() {
  return BoxShape{{0.3, -0.1 * std::sqrt(2.0), 0}, {0.2, 0.2, 6}, {0, 0, 1}, 45};
}

TEST(SurfacePoints, AreFoundWhereEdgesAndFacesMeetACollider) {
  Threads threads(1);
  struct Case {
    ColliderShape shape;
    int edges, faces;
  };
  for (const Case& own : {Case{ball_below(), 0, 1}, {pole_below(), 3, 0}, {edge_below(), 3, 0}}) {
    ContactEnergy contact = contact_of_square(own.shape, 0);
    const std::vector<double> x_n = padded(square()), reach = lowered(x_n, 0.01);
    contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = reach.data()}, threads);
    contact.detect(reach.data(), threads);
    int edges = 0, faces = 0;
    for (const Contact& touching : contact.touching()) {
      ++(touching.point.count == 2 ? edges : faces);
      EXPECT_FALSE(touching.is_of_vertex());
      EXPECT_NEAR(touching.depth, 0.01, 1e-6);
      EXPECT_NEAR(touching.normal[1], 1, 1e-6);
    }
    EXPECT_EQ(edges, own.edges);
    EXPECT_EQ(faces, own.faces);
    // By now everything is known.
    EXPECT_FALSE(contact.sweep(reach.data(), threads).anything());
  }
}

TEST(SurfacePoints, ThereAreNoneOnFlatColliders) {
  Threads threads(1);
  for (const ColliderShape& shape :
       {ColliderShape(PlaneShape{}), ColliderShape(BoxShape{{0, -1, 0}, {8, 2, 8}, {0, 1, 0}, 0}),
        ColliderShape(SphereShape{{0, -200, 0}, 200})}) {
    ContactEnergy contact = contact_of_square(shape, 0);
    // Turned, so that one vertex touches first.
    std::vector<Vec3> points = square();
    for (Vec3& p : points) p[1] = 0.001 + 0.1 * p[0] - 0.05 * p[2];
    const std::vector<double> x_n = padded(points), reach = lowered(x_n, 0.01);
    contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = reach.data()}, threads);
    contact.detect(reach.data(), threads);
    EXPECT_EQ(contact.num_points(), 0u);
  }
}

TEST(SurfacePoints, AFastFaceIsHeldWhereItMetAThinCollider) {
  Threads threads(1);
  for (const ColliderShape& shape :
       {ColliderShape(SphereShape{{0.7, -0.5, -0.2}, 0.01}),
        ColliderShape(SphereShape{{0.7, -0.51, -0.2}, 0.001}),
        ColliderShape(CapsuleShape{{0.3, -0.5, 2}, {0.3, -0.5, -3}, 0.005}),
        ColliderShape(CapsuleShape{{0.3, -0.502, 2}, {0.3, -0.502, -3}, 0.001})}) {
    ContactEnergy contact = contact_of_square(shape, 0);
    const std::vector<double> x_n = padded(square()), through = lowered(x_n, 3);
    contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data()}, threads);
    const Encounters met = contact.sweep(through.data(), threads);
    EXPECT_GT(met.crossings, 0);
    contact.detect(through.data(), threads);
    ASSERT_FALSE(contact.touching().empty());
    for (const Contact& own : contact.touching()) {
      EXPECT_GT(own.normal[1], 0.99);
      EXPECT_NEAR(own.depth, 2.5, 0.02);
    }
  }
}

TEST(SurfacePoints, AreFoundAtTheEndOfAWayThatCutsAnEdge) {
  // Two corners come to lie on the top of a box; the others go past its edge and down. Their
  // straight ways lead through the box, but they end outside; the sides between the corners do not.
  // However far away they start, they are not taken for something that has been through the box.
  Threads threads(1);
  for (const double from : {0.0, 1.0}) {
    ContactEnergy contact = contact_of_square(BoxShape{{-1, -1, -0.5}, {2, 2, 4}, {0, 0, 1}, 0}, 0);
    const std::vector<double> x_n = padded({{-0.5 - from, 0.3, 0},
                                            {-0.3 - from, 0.3, 0},
                                            {-0.3 - from, 0.3, -1},
                                            {-0.5 - from, 0.3, -1}});
    const std::vector<double> z =
        padded({{-0.3, 1e-6, 0}, {0.3, -0.5, 0}, {0.3, -0.5, -1}, {-0.3, 1e-6, -1}});
    contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data()}, threads);
    EXPECT_GT(contact.sweep(z.data(), threads).crossings, 0) << from;
    contact.detect(z.data(), threads);
    int edges = 0;
    for (const Contact& touching : contact.touching()) {
      if (touching.point.count != 2) continue;
      ++edges;
      EXPECT_GT(touching.depth, 0.1);  // of the box's edge behind the sides
      EXPECT_GT(touching.normal[1], 0.5);
    }
    EXPECT_GE(edges, 2) << from;
  }
}

/// Covers the whole Hessian, between all vertices.
TEST(SurfacePoints, TheDerivativesOfTheirEnergyAreThoseOfDifferences) {
  Threads threads(1);
  for (const double stage : {1.0, 0.5}) {
    for (const ColliderShape& shape : {ball_below(), pole_below()}) {
      ContactEnergy contact = contact_of_square(shape, 0.4);
      const std::vector<double> x_n = lowered(padded(square()), 0.002);
      std::vector<double> x = lowered(x_n, 0.004);
      for (std::size_t i = 0; i < x.size(); i += 4) x[i] += 1e-3 * std::sin(1.0 + i);  // slips
      contact.begin_step(
          {.time_end = h, .h = h, .x_n = x_n.data(), .reach = x.data(), .stage = stage}, threads);
      contact.detect(x.data(), threads);
      ASSERT_GT(contact.contacts().size(), contact.touching().size()) << "no friction";
      std::vector<double> hessian(16 * 16);
      contact.visit_hessian(x.data(), [&](int a, int b, const double* block) {
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t row = 4 * static_cast<std::size_t>(a) + i,
                              column = 4 * static_cast<std::size_t>(b) + k;
            hessian[16 * row + column] += block[3 * i + k];
            if (a != b) hessian[16 * column + row] += block[3 * i + k];
          }
        }
      });
      const auto at = [&](const std::vector<double>& z, std::vector<double>& gradient) {
        contact.detect(z.data(), threads);
        gradient.assign(z.size(), 0);
        return contact.add(z.data(), gradient.data());
      };
      std::vector<double> g, low_g, high_g;
      at(x, g);
      // Short compared with the slip over which friction turns, 1 mm.
      const double e = 1e-7;
      double largest = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % 4 == 3) continue;
        std::vector<double> low = x, high = x;
        low[i] -= e;
        high[i] += e;
        const double slope = (at(high, high_g) - at(low, low_g)) / (2 * e);
        EXPECT_NEAR(slope, g[i], 1e-6);
        for (std::size_t j = 0; j < x.size(); ++j) {
          const double curvature = (high_g[j] - low_g[j]) / (2 * e);
          EXPECT_NEAR(hessian[16 * i + j], curvature, 1e-4);
          largest = std::max(largest, std::abs(curvature));
        }
      }
      EXPECT_GT(largest, 10);
    }
  }
}

TEST(SurfacePoints, WhatStartsDeepInsideComesOutSlowly) {
  Threads threads(1);
  ContactEnergy contact = contact_of_square(ball_below(), 0);
  const std::vector<double> x = lowered(padded(square()), 0.09);
  contact.begin_step({.time_end = h, .h = h, .x_n = x.data()}, threads);
  contact.detect(x.data(), threads);
  ASSERT_EQ(contact.touching().size(), 1u);
  EXPECT_NEAR(contact.touching()[0].depth, exit_speed * h, 1e-6);
  EXPECT_NEAR(contact.touch().deepest, 0.09, 1e-6);
}

TEST(SurfacePoints, NothingIsAllocatedAfterConstruction) {
  Threads threads(1);
  ContactEnergy contact = contact_of_square(pole_below(), 0.3);
  const std::vector<double> x_n = padded(square()), reach = lowered(x_n, 0.01);
  std::vector<double> gradient(x_n.size());
  const long before = num_allocations();
  contact.begin_step({.time_end = h, .h = h, .x_n = x_n.data(), .reach = reach.data()}, threads);
  contact.sweep(reach.data(), threads);
  contact.detect(reach.data(), threads);
  EXPECT_GT(contact.add(reach.data(), gradient.data()), 0);
  EXPECT_EQ(num_allocations() - before, 0);
}

}  // namespace
}  // namespace supple
