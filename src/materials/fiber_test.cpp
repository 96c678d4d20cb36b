#include "materials/fiber.h"

#include <gtest/gtest.h>

#include "materials/test_support.h"

namespace supple {
namespace {

using namespace supple::testing;

const Fiber<double> fiber{{{2.0 / 3, -1.0 / 3, 2.0 / 3}}, 4};

TEST(Fiber, StressAndHessianAreTheDerivativesOfTheDensity) {
  const Fiber<Dual> dual{{{Dual(2.0 / 3), Dual(-1.0 / 3), Dual(2.0 / 3)}}, Dual(4.0)};
  for (const Deformation& d : deformations()) {
    Mat3<Dual> D;
    const Dual density = dual.energy_and_stress(variables(d.F), D);
    Mat3<double> P;
    EXPECT_EQ(fiber.energy_and_stress(d.F, P), fiber.energy_density(d.F));
    const Hessian9 H = hessian(fiber, d.F, false);
    for (int r = 0; r < 9; ++r) {
      EXPECT_NEAR(P(r / 3, r % 3), density.derivatives()[r], 1e-14) << d.kind;
      for (int c = 0; c < 9; ++c) {
        EXPECT_NEAR(H[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)],
                    D(r / 3, r % 3).derivatives()[c], 1e-13)
            << d.kind;
      }
    }
  }
}

TEST(Fiber, DensityIsThatOfTheStretchAlongTheDirection) {
  const Mat3<double> F = Mat3<double>::diagonal(1.5, 0.7, 1.1);
  const Fiber<double> along{{{1, 0, 0}}, 4};
  EXPECT_DOUBLE_EQ(along.energy_density(F), 0.5 * 4 * 0.25);
  const Mat3<double> P = along.stress(F);
  EXPECT_DOUBLE_EQ(P(0, 0), 4 * 0.5);
  for (int i = 1; i < 9; ++i) EXPECT_EQ(P(i / 3, i % 3), 0);
}

TEST(Fiber, HasNoStressAtRestAndIsInvariantUnderRotationsOfTheWorld) {
  EXPECT_LT(largest(fiber.stress(Mat3<double>::identity())), 1e-15);
  Random random(20);
  for (const Deformation& d : deformations()) {
    const Mat3<double> R = random_rotation(random);
    EXPECT_NEAR(fiber.energy_density(R * d.F), fiber.energy_density(d.F), 1e-14);
  }
}

TEST(Fiber, TheProjectedHessianOfACompressedFiberIsPositive) {
  Eigen::Matrix3d m;
  const Mat3<double> F = 0.5 * Mat3<double>::identity();
  const Mat3<double> B = fiber.hessian_block(F, true);
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = B(i / 3, i % 3);
  const Eigen::Vector3d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m).eigenvalues();
  // kappa along the fiber, and nothing across instead of kappa (1 - 1/0.5).
  EXPECT_NEAR(values[0], 0, 1e-15);
  EXPECT_NEAR(values[1], 0, 1e-15);
  EXPECT_NEAR(values[2], 4, 1e-14);
  EXPECT_EQ(largest(fiber.hessian_block(Mat3<double>::diagonal(2, 2, 2), true) -
                    fiber.hessian_block(Mat3<double>::diagonal(2, 2, 2), false)),
            0);
}

TEST(Fiber, IsFiniteWhereTheFiberHasNoLength) {
  for (double size : {0.0, 1e-300, 1e-160, 1e-12}) {
    const Mat3<double> F = Mat3<double>::diagonal(size, size, size);
    Mat3<double> P;
    EXPECT_NEAR(fiber.energy_and_stress(F, P), 2, 1e-11);
    EXPECT_TRUE(std::isfinite(largest(P)));
    for (bool project : {false, true}) {
      const Mat3<double> B = fiber.hessian_block(F, project);
      for (int i = 0; i < 9; ++i) {
        EXPECT_TRUE(std::isfinite(P(i / 3, i % 3)));
        EXPECT_TRUE(std::isfinite(B(i / 3, i % 3)));
      }
    }
  }
}

}  // namespace
}  // namespace supple
