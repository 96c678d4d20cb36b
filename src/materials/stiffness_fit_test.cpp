#include <gtest/gtest.h>

#include "materials/test_support.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace supple::testing;
using Range = std::pair<double, double>;

const std::vector<Range> ranges = {{0.8, 1.2}, {0.5, 1.5}, {0.1, 2}, {0.9, 5}, {1e-3, 3}};

template <class Model>
double fit(std::vector<double> parameters, Range range) {
  return fit_stiffness(Model{}, parameters.data(), range);
}

/// int (x - 1)^2 dx.
double norm(Range r) { return (std::pow(r.second - 1, 3) - std::pow(r.first - 1, 3)) / 3; }

/// int (x - 1) f dx of Neo-Hookean by its antiderivatives. Above 0.1 it is
///   mu (x^3/3 - x^2/2 - x + log x) + lambda (x log x - x - log^2 x / 2);
/// below, with t = (x - 0.1)/0.1, (x - 1) c' is integrated by parts and L, L^2 are polynomials.
double neo_hookean_moment(double mu, double lambda, Range r) {
  const auto above = [&](double x) {
    const double l = std::log(x);
    return mu * (x * x * x / 3 - x * x / 2 - x + l) + lambda * (x * l - x - l * l / 2);
  };
  if (r.first >= 0.1) return above(r.second) - above(r.first);
  const double l0 = std::log(0.1);
  const auto below = [&](double x) {
    const double t = (x - 0.1) / 0.1;
    const double L = l0 + t - t * t / 2;
    const double int_L = l0 * t + t * t / 2 - t * t * t / 6;
    const double int_L2 = l0 * l0 * t + l0 * t * t + (1 - l0) * t * t * t / 3 - t * t * t * t / 4 +
                          t * t * t * t * t / 20;
    const double c = -mu * L + lambda / 2 * L * L;
    const double int_c = 0.1 * (-mu * int_L + lambda / 2 * int_L2);
    return mu * (x * x * x / 3 - x * x / 2) + (x - 1) * c - int_c;
  };
  return above(r.second) - above(0.1) + below(0.1) - below(r.first);
}

TEST(FitStiffness, OfNeoHookeanIsThatOfThePapersExactly) {
  // The thesis prints 2.0260 and 1.0480 for [0.8, 1.2], from coarse sampling.
  EXPECT_NEAR(fit<NeoHookeanModel>({1, 0}, {0.8, 1.2}), 2.0247, 5e-5);
  EXPECT_NEAR(fit<NeoHookeanModel>({0, 1}, {0.8, 1.2}), 1.0456, 5e-5);
  EXPECT_NEAR(fit<NeoHookeanModel>({1, 0}, {0.5, 1.5}), 2.1833, 5e-5);
  EXPECT_NEAR(fit<NeoHookeanModel>({0, 1}, {0.5, 1.5}), 1.3536, 5e-5);
}

TEST(FitStiffness, OfNeoHookeanIsExactToRounding) {
  for (Range r : ranges) {
    const double expected = neo_hookean_moment(2, 3, r) / norm(r);
    EXPECT_NEAR(fit<NeoHookeanModel>({2, 3}, r), expected, 1e-12 * expected) << r.first;
  }
}

TEST(FitStiffness, OfMooneyRivlinIsThatOfNeoHookeanWithItsShearModulus) {
  // Along one stretch c1 and c2 act as mu = 2 c1 + 4 c2.
  for (Range r : ranges) {
    const double expected = neo_hookean_moment(2 * 1.5 + 4 * 0.25, 7, r) / norm(r);
    EXPECT_NEAR(fit<MooneyRivlinModel>({1.5, 0.25, 7}, r), expected, 1e-12 * expected);
  }
}

TEST(FitStiffness, OfLinearStressesIsTheirSlope) {
  for (Range r : ranges) {
    EXPECT_NEAR(fit<CorotatedModel>({2, 5}, r), 2 * 2 + 5, 1e-12);
    EXPECT_NEAR(fit<ArapModel>({2}, r), 2 * 2, 1e-12);
    EXPECT_NEAR(fit<StableNeoHookeanModel>({2, 5}, r), 2 + 5, 1e-12);
  }
}

