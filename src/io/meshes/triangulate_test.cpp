#include "io/meshes/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace supple {
namespace {

/// Area along z: counter-clockwise triangles count positive.
double area(const std::vector<Vec3>& x, const std::array<int, 3>& t) {
  const Vec3 &a = x[static_cast<std::size_t>(t[0])], &b = x[static_cast<std::size_t>(t[1])],
             &c = x[static_cast<std::size_t>(t[2])];
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

std::vector<std::array<int, 3>> cut(const std::vector<Vec3>& vertices) {
  std::vector<int> corners(vertices.size());
  std::iota(corners.begin(), corners.end(), 0);
  std::vector<std::array<int, 3>> triangles;
  EXPECT_TRUE(append_triangles(vertices, corners, triangles));
  return triangles;
}

void expect_cut(const std::vector<Vec3>& vertices, double total) {
  const auto triangles = cut(vertices);
  EXPECT_EQ(triangles.size(), vertices.size() - 2);
  double sum = 0;
  for (const auto& t : triangles) {
    EXPECT_GE(area(vertices, t), 0);
    sum += area(vertices, t);
  }
  EXPECT_NEAR(sum, total, 1e-12);  // rounding
}

/// A star of `n` points with radii 1 and 0.4: concave at every other corner.
std::vector<Vec3> star(int n) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 2 * n; ++i) {
    const double angle = std::numbers::pi * i / n, radius = i % 2 == 0 ? 1 : 0.4;
    vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  return vertices;
}

TEST(Triangulate, AConvexPolygonBecomesAFan) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  EXPECT_EQ(cut(square), (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Triangulate, AConcavePolygonIsCoveredOnce) {
  expect_cut({{0, 0, 0}, {2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}}, 1);  // an arrow head: 2 - 1
  // Area of a star: n sin(pi/n) times the product of its radii.
  for (const int n : {5, 12, 60}) {
    expect_cut(star(n), n * std::sin(std::numbers::pi / n) * 0.4);
  }
}

TEST(Triangulate, OrientationIsKeptFromEitherSide) {
  std::vector<Vec3> vertices{{0, 0, 0}, {0, 2, 0}, {0.5, 0.5, 0}, {2, 0, 0}};
  double sum = 0;
  for (const auto& t : cut(vertices)) sum += area(vertices, t);
  EXPECT_EQ(sum, -1);  // exact: eighths
}

TEST(Triangulate, TrianglesThatNameAVertexTwiceAreLeftOut) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<std::array<int, 3>> triangles;
  EXPECT_TRUE(append_triangles(square, std::vector<int>{0, 1, 1, 2, 3}, triangles));
  EXPECT_EQ(triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  triangles.clear();
  EXPECT_TRUE(append_triangles(square, std::vector<int>{2, 2, 2}, triangles));
  EXPECT_TRUE(triangles.empty());
}

TEST(Triangulate, APolygonThatCrossesItselfStillEnds) {
  const std::vector<Vec3> bow{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 2, 0}};
  EXPECT_EQ(cut(bow).size(), 3U);
}

TEST(Triangulate, ALargeConcavePolygonIsRefused) {
  const std::vector<Vec3> vertices = star(static_cast<int>(largest_concave_polygon));
  std::vector<int> corners(vertices.size());
  std::iota(corners.begin(), corners.end(), 0);
  std::vector<std::array<int, 3>> triangles;
  EXPECT_FALSE(append_triangles(vertices, corners, triangles));
  EXPECT_TRUE(triangles.empty());
}

}  // namespace
}  // namespace supple
