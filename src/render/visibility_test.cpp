#include "render/visibility.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace supple {
namespace {

int count(const Visibility& v, std::int32_t surface) {
  int n = 0;
  for (int j = 0; j < v.height(); ++j) {
    for (int i = 0; i < v.width(); ++i) n += v.surface(i, j) == surface ? 1 : 0;
  }
  return n;
}

TEST(Visibility, ATriangleCoversTheSamplesInItAndOnItsEdges) {
  for (const bool turned : {false, true}) {
    Visibility v(8, 6, 0);
    const Vec3 a{1, 1, 1}, b{5, 1, 1}, c{1, 5, 1};
    turned ? v.draw(a, c, b, 7) : v.draw(a, b, c, 7);
    for (int j = 0; j < 6; ++j) {
      for (int i = 0; i < 8; ++i) {
        const bool inside = i >= 1 && j >= 1 && (i + 0.5) + (j + 0.5) <= 6;
        EXPECT_EQ(v.surface(i, j), inside ? 7 : Visibility::nothing) << i << ' ' << j;
      }
    }
  }
}

TEST(Visibility, NearerHidesFartherInEitherOrder) {
  for (const bool near_first : {false, true}) {
    Visibility v(4, 4, 0);
    for (const bool near : {near_first, !near_first}) {
      const double z = near ? 2 : 1;
      v.draw({-10, -10, z}, {30, -10, z}, {-10, 30, z}, near ? 1 : 2);
    }
    EXPECT_EQ(count(v, 1), 16);
    EXPECT_EQ(v.nearness(2, 2), 2.0F);
  }
}

TEST(Visibility, NearnessIsLinearOverATriangle) {
  Visibility v(16, 16, 0);
  v.draw({0, 0, 1}, {32, 0, 33}, {0, 32, 17}, 0);  // 1 + x + y/2
  for (int j = 0; j < 16; ++j) {
    for (int i = 0; i < 16; ++i) {
      EXPECT_NEAR(v.nearness(i, j), 1 + (i + 0.5) + (j + 0.5) / 2, 1e-5);  // float rounding of 25
    }
  }
}

TEST(Visibility, ATriangulatedSquareHasNoGapAndNoOverhang) {
  // Fans around random inner points share edges in every direction.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> inner(8, 56);
  for (int trial = 0; trial < 50; ++trial) {
    Visibility v(64, 64, 0);
    const Vec3 m{inner(random), inner(random), 1};
    std::vector<Vec3> rim;
    for (int i = 0; i < 7; ++i) rim.push_back({4 + 8.0 * i, 4, 1});
    for (int i = 0; i < 7; ++i) rim.push_back({60, 4 + 8.0 * i, 1});
    for (int i = 0; i < 7; ++i) rim.push_back({60 - 8.0 * i, 60, 1});
    for (int i = 0; i < 7; ++i) rim.push_back({4, 60 - 8.0 * i, 1});
    for (std::size_t i = 0; i < rim.size(); ++i) v.draw(m, rim[i], rim[(i + 1) % rim.size()], 0);
    EXPECT_EQ(count(v, 0), 56 * 56);
  }
}

TEST(Visibility, WhatIsNotATriangleDrawsNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Visibility v(8, 8, 0);
  v.draw({nan, 0, 1}, {8, 0, 1}, {0, 8, 1}, 0);
  v.draw({0, 0, nan}, {8, 0, 1}, {0, 8, 1}, 0);
  v.draw({infinity, 0, 1}, {8, 0, 1}, {0, 8, 1}, 0);
  v.draw({1, 1, 1}, {1, 1, 1}, {5, 5, 1}, 0);
  v.draw({1, 1, 1}, {3, 3, 1}, {5, 5, 1}, 0);
  v.draw({1e300, -1e300, 1}, {1e300, 1e300, 1}, {-1e300, 0, 1}, 0);
  EXPECT_EQ(count(v, Visibility::nothing), 64);
}

TEST(Visibility, AHugeTriangleCoversTheRaster) {
  Visibility v(8, 8, 0);
  v.draw({-1e12, -1e12, 1}, {3e12, -1e12, 1}, {-1e12, 3e12, 1}, 0);
  EXPECT_EQ(count(v, 0), 64);
}

TEST(Visibility, APlaneEndsAtItsHorizon) {
  Visibility v(4, 8, 0);
  v.draw_plane(-4, 0, 1, 0);  // above 0 where y > 4
  EXPECT_EQ(count(v, 0), 16);
  EXPECT_EQ(v.surface(0, 4), 0);
  EXPECT_EQ(v.surface(0, 3), Visibility::nothing);
}

}  // namespace
}  // namespace supple
