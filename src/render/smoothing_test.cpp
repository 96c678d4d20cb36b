#include "render/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "render/shapes.h"
#include "render/vec.h"

namespace supple {
namespace {

using namespace vec;

TEST(Smoothing, ABoxKeepsItsEdges) {
  const TriangleMesh box = tessellate(BoxShape{{1, 2, 3}, {1, 2, 3}}, {}, 1);
  const Smoothing smoothing = find_smoothing(box.vertices, box.triangles);
  EXPECT_EQ(smoothing.num_normals, 24);  // four per side: corners of one side at one vertex share
  const auto normals = smooth_normals(box.vertices, box.triangles, smoothing);
  for (std::size_t t = 0; t < box.triangles.size(); ++t) {
    const Vec3& a = box.vertices[static_cast<std::size_t>(box.triangles[t][0])];
    const Vec3& b = box.vertices[static_cast<std::size_t>(box.triangles[t][1])];
    const Vec3& c = box.vertices[static_cast<std::size_t>(box.triangles[t][2])];
    const Vec3 face = unit(cross(b - a, c - a), {});
    for (const int n : smoothing.normal_of_corner[t]) {
      EXPECT_NEAR(dot(normals[static_cast<std::size_t>(n)], face), 1, 1e-14);  // rounding
    }
  }
}

TEST(Smoothing, ASphereIsSmoothAndItsNormalsAreRadial) {
  const TriangleMesh sphere = tessellate(SphereShape{{0, 0, 0}, 2}, {}, 1);
  const Smoothing smoothing = find_smoothing(sphere.vertices, sphere.triangles);
  EXPECT_EQ(smoothing.num_normals, static_cast<int>(sphere.vertices.size()));
  const auto normals = smooth_normals(sphere.vertices, sphere.triangles, smoothing);
  for (std::size_t t = 0; t < sphere.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& x = sphere.vertices[static_cast<std::size_t>(sphere.triangles[t][k])];
      const Vec3& n = normals[static_cast<std::size_t>(smoothing.normal_of_corner[t][k])];
      // The facets bend by 6 degrees, a normal is off by a small part of that: below 1 degree.
      EXPECT_GT(dot(n, 0.5 * x), std::cos(1 * 3.14159 / 180));
    }
  }
}

TEST(Smoothing, ACylinderIsRoundAndItsRimIsSharp) {
  const TriangleMesh cylinder = tessellate(CylinderShape{{}, {0, 1, 0}, 1, 2}, {}, 1);
  const Smoothing smoothing = find_smoothing(cylinder.vertices, cylinder.triangles);
  EXPECT_EQ(smoothing.num_normals, 2 + 4 * 64);  // two poles; every vertex of a rim has two
}

TEST(Smoothing, AngleWeightsMakeANormalFreeOfTheTriangulation) {
  // The corner of a cube, whose sides are cut into 1, 2 and 3 triangles at it: the normal of all
  // six is the diagonal, however they are cut.
  const std::vector<Vec3> v{{0, 0, 0}, {1, 0, 0},   {0, 1, 0},  {0, 0, 1},
                            {0, 1, 1}, {0.5, 0, 1}, {1, 0, 0.3}};
  const std::vector<std::array<int, 3>> t{{0, 2, 1}, {0, 4, 2}, {0, 3, 4},
                                          {0, 5, 3}, {0, 6, 5}, {0, 1, 6}};
  const Smoothing smoothing = find_smoothing(v, t, 180);
  const auto normals = smooth_normals(v, t, smoothing);
  const Vec3& n = normals[static_cast<std::size_t>(smoothing.normal_of_corner[0][0])];
  const double d = -1 / std::sqrt(3.0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(n[i], d, 1e-14);  // rounding
}

TEST(Smoothing, BrokenTrianglesGiveNoNormal) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> v{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {nan, 0, 0}};
  const std::vector<std::array<int, 3>> t{{0, 1, 2}, {0, 1, 3}, {1, 1, 1}};
  const auto normals = smooth_normals(v, t, find_smoothing(v, t));
  for (const Vec3& n : normals) EXPECT_EQ(n, (Vec3{0, 0, 0}));
}

}  // namespace
}  // namespace supple
