#include "potentials/pins.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

PinSet two_pins() {
  PinSet set;
  Motion turning;
  turning.rotate = Rotation{{0, 0, 1}, {1, 0, 0}, 90};
  Motion moving;
  moving.velocity = Vec3{0, 2, 0};
  set.motions = {turning, moving};
  set.pins = {{0, 0, 100, {2, 0, 0}}, {1, 1, 50, {0, 1, 0}}};
  return set;
}

TEST(Pins, TargetsFollowTheirMotion) {
  std::vector<Vec3> targets(2);
  two_pins().targets(1.0, targets);
  // A quarter turn about (1, 0, 0) takes (2, 0, 0) to (1, 1, 0); rounding of sine and cosine alone.
  EXPECT_NEAR(targets[0][0], 1, 1e-15);
  EXPECT_NEAR(targets[0][1], 1, 1e-15);
  EXPECT_NEAR(targets[1][1], 3, 1e-15);
}

TEST(Pins, TheEnergyIsHalfStiffnessTimesSquaredDistance) {
  const PinSet set = two_pins();
  VectorField x(2), gradient(2);
  x[0] = {{2, 0, 0, 0}};
  x[1] = {{0, 1, 3, 0}};
  const std::vector<Vec3> targets = {{2, 0, 1}, {0, 1, 1}};
  EXPECT_DOUBLE_EQ(set.add(x, targets, gradient), 0.5 * 100 * 1 + 0.5 * 50 * 4);
  EXPECT_DOUBLE_EQ(gradient[0][2], -100);
  EXPECT_DOUBLE_EQ(gradient[1][2], 100);
}

TEST(Pins, TheGradientIsThatOfTheEnergy) {
  const PinSet set = two_pins();
  VectorField x(2), gradient(2), unused(2);
  x[0] = {{0.3, -0.2, 0.9, 0}};
  x[1] = {{1.1, 0.4, -0.7, 0}};
  std::vector<Vec3> targets(2);
  set.targets(0.3, targets);
  set.add(x, targets, gradient);
  const double d = 1e-6;  // the energy is quadratic: central differences err by rounding alone
  for (std::size_t v = 0; v < 2; ++v) {
    for (int k = 0; k < 3; ++k) {
      VectorField plus = x, minus = x;
      plus[v][k] += d;
      minus[v][k] -= d;
      const double slope =
          (set.add(plus, targets, unused) - set.add(minus, targets, unused)) / (2 * d);
      EXPECT_NEAR(gradient[v][k], slope, 1e-6);
    }
  }
}

}  // namespace
}  // namespace supple
