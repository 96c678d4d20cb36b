#include "math/interleaved_batch.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

struct Numbers {
  Batch8 a, b, c, d;
  Batch16 x, y;
};

Numbers numbers() {
  Numbers n;
  for (int i = 0; i < 8; ++i) {
    n.a.set(i, i - 3.25);
    n.b.set(i, 2.5 - 0.75 * i);
    n.c.set(i, 1.5 + i);
    n.d.set(i, 0.1 * i - 0.35);
  }
  n.x = {n.a, n.b};
  n.y = {n.c, n.d};
  return n;
}

void expect_pair(const Batch16& pair, const Batch8& lo, const Batch8& hi) {
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(pair.lo[i], lo[i]);
    EXPECT_EQ(pair.hi[i], hi[i]);
  }
}

TEST(InterleavedBatch, DoesEveryOperationOnBothBatches) {
  const Numbers n = numbers();
  expect_pair(n.x + n.y, n.a + n.c, n.b + n.d);
  expect_pair(n.x - n.y, n.a - n.c, n.b - n.d);
  expect_pair(n.x * n.y, n.a * n.c, n.b * n.d);
  expect_pair(n.x / n.y, n.a / n.c, n.b / n.d);
  expect_pair(-n.x, -n.a, -n.b);
  expect_pair(abs(n.x), abs(n.a), abs(n.b));
  expect_pair(sqrt(abs(n.x)), sqrt(abs(n.a)), sqrt(abs(n.b)));
  expect_pair(fast_log(abs(n.x)), fast_log(abs(n.a)), fast_log(abs(n.b)));
  expect_pair(Batch16(2.5), Batch8(2.5), Batch8(2.5));
  Batch16 sum = n.x;
  sum += n.y;
  expect_pair(sum, n.a + n.c, n.b + n.d);
  const auto cube = [](double t) { return t * t * t; };
  expect_pair(map_lanes(n.x, cube), map_lanes(n.a, cube), map_lanes(n.b, cube));
  const auto minus = [](double t, double u) { return t - u; };
  expect_pair(map_lanes(n.x, n.y, minus), n.a - n.c, n.b - n.d);
}

TEST(InterleavedBatch, SelectsAndAsksEachLane) {
  const Numbers n = numbers();
  expect_pair(select(n.x < n.y, n.x, n.y), select(n.a < n.c, n.a, n.c),
              select(n.b < n.d, n.b, n.d));
  expect_pair(select(n.x > n.y, n.x, n.y), select(n.a > n.c, n.a, n.c),
              select(n.b > n.d, n.b, n.d));
  expect_pair(select(n.x <= n.x, n.x, n.y), n.a, n.b);
  expect_pair(select(n.x >= n.y, n.x, n.y), select(n.a < n.c, n.c, n.a),
              select(n.b < n.d, n.d, n.b));
  expect_pair(select(!(n.x < n.y), n.x, n.y), select(n.a < n.c, n.c, n.a),
              select(n.b < n.d, n.d, n.b));
  const auto both = (n.x < n.y) & (n.x > n.y), either = (n.x < n.y) | (n.x >= n.y);
  EXPECT_FALSE(any(both));
  EXPECT_TRUE(any(either));
  EXPECT_FALSE(any(!either));
  // One lane of either batch is enough.
  EXPECT_TRUE(any(n.x <= Batch16(-3.25)));
  EXPECT_TRUE(any(Batch16(n.b, n.a) <= Batch16(-3.25)));
  EXPECT_FALSE(any(n.x < Batch16(-3.25)));
}

TEST(InterleavedBatch, OfMatricesIsTakenApartAgain) {
  Mat3<Batch8> a, b;
  for (int i = 0; i < 9; ++i) {
    a(i / 3, i % 3) = Batch8(1.0 + i);
    b(i / 3, i % 3) = Batch8(-2.0 * i);
  }
  const Mat3<Batch16> m = paired(a, b);
  for (int i = 0; i < 9; ++i) {
    expect_pair(m(i / 3, i % 3), a(i / 3, i % 3), b(i / 3, i % 3));
    EXPECT_EQ(first_of(m)(i / 3, i % 3)[3], 1.0 + i);
    EXPECT_EQ(second_of(m)(i / 3, i % 3)[5], -2.0 * i);
  }
}

/// Loads W numbers from an unaligned address, doubles them and stores them at another.
template <int W>
void expect_there_and_back() {
  static_assert(Lanes<W>::width == W);
  double from[W + 1], to[W + 2];
  for (int i = 0; i <= W; ++i) from[i] = 1.5 * i - 3;
  for (double& value : to) value = 99;
  (Lanes<W>::load(from + 1) + Lanes<W>::load(from + 1)).store(to + 1);
  EXPECT_EQ(to[0], 99);
  for (int i = 1; i <= W; ++i) EXPECT_EQ(to[i], 2 * from[i]) << W << " " << i;
  EXPECT_EQ(to[W + 1], 99);
}

TEST(InterleavedBatch, HoldsNumbersSideBySide) {
  expect_there_and_back<2>();
  expect_there_and_back<4>();
  expect_there_and_back<8>();
  expect_there_and_back<16>();
}

}  // namespace
}  // namespace supple
