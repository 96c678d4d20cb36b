#include <gtest/gtest.h>

#include "materials/test_support.h"

namespace supple {
namespace {

using namespace supple::testing;

template <class Model>
class Material : public ::testing::Test {
 protected:
  Example<Model> example_;
};
TYPED_TEST_SUITE(Material, AllModels, ModelNames);

TYPED_TEST(Material, HasTheDensityOfTheContract) {
  const auto material = this->example_.template at<double>();
  for (const Deformation& d : deformations()) {
    Vector3<double> s{};
    if (d.distinct) {
      s = reference_stretches(d.F, d.F);
    } else if (d.kind == "at rest" || d.kind == "turned") {
      s = {{1, 1, 1}};
    } else {
      continue;  // the reference needs distinct stretches
    }
    const double expected = reference_density(this->example_, d.F, s);
    // Sums of a few terms of the size of the stiffness, and stretches as square roots of
    // eigenvalues, whose rounding is that of the largest.
    EXPECT_NEAR(material.energy_density(d.F), expected, 1e-13 * (10 + std::abs(expected)))
        << d.kind;
  }
}

TYPED_TEST(Material, StressIsTheGradientOfTheContractsDensity) {
  const auto material = this->example_.template at<double>();
  int compared = 0;
  for (const Deformation& d : deformations()) {
    if (!d.distinct) continue;
    const Mat3<Dual> F = variables(d.F);
    const Dual density = reference_density(this->example_, F, reference_stretches(F, d.F));
    const Mat3<double> P = material.stress(d.F);
    const double scale = 1 + largest(P);
    for (int i = 0; i < 9; ++i) {
      // Derivatives are exact. What is left is rounding, raised by the gaps between the squared
      // stretches (at least 0.2).
      EXPECT_NEAR(P(i / 3, i % 3), density.derivatives()[i], 1e-12 * scale) << d.kind;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 21);
}

TYPED_TEST(Material, StressIsTheDifferenceQuotientOfItsEnergy) {
  const auto material = this->example_.template at<double>();
  const double h = 1e-5;
  for (const Deformation& d : deformations()) {
    Mat3<double> P;
    const double energy = material.energy_and_stress(d.F, P);
    // Equal, apart from fused multiply-adds that g++ 12 puts into one of two inlined copies.
    EXPECT_NEAR(energy, material.energy_density(d.F), 1e-14 * (1 + std::abs(energy))) << d.kind;
    EXPECT_LT(largest(P - material.stress(d.F)), 1e-13 * (1 + largest(P))) << d.kind;
    for (int i = 0; i < 9; ++i) {
      Mat3<double> up = d.F, down = d.F;
      up(i / 3, i % 3) += h;
      down(i / 3, i % 3) -= h;
      const double quotient =
          (material.energy_density(up) - material.energy_density(down)) / (2 * h);
      // Truncation h^2 Psi'''/6 (Psi''' is up to 1e5 where the extended logarithm is steep) and
      // rounding 1e-16 Psi / h.
      EXPECT_NEAR(P(i / 3, i % 3), quotient, 1e-6 * (1 + largest(P))) << d.kind;
    }
  }
}

TYPED_TEST(Material, IsInvariantUnderRotationsOnBothSides) {
  const auto material = this->example_.template at<double>();
  Random random(3);
  for (const Deformation& d : deformations()) {
    const Mat3<double> R = random_rotation(random), Q = random_rotation(random);
    const Mat3<double> turned = R * d.F * Q;
    const double energy = material.energy_density(d.F);
    const Mat3<double> P = material.stress(d.F);
    const double scale = 1 + largest(P);
    EXPECT_NEAR(material.energy_density(turned), energy, 1e-13 * (scale + std::abs(energy)));
    // P(R F Q) = R P(F) Q. Stresses near the steep extension of the logarithm have slopes of 1e4.
    EXPECT_LT(largest(material.stress(turned) - R * P * Q), 1e-11 * scale) << d.kind;
  }
}

TYPED_TEST(Material, HasNoStressAtRest) {
  const auto material = this->example_.template at<double>();
  EXPECT_LT(largest(material.stress(Mat3<double>::identity())), 1e-14);
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    // A rotation is orthogonal up to 1e-15; the stiffest example has a c'' of 1e2.
    EXPECT_LT(largest(material.stress(random_rotation(random))), 1e-13);
  }
}

TYPED_TEST(Material, HasItsLeastEnergyAtRest) {
  const auto material = this->example_.template at<double>();
  const double rest = material.energy_density(Mat3<double>::identity());
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Mat3<double> F = Mat3<double>::identity() + random_matrix(random, 0.3);
    if (std::is_same_v<TypeParam, StrainLimitModel>) {
      EXPECT_GE(material.energy_density(F), rest);  // rest is one of many
    } else {
      EXPECT_GT(material.energy_density(F), rest);
    }
  }
}

TYPED_TEST(Material, TheTermsOfTheStretchesAddUpToEnergyAndStress) {
  const auto material = this->example_.template at<double>();
  for (const Deformation& d : deformations()) {
    const Svd<double> frame = svd(d.F);
    Mat3<double> P;
    const double energy = material.energy_and_stress(d.F, P);
    const double scale = 1 + std::abs(energy) + largest(P);
    EXPECT_NEAR(principal_energy(material, frame.s), energy, 1e-12 * scale) << d.kind;
    const Mat3<double> composed = compose(frame.U, principal_stress(material, frame.s), frame.V);
    EXPECT_LT(largest(composed - P), 1e-12 * scale) << d.kind;
  }
}

TYPED_TEST(Material, IsFiniteWhereNothingIsLeftOfTheElement) {
  const auto material = this->example_.template at<double>();
  Random random(6);
  std::vector<Mat3<double>> collapsed = {
      Mat3<double>::zero(), with_stretches(random, 1, 0, 0), with_stretches(random, 1, 1, 0),
      with_stretches(random, 1, 0.5, -0.5), with_stretches(random, 50, -30, 20)};
  for (const Mat3<double>& F : collapsed) {
    Mat3<double> P;
    EXPECT_TRUE(std::isfinite(material.energy_and_stress(F, P)));
    EXPECT_TRUE(std::isfinite(largest(P)));
    for (int i = 0; i < 9; ++i) EXPECT_TRUE(std::isfinite(P(i / 3, i % 3)));
  }
}

template <class Model>
class Terms : public Material<Model> {};
TYPED_TEST_SUITE(Terms, ModelsOfTerms, ModelNames);

TYPED_TEST(Terms, EachIsTheIntegralOfItsDerivative) {
  const auto m = this->example_.template at<double>();
  const double h = 1e-5;
  for (double x = -1.65; x < 2.9; x += 0.1) {
    // Points are 0.013 above odd multiples of 0.05, more than h away from the kinks of third
    // derivatives at 0.1 and at control points.
    const double y = x + 0.013;
    const auto near = [&](double quotient, double derivative, double size) {
      EXPECT_NEAR(quotient, derivative, 1e-6 * (1 + std::abs(derivative) + std::abs(size))) << y;
    };
    near((m.a(y + h) - m.a(y - h)) / (2 * h), m.da(y), m.a(y));
    near((m.da(y + h) - m.da(y - h)) / (2 * h), m.dda(y), m.da(y));
    near((m.b(y + h) - m.b(y - h)) / (2 * h), m.db(y), m.b(y));
    near((m.db(y + h) - m.db(y - h)) / (2 * h), m.ddb(y), m.db(y));
    near((m.c(y + h) - m.c(y - h)) / (2 * h), m.dc(y), m.c(y));
    near((m.dc(y + h) - m.dc(y - h)) / (2 * h), m.ddc(y), m.dc(y));
  }
}

TYPED_TEST(Terms, SlopesAreDividedDifferences) {
  const auto m = this->example_.template at<double>();
  for (double p : {-1.2, 0.33, 1.0, 1.7}) {
    for (double q : {-0.9, 0.21, 0.66, 1.45}) {
      EXPECT_NEAR(m.slope_a(p, q), (m.da(p) - m.da(q)) / (p - q), 1e-11 * (1 + std::abs(m.da(p))));
      EXPECT_NEAR(m.slope_b(p, q), (m.db(p) - m.db(q)) / (p - q), 1e-11 * (1 + std::abs(m.db(p))));
    }
    EXPECT_NEAR(m.slope_a(p, p), m.dda(p), 1e-12 * (1 + std::abs(m.dda(p))));
    EXPECT_NEAR(m.slope_b(p, p), m.ddb(p), 1e-12 * (1 + std::abs(m.ddb(p))));
  }
}

TYPED_TEST(Terms, OfASmoothMaterialHaveOddDerivatives) {
  const auto m = this->example_.template at<double>();
  const bool odd = std::abs(m.da(0.7) + m.da(-0.7)) < 1e-13 && m.db(0.7) + m.db(-0.7) == 0;
  EXPECT_EQ(odd, decltype(m)::smooth);
}

// ------------------------------------------------------------------------- single materials

TEST(NeoHookean, WithTheTermsOfNeoHookeanValanisLandelIsNeoHookean) {
  const NeoHookean<double> source{2, 7};
  MaterialSettings settings;
  settings.model = "valanis_landel";
  settings.a = {[=](double s) { return source.a(s); }, [=](double s) { return source.da(s); },
                [=](double s) { return source.dda(s); }};
  settings.c = {[=](double J) { return source.c(J); }, [=](double J) { return source.dc(J); },
                [=](double J) { return source.ddc(J); }};
  const auto model = std::get<ValanisLandelModel>(make_material(settings, "test"));
  const auto material = model.at<double>(nullptr);
  for (const Deformation& d : deformations()) {
    Mat3<double> P, Q;
    const double expected = source.energy_and_stress(d.F, P);
    const double scale = 1 + std::abs(expected) + largest(P);
    EXPECT_NEAR(material.energy_and_stress(d.F, Q), expected, 1e-12 * scale) << d.kind;
    EXPECT_LT(largest(P - Q), 1e-12 * scale) << d.kind;
  }
}

TEST(MooneyRivlin, WithoutTheSecondInvariantIsNeoHookean) {
  const MooneyRivlin<double> mooney{1.25, 0, 4};
  const NeoHookean<double> neo{2.5, 4};
  for (const Deformation& d : deformations()) {
    Mat3<double> P, Q;
    const double expected = neo.energy_and_stress(d.F, P);
    const double scale = 1 + std::abs(expected) + largest(P);
    EXPECT_NEAR(mooney.energy_and_stress(d.F, Q), expected, 1e-14 * scale) << d.kind;
    EXPECT_LT(largest(P - Q), 1e-14 * scale) << d.kind;
  }
}

TEST(Arap, IsCorotatedWithoutLambda) {
  const Arap<double> arap{2};
  const Corotated<double> corotated{2, 0};
  for (const Deformation& d : deformations()) {
    Mat3<double> P, Q;
    EXPECT_DOUBLE_EQ(arap.energy_and_stress(d.F, P), corotated.energy_and_stress(d.F, Q));
    EXPECT_LT(largest(P - Q), 1e-14);
  }
}

TEST(Stvk, CannotTellAReflection) {
  const Stvk<double> material{2, 3};
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    Mat3<double> F = random_matrix(random, 1), G = F;
    for (int c = 0; c < 3; ++c) G(0, c) = -F(0, c);
    EXPECT_EQ(material.energy_density(F), material.energy_density(G));
  }
}

TEST(ExtendedLog, IsTheLogarithmAndItsTaylorExpansion) {
  for (double J : {0.1, 0.11, 0.5, 1.0, 3.0, 1e6}) {
    const ExtendedLog<double> log = extended_log(J);
    EXPECT_NEAR(log.value, std::log(J), 1e-15 * (1 + std::abs(std::log(J))));
    EXPECT_DOUBLE_EQ(log.first, 1 / J);
    EXPECT_DOUBLE_EQ(log.second, -1 / (J * J));
  }
  for (double J : {0.09, 0.0, -0.3, -20.0}) {
    const ExtendedLog<double> log = extended_log(J);
    const double r = (J - 0.1) / 0.1;
    EXPECT_NEAR(log.value, std::log(0.1) + r - r * r / 2, 1e-15 * (1 + r * r));
    EXPECT_NEAR(log.first, (1 - r) / 0.1, 1e-14 * (1 - r) / 0.1);
    EXPECT_DOUBLE_EQ(log.second, -100);
  }
  EXPECT_EQ(extended_log(1.0).value, 0);
}

}  // namespace
}  // namespace supple
