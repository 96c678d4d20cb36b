#include "math/functions.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace supple {
namespace {

/// Error of fast_log in units of the last place of the exact logarithm.
double ulps(double x) {
  const long double exact = std::log(static_cast<long double>(x));
  const double nearest = static_cast<double>(exact);
  const double unit =
      std::abs(std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest);
  return static_cast<double>(std::abs(static_cast<long double>(fast_log(x)) - exact) / unit);
}

TEST(FastLog, IsWithinTwoUnitsOfTheLastPlace) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
    worst = std::max(worst, ulps(std::ldexp(1 + fraction, static_cast<int>(i % 2000) - 1000)));
    worst = std::max(worst, ulps(0.05 + 3 * fraction));
    // If log x itself is small, its units are too.
    worst = std::max(worst, ulps(1 + (fraction - 0.5) * std::pow(10.0, -(i % 15))));
  }
  EXPECT_LT(worst, 2);
}

TEST(FastLog, OfOneIsZero) { EXPECT_EQ(fast_log(1.0), 0); }

TEST(FastLog, ReachesTheEndsOfTheNormalNumbers) {
  EXPECT_LT(ulps(std::numeric_limits<double>::min()), 2);
  EXPECT_LT(ulps(std::numeric_limits<double>::max()), 2);
}

TEST(FastLog, IsContinuousWhereTheExponentIsSplit) {
  const double root = std::sqrt(2.0);
  for (double x : {root, root / 2, 2 * root, 1.0, 2.0}) {
    for (double y = std::nextafter(x, 0), i = 0; i < 3; y = std::nextafter(y, 10), ++i) {
      EXPECT_LT(ulps(y), 2);
    }
  }
}

TEST(FastLog, OfABatchHasTheBitsOfTheScalar) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    Batch8 x;
    for (int lane = 0; lane < 8; ++lane) {
      const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
      x.set(lane, std::ldexp(0.5 + fraction, static_cast<int>(random() % 60) - 30));
    }
    const Batch8 y = fast_log(x);
    for (int lane = 0; lane < 8; ++lane) ASSERT_EQ(y[lane], fast_log(x[lane]));
  }
}

TEST(FastLog, OfOtherArgumentsDoesNoHarm) {
  // The result has no meaning, but a lane that is selected away must not trap.
  for (double x : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::quiet_NaN(), 1e-310}) {
    const double y = fast_log(x);
    EXPECT_EQ(select(true, 1.0, y), 1);
  }
}

}  // namespace
}  // namespace supple
