#include "contact/hull_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "contact/closed_surface.h"
#include "contact/test_meshes.h"
#include "math/motion.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;

double volume_of(const TriangleMesh& mesh) {
  double volume = 0;
  const auto vertex = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += dot(vertex(a) - vertex(0), cross(vertex(b) - vertex(0), vertex(c) - vertex(0))) / 6;
  }
  return volume;
}

/// Expects that no point stands out of any side by more than a share of the size, and that the
/// corners are points.
void expect_hull(const std::vector<Vec3>& points, const TriangleMesh& mesh) {
  EXPECT_NO_THROW(closed_surface(mesh, "test"));
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  const double size = norm(high - low);
  const std::set<Vec3> given(points.begin(), points.end());
  for (const Vec3& v : mesh.vertices) EXPECT_EQ(given.count(v), 1U);
  double farthest = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3& corner = mesh.vertices[static_cast<std::size_t>(a)];
    const Vec3 n = direction(cross(mesh.vertices[static_cast<std::size_t>(b)] - corner,
                                   mesh.vertices[static_cast<std::size_t>(c)] - corner),
                             {0, 0, 0});
    for (const Vec3& p : points) farthest = std::max(farthest, dot(n, p - corner));
  }
  // Points that stand out by 1e-10 are left out, seen here from sides turned as far as narrow ones
  // may be.
  EXPECT_LT(farthest, 1e-8 * size);
}

std::vector<Vec3> cloud(unsigned seed, int count, const Vec3& center, double scale) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> part;
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(center + scale * Vec3{part(engine), part(engine), part(engine)});
  }
  return points;
}

TEST(HullSurface, HoldsAllPointsAndNothingMore) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Vec3> points = cloud(seed, 4 + static_cast<int>(seed * seed / 4), {}, 1);
    expect_hull(points, hull_surface({points}, "test"));
  }
}

TEST(HullSurface, HoldsForAnySizeAndPlace) {
  for (const double scale : {1e-90, 1e-9, 1e9, 1e90}) {
    for (const double far : {0.0, 1.0, 1e3}) {
      SCOPED_TRACE(testing::Message() << scale << " at " << far);
      const std::vector<Vec3> points = cloud(3, 200, {far * scale, 0, -far * scale}, scale);
      expect_hull(points, hull_surface({points}, "test"));
    }
  }
}

TEST(HullSurface, TakesAllPointsOfABall) {
  const TriangleMesh ball = test_meshes::sphere(4);
  const TriangleMesh hull = hull_surface({ball.vertices}, "test");
  EXPECT_EQ(hull.vertices.size(), ball.vertices.size());
  // Euler's formula for triangles.
  EXPECT_EQ(hull.triangles.size(), 2 * ball.vertices.size() - 4);
  expect_hull(ball.vertices, hull);
}

/// Points on flat sides, moved out of or into them by rounding.
TEST(HullSurface, FlatSidesAreOfFewTriangles) {
  for (const double degrees : {0.0, 17.0, 45.0}) {
    SCOPED_TRACE(degrees);
    const Pose pose = turned({1, 0.3, -0.7}, {0.2, 0, 0}, degrees);
    std::vector<Vec3> points;
    for (int i = 0; i <= 12; ++i) {
      for (int j = 0; j <= 12; ++j) {
        for (int k = 0; k <= 12; ++k) points.push_back(pose.apply({0.1 * i, 0.05 * j, 0.3 * k}));
      }
    }
    std::shuffle(points.begin(), points.end(), std::mt19937(5));
    const TriangleMesh hull = hull_surface({points}, "test");
    expect_hull(points, hull);
    EXPECT_NEAR(volume_of(hull), 1.2 * 0.6 * 3.6, 1e-9);
    EXPECT_LT(hull.triangles.size(), 100U);
  }
}

TEST(HullSurface, TakesManyEqualPointsAndPointsOfALineAsOne) {
  std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 300; ++i) {
    points.push_back(points[static_cast<std::size_t>(i % 4)]);
    points.push_back({i / 300.0, 0, 0});
    points.push_back({i / 300.0, 1 - i / 300.0, 0});
  }
  const TriangleMesh hull = hull_surface({points}, "test");
  EXPECT_EQ(hull.triangles.size(), 4U);
  EXPECT_EQ(hull.vertices.size(), 4U);
  EXPECT_NEAR(volume_of(hull), 1.0 / 6, 1e-15);
}

TEST(HullSurface, RefusesWhatHasNoVolume) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> plane, line;
  const Pose pose = turned({1, 2, 3}, {0, 0, 0}, 50);
  for (const Vec3& p : cloud(9, 100, {}, 1)) {
    plane.push_back(pose.apply({p[0], 0.3, p[2]}));
    line.push_back(pose.apply({p[0], 0.3, 0.1}));
  }
  const std::vector<std::pair<std::vector<Vec3>, std::string>> broken = {
      {{}, "/h/points"},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "/h/points"},
      {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, "/h/points"},
      {plane, "/h/points"},
      {line, "/h/points"},
      {{{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}, "/h/points/2"},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e200}}, "/h/points/3"},
  };
  for (const auto& [points, where] : broken) {
    try {
      hull_surface({points}, "/h");
      ADD_FAILURE() << "accepted: " << points.size() << " points";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), where) << error.message();
    }
  }
}

}  // namespace
}  // namespace supple
