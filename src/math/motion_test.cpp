#include "math/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace supple {
namespace {

constexpr double pi = 3.14159265358979323846;
// Positions of about 1 m after a few operations: a few units of rounding.
constexpr double rounding = 1e-12;

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "component " << k;
}

Motion turning(const Vec3& axis, const Vec3& center, double degrees_per_second) {
  Motion motion;
  motion.rotate = Rotation{axis, center, degrees_per_second};
  return motion;
}

Keyframe key(double time, const Vec3& translate, double degrees, const Vec3& axis = {0, 0, 1},
             const Vec3& center = {0, 0, 0}) {
  return {time, translate, axis, center, degrees};
}

TEST(Motion, AnEmptyMotionIsExactlyTheIdentity) {
  const Vec3 x{0.1, -2.3, 1e10};
  EXPECT_EQ(evaluate(Motion{}, 3.7).apply(x), x);
  EXPECT_EQ(evaluate(Motion{}, 3.7).apply_inverse(x), x);
}

TEST(Motion, AFullTurnReturnsToTheStart) {
  const Vec3 x{1, 2, 3};
  const Motion motion = turning({1, 2, -0.5}, {0.3, -0.1, 0.7}, 45);
  for (int turn = 1; turn <= 5; ++turn) {
    expect_near(evaluate(motion, 8.0 * turn).apply(x), x, rounding);
  }
  // 0.1 s is not a binary fraction: the angle itself is off by the rounding of 360.
  expect_near(evaluate(turning({0, 1, 0}, {1, 0, 0}, 3600), 0.1).apply(x), x, rounding);
}

TEST(Motion, ItTurnsCounterClockwiseAboutItsAxis) {
  expect_near(evaluate(turning({0, 0, 2}, {0, 0, 0}, 90), 1).apply({1, 0, 5}), {0, 1, 5}, rounding);
  expect_near(evaluate(turning({5, 0, 0}, {0, 0, 0}, 90), 1).apply({7, 1, 0}), {7, 0, 1}, rounding);
  expect_near(evaluate(turning({0, 1e-200, 0}, {0, 0, 0}, 90), 1).apply({0, 7, 1}), {1, 7, 0},
              rounding);
}

TEST(Motion, ItTurnsAboutAShiftedCentre) {
  const Vec3 center{2, 1, 0};
  const Motion motion = turning({0, 0, 1}, center, 30);
  for (double t : {0.0, 0.4, 1.0, 2.5, 13.0, -1.0}) {
    const double angle = 30 * t * pi / 180;
    expect_near(evaluate(motion, t).apply(center), center, rounding);
    expect_near(evaluate(motion, t).apply({3, 1, 4}), {2 + std::cos(angle), 1 + std::sin(angle), 4},
                rounding);
  }
}

TEST(Motion, RotationComesBeforeTranslation) {
  Motion motion = turning({0, 0, 1}, {0, 0, 0}, 90);
  motion.velocity = Vec3{10, 0, -1};
  expect_near(evaluate(motion, 1).apply({1, 0, 0}), {10, 1, -1}, rounding);
}

TEST(Motion, AVelocityMovesLinearly) {
  Motion motion;
  motion.velocity = Vec3{0.5, -2, 8};
  EXPECT_EQ(evaluate(motion, 0.25).apply({1, 1, 1}), (Vec3{1.125, 0.5, 3}));
  EXPECT_EQ(evaluate(motion, 0.25).rotate({1, 1, 1}), (Vec3{1, 1, 1}));
}

TEST(Motion, TheInverseUndoesIt) {
  Motion motion = turning({1, -1, 3}, {0.5, 4, 1}, 77);
  motion.velocity = Vec3{1, 2, 3};
  const Pose pose = evaluate(motion, 1.3);
  const Vec3 x{0.3, -0.8, 1.9};
  expect_near(pose.apply_inverse(pose.apply(x)), x, rounding);
  expect_near(pose.rotate_inverse(pose.rotate(x)), x, rounding);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        product += pose.rotation[3 * i + k] * pose.rotation[3 * j + k];
      }
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-15 * 4);
    }
  }
}

TEST(Motion, KeyframesAreHeldAtTheEnds) {
  Motion motion;
  motion.keyframes = {key(1, {1, 0, 0}, 90), key(2, {3, 0, 0}, 0)};
  for (double t : {-5.0, 0.0, 1.0}) {
    expect_near(evaluate(motion, t).apply({1, 0, 0}), {1, 1, 0}, rounding);
  }
  for (double t : {2.0, 7.0}) EXPECT_EQ(evaluate(motion, t).apply({1, 0, 0}), (Vec3{4, 0, 0}));
}

TEST(Motion, KeyframesAreInterpolatedLinearly) {
  Motion motion;
  motion.keyframes = {key(0, {0, 0, 0}, 0, {1, 0, 0}, {0, 0, 0}),
                      key(2, {4, 0, 8}, 180, {0, 1, 0}, {0, 2, 0}), key(3, {0, 0, 0}, 0)};
  // A quarter of the way: angle 45, axis (0.75, 0.25, 0) made unit, centre (0, 0.5, 0).
  const Pose expected = turned({3, 1, 0}, {0, 0.5, 0}, 45);
  const Vec3 x{0.2, 0.4, -1};
  Vec3 y = expected.apply(x);
  y[0] += 1;
  y[2] += 2;
  expect_near(evaluate(motion, 0.5).apply(x), y, rounding);
}

TEST(Motion, ASingleKeyframeIsAConstantPose) {
  Motion motion;
  motion.keyframes = {key(5, {1, 2, 3}, 0)};
  EXPECT_EQ(validate(motion), "");
  for (double t : {0.0, 5.0, 9.0}) {
    EXPECT_EQ(evaluate(motion, t).apply({1, 1, 1}), (Vec3{2, 3, 4}));
  }
}

