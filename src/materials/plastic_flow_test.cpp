#include "materials/plastic_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "materials/neo_hookean.h"
#include "math/test_random.h"

namespace supple {
namespace {

using Matrix = Mat3<double>;

double distance(const Matrix& a, const Matrix& b) { return std::sqrt(squared_norm(a - b)); }

/// A matrix some way from the identity.
Matrix near_identity(testing::Random& random, double size) {
  return Matrix::identity() + testing::random_matrix(random, size);
}

/// The rates of F_p and of a at this F, as in the equation: dF_p/dt = (da/dt) (d/e) F_p.
struct Rate {
  Matrix F;
  double accumulated;
};
Rate rate_of(const PlasticitySettings& rule, const Matrix& F, const PlasticStrain& p) {
  const Svd<double> parts = svd(F * inverse(p.F));
  const Vector3<double> d = hencky_deviator(parts.s);
  const double e = equivalent_strain(d);
  const double above = e - rule.yield - rule.hardening * p.accumulated;
  if (!(above > 0)) return {Matrix::zero(), 0};
  const double rate = *rule.creep * above;
  const Matrix D =
      times_transpose(parts.V * Matrix::diagonal(d[0] / e, d[1] / e, d[2] / e), parts.V);
  return {rate * (D * p.F), rate};
}

/// Heun's method with many small steps.
template <class Path>
PlasticStrain by_heun(const PlasticitySettings& rule, const Path& path, double time, int steps) {
  PlasticStrain p;
  const double h = time / steps;
  for (int i = 0; i < steps; ++i) {
    const Rate first = rate_of(rule, path(h * i), p);
    const PlasticStrain ahead{p.F + h * first.F, p.accumulated + h * first.accumulated};
    const Rate second = rate_of(rule, path(h * (i + 1)), ahead);
    p.F = p.F + 0.5 * h * (first.F + second.F);
    p.accumulated += 0.5 * h * (first.accumulated + second.accumulated);
  }
  return p;
}

constexpr PlasticitySettings creeping{.yield = 0.02, .creep = 3, .hardening = 0.4, .max = 3};

/// While F stays, one step of any length is exact. The error of Heun's method is the square of its
/// step: (3/4000)^2 for strains of 0.5.
TEST(PlasticFlow, OfATetThatIsHeldFollowsTheEquationInOneStep) {
  testing::Random generator(1);
  for (int trial = 0; trial < 5; ++trial) {
    const Matrix F = near_identity(generator, 0.3);
    ASSERT_GT(determinant(F), 0);
    for (const double time : {0.1, 1.0}) {
      const PlasticStrain expected = by_heun(
          creeping, [&](double) { return F; }, time, 4000);
      PlasticStrain found;
      ASSERT_TRUE(flow(creeping, F, time, found));
      EXPECT_LT(distance(found.F, expected.F), 1e-6) << trial;
      EXPECT_NEAR(found.accumulated, expected.accumulated, 1e-6);
      EXPECT_GT(found.accumulated, 0.01);
    }
  }
}

/// If a moving tet flows after each step, the error is of first order in the length of the steps.
TEST(PlasticFlow, OfATetThatMovesConvergesToTheEquation) {
  testing::Random generator(2);
  const Matrix A = near_identity(generator, 0.3), B = near_identity(generator, 0.3);
  const auto path = [&](double t) {
    return (1 - t) * Matrix::identity() + (t * (1 - t)) * A + (t * t) * B;
  };
  const PlasticStrain expected = by_heun(creeping, path, 1, 4000);
  double before = 0;
  for (const int steps : {50, 100, 200}) {
    PlasticStrain found;
    for (int i = 1; i <= steps; ++i) {
      flow(creeping, path(1.0 * i / steps) * inverse(found.F), 1.0 / steps, found);
    }
    const double error = distance(found.F, expected.F);
    if (before > 0) {
      EXPECT_NEAR(before / error, 2, 0.15) << steps;
    }
    before = error;
  }
  EXPECT_GT(expected.accumulated, 0.05);
  EXPECT_LT(before, 5e-3);
}

TEST(PlasticFlow, KeepsTheVolumeToRounding) {
  testing::Random generator(3);
  PlasticStrain p;
  const PlasticitySettings rule{.yield = 0.02, .creep = 3, .hardening = 0, .max = 3};
  for (int i = 0; i < 10000; ++i) {
    flow(rule, near_identity(generator, 0.4) * inverse(p.F), 0.1, p);
  }
  EXPECT_NEAR(determinant(p.F), 1, 1e-14);
  EXPECT_GT(p.accumulated, 10);
}

TEST(PlasticFlow, AtOnceEndsAtItsLimit) {
  const PlasticitySettings rule{.yield = 0.05, .creep = {}, .hardening = 0.5, .max = 3};
  testing::Random generator(4);
  const Matrix F = near_identity(generator, 0.3);
  PlasticStrain p;
  ASSERT_TRUE(flow(rule, F, 1e-9, p));
  const Matrix F_e = F * inverse(p.F);
  EXPECT_NEAR(detail::plastic_strain(F_e), 0.05 + 0.5 * p.accumulated, 1e-13);
  EXPECT_FALSE(flow(rule, F_e, 1, p));
}

/// Turning the body changes nothing; turning the rest shape turns F_p.
TEST(PlasticFlow, TurnsWithTheRestShapeAndNotWithTheBody) {
  testing::Random generator(5);
  const Matrix F = near_identity(generator, 0.3);
  const Svd<double> some = svd(near_identity(generator, 1));
  const Matrix Q = times_transpose(some.U, some.V);
  PlasticStrain p, of_body, of_rest;
  flow(creeping, F, 0.3, p);
  flow(creeping, Q * F, 0.3, of_body);
  flow(creeping, F * Q, 0.3, of_rest);
  EXPECT_LT(distance(of_body.F, p.F), 1e-14);
  EXPECT_LT(distance(of_rest.F, transpose(Q) * p.F * Q), 1e-14);
}

TEST(PlasticFlow, NeverGivesEnergy) {
  testing::Random generator(6);
  const NeoHookean<double> material{1, 3};
  int num_flown = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Matrix F = near_identity(generator, 0.5);
    PlasticStrain p;
    if (!flow(creeping, F, 0.01 * (1 + trial % 300), p)) continue;
    ++num_flown;
    EXPECT_LE(material.energy_density(F * inverse(p.F)), material.energy_density(F) + 1e-14);
  }
  EXPECT_GT(num_flown, 1000);
}

TEST(PlasticFlow, GoesNoFurtherThanItsMost) {
  const PlasticitySettings rule{.yield = 0.01, .creep = {}, .hardening = 0, .max = 0.2};
  testing::Random generator(7);
  PlasticStrain p;
  double most = 0;
  for (int i = 0; i < 300; ++i) {
    flow(rule, near_identity(generator, 0.4) * inverse(p.F), 0.1, p);
    most = std::max(most, detail::plastic_strain(p.F));
  }
  EXPECT_LE(most, 0.2 + 1e-12);
  EXPECT_GT(most, 0.2 - 1e-6);
  // It can flow back from there.
  const double before = p.accumulated;
  EXPECT_TRUE(flow(rule, inverse(p.F), 0.1, p));
  EXPECT_GT(p.accumulated, before);
  EXPECT_LT(detail::plastic_strain(p.F), 0.1);
}

/// Strains below the limit, inverted tets, and what is not a number at all.
TEST(PlasticFlow, LeavesAloneWhatDoesNotFlow) {
  const PlasticitySettings rule{.yield = 0.1, .creep = {}, .hardening = 0, .max = 1};
  PlasticStrain p;
  const auto stretched = [](double s) {
    return Matrix::diagonal(s, 1 / std::sqrt(s), 1 / std::sqrt(s));
  };
  EXPECT_FALSE(flow(rule, stretched(std::exp(0.0999)), 1, p));
  EXPECT_FALSE(flow(rule, stretched(std::exp(-0.0999)), 1, p));
  EXPECT_FALSE(flow(rule, 3.0 * Matrix::identity(), 1, p));
  EXPECT_FALSE(flow(rule, Matrix::diagonal(1, 1, -1), 1, p));
  EXPECT_FALSE(flow(rule, Matrix::diagonal(1, 1, 0), 1, p));
  EXPECT_FALSE(flow(rule, Matrix::diagonal(1, NAN, 1), 1, p));
  EXPECT_EQ(p.accumulated, 0);
  EXPECT_TRUE(flow(rule, stretched(std::exp(0.1001)), 1, p));
  EXPECT_NEAR(p.accumulated, 0.0001, 1e-12);
}

/// The bound that saves decompositions never leaves out a tet that flows.
TEST(PlasticFlow, TheBoundIsOne) {
  testing::Random generator(8);
  int num_spared = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const Matrix F = near_identity(generator, 0.01 + 0.05 * (trial % 7));
    const double limit = 0.02 * (1 + trial % 9);
    if (!detail::is_surely_elastic(F, limit)) continue;
    ++num_spared;
    EXPECT_LE(detail::plastic_strain(F), limit * (1 + 1e-12));
  }
  EXPECT_GT(num_spared, 500);
}

}  // namespace
}  // namespace supple
