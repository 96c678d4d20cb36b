#include "math/batch.h"

#include <gtest/gtest.h>

#include <limits>

namespace supple {
namespace {

Batch8 ramp() {
  Batch8 x;
  for (int i = 0; i < 8; ++i) x.set(i, i - 3.5);
  return x;
}

TEST(Batch, ArithmeticIsDoneLaneByLane) {
  const Batch8 x = ramp(), y = 3.0;
  for (int i = 0; i < 8; ++i) {
    const double s = i - 3.5;
    EXPECT_EQ((x + y)[i], s + 3);
    EXPECT_EQ((x - y)[i], s - 3);
    EXPECT_EQ((x * y)[i], s * 3);
    EXPECT_EQ((x / y)[i], s / 3);
    EXPECT_EQ((-x)[i], -s);
    EXPECT_EQ(abs(x)[i], std::abs(s));
    EXPECT_EQ(sqrt(abs(x))[i], std::sqrt(std::abs(s)));
    EXPECT_EQ(map_lanes(x, [](double t) { return t * t; })[i], s * s);
    EXPECT_EQ(map_lanes(x, y, [](double t, double u) { return t - u; })[i], s - 3);
  }
}

TEST(Batch, CompoundAssignmentsAreTheirOperators) {
  Batch8 x = ramp();
  x += 1.0;
  x *= 2.0;
  x -= Batch8(4);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(x[i], (i - 3.5 + 1) * 2 - 4);
}

TEST(Batch, LoadAndStoreKeepTheOrderOfLanes) {
  double in[9], out[9] = {};
  for (int i = 0; i < 9; ++i) in[i] = i;
  // Any address of a double works, aligned to the batch or not.
  Batch8::load(in + 1).store(out + 1);
  for (int i = 1; i < 9; ++i) EXPECT_EQ(out[i], i);
  EXPECT_EQ(out[0], 0);
}

TEST(Batch, SelectTakesEachLaneByItsMask) {
  const Batch8 x = ramp();
  const auto positive = x > Batch8(0.0);
  const Batch8 chosen = select(positive, x, Batch8(-1.0));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(positive[i], i >= 4);
    EXPECT_EQ(chosen[i], i >= 4 ? i - 3.5 : -1);
    EXPECT_EQ((!positive)[i], i < 4);
    EXPECT_EQ((positive & (x < Batch8(2.0)))[i], i == 4 || i == 5);
    EXPECT_EQ((positive | (x <= Batch8(-3.5)))[i], i == 0 || i >= 4);
    EXPECT_EQ((x >= Batch8(3.5))[i], i == 7);
  }
  EXPECT_EQ(count(positive), 4);
  EXPECT_TRUE(any(positive));
  EXPECT_FALSE(any(x > Batch8(4.0)));
  EXPECT_EQ(count(x > Batch8(4.0)), 0);
}

TEST(Batch, ANotANumberComparesFalse) {
  const Batch8 x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(any(x < Batch8(0.0)));
  EXPECT_FALSE(any(x >= Batch8(0.0)));
}

TEST(Batch, SumsAreTakenInTheOrderOfLanes) {
  Batch8 x = 1.0;
  x.set(0, 1e16);
  x.set(7, -1e16);
  double expected = 1e16;
  for (int i = 1; i < 7; ++i) expected += 1;
  EXPECT_EQ(sum(x), expected - 1e16);
}

TEST(Batch, ScalarsHaveTheSameFunctions) {
  EXPECT_EQ(select(true, 1.0, 2.0), 1);
  EXPECT_EQ(select(false, 1.0, 2.0), 2);
  EXPECT_EQ(sum(3.0), 3);
  EXPECT_EQ(count(true), 1);
  EXPECT_TRUE(any(true));
  EXPECT_EQ(map_lanes(3.0, [](double t) { return t + 1; }), 4);
}

}  // namespace
}  // namespace supple