TEST(Motion, RepeatingHasThePeriodOfTheLastKeyframe) {
  Motion motion;
  motion.repeat = true;
  motion.keyframes = {key(0.5, {0, 0, 0}, 0), key(1, {4, 0, 0}, 90), key(2, {0, 0, 0}, 0)};
  ASSERT_EQ(validate(motion), "");
  const Vec3 x{1, 2, 3};
  for (double t : {0.0, 0.25, 0.75, 1.0, 1.5, 1.875}) {
    for (int period = -2; period <= 3; ++period) {
      // Quarters and eighths are exact, and so is their sum with whole periods.
      EXPECT_EQ(evaluate(motion, t + 2.0 * period).apply(x), evaluate(motion, t).apply(x));
    }
  }
  EXPECT_EQ(evaluate(motion, 2).apply(x), x);  // the end is the start: held before 0.5
  expect_near(evaluate(motion, 5).apply({1, 0, 0}), {4, 1, 0}, rounding);
}

TEST(Motion, BrokenMotionsAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto expect_fault = [](const Motion& motion, const std::string& part) {
    const std::string fault = validate(motion);
    EXPECT_NE(fault.find(part), std::string::npos) << "'" << fault << "' does not say: " << part;
  };
  expect_fault(turning({0, 0, 0}, {0, 0, 0}, 1), "rotate: the axis is zero");
  expect_fault(turning({nan, 0, 1}, {0, 0, 0}, 1), "rotate: the axis is not finite");
  expect_fault(turning({0, 0, 1}, {0, infinity, 0}, 1), "rotate: the centre");
  expect_fault(turning({0, 0, 1}, {0, 0, 0}, nan), "degrees_per_second");
  expect_fault(turning({0, 0, 1}, {0, 0, 0}, 1e200), "degrees_per_second");

  Motion motion;
  motion.velocity = Vec3{0, nan, 0};
  expect_fault(motion, "velocity");
  motion.velocity = Vec3{0, 0, 0};
  motion.keyframes = {key(0, {0, 0, 0}, 0)};
  expect_fault(motion, "one or the other");
  motion.velocity.reset();
  EXPECT_EQ(validate(motion), "");
  motion.repeat = true;
  expect_fault(motion, "two keyframes");
  motion.keyframes = {key(-2, {0, 0, 0}, 0), key(0, {0, 0, 0}, 0)};
  expect_fault(motion, "positive time");
  motion.repeat = false;
  EXPECT_EQ(validate(motion), "");
  motion.keyframes[1].time = -2;
  expect_fault(motion, "keyframe 1: the time is not after");
  motion.keyframes[1] = key(nan, {0, 0, 0}, 0);
  expect_fault(motion, "keyframe 1: the time is not finite");
  motion.keyframes[1] = key(1, {0, infinity, 0}, 0);
  expect_fault(motion, "keyframe 1: the translation");
  motion.keyframes[1] = key(1, {0, 0, 0}, -infinity);
  expect_fault(motion, "keyframe 1: degrees");
  motion.keyframes[1] = key(1, {0, 0, 0}, 0, {0, 0, 0});
  expect_fault(motion, "keyframe 1: the axis is zero");
  motion.keyframes[1] = key(1, {0, 0, 0}, 0, {0, 0, -7});
  expect_fault(motion, "keyframe 1: the axis is opposite");
  motion.keyframes[1] = key(1, {0, 0, 0}, 0, {0, 0, 1}, {nan, 0, 0});
  expect_fault(motion, "keyframe 1: the centre");

  motion = Motion{};
  motion.repeat = true;
  expect_fault(motion, "two keyframes");
}

TEST(TimedNumbers, AreLinearBetweenTheirKeyframesAndConstantBeyond) {
  TimedNumber number(7);
  EXPECT_EQ(evaluate(number, 3), 7);
  EXPECT_FALSE(changes(number));
  number.keyframes = {{1, 10}, {3, 20}, {4, 0}};
  EXPECT_EQ(evaluate(number, 0), 10);
  EXPECT_EQ(evaluate(number, 2), 15);
  EXPECT_EQ(evaluate(number, 3.5), 10);
  EXPECT_EQ(evaluate(number, 9), 0);
  EXPECT_TRUE(changes(number));
  number.repeat = true;
  EXPECT_EQ(evaluate(number, 4 + 2), 15);
  EXPECT_EQ(evaluate(number, -4 + 2), 15);
}

TEST(TimedNumbers, OutOfRangeOrOutOfOrderAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(validate(TimedNumber(0.5), 0, 1), "");
  EXPECT_NE(validate(TimedNumber(1.5), 0, 1), "");
  EXPECT_NE(validate(TimedNumber(nan), 0, 1), "");
  TimedNumber number;
  number.keyframes = {{0, 0}, {1, 1}};
  EXPECT_EQ(validate(number, 0, 1), "");
  number.keyframes[1].second = 2;
  EXPECT_NE(validate(number, 0, 1).find("keyframe 1"), std::string::npos);
  number.keyframes = {{1, 0}, {1, 1}};
  EXPECT_NE(validate(number, 0, 1).find("not after"), std::string::npos);
  number.keyframes = {{nan, 0}};
  EXPECT_NE(validate(number, 0, 1), "");
  number.keyframes = {{1, 0}};
  number.repeat = true;
  EXPECT_NE(validate(number, 0, 1).find("two keyframes"), std::string::npos);
}

}  // namespace
}  // namespace supple