TEST(FitStiffness, OfPolynomialStressesIsExactToRounding) {
  EXPECT_NEAR(fit<PolynomialModel>({1}, {0.5, 1.5}), 0.6, 1e-13);
  for (Range r : ranges) {
    const double x = r.first, y = r.second;
    const double quartic = 4 * 3.0 * (std::pow(y - 1, 5) - std::pow(x - 1, 5)) / 5 / norm(r);
    EXPECT_NEAR(fit<PolynomialModel>({3}, r), quartic, 1e-12 * quartic);
    // f = (mu + lambda/2) (x^3 - x).
    const auto moment = [](double s) {
      return std::pow(s, 5) / 5 - std::pow(s, 4) / 4 - std::pow(s, 3) / 3 + s * s / 2;
    };
    const double stvk = (2 + 3 / 2.0) * (moment(y) - moment(x)) / norm(r);
    EXPECT_NEAR(fit<StvkModel>({2, 3}, r), stvk, 1e-12 * stvk);
  }
}

TEST(FitStiffness, OfSplinesIsExactAcrossTheirControlPoints) {
  const Example<SplineModel> example;
  const SplineCurves& curves = *example.model.curves;
  for (Range r : ranges) {
    // On every piece between control points, Boole's rule is exact for (x - 1) times a cubic.
    std::vector<double> cuts{r.first, r.second};
    for (const CubicSpline* curve : {&curves.a, &curves.b, &curves.c}) {
      for (double x : curve->knots()) {
        if (x > r.first && x < r.second) cuts.push_back(x);
      }
    }
    std::sort(cuts.begin(), cuts.end());
    double moment = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const double h = (cuts[i + 1] - cuts[i]) / 4;
      const double weight[5] = {7, 32, 12, 32, 7};
      for (int k = 0; k < 5; ++k) {
        const double x = cuts[i] + k * h;
        const double f = curves.a.value(x) + 2 * curves.b.value(x) + curves.c.value(x);
        moment += 2 * h / 45 * weight[k] * (x - 1) * f;
      }
    }
    const double expected = moment / norm(r);
    EXPECT_NEAR(fit_stiffness(example.model, nullptr, r), expected, 1e-12 * expected);
  }
}

TEST(FitStiffness, OfUserFunctionsIsThatOfTheSameMaterial) {
  // e (x - 1) = a' + 2 b' + c' with the logarithm among the user's functions.
  MaterialSettings settings;
  settings.model = "valanis_landel";
  settings.a = {[](double s) { return s * s - 2 * std::log(s) - 1; },
                [](double s) { return 2 * s - 2 / s; }, [](double s) { return 2 + 2 / (s * s); }};
  for (Range r : ranges) {
    const double expected = neo_hookean_moment(2, 0, {std::max(r.first, 0.1), r.second});
    const Range above{std::max(r.first, 0.1), r.second};
    EXPECT_NEAR(fit_stiffness(make_material(settings, "test"), nullptr, above),
                expected / norm(above), 1e-12 * expected / norm(above));
  }
}

TEST(FitStiffness, RefusesARangeThatIsNone) {
  const double nan = std::nan(""), infinity = HUGE_VAL;
  for (Range r :
       {Range{0, 1}, {-1, 1}, {1.5, 0.5}, {1, 1}, {nan, 1}, {0.5, nan}, {0.5, infinity}}) {
    try {
      fit<ArapModel>({1}, r);
      ADD_FAILURE() << r.first << " " << r.second;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    }
  }
}

TEST(FitStiffness, RefusesAStiffnessThatIsNotPositive) {
  MaterialSettings settings;
  settings.model = "valanis_landel";
  settings.a = {[](double s) { return -(s - 1) * (s - 1); }, [](double s) { return -2 * (s - 1); },
                [](double) { return -2.0; }};
  EXPECT_THROW(fit_stiffness(make_material(settings, "test"), nullptr, {0.5, 1.5}), Error);
  settings.a.first = [](double s) { return s < 0.9 ? std::nan("") : s; };
  EXPECT_THROW(fit_stiffness(make_material(settings, "test"), nullptr, {0.5, 1.5}), Error);
}

TEST(FitStiffness, IsFastAndFiniteOverAVastRange) {
  EXPECT_TRUE(std::isfinite(fit<NeoHookeanModel>({1, 1}, {1e-300, 1e12})));
}

}  // namespace
}  // namespace supple
