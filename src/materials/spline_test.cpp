#include "materials/spline.h"

#include <gtest/gtest.h>

#include "materials/test_support.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace supple::testing;

SplineModel spline_model(const MaterialSettings& settings) {
  return std::get<SplineModel>(make_material(settings, "test"));
}

Mat3<double> uniaxial(double s) { return Mat3<double>::diagonal(s, 1, 1); }

/// Newton's method with the projected Hessian and backtracking, on one deformation gradient.
template <class Material>
Mat3<double> minimise_density(const Material& material, Mat3<double> F) {
  for (int iteration = 0; iteration < 200; ++iteration) {
    Mat3<double> P;
    const double energy = material.energy_and_stress(F, P);
    const Hessian9 H = hessian(material, F, true);
    Eigen::Matrix<double, 9, 9> m;
    Eigen::Matrix<double, 9, 1> g;
    double diagonal = 0;
    for (std::size_t r = 0; r < 9; ++r) {
      g[static_cast<int>(r)] = P(static_cast<int>(r / 3), static_cast<int>(r % 3));
      diagonal += H[r][r];
      for (std::size_t c = 0; c < 9; ++c) m(static_cast<int>(r), static_cast<int>(c)) = H[r][c];
    }
    m.diagonal().array() += 1e-9 * diagonal;
    const Eigen::Matrix<double, 9, 1> p = -m.ldlt().solve(g);
    double step = 1;
    Mat3<double> next;
    do {
      for (int i = 0; i < 9; ++i) next(i / 3, i % 3) = F(i / 3, i % 3) + step * p[i];
      step /= 2;
    } while (step > 1e-12 && material.energy_density(next) > energy + 1e-3 * step * p.dot(g));
    F = next;
  }
  return F;
}

TEST(Spline, DenseSamplesOfNeoHookeanAreNeoHookean) {
  const NeoHookean<double> source{2, 3};
  MaterialSettings settings;
  settings.model = "spline";
  for (int i = -100; i <= 300; ++i) {
    const double x = 0.01 * i;
    settings.spline_a.points.emplace_back(x, source.da(x));
    settings.spline_c.points.emplace_back(x, source.dc(x));
  }
  const SplineModel model = spline_model(settings);
  const auto spline = model.at<double>(nullptr);
  for (const Deformation& d : deformations()) {
    Mat3<double> P, Q;
    const double expected = source.energy_and_stress(d.F, P);
    // The interpolation error h^4 c^(5)/384, with h = 0.01 and c^(5) = 24 lambda log(10) / 0.1^5 at
    // worst, is 5e-4; the energies integrate it.
    EXPECT_NEAR(spline.energy_and_stress(d.F, Q), expected, 1e-4) << d.kind;
    EXPECT_LT(largest(P - Q), 1e-3) << d.kind;
  }
}

TEST(Spline, StretchesThatAreNearToEachOtherGiveTheStressOfThePrincipalOnes) {
  MaterialSettings settings = spline_preset('B', 3, 5);
  settings.spline_b.points = {{-1, -1.5}, {0, -0.4}, {1, 0.5}, {2.5, 1}};
  const SplineModel model = spline_model(settings);
  const auto material = model.at<double>(nullptr);
  Random random(6);
  for (const double gap : {0.0, 1e-16, 1e-13, 1e-10, 1e-8, 2e-8, 1e-7, 1e-5, 1e-3, 0.1}) {
    for (int round = 0; round < 100; ++round) {
      const double s = uniform(random, 0.2, 2.2), t = uniform(random, 0.2, 2.2);
      for (const Vector3<double>& about :
           {Vector3<double>{{s, s + gap, t}}, Vector3<double>{{s, s + gap, s - gap * t}},
            Vector3<double>{{s, t, -gap}}, Vector3<double>{{1 + gap, 1, 1 - gap * s}}}) {
        const Mat3<double> F = compose(random_rotation(random), about, random_rotation(random));
        const Svd<double> d = svd(F);
        Mat3<double> P;
        const double energy = material.energy_and_stress(F, P);
        const Mat3<double> expected = compose(d.U, principal_stress(material, d.s), d.V);
        // Fifty roundings of the stress, which reaches 2 kPa at J = 0, over the least s2 + s3,
        // because a rounding of F turns R by that much.
        EXPECT_LT(largest(P - expected), 1e-14 * (largest(expected) / 0.2 + 10)) << gap;
        EXPECT_NEAR(energy, principal_energy(material, d.s), 2e-14 * (std::abs(energy) + 1)) << gap;
      }
    }
  }
}

