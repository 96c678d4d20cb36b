#include "contact/function_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "supple/error.h"

namespace supple {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

FunctionDistance constant(double distance, const Vec3& gradient) {
  return {{[=](const Vec3&, Vec3& out) {
            out = gradient;
            return distance;
          }},
          "/c"};
}

TEST(FunctionDistance, NormalisesTheGradientAndGoesAlongIt) {
  const SurfacePoint found = constant(-0.5, {0, 0, 4}).surface({1, 2, 3});
  EXPECT_EQ(found.distance, -0.5);
  EXPECT_EQ(found.normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(found.point, (Vec3{1, 2, 3.5}));
}

TEST(FunctionDistance, RefusesWhatIsNoDistance) {
  for (const double distance : {nan, -infinity}) {
    EXPECT_THROW(constant(distance, {0, 1, 0}).surface({0, 0, 0}), Error) << distance;
  }
  EXPECT_THROW(constant(1, {0, nan, 0}).surface({0, 0, 0}), Error);
  EXPECT_THROW(constant(-1, {0, 0, 0}).surface({0, 0, 0}), Error);
  EXPECT_EQ(constant(1, {0, 0, 0}).surface({0, 0, 0}).distance, 1) << "outside it needs none";
}

TEST(FunctionDistance, IsNotAskedWhatIsNotFinite) {
  const FunctionDistance fails(
      {[](const Vec3&, Vec3&) -> double { throw std::runtime_error("asked"); }}, "/c");
  EXPECT_EQ(fails.surface({0, nan, 0}).distance, infinity);
  EXPECT_EQ(fails.surface({infinity, 0, 0}).distance, infinity);
  EXPECT_THROW(fails.surface({0, 0, 0}), std::runtime_error);
}

}  // namespace
}  // namespace supple
