#include "math/cubic_spline.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace supple {
namespace {

const std::vector<std::pair<double, double>> points = {
    {-1, 2}, {-0.25, -1}, {0.5, 0.75}, {2, 1}, {2.5, -3}};

TEST(CubicSpline, PassesExactlyThroughItsPoints) {
  const CubicSpline spline(points, 0);
  for (const auto& [x, y] : points) EXPECT_EQ(spline.value(x), y);
}

TEST(CubicSpline, IsTwiceContinuouslyDifferentiableAndNaturalAtTheEnds) {
  const CubicSpline spline(points, 0);
  const double h = 1e-7;
  const auto curvature = [&](double a, double b) {
    return (spline.slope(b) - spline.slope(a)) / (b - a);
  };
  for (const auto& point : points) {
    const double x = point.first;
    // One-sided neighbours differ by h times the next derivative, which is of the order of 10 to
    // 100.
    EXPECT_NEAR(spline.value(x - h), spline.value(x + h), 1e-5);
    EXPECT_NEAR(spline.slope(x - h), spline.slope(x + h), 1e-5);
    EXPECT_NEAR(spline.integral(x - h), spline.integral(x + h), 1e-5);
    EXPECT_NEAR(curvature(x - 2 * h, x - h), curvature(x + h, x + 2 * h), 1e-4);
  }
  EXPECT_NEAR(curvature(-1, -1 + h), 0, 1e-4);
  EXPECT_NEAR(curvature(2.5 - h, 2.5), 0, 1e-4);
}

TEST(CubicSpline, IsLinearBeyondTheEnds) {
  const CubicSpline spline(points, 0);
  EXPECT_EQ(spline.slope(-1.5), spline.slope(-9));
  EXPECT_NEAR(spline.slope(-1.5), spline.slope(-1), 1e-14);
  EXPECT_EQ(spline.slope(3), spline.slope(9));
  EXPECT_NEAR(spline.slope(3), spline.slope(2.5 - 1e-12), 1e-9);
  EXPECT_NEAR(spline.value(-3), 2 - 2 * spline.slope(-1), 1e-13);
  EXPECT_NEAR(spline.value(4.5), -3 + 2 * spline.slope(3), 1e-13);
}

/// Control points between which a natural spline overshoots: level, steep, level.
const std::vector<std::pair<double, double>> rising = {{0.2, -3},  {0.9, 0}, {1, 0},
                                                       {1.05, 40}, {2, 41},  {2.2, 41}};

TEST(MonotoneSpline, NeverFallsWhereItsPointsDoNot) {
  const CubicSpline spline = CubicSpline::monotone(rising, 1);
  EXPECT_LT(CubicSpline(rising, 1).slope(0.95), 0);  // the natural one does fall
  double before = spline.value(0);
  for (double x = 0; x < 3; x += 1e-3) {
    EXPECT_GE(spline.value(x), before - 1e-13);
    // Between the knots a slope is a sum of terms of the size of the steepest chord, 800.
    EXPECT_GE(spline.slope(x), -1e-12);
    before = spline.value(x);
  }
  for (double x : {0.9, 0.95, 1.0, 2.0, 2.1, 9.0}) EXPECT_NEAR(spline.slope(x), 0, 1e-12) << x;
}

TEST(MonotoneSpline, HasNoTurnBackBetweenPointsThatFallEither) {
  std::vector<std::pair<double, double>> falling = rising;
  for (auto& point : falling) point.second *= -1;
  const CubicSpline down = CubicSpline::monotone(falling, 1), up = CubicSpline::monotone(rising, 1);
  for (double x = 0; x < 3; x += 0.01) EXPECT_EQ(down.value(x), -up.value(x));
}

TEST(MonotoneSpline, PassesThroughItsPointsWithAContinuousSlope) {
  const CubicSpline spline = CubicSpline::monotone(points, 0);
  const double h = 1e-9;
  for (const auto& [x, y] : points) {
    EXPECT_EQ(spline.value(x), y);
    EXPECT_NEAR(spline.slope(x - h), spline.slope(x + h), 1e-6);
  }
  EXPECT_EQ(spline.slope(-1.5), spline.slope(-9));
  EXPECT_EQ(spline.slope(3), spline.slope(9));
}

/// If the chords allow it, the slopes are those of the parabola through three neighbours.
TEST(MonotoneSpline, IsExactOnAStraightLineAndOnARisingParabola) {
  const auto parabola = [](double x) { return 2 * x * x + 3 * x - 1; };
  std::vector<std::pair<double, double>> line, curved;
  for (const double x : {0.0, 0.5, 0.75, 1.5, 2.0}) {
    line.emplace_back(x, 3 * x - 1);
    curved.emplace_back(x, parabola(x));
  }
  const CubicSpline straight = CubicSpline::monotone(line, 0);
  const CubicSpline bent = CubicSpline::monotone(curved, 0);
  for (double x = 0; x <= 2; x += 0.03) {
    EXPECT_NEAR(straight.value(x), 3 * x - 1, 1e-14);
    EXPECT_NEAR(bent.value(x), parabola(x), 1e-13);
  }
  EXPECT_EQ(CubicSpline::monotone({{0, 1}, {2, 5}}, 0).value(1), 3);
}

TEST(MonotoneSpline, ItsIntegralHasItsValueAsDerivative) {
  const CubicSpline spline = CubicSpline::monotone(rising, 1);
  EXPECT_EQ(spline.integral(1), 0);
  const double h = 1e-6;
  for (double x = 0.013; x < 3; x += 0.02) {
    EXPECT_NEAR((spline.integral(x + h) - spline.integral(x - h)) / (2 * h), spline.value(x), 1e-7);
    EXPECT_NEAR((spline.value(x + h) - spline.value(x - h)) / (2 * h), spline.slope(x), 1e-4);
  }
}

TEST(CubicSpline, ItsIntegralVanishesAtTheOriginAndHasItsValueAsDerivative) {
  for (double origin : {-2.0, 0.3, 1.0, 4.0}) {
    const CubicSpline spline(points, origin);
    EXPECT_NEAR(spline.integral(origin), 0, 1e-15);
    const double h = 1e-5;
    for (double x = -2.03; x < 4; x += 0.1) {
      EXPECT_NEAR((spline.integral(x + h) - spline.integral(x - h)) / (2 * h), spline.value(x),
                  1e-8);
      EXPECT_NEAR((spline.value(x + h) - spline.value(x - h)) / (2 * h), spline.slope(x), 1e-7);
    }
  }
}

TEST(CubicSpline, ALineIsItself) {
  const CubicSpline spline({{0, 1}, {1, 3}, {4, 9}}, 0);
  for (double x : {-5.0, 0.0, 0.3, 2.0, 4.0, 8.0}) {
    EXPECT_NEAR(spline.value(x), 1 + 2 * x, 1e-14);
    EXPECT_NEAR(spline.slope(x), 2, 1e-15);
    EXPECT_NEAR(spline.integral(x), x + x * x, 1e-13);
  }
}

TEST(CubicSpline, TwoPointsAreALine) {
  const CubicSpline spline({{1, -2}, {3, 4}}, 1);
  for (double x : {-5.0, 1.0, 2.0, 3.0, 8.0}) EXPECT_NEAR(spline.value(x), 3 * x - 5, 1e-14);
  EXPECT_EQ(spline.integral(1), 0);
}

TEST(CubicSpline, WithoutPointsItIsZero) {
  for (double x : {-1.0, 0.0, 7.0}) {
    EXPECT_EQ(CubicSpline().value(x), 0);
    EXPECT_EQ(CubicSpline().slope(x), 0);
    EXPECT_EQ(CubicSpline().integral(x), 0);
  }
}

TEST(CubicSpline, FindsThePieceAmongAnyNumberOfPoints) {
  for (int n = 2; n < 40; ++n) {
    std::vector<std::pair<double, double>> list;
    for (int i = 0; i < n; ++i) list.emplace_back(i * i, i % 3);
    const CubicSpline spline(list, 0);
    for (const auto& [x, y] : list) EXPECT_EQ(spline.value(x), y) << n;
  }
}

TEST(CubicSpline, ConvergesWithTheFourthPowerOfTheSpacing) {
  double error[2];
  for (int round = 0; round < 2; ++round) {
    const int n = 32 << round;
    std::vector<std::pair<double, double>> list;
    // sin has no curvature at the ends of this interval, so the natural conditions fit it.
    for (int i = 0; i <= n; ++i) {
      const double x = 3.14159265358979323846 * i / n;
      list.emplace_back(x, std::sin(x));
    }
    const CubicSpline spline(list, 0);
    error[round] = 0;
    for (double x = 0; x < 3.1; x += 0.001) {
      error[round] = std::max(error[round], std::abs(spline.value(x) - std::sin(x)));
    }
  }
  EXPECT_NEAR(error[0] / error[1], 16, 1);
}

TEST(CubicSpline, ANotANumberStaysOne) {
  const CubicSpline spline(points, 0);
  EXPECT_TRUE(std::isnan(spline.value(std::nan(""))));
}

/// Knots whose distances differ by powers of ten, some in the same bin, some at the ends of the
/// range of doubles.
const std::vector<std::vector<double>> all_knots = {
    {-1, -0.25, 0.5, 2, 2.5},
    {0, 1e-9, 2e-9, 3e-9, 1e-3, 1, 1.0000001, 1.0000002, 1.0000003, 1.0000004, 50},
    {1, std::nextafter(1.0, 2.0), 2},
    {-1e300, -1, 0, 1, 1e300},
    {-1e308, 0, 1e308}};

TEST(CubicSpline, FindsThePieceOfAnyNumber) {
  for (const std::vector<double>& knots : all_knots) {
    // Values that identify each piece: whole numbers at the knots.
    std::vector<std::pair<double, double>> own;
    for (std::size_t k = 0; k < knots.size(); ++k) {
      own.emplace_back(knots[k], static_cast<double>((k * k * 7) % 11));
    }
    const CubicSpline spline(own, knots.front());
    for (std::size_t k = 0; k < knots.size(); ++k) {
      EXPECT_EQ(spline.value(knots[k]), own[k].second) << knots[k];
    }
    EXPECT_TRUE(std::isnan(spline.value(std::nan(""))));
  }
  // A curve of a thousand control points, each checked separately.
  std::vector<std::pair<double, double>> many;
  for (int k = 0; k < 1000; ++k) many.emplace_back(std::exp(0.03 * k), k % 17);
  const CubicSpline spline(many, 1);
  for (const auto& [x, y] : many) {
    EXPECT_EQ(spline.value(x), y);
    // Steps of one double at x <= e^30: slopes are below 1e2 per unit, so values are close.
    EXPECT_NEAR(spline.value(std::nextafter(x, 0.0)), y, 1e-11);
  }
}

constexpr double infinite = std::numeric_limits<double>::infinity();

template <int W>
void expect_bits_of_the_scalar() {
  std::vector<std::vector<double>> lists = all_knots;
  lists.push_back({0, 5e-324, 1e-323});  // no double holds its slopes
  for (const std::vector<double>& knots : lists) {
    std::vector<std::pair<double, double>> own;
    for (const double x : knots) own.emplace_back(x, std::sin(static_cast<double>(own.size())));
    const CubicSpline spline(own, 0);
    std::vector<double> places = {-1e30, -3, 1e-12, 0.3, 0.7, 1.00000015, 7, 1e30, 1e-9, 49};
    for (const double x : knots) {
      for (const double y : {x, std::nextafter(x, -infinite), std::nextafter(x, infinite)}) {
        places.push_back(y);
      }
    }
    for (std::size_t first = 0; first < places.size(); ++first) {
      Batch<double, W> x = 0.0;
      for (int lane = 0; lane < W; ++lane) {
        x.set(lane, places[(first + 3 * static_cast<std::size_t>(lane)) % places.size()]);
      }
      const auto batch = spline.evaluate(x);
      const auto pair = spline.evaluate(InterleavedBatch<Batch<double, W>>(x, x));
      for (int lane = 0; lane < W; ++lane) {
        const auto expected = spline.evaluate(x[lane]);
        // Compared as bits: some are not numbers if the curve leaves the range of doubles.
        const auto bits = [](double y) { return std::bit_cast<std::uint64_t>(y) << 1; };
        EXPECT_EQ(bits(batch.value[lane]), bits(expected.value)) << x[lane];
        EXPECT_EQ(bits(batch.slope[lane]), bits(expected.slope)) << x[lane];
        EXPECT_EQ(bits(batch.integral[lane]), bits(expected.integral)) << x[lane];
        EXPECT_EQ(bits(pair.integral.hi[lane]), bits(expected.integral)) << x[lane];
      }
    }
  }
}

TEST(CubicSpline, LanesHaveTheBitsOfTheScalar) {
  expect_bits_of_the_scalar<2>();
  expect_bits_of_the_scalar<4>();
  expect_bits_of_the_scalar<8>();
}

}  // namespace
}  // namespace supple
