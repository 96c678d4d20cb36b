#include "materials/step_damping.h"

#include <gtest/gtest.h>

#include "materials/test_support.h"

namespace supple {
namespace {

using namespace supple::testing;

constexpr double weight = 7;

/// F_n and where a step from it leads, for every pair of the example deformations.
template <class Visit>
void visit_steps(const Visit& visit) {
  for (const Deformation& from : deformations()) {
    for (const Deformation& to : deformations()) visit(StepDamping<double>{weight, from.F}, to.F);
  }
}

Mat3<double> moved(Mat3<double> F, int entry, double by) {
  F(entry / 3, entry % 3) += by;
  return F;
}

/// s_2 + s_3 of F F_n^T over s_1: if it is small, the nearest rotation has few digits.
double definiteness(const StepDamping<double>& damping, const Mat3<double>& F) {
  const Svd<double> parts = svd(times_transpose(F, damping.before));
  return (parts.s[1] + parts.s[2]) / parts.s[0];
}

TEST(StepDamping, StressIsTheDerivativeOfTheEnergy) {
  int compared = 0;
  visit_steps([&](const StepDamping<double>& damping, const Mat3<double>& F) {
    if (definiteness(damping, F) < 0.05) return;
    Mat3<double> P;
    EXPECT_EQ(damping.energy_and_stress(F, P), damping.energy_density(F));
    constexpr double step = 1e-5;
    for (int i = 0; i < 9; ++i) {
      const double slope =
          (damping.energy_density(moved(F, i, step)) - damping.energy_density(moved(F, i, -step))) /
          (2 * step);
      // Third derivatives are at most about 100 w/definiteness^2, and are multiplied by step^2.
      EXPECT_NEAR(P(i / 3, i % 3), slope, 1e-6 * weight);
    }
    ++compared;
  });
  EXPECT_GT(compared, 20);
}

TEST(StepDamping, TurningCostsNothingAndAnyTurnOfTheResultChangesNothing) {
  Random random(3);
  visit_steps([&](const StepDamping<double>& damping, const Mat3<double>& F) {
    const Mat3<double> R = random_rotation(random);
    Mat3<double> P;
    const double scale = weight * squared_norm(damping.before);
    // Rounding of the rotation over its definiteness, squared.
    EXPECT_LT(damping.energy_and_stress(R * damping.before, P), 1e-20 * scale);
    EXPECT_NEAR(damping.energy_density(R * F), damping.energy_density(F),
                1e-12 * (scale + weight * squared_norm(F)));
  });
}

/// At F_n = I the energy is w/2 |e|^2 of the strain e alone.
TEST(StepDamping, CostsTheSquareOfTheStrainOfTheStep) {
  Random random(5);
  Mat3<double> change;
  for (int i = 0; i < 9; ++i) change(i / 3, i % 3) = uniform(random, -1e-4, 1e-4);
  const Mat3<double> F = Mat3<double>::identity() + change;
  const double expected = 0.5 * weight * squared_norm(0.5 * (change + transpose(change)));
  const StepDamping<double> damping{weight, Mat3<double>::identity()};
  // The next order is the strain times the turn squared.
  EXPECT_NEAR(damping.energy_density(F), expected, 1e-3 * expected);
}

using Matrix9 = Eigen::Matrix<double, 9, 9>;

Matrix9 matrix(const StepDamping<double>::Hessian& hessian) {
  Matrix9 H;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      Vector3<double> g{{0, 0, 0}}, other{{0, 0, 0}};
      g[a] = 1, other[b] = 1;
      const Mat3<double> K = hessian.block(g, other);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) H(3 * r + a, 3 * c + b) = K(r, c);
      }
    }
  }
  return H;
}

TEST(StepDamping, HessianIsTheDerivativeOfTheStress) {
  int compared = 0;
  visit_steps([&](const StepDamping<double>& damping, const Mat3<double>& F) {
    if (definiteness(damping, F) < 0.1) return;
    const Matrix9 H = matrix(damping.hessian(F));
    constexpr double step = 1e-6;
    for (int i = 0; i < 9; ++i) {
      Mat3<double> above, below;
      damping.energy_and_stress(moved(F, i, step), above);
      damping.energy_and_stress(moved(F, i, -step), below);
      for (int k = 0; k < 9; ++k) {
        const double slope = (above(k / 3, k % 3) - below(k / 3, k % 3)) / (2 * step);
        // Rounding over the step, and 1e-9 from G over the square of the definiteness.
        EXPECT_NEAR(H(k, i), slope, 1e-6 * weight);
      }
    }
    ++compared;
  });
  EXPECT_GT(compared, 20);
}

TEST(StepDamping, PositiveHessianIsThatOfAStepWithoutStrainAndBoundedByTheConstantMatrix) {
  Random random(7);
  visit_steps([&](const StepDamping<double>& damping, const Mat3<double>& F) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix(damping.positive_hessian(F)))
            .eigenvalues();
    // Allows for the share of 1e-9 that keeps G regular.
    EXPECT_GT(values[0], -1e-8 * weight);
    EXPECT_LT(values[8], (1 + 1e-8) * weight);
    const Mat3<double> turned = random_rotation(random) * damping.before;
    if (definiteness(damping, turned) < 0.05) return;
    const Matrix9 difference =
        matrix(damping.positive_hessian(turned)) - matrix(damping.hessian(turned));
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-8 * weight);
  });
}

}  // namespace
}  // namespace supple