TEST(Spline, ACurveWithoutPointsIsZero) {
  MaterialSettings settings;
  settings.model = "spline";
  settings.spline_a.points = {{0, -1}, {1, 0}, {2, 1}};
  const SplineModel model = spline_model(settings);
  const auto material = model.at<double>(nullptr);
  EXPECT_EQ(material.b(0.3), 0);
  EXPECT_EQ(material.dc(-2), 0);
  // a' = s - 1, so the density is half that of arap with mu = 1.
  const Arap<double> arap{0.5};
  for (const Deformation& d : deformations()) {
    EXPECT_NEAR(material.energy_density(d.F), arap.energy_density(d.F), 1e-14);
  }
}

TEST(SplinePreset, AResistsCompressionMoreAndTensionAlike) {
  const double mu = 3, lambda = 5;
  const SplineModel model = spline_model(spline_preset('A', mu, lambda));
  const auto A = model.at<double>(nullptr);
  const NeoHookean<double> neo{mu, lambda};
  for (double s : {0.8, 0.6, 0.4}) {
    EXPECT_LT(A.stress(uniaxial(s))(0, 0), neo.stress(uniaxial(s))(0, 0) * 1.01) << s;
  }
  // 20 (1 - 0.6)^3 mu = 1.28 mu more.
  EXPECT_NEAR(neo.stress(uniaxial(0.6))(0, 0) - A.stress(uniaxial(0.6))(0, 0), 1.28 * mu, 2e-3);
  for (double s : {1.1, 1.4, 2.0}) {
    // The control points of c' are 15 % apart, so the interpolant has an error of 1e-4 of the
    // stress.
    EXPECT_NEAR(A.stress(uniaxial(s))(0, 0), neo.stress(uniaxial(s))(0, 0), 1e-3) << s;
  }
}

TEST(SplinePreset, BResistsTensionMoreAndCompressionAlike) {
  const double mu = 3, lambda = 5;
  const SplineModel model = spline_model(spline_preset('B', mu, lambda));
  const auto B = model.at<double>(nullptr);
  const NeoHookean<double> neo{mu, lambda};
  EXPECT_NEAR(B.stress(uniaxial(1.4))(0, 0) - neo.stress(uniaxial(1.4))(0, 0), 0.64 * mu, 2e-3);
  EXPECT_GT(B.stress(uniaxial(2.2))(0, 0), 2 * neo.stress(uniaxial(2.2))(0, 0));
  for (double s : {0.9, 0.6, 0.45}) {
    EXPECT_NEAR(B.stress(uniaxial(s))(0, 0), neo.stress(uniaxial(s))(0, 0), 3e-3) << s;
  }
}

TEST(SplinePreset, TheRestShapeIsAtRestAndTheOnlyMinimum) {
  for (char which : {'A', 'B'}) {
    for (auto [mu, lambda] : {std::pair{3.0, 5.0}, {1.0, 0.0}, {1.0, 100.0}, {1e5, 4e5}}) {
      const SplineModel model = spline_model(spline_preset(which, mu, lambda));
      const auto m = model.at<double>(nullptr);
      EXPECT_EQ(largest(m.stress(Mat3<double>::identity())), 0);
      EXPECT_EQ(m.energy_density(Mat3<double>::identity()), 0);
      // The conditions from which spline.h concludes that there is no other minimum.
      for (int i = -400; i <= 800; ++i) {
        const double x = 0.0125 * i;
        EXPECT_GT(m.dda(x), 0) << which << x;
        if (x <= 0.1) {
          EXPECT_LT(m.da(x), 0) << which << x;
        }
        EXPECT_GT(m.ddc(x), 0) << which << x;
      }
      Random random(30);
      for (int i = 0; i < 20; ++i) {
        const Mat3<double> F = minimise_density(m, random_matrix(random, 1.5));
        EXPECT_LT(largest(transpose_times(F, F) - Mat3<double>::identity()), 1e-5) << which;
        EXPECT_GT(determinant(F), 0);
      }
    }
  }
}

TEST(SplinePreset, RefusesWhatItDoesNotKnow) {
  const double nan = std::nan("");
  EXPECT_THROW(spline_preset('C', 1, 1), Error);
  EXPECT_THROW(spline_preset('A', 0, 1), Error);
  EXPECT_THROW(spline_preset('A', 1, -1), Error);
  EXPECT_THROW(spline_preset('B', nan, 1), Error);
  EXPECT_THROW(spline_preset('B', 1, nan), Error);
}

}  // namespace
}  // namespace supple
