#include "math/polar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "math/interleaved_batch.h"
#include "math/test_random.h"

namespace supple {
namespace {

using namespace supple::testing;

double largest(const Mat3<double>& m) {
  double x = 0;
  for (int i = 0; i < 9; ++i) x = std::max(x, std::abs(m(i / 3, i % 3)));
  return x;
}

bool same_bits(const Mat3<double>& x, const Mat3<double>& y) {
  bool same = true;
  for (int i = 0; i < 9; ++i) same = same && x(i / 3, i % 3) == y(i / 3, i % 3);
  return same;
}

/// Worst differences between `polar` and the decomposition, and how often `polar` used the latter.
struct Worst {
  double rotation = 0, sum = 0, orthogonality = 0;
  int count = 0, fallbacks = 0;

  void add(const Mat3<double>& F) {
    const Polar<double> p = polar(F);
    const Svd<double> d = svd(F);
    const Mat3<double> R = times_transpose(d.U, d.V);
    const double size = d.s[0] > 0 ? d.s[0] : 1;
    // The smaller the sum of the two smaller stretches, the more sensitive R is to F.
    const double gap = std::min(1.0, (d.s[1] + d.s[2]) / size);
    rotation = std::max(rotation, gap * largest(p.R - R));
    sum = std::max(sum, std::abs(p.stretch_sum - (d.s[0] + d.s[1] + d.s[2])) / size);
    const Mat3<double> I = Mat3<double>::identity();
    orthogonality = std::max(orthogonality, gap * largest(transpose_times(p.R, p.R) - I));
    ++count;
    fallbacks += same_bits(p.R, R) ? 1 : 0;
  }
};

/// Measured worst over all kinds: 1.1e-15, 1.8e-15 and 2.2e-15.
void expect_accurate(const Worst& worst, const std::string& kind) {
  EXPECT_LT(worst.rotation, 5e-15) << kind;
  EXPECT_LT(worst.sum, 5e-15) << kind;
  EXPECT_LT(worst.orthogonality, 5e-15) << kind;
  EXPECT_GT(worst.count, 0) << kind;
}

TEST(Polar, IsThatOfTheDecompositionForRandomMatricesOfBothSigns) {
  Random random(1);
  Worst worst;
  int inverted = 0;
  for (int i = 0; i < 100000; ++i) {
    const Mat3<double> F = random_matrix(random);
    worst.add(F);
    inverted += determinant(F) < 0 ? 1 : 0;
  }
  expect_accurate(worst, "random");
  EXPECT_GT(inverted, 40000);
}

TEST(Polar, HardlyEverNeedsTheDecompositionForElementsThatAreNotInverted) {
  Random random(2);
  Worst worst;
  for (int i = 0; i < 50000; ++i) {
    worst.add(with_stretches(random, uniform(random, 0.3, 3), uniform(random, 0.3, 3),
                             uniform(random, 0.3, 3)));
  }
  expect_accurate(worst, "stretched up to ten times");
  EXPECT_LT(worst.fallbacks, 5);  // those whose bits agree by chance
  Worst flat;
  for (int i = 0; i < 50000; ++i) {
    flat.add(with_stretches(random, uniform(random, 0.5, 2), uniform(random, 0.5, 2), 1e-3));
  }
  expect_accurate(flat, "flattened");
  EXPECT_LT(flat.fallbacks, 5);
}

TEST(Polar, IsThatOfTheDecompositionForRepeatedStretches) {
  Random random(3);
  for (double gap : {0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-4}) {
    Worst worst;
    for (int i = 0; i < 2000; ++i) {
      worst.add(with_stretches(random, 1 + gap, 1, 0.5));
      worst.add(with_stretches(random, 1.5, 1 + gap, 1));
      worst.add(with_stretches(random, 1 + gap, 1, 1 - gap));
      worst.add(with_stretches(random, 1 + gap, 1, -0.5));
    }
    expect_accurate(worst, "gap " + std::to_string(gap * 1e16) + "e-16");
  }
}

TEST(Polar, IsThatOfTheDecompositionForCollapsedAndInvertedElements) {
  Random random(4);
  for (double small : {0.0, 1e-300, 1e-17, 1e-12, 1e-8, 1e-3, 0.02, 0.05, 0.1, 0.2}) {
    Worst worst;
    for (int i = 0; i < 2000; ++i) {
      worst.add(with_stretches(random, 1, 0.3, small));
      worst.add(with_stretches(random, 1, 0.3, -small));
      worst.add(with_stretches(random, 1, small, small));
      worst.add(with_stretches(random, 1, 1, -small));
      worst.add(with_stretches(random, 1, 1.5 * small, -small));
    }
    expect_accurate(worst, "small " + std::to_string(small));
  }
  // Every matrix with entries -1, 0, 1: ranks 0 to 3, reflections, ties.
  Worst whole;
  for (int code = 0; code < 19683; ++code) {
    Mat3<double> F;
    for (int i = 0, rest = code; i < 9; ++i, rest /= 3) F(i / 3, i % 3) = rest % 3 - 1;
    whole.add(F);
  }
  expect_accurate(whole, "whole");
}

TEST(Polar, DoesNotDependOnTheScale) {
  Random random(5);
  for (double scale :
       {1e-70, 1e-40, 1e-30, 1e-24, 1e-12, 1e-3, 1e3, 1e12, 1e33, 1e36, 1e40, 1e70}) {
    Worst worst;
    for (int i = 0; i < 5000; ++i) worst.add(scale * random_matrix(random));
    expect_accurate(worst, "scale " + std::to_string(std::log10(scale)));
  }
}

TEST(Polar, OfTheIdentityIsExact) {
  const Polar<double> p = polar(Mat3<double>::identity());
  EXPECT_TRUE(same_bits(p.R, Mat3<double>::identity()));
  EXPECT_EQ(p.stretch_sum, 3);
}

TEST(Polar, OfZeroIsARotation) {
  const Polar<double> p = polar(Mat3<double>::zero());
  EXPECT_EQ(p.stretch_sum, 0);
  EXPECT_LT(largest(transpose_times(p.R, p.R) - Mat3<double>::identity()), 1e-15);
  EXPECT_NEAR(determinant(p.R), 1, 1e-15);
}

TEST(Polar, OfAPairOfBatchesHasTheBitsOfTheScalar) {
  Random random(6);
  int fallbacks = 0;
  for (int round = 0; round < 2000; ++round) {
    Mat3<Batch8> half[2];
    Mat3<double> lanes[2][8];
    for (int h = 0; h < 2; ++h) {
      for (int lane = 0; lane < 8; ++lane) {
        Mat3<double>& F = lanes[h][lane];
        // In every other round no lane needs the decomposition.
        F = round % 2 == 0 ? random_matrix(random)
                           : with_stretches(random, uniform(random, 0.5, 2), 1, 1);
        if (round % 4 == 0 && lane == 6) F.set_column(1, F.column(0));
        if (round % 4 == 0 && lane == 7) F = Mat3<double>::zero();
        for (int i = 0; i < 9; ++i) half[h](i / 3, i % 3).set(lane, F(i / 3, i % 3));
      }
    }
    const Polar<Batch16> pair = polar(paired(half[0], half[1]));
    const Polar<Batch8> batch[2] = {polar(half[0]), polar(half[1])};
    const Mat3<Batch8> R[2] = {first_of(pair.R), second_of(pair.R)};
    const Batch8 sum[2] = {pair.stretch_sum.lo, pair.stretch_sum.hi};
    for (int h = 0; h < 2; ++h) {
      for (int lane = 0; lane < 8; ++lane) {
        const Polar<double> single = polar(lanes[h][lane]);
        for (int i = 0; i < 9; ++i) {
          ASSERT_EQ(R[h](i / 3, i % 3)[lane], single.R(i / 3, i % 3));
          ASSERT_EQ(batch[h].R(i / 3, i % 3)[lane], single.R(i / 3, i % 3));
        }
        ASSERT_EQ(sum[h][lane], single.stretch_sum);
        ASSERT_EQ(batch[h].stretch_sum[lane], single.stretch_sum);
        const Svd<double> d = svd(lanes[h][lane]);
        fallbacks += same_bits(single.R, times_transpose(d.U, d.V)) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(fallbacks, 1000);
  EXPECT_LT(fallbacks, 16000);
}

}  // namespace
}  // namespace supple
