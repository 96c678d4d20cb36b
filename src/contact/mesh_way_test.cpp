#include "contact/mesh_way.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/test_meshes.h"

namespace supple {
namespace {

/// A spike along y, thinner than any sample of the triangles that meet it.
MeshDistance spike() {
  return {{test_meshes::scaled(test_meshes::sphere(0), {1e-3, 1, 1e-3})}, "/mesh"};
}

ElementWay falling(double from, double to) {
  ElementWay way;
  for (std::size_t end = 0; end < 2; ++end) {
    const double y = end == 0 ? from : to;
    way.corners[end] = {Vec3{-3, y, -2}, Vec3{0.1, y, 4}, Vec3{3, y, -2.5}};
  }
  return way;
}

TEST(MeshWay, WhatIsThinnerThanASampleIsMetAndWhenIsNeverTooLate) {
  const MeshDistance mesh = spike();
  EXPECT_EQ(falling(2, 1.1).apart_until(mesh, 0), 1);
  EXPECT_EQ(falling(2, 1.1).apart_until(mesh, 0.09), 1);
  const double until = falling(2, 0).apart_until(mesh, 0.01);
  EXPECT_LE(until, 0.495);
  EXPECT_GT(until, 0.49);
  EXPECT_EQ(falling(1.005, 1.005).apart_until(mesh, 0.01), 0);
  // Once past it, and once from far above to far below.
  ElementWay beside = falling(2, -2);
  for (auto& corners : beside.corners) {
    for (Vec3& p : corners) p[0] += 3.2;
  }
  EXPECT_EQ(beside.apart_until(mesh, 0.01), 1);
  EXPECT_LT(falling(1e3, -1e3).apart_until(mesh, 0), 0.5);
}

TEST(MeshWay, EdgesAndVerticesMeetToo) {
  const MeshDistance mesh = spike();
  ElementWay edge{2, {}}, vertex{1, {}};
  edge.corners = {{{Vec3{-1, 0.3, 1}, Vec3{1, 0.3, 1}, Vec3{1, 0.3, 1}},
                   {Vec3{-1, 0.3, -1}, Vec3{1, 0.3, -1}, Vec3{1, 0.3, -1}}}};
  EXPECT_LT(edge.apart_until(mesh, 0), 0.5);
  EXPECT_GT(edge.apart_until(mesh, 0), 0.49);
  for (std::size_t i = 0; i < 3; ++i) {
    vertex.corners[0][i] = {1, 0.25, 0.0001};
    vertex.corners[1][i] = {-1, 0.25, 0.0001};
  }
  EXPECT_LT(vertex.apart_until(mesh, 0), 0.5);
  EXPECT_GT(vertex.apart_until(mesh, 0), 0.49);
}

TEST(MeshWay, TheNearestPlaceIsThatOfTheWholeTriangle) {
  const MeshDistance mesh = spike();
  const SurfacePoint near = falling(1.25, 0).nearest_at_start(mesh, 1);
  EXPECT_NEAR(near.distance, 0.25, 1e-12);
  EXPECT_NEAR(near.normal[1], 1, 1e-12);
  EXPECT_NEAR(near.point[1], 1, 1e-12);
  EXPECT_TRUE(std::isinf(falling(1.25, 0).nearest_at_start(mesh, 0.2).distance));
}

TEST(MeshWay, WhatAnEdgeGoesThroughIsMetAtTheStart) {
  const MeshDistance mesh = spike();
  EXPECT_TRUE(falling(0.5, 0.5).meets_at_start(mesh));
  EXPECT_FALSE(falling(1.001, 0).meets_at_start(mesh));
  // Only corners are inside a larger ball.
  const MeshDistance ball({test_meshes::scaled(test_meshes::sphere(2), {9, 9, 9})}, "/mesh");
  EXPECT_FALSE(falling(0.5, 0.5).meets_at_start(ball));
}

}  // namespace
}  // namespace supple
