#include "materials/fiber.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "materials/test_support.h"
#include "supple/error.h"

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

SplineCurve points_of_curve() {
  return {{{0.4, -9}, {0.8, -1}, {1, 0}, {1.3, 0.5}, {1.6, 4}, {2, 5}}};
}

/// Random deformations, two of which stretch the fibers far beyond the curve's ends.
std::vector<Mat3<double>> deformations_of_curve() {
  std::vector<Mat3<double>> list{Mat3<double>::diagonal(3, 0.2, 2.5),
                                 Mat3<double>::diagonal(0.1, 0.2, 0.15)};
  for (const Deformation& d : deformations()) list.push_back(d.F);
  return list;
}

TEST(FiberCurve, StressAndHessianAreDifferenceQuotients) {
  const auto curve = make_fiber_curve(points_of_curve(), "curve");
  Fiber<double> curved = fiber;
  curved.curve = curve.get();
  for (const Mat3<double>& F : deformations_of_curve()) {
    Mat3<double> P;
    EXPECT_EQ(curved.energy_and_stress(F, P), curved.energy_density(F));
    const Hessian9 H = hessian(curved, F, false);
    const double h = 1e-6;
    for (int c = 0; c < 9; ++c) {
      Mat3<double> more = F, less = F;
      more(c / 3, c % 3) += h;
      less(c / 3, c % 3) -= h;
      // The rounding of the energy, about 1e2, over h, and h times the jumps of the third
      // derivative.
      EXPECT_NEAR(P(c / 3, c % 3),
                  (curved.energy_density(more) - curved.energy_density(less)) / (2 * h), 1e-7);
      const Mat3<double> slope = (0.5 / h) * (curved.stress(more) - curved.stress(less));
      for (int r = 0; r < 9; ++r) {
        EXPECT_NEAR(H[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)],
                    slope(r / 3, r % 3), 2e-4);
      }
    }
  }
}

TEST(FiberCurve, AlongAnAxisTheStressIsThatOfTheCurve) {
  const auto curve = make_fiber_curve(points_of_curve(), "curve");
  const Fiber<double> along{{{0, 1, 0}}, 1, curve.get()};
  for (const auto& [stretch, stress] : points_of_curve().points) {
    const Mat3<double> P = along.stress(Mat3<double>::diagonal(0.7, stretch, 1.9));
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(P(i / 3, i % 3), i == 4 ? stress : 0, 1e-15);
  }
}

TEST(FiberCurve, AStraightOneIsKappa) {
  const auto line = make_fiber_curve({{{0.5, -2}, {1, 0}, {2, 4}}}, "curve");
  Fiber<double> curved = fiber;
  curved.kappa = 1;
  curved.curve = line.get();
  for (const Mat3<double>& F : deformations_of_curve()) {
    Mat3<double> P, expected;
    EXPECT_NEAR(curved.energy_and_stress(F, P), fiber.energy_and_stress(F, expected), 1e-12);
    EXPECT_LT(largest(P - expected), 1e-12);
    for (const auto mode : {NegativeEigenvalues::keep, NegativeEigenvalues::clamp}) {
      EXPECT_LT(largest(curved.hessian_block(F, mode) - fiber.hessian_block(F, mode)), 1e-12);
    }
  }
}

TEST(FiberCurve, RotationsOfTheWorldAndOfTheDirectionChangeNothing) {
  const auto curve = make_fiber_curve(points_of_curve(), "curve");
  Fiber<double> curved = fiber;
  curved.curve = curve.get();
  Random random(21);
  for (const Mat3<double>& F : deformations_of_curve()) {
    const Mat3<double> R = random_rotation(random), Q = random_rotation(random);
    const double energy = curved.energy_density(F);
    EXPECT_NEAR(curved.energy_density(R * F), energy, 1e-12);
    // The body is turned by Q at rest, together with its fibers.
    Fiber<double> turned = curved;
    turned.direction = Q * curved.direction;
    EXPECT_NEAR(turned.energy_density(F * transpose(Q)), energy, 1e-12);
  }
}

/// As for materials: the least squares fit of k (s - 1).
TEST(FiberCurve, ItsConstantStiffnessIsTheFitOfItsStress) {
  const auto line = make_fiber_curve({{{0.5, -2}, {1, 0}, {2, 4}}}, "curve");
  EXPECT_NEAR(fit_curve_stiffness(*line, {0.3, 1.7}), 4, 1e-13);
  // Slack up to 1: the stress is 6 (s - 1) over half of the integral of (s - 1)^2.
  const auto slack = make_fiber_curve({{{0.9, 0}, {1, 0}, {1.5, 3}}}, "curve");
  double moment = 0, norm = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double s = 0.5 + (i + 0.5) / n;
    moment += (s - 1) * slack->value(s);
    norm += (s - 1) * (s - 1);
  }
  // The midpoint rule has an error of 1/n^2 relative to its second derivatives.
  EXPECT_NEAR(fit_curve_stiffness(*slack, {0.5, 1.5}), moment / norm, 1e-8);
}

TEST(FiberCurve, RefusesWhatIsNone) {
  const auto fault = [](const std::vector<std::pair<double, double>>& points) -> std::string {
    try {
      make_fiber_curve({points}, "/curve");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault({{1, 0}, {2, 1}}), "");
  EXPECT_EQ(make_fiber_curve({}, "/curve"), nullptr);
  for (const auto& [points, words] :
       std::vector<std::pair<std::vector<std::pair<double, double>>, std::string>>{
           {{{1, 0}}, "/curve: expected at least two"},
           {{{1, 0}, {1, 1}}, "/curve/1: control points must increase"},
           {{{0.5, -1}, {1, 0}, {1.2, 3}, {1.3, 2.9}}, "/curve/3: the stress falls from 3 to 2.9"},
           {{{0.5, -1}, {1, 0.1}}, "/curve: expected the control point [1, 0]"},
           {{{0.5, -1}, {1.5, 1}}, "/curve: expected the control point [1, 0]"},
           {{{1, 0}, {1 + 1e-15, 1e308}}, "/curve: the control points are too large or too close"},
           {{{1, 0}, {2, std::nan("")}}, "/curve/1: a control point must be finite"}}) {
    EXPECT_NE(fault(points).find(words), std::string::npos) << fault(points);
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
  // kappa along the fiber, and across it nothing instead of kappa (1 - 1/0.5).
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
