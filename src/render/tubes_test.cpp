#include "render/tubes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/vec.h"

namespace supple {
namespace {

using namespace vec;

TEST(Tubes, LieAroundTheirSegmentsAndFaceOutward) {
  const std::vector<Vec3> vertices{{0, 0, 0}, {0, -2, 0}, {1, -2, 1}};
  const std::vector<std::array<int, 2>> segments{{0, 1}, {1, 2}};
  constexpr double radius = 0.1;
  const std::vector<Vec3> points = tube_points(vertices, segments, radius);
  const auto triangles = tube_triangles(2);
  ASSERT_EQ(points.size(), 40U);
  ASSERT_EQ(triangles.size(), 40U);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& segment = segments[t / 20];
    const Vec3 a = vertices[static_cast<std::size_t>(segment[0])];
    const Vec3 axis = unit(vertices[static_cast<std::size_t>(segment[1])] - a, {0, 0, 0});
    Vec3 corner[3], out{0, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
      corner[k] = points[static_cast<std::size_t>(triangles[t][k])];
      const Vec3 from_axis = corner[k] - a - dot(corner[k] - a, axis) * axis;
      EXPECT_NEAR(length(from_axis), radius, 1e-15);
      out = out + from_axis;
    }
    EXPECT_GT(dot(cross(corner[1] - corner[0], corner[2] - corner[0]), out), 0);
  }
}

TEST(Tubes, ASegmentWithoutLengthIsAFlatRing) {
  const std::vector<Vec3> vertices{{1, 2, 3}, {1, 2, 3}};
  const std::vector<std::array<int, 2>> segments{{0, 1}};
  for (const Vec3& p : tube_points(vertices, segments, 0.5)) {
    EXPECT_NEAR(length(p - vertices[0]), 0.5, 1e-15);
  }
}

}  // namespace
}  // namespace supple
