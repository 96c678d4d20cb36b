#include "math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <string>

namespace supple {
namespace {

using Random = std::mt19937;

double uniform(Random& random) { return 2 * (random() / 4294967296.0) - 1; }

Mat3<double> random_matrix(Random& random) {
  Mat3<double> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = uniform(random);
  return m;
}

/// Any rotation, from a unit quaternion.
Mat3<double> random_rotation(Random& random) {
  double q[4], norm = 0;
  for (double& x : q) {
    x = uniform(random);
    norm += x * x;
  }
  for (double& x : q) x /= std::sqrt(norm);
  const auto [w, x, y, z] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

double distance(const Mat3<double>& x, const Mat3<double>& y) {
  return std::sqrt(squared_norm(x - y));
}

/// Worst errors over many matrices, in units that do not depend on their size.
struct Worst {
  double orthogonality = 0, determinant = 0, reconstruction = 0;
  int disorders = 0, wrong_signs = 0, others = 0;

  void add(const Mat3<double>& F) {
    const Svd<double> d = svd(F);
    const double size = std::sqrt(squared_norm(F));
    const double unit = size > 0 ? size : 1;
    const Mat3<double> I = Mat3<double>::identity();
    orthogonality = std::max({orthogonality, distance(transpose_times(d.U, d.U), I),
                              distance(transpose_times(d.V, d.V), I)});
    determinant = std::max({determinant, std::abs(supple::determinant(d.U) - 1),
                            std::abs(supple::determinant(d.V) - 1)});
    reconstruction = std::max(reconstruction, distance(compose(d.U, d.s, d.V), F) / unit);
    // Equal stretches can come in either order, to rounding, and stretches below 1e-15 of the
    // largest belong to directions that rounding chooses.
    const double slack = 4e-15 * size;
    if (!(d.s[0] >= d.s[1] - slack && d.s[1] >= std::abs(d.s[2]) - slack)) ++disorders;
    // The determinant itself is known to a few roundings of |F|^3.
    const double J = supple::determinant(F) / unit / unit / unit;
    if (std::abs(J) > 1e-14 && d.s[2] * J < 0) ++wrong_signs;
    compare(F, d, unit);
  }

 private:
  void compare(const Mat3<double>& F, const Svd<double>& d, double unit) {
    Eigen::Matrix3d m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = F(i / 3, i % 3);
    const Eigen::Vector3d expected = Eigen::JacobiSVD<Eigen::Matrix3d>(m).singularValues();
    for (int i = 0; i < 3; ++i) {
      if (!(std::abs(std::abs(d.s[i]) - expected[i]) < 1e-14 * unit)) ++others;
    }
  }
};

/// Measured worst over all kinds: 4e-15 (rotations) and 3e-15 (reconstruction), norms of 3x3
/// matrices.
void expect_accurate(const Worst& worst, const std::string& kind) {
  EXPECT_LT(worst.orthogonality, 1e-14) << kind;
  EXPECT_LT(worst.determinant, 1e-14) << kind;
  EXPECT_LT(worst.reconstruction, 1e-14) << kind;
  EXPECT_EQ(worst.disorders, 0) << kind;
  EXPECT_EQ(worst.wrong_signs, 0) << kind;
  EXPECT_EQ(worst.others, 0) << kind;
}

TEST(Svd, DecomposesRandomMatricesOfBothSigns) {
  Random random(1);
  Worst worst;
  for (int i = 0; i < 100000; ++i) worst.add(random_matrix(random));
  expect_accurate(worst, "random");
}

TEST(Svd, DecomposesMatricesOfEverySize) {
  Random random(2);
  for (double scale : {1e-70, 1e-30, 1e-6, 1e-3, 1e3, 1e6, 1e30, 1e70}) {
    Worst worst;
    for (int i = 0; i < 5000; ++i) worst.add(scale * random_matrix(random));
    expect_accurate(worst, "scale " + std::to_string(std::log10(scale)));
  }
}

TEST(Svd, DecomposesRepeatedAndNearlyRepeatedStretches) {
  Random random(3);
  for (double gap : {0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-4}) {
    Worst worst;
    for (int i = 0; i < 2000; ++i) {
      const Mat3<double> U = random_rotation(random), V = random_rotation(random);
      worst.add(compose(U, {{1 + gap, 1, 0.5}}, V));
      worst.add(compose(U, {{1.5, 1 + gap, 1}}, V));
      worst.add(compose(U, {{1 + gap, 1, 1 - gap}}, V));
      worst.add(compose(U, {{1 + gap, 1, -1}}, V));
    }
    expect_accurate(worst, "gap 1e" + std::to_string(std::log10(gap)));
  }
}

TEST(Svd, DecomposesMatricesWithoutFullRank) {
  Random random(4);
  for (double small : {0.0, 1e-300, 1e-17, 1e-15, 1e-12, 1e-8, -1e-8, -1e-15}) {
    Worst worst;
    for (int i = 0; i < 2000; ++i) {
      const Mat3<double> U = random_rotation(random), V = random_rotation(random);
      worst.add(compose(U, {{1, 0.3, small}}, V));
      worst.add(compose(U, {{1, std::abs(small), small}}, V));
    }
    expect_accurate(worst, "small 1e" + std::to_string(std::log10(std::abs(small))));
  }
}

TEST(Svd, DecomposesMatricesOfWholeNumbers) {
  // All matrices with entries -1, 0, 1: zero columns, permutations, reflections, ties.
  Worst worst;
  for (int code = 0; code < 19683; ++code) {
    Mat3<double> F;
    for (int i = 0, rest = code; i < 9; ++i, rest /= 3) F(i / 3, i % 3) = rest % 3 - 1;
    worst.add(F);
  }
  expect_accurate(worst, "whole");
}

TEST(Svd, DecomposesGradedMatrices) {
  Random random(5);
  Worst worst;
  for (int i = 0; i < 20000; ++i) {
    Mat3<double> F = random_matrix(random);
    for (int k = 0; k < 9; ++k) F(k / 3, k % 3) *= std::pow(10.0, -6 * std::abs(uniform(random)));
    worst.add(F);
  }
  expect_accurate(worst, "graded");
}

TEST(Svd, OfTheIdentityIsExact) {
  const Svd<double> d = svd(Mat3<double>::identity());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(d.s[i], 1);
}

TEST(Svd, OfZeroIsZeroWithRotations) {
  const Svd<double> d = svd(Mat3<double>::zero());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(d.s[i], 0);
  EXPECT_NEAR(determinant(d.U), 1, 1e-15);
  EXPECT_NEAR(determinant(d.V), 1, 1e-15);
}

TEST(Svd, OfABatchHasTheBitsOfTheScalar) {
  Random random(6);
  for (int round = 0; round < 2000; ++round) {
    Mat3<Batch8> F;
    Mat3<double> lanes[8];
    for (int lane = 0; lane < 8; ++lane) {
      lanes[lane] = random_matrix(random);
      if (lane == 6) lanes[lane].set_column(1, lanes[lane].column(0));
      if (lane == 7) lanes[lane] = Mat3<double>::zero();
      for (int i = 0; i < 9; ++i) F(i / 3, i % 3).set(lane, lanes[lane](i / 3, i % 3));
    }
    const Svd<Batch8> batch = svd(F);
    for (int lane = 0; lane < 8; ++lane) {
      const Svd<double> single = svd(lanes[lane]);
      for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(batch.U(i / 3, i % 3)[lane], single.U(i / 3, i % 3));
        ASSERT_EQ(batch.V(i / 3, i % 3)[lane], single.V(i / 3, i % 3));
      }
      for (int i = 0; i < 3; ++i) ASSERT_EQ(batch.s[i][lane], single.s[i]);
    }
  }
}

}  // namespace
}  // namespace supple
