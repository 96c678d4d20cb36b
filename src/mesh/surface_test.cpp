#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "supple/mesh.h"

namespace supple {
namespace {

/// Six times the volume that the triangles enclose; positive if they face outward.
double enclosed(const TetMesh& mesh, const std::vector<std::array<int, 3>>& triangles) {
  double sum = 0;
  for (const auto& t : triangles) {
    const Vec3& a = mesh.vertices[static_cast<std::size_t>(t[0])];
    const Vec3& b = mesh.vertices[static_cast<std::size_t>(t[1])];
    const Vec3& c = mesh.vertices[static_cast<std::size_t>(t[2])];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum;
}

TEST(SurfaceTriangles, OfOneTetAreItsFourFacesOutward) {
  const TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}};
  const auto triangles = surface_triangles(mesh);
  EXPECT_EQ(triangles.size(), 4U);
  // Exact: small integers.
  EXPECT_EQ(enclosed(mesh, triangles), 1);
}

TEST(SurfaceTriangles, LeaveOutTheFaceBetweenTwoTets) {
  TetMesh mesh{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}, {}};
  normalise(mesh, "two");
  const auto triangles = surface_triangles(mesh);
  EXPECT_EQ(triangles.size(), 6U);
  for (auto t : triangles) {
    std::sort(t.begin(), t.end());
    EXPECT_NE(t, (std::array<int, 3>{1, 2, 3}));
  }
  // 1 for the first tet, 2 for the second; exact: small integers.
  EXPECT_EQ(enclosed(mesh, triangles), 3);
}

TEST(SurfaceTriangles, AFaceOfThreeTetsCountsAsSurfaceOfEach) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.2, 0.2, -2}},
               {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}},
               {}};
  normalise(mesh, "fan");
  EXPECT_EQ(surface_triangles(mesh).size(), 12U);
}

TEST(SurfaceTriangles, ComeInTheOrderOfTheTets) {
  const TetMesh box = generate(BoxGenerator{{1, 1, 1}, {3, 2, 2}, {0, 0, 0}, 6});
  const auto triangles = surface_triangles(box);
  TetMesh shuffled = box;
  std::mt19937 random(5);
  std::shuffle(shuffled.tets.begin(), shuffled.tets.end(), random);
  auto other = surface_triangles(shuffled);
  EXPECT_EQ(surface_triangles(box), triangles);
  auto sorted = triangles;
  std::sort(sorted.begin(), sorted.end());
  std::sort(other.begin(), other.end());
  EXPECT_EQ(sorted, other);
  // The tets that the triangles belong to are in ascending order.
  std::size_t tet = 0;
  for (const auto& triangle : triangles) {
    const auto holds = [&](const std::array<int, 4>& corners) {
      return std::all_of(triangle.begin(), triangle.end(), [&](int v) {
        return std::find(corners.begin(), corners.end(), v) != corners.end();
      });
    };
    while (tet < box.tets.size() && !holds(box.tets[tet])) ++tet;
    ASSERT_LT(tet, box.tets.size());
  }
}

TEST(SurfaceTriangles, IgnoreUnreferencedVertices) {
  TetMesh mesh{
      {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {8, 8, 8}}, {{1, 2, 3, 4}}, {}};
  for (const auto& t : surface_triangles(mesh)) {
    for (const int v : t) EXPECT_TRUE(v >= 1 && v <= 4);
  }
}

}  // namespace
}  // namespace supple
