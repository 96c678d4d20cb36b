#include "studies/plot/clip.h"

#include <gtest/gtest.h>

#include <limits>

namespace supple::plot {
namespace {

TEST(Clip, KeepsWhatIsInside) {
  Point a{0.1, 0.2}, b{1, 0.7};
  ASSERT_TRUE(clip_to_unit_square(a, b));
  EXPECT_EQ(a.x, 0.1);
  EXPECT_EQ(a.y, 0.2);
  EXPECT_EQ(b.x, 1.0);
  EXPECT_EQ(b.y, 0.7);
}

TEST(Clip, CutsAtTheSides) {
  Point a{-1, 0.5}, b{3, 0.5};
  ASSERT_TRUE(clip_to_unit_square(a, b));
  EXPECT_DOUBLE_EQ(a.x, 0);
  EXPECT_DOUBLE_EQ(b.x, 1);
  EXPECT_DOUBLE_EQ(a.y, 0.5);
  a = {0.5, -0.5};
  b = {0.5, 0.25};
  ASSERT_TRUE(clip_to_unit_square(a, b));
  EXPECT_DOUBLE_EQ(a.y, 0);
  EXPECT_EQ(b.y, 0.25);
}

TEST(Clip, LeavesNothingOfALineBeside) {
  Point a{-1, 0.5}, b{0.5, 2.1};
  EXPECT_FALSE(clip_to_unit_square(a, b));
  a = {1.5, 0};
  b = {1.5, 1};
  EXPECT_FALSE(clip_to_unit_square(a, b));
}

TEST(Clip, BringsAnyEndInside) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double far : {1e17, 1e200, 1e308, infinity}) {
    Point a{0.5, 0.5}, b{0.6, far};
    ASSERT_TRUE(clip_to_unit_square(a, b));
    EXPECT_NEAR(b.x, 0.5, 1e-12);
    EXPECT_EQ(b.y, 1.0);
    a = {-far, 0.5};
    b = {far, 0.5};
    ASSERT_TRUE(clip_to_unit_square(a, b));
    EXPECT_EQ(a.x, 0.0);
    EXPECT_EQ(b.x, 1.0);
  }
}

}  // namespace
}  // namespace supple::plot
