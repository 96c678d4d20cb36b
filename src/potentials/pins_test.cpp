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
  // A quarter turn about (1, 0, 0) takes (2, 0, 0) to (1, 1, 0), up to rounding of sine and cosine.
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

/// A point of three vertices in addition to the pins above.
PinSet with_point() {
  PinSet set = two_pins();
  set.points = {{2, 3, 300, {0.2, 0.3, 0.5}}};
  set.pins.push_back({0, -1, 60, {0, 0, 0}, 0, 0});
  set.pins.push_back({1, -1, 90, {0, 0, 0}, 0, 0});
  set.pins.push_back({2, -1, 150, {0, 0, 0}, 0, 0});
  return set;
}

TEST(Pins, APointHasTheEnergyOfItsPlaceAndItsCornersBoundItFromAbove) {
  const PinSet set = with_point();
  VectorField x(3), gradient(3);
  x[0] = {{0.3, -0.2, 0.9, 0}};
  x[1] = {{1.1, 0.4, -0.7, 0}};
  x[2] = {{0.5, 0.6, 0.2, 0}};
  HeldTargets held{.from = {{1, 2, 3}}, .to = {{1, 2, 3}}};
  PinSet points = set;
  points.held = &held;
  std::vector<Vec3> targets(5);
  points.targets(0, targets);
  const Vec3 p = points.place(points.points[0], x);
  double energy = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    energy += 0.5 * 300 * (p[k] - targets[4][k]) * (p[k] - targets[4][k]);
    EXPECT_NEAR(p[k], 0.2 * x[0].v[k] + 0.3 * x[1].v[k] + 0.5 * x[2].v[k], 1e-15);
  }
  VectorField of_pins(3);
  const double pins = two_pins().add(x, targets, of_pins);
  EXPECT_NEAR(points.add(x, targets, gradient) - pins, energy, 1e-13 * energy);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(gradient[2][k],
                150 * (p[static_cast<std::size_t>(k)] - targets[4][static_cast<std::size_t>(k)]),
                1e-10);
  }
}

TEST(Pins, HeldTargetsMoveInAStraightLineOverTheFrame) {
  HeldTargets held{.from = {{0, 0, 0}}, .to = {{1, 2, 3}}};
  EXPECT_EQ(held.at(0, 100), (Vec3{0, 0, 0})) << "between two frames";
  held.begin = 2;
  held.end = 6;
  EXPECT_EQ(held.at(0, 2), (Vec3{0, 0, 0}));
  EXPECT_EQ(held.at(0, 3), (Vec3{0.25, 0.5, 0.75}));
  EXPECT_EQ(held.at(0, 6), (Vec3{1, 2, 3}));
  EXPECT_EQ(held.at(0, std::nextafter(6.0, 0.0)), (Vec3{1, 2, 3})) << "times have rounding";
}

TEST(Pins, TheGradientIsThatOfTheEnergy) {
  const PinSet set = two_pins();
  VectorField x(2), gradient(2), unused(2);
  x[0] = {{0.3, -0.2, 0.9, 0}};
  x[1] = {{1.1, 0.4, -0.7, 0}};
  std::vector<Vec3> targets(2);
  set.targets(0.3, targets);
  set.add(x, targets, gradient);
  const double d = 1e-6;  // the energy is quadratic: central differences have only rounding errors
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
