#include "studies/plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace supple::plot {
namespace {

std::vector<std::string> labels(const Range& range, int most) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks(range, most)) {
    result.push_back(tick.exponent.empty() ? tick.label : tick.label + "^" + tick.exponent);
  }
  return result;
}

using Labels = std::vector<std::string>;

TEST(Ticks, StandOnRoundNumbers) {
  EXPECT_EQ(labels({0, 1}, 5), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels({-0.04, 50.3}, 6), (Labels{"0", "10", "20", "30", "40", "50"}));
  EXPECT_EQ(labels({-3, 3}, 3), (Labels{"-2", "0", "2"}));
  EXPECT_EQ(labels({1e-9, 3e-9}, 3), (Labels{"1×10^-9", "2×10^-9", "3×10^-9"}));
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  EXPECT_EQ(labels({1e-3, 10, true}, 8), (Labels{"10^-3", "10^-2", "10^-1", "10^0", "10^1"}));
  EXPECT_EQ(labels({1e-16, 1, true}, 6),
            (Labels{"10^-15", "10^-12", "10^-9", "10^-6", "10^-3", "10^0"}));
  EXPECT_EQ(labels({1.5, 7, true}, 8), (Labels{"2", "3", "4", "5", "6", "7"}));
}

TEST(Ticks, AreNeverManyMoreThanAskedFor) {
  for (const double low : {-1e300, -5.0, 0.0, 1e-300, 3.0}) {
    for (const double high : {4.0, 77.7, 1e10, 1e300}) {
      if (low >= high) continue;
      for (const int most : {2, 5, 12}) {
        EXPECT_LE(ticks({low, high}, most).size(), static_cast<std::size_t>(most) + 2);
        if (low > 0) {
          const std::size_t count = ticks({low, high, true}, most).size();
          EXPECT_LE(count, static_cast<std::size_t>(std::max(most, 4))) << low << " " << high;
        }
      }
    }
  }
}

TEST(Ticks, MinorOnesArePowersWhereDecadesAreThinned) {
  EXPECT_EQ(minor_ticks({1, 100, true}, 8).size(), 16U);
  EXPECT_EQ(minor_ticks({1e-16, 1, true}, 6).size(), 17U);
  EXPECT_TRUE(minor_ticks({1e-300, 1, true}, 6).empty());
  EXPECT_TRUE(minor_ticks({0, 1}, 6).empty());
}

TEST(RangeOf, HoldsTheDataWithAMargin) {
  const Range range = range_of({}, {3, -1, 2});
  EXPECT_LT(range.min, -1);
  EXPECT_GT(range.max, 3);
  EXPECT_NEAR(range.share(1), 0.5, 1e-15);
  const Range decades = range_of({.logarithmic = true}, {1e-8, 1, -5, 0});
  EXPECT_LT(decades.min, 1e-8);
  EXPECT_GT(decades.min, 1e-9);
  EXPECT_NEAR(decades.share(1e-4), 0.5, 1e-12);
}

TEST(RangeOf, WhatWasAskedForWins) {
  const Range range = range_of({.min = 0, .max = 10}, {3, 4});
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, 10);
  // Unless those ends are not a range.
  EXPECT_LT(range_of({.min = 5, .max = 1}, {3, 4}).min, 3);
  EXPECT_GT(range_of({.logarithmic = true, .min = -1}, {3, 4}).min, 0);
}

TEST(RangeOf, IsARangeForAnyData) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> data = {
      {}, {0}, {1e308, -1e308}, {5e-324}, {nan}, {infinity, 1}, {7, 7}, {1e-310, 1e308}};
  for (const auto& values : data) {
    for (const bool logarithmic : {false, true}) {
      const Range range = range_of({.logarithmic = logarithmic}, values);
      EXPECT_TRUE(std::isfinite(range.min) && std::isfinite(range.max));
      EXPECT_LT(range.min, range.max);
      EXPECT_TRUE(std::isfinite(range.share(0.5 * range.min + 0.5 * range.max)));
      EXPECT_TRUE(!logarithmic || range.min > 0);
      EXPECT_LT(ticks(range, 6).size(), 10U);
    }
  }
}

}  // namespace
}  // namespace supple::plot
