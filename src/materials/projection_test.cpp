#include "materials/projection.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "materials/fiber.h"
#include "materials/test_support.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace supple::testing;

template <class Model>
class Projection : public ::testing::Test {
 protected:
  Example<Model> example_;
};
using ProjectiveModels = ::testing::Types<ArapModel, StrainLimitModel, VolumeModel>;
TYPED_TEST_SUITE(Projection, ProjectiveModels, ModelNames);

/// Small, large, inverted and expanded deformations.
std::vector<Mat3<double>> any_deformations() {
  Random random(21);
  std::vector<Mat3<double>> list;
  for (const Deformation& d : deformations()) list.push_back(d.F);
  for (int i = 0; i < 100; ++i) {
    for (double size : {0.1, 0.7, 1.5, 4.0, 100.0}) list.push_back(random_matrix(random, size));
    list.push_back(uniform(random, 1, 3) * random_rotation(random) + random_matrix(random, 0.3));
  }
  return list;
}

/// A member of the model's set: arbitrary, or near a given member.
Mat3<double> member(const Example<ArapModel>&, Random& random) { return random_rotation(random); }
Mat3<double> member(const Example<StrainLimitModel>& e, Random& random) {
  const auto stretch = [&] { return uniform(random, e.parameters[1], e.parameters[2]); };
  return with_stretches(random, stretch(), stretch(), stretch());
}
Mat3<double> member(const Example<VolumeModel>&, Random& random) {
  const double x = std::exp(uniform(random, -1, 1)), y = std::exp(uniform(random, -1, 1));
  return with_stretches(random, x, y, 1 / (x * y));
}
/// A rotation by a small angle.
Mat3<double> nudge(Random& random, double angle) {
  const Mat3<double> A = random_matrix(random, angle);
  const Mat3<double> K = 0.5 * (A - transpose(A));
  // Cayley's formula: (I - K)^-1 (I + K).
  return inverse(Mat3<double>::identity() - K) * (Mat3<double>::identity() + K);
}
Mat3<double> near_by(const Example<ArapModel>&, const Mat3<double>& p, Random& random) {
  return nudge(random, 0.01) * p;
}
Mat3<double> near_by(const Example<StrainLimitModel>& e, const Mat3<double>& p, Random& random) {
  Svd<double> d = svd(p);
  for (int i = 0; i < 3; ++i) {
    d.s[i] = std::clamp(d.s[i] + uniform(random, -0.01, 0.01), e.parameters[1], e.parameters[2]);
  }
  return nudge(random, 0.01) * compose(d.U, d.s, d.V) * nudge(random, 0.01);
}
Mat3<double> near_by(const Example<VolumeModel>&, const Mat3<double>& p, Random& random) {
  const Mat3<double> q = (Mat3<double>::identity() + random_matrix(random, 0.01)) * p;
  return (1 / std::cbrt(determinant(q))) * q;
}

TYPED_TEST(Projection, DoesNotMoveWhatIsInTheSet) {
  const auto material = this->example_.template at<double>();
  Random random(22);
  for (int i = 0; i < 200; ++i) {
    const Mat3<double> p = member(this->example_, random);
    EXPECT_LT(largest(project(material, p) - p), 1e-14 * (1 + largest(p)));
    EXPECT_LT(material.energy_density(p), 1e-27 * (1 + squared_norm(p)));
  }
}

TYPED_TEST(Projection, IsIdempotent) {
  const auto material = this->example_.template at<double>();
  for (const Mat3<double>& F : any_deformations()) {
    const Mat3<double> p = project(material, F);
    EXPECT_LT(largest(project(material, p) - p), 1e-13 * (1 + largest(p)));
  }
}

TYPED_TEST(Projection, NoMemberOfTheSetIsNearer) {
  const auto material = this->example_.template at<double>();
  Random random(23);
  for (const Mat3<double>& F : any_deformations()) {
    const Mat3<double> p = project(material, F);
    const double distance = squared_norm(F - p);
    const double rounding = 1e-14 * (1 + squared_norm(F));
    for (int i = 0; i < 50; ++i) {
      EXPECT_GE(squared_norm(F - member(this->example_, random)), distance - rounding);
      EXPECT_GE(squared_norm(F - near_by(this->example_, p, random)), distance - rounding);
    }
  }
}

TYPED_TEST(Projection, EnergyAndStressAreThoseOfTheDistance) {
  const auto material = this->example_.template at<double>();
  const double k = material.projection_weight();
  EXPECT_EQ(k, 2 * example_mu);
  for (const Mat3<double>& F : any_deformations()) {
    const Mat3<double> e = F - project(material, F);
    Mat3<double> P;
    const double energy = material.energy_and_stress(F, P);
    EXPECT_NEAR(energy, 0.5 * k * squared_norm(e), 1e-13 * k * (1 + squared_norm(F)));
    EXPECT_LT(largest(P - k * e), 1e-13 * k * (1 + largest(F)));
  }
}

TYPED_TEST(Projection, TheConstantStiffnessIsItsWeightOverAnyRange) {
  for (std::pair<double, double> range : {std::pair(0.5, 1.5), {0.95, 1.05}, {0.1, 4.0}}) {
    EXPECT_EQ(fit_stiffness(this->example_.model, this->example_.parameters.data(), range),
              2 * example_mu);
  }
}

TYPED_TEST(Projection, TheHessianIsAtMostTheWeight) {
  // k/2 |F|^2 - Psi = max over the set of k (F : q - |q|^2/2) is convex, which makes the constant
  // matrix an upper bound.
  const auto material = this->example_.template at<double>();
  for (const Mat3<double>& F : any_deformations()) {
    const Hessian9 H = hessian(material, F, false);
    Eigen::Matrix<double, 9, 9> m;
    for (int i = 0; i < 81; ++i) {
      m(i / 9, i % 9) = H[static_cast<std::size_t>(i / 9)][static_cast<std::size_t>(i % 9)];
    }
    const auto values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(m).eigenvalues();
    EXPECT_LT(values[8], material.projection_weight() * (1 + 1e-12));
  }
}

// ------------------------------------------------------------------------- strain_limit

TEST(StrainLimit, OfNoWidthIsArap) {
  const StrainLimit<double> limit{2, 1, 1};
  const Arap<double> arap{2};
  for (const Mat3<double>& F : any_deformations()) {
    Mat3<double> P, Q;
    EXPECT_EQ(limit.energy_and_stress(F, P), arap.energy_and_stress(F, Q));
    EXPECT_EQ(largest(P - Q), 0);
  }
}

TEST(StrainLimit, OfNoWidthIsTheDistanceToAMultipleOfTheRotation) {
  const double m = 0.8;
  const StrainLimit<double> limit{2, m, m};
  for (const Mat3<double>& F : any_deformations()) {
    const Svd<double> d = svd(F);
    const Vector3<double> e{{d.s[0] - m, d.s[1] - m, d.s[2] - m}};
    Mat3<double> P;
    // Rounding of the stretches, and of a rotation, which is more sensitive the smaller s2 + s3 is.
    const double scale = 1e-14 * (1 + dot(e, e)) / std::min(1.0, (d.s[1] + d.s[2]) / d.s[0] + 1e-3);
    EXPECT_NEAR(limit.energy_and_stress(F, P), 2 * dot(e, e), scale);
    EXPECT_LT(largest(P - compose(d.U, 4.0 * e, d.V)), scale);
  }
}

TEST(StrainLimit, TheRestShapeMustLieBetweenTheLimits) {
  struct Case {
    double min, max;
    const char* where;
  };
  for (const Case& c : {Case{1.1, 1.2, "test/min"},
                        {0.8, 0.9, "test/max"},
                        {-0.1, 1, "test/min"},
                        {0.5, std::nan(""), "test/max"}}) {
    MaterialSettings settings = example_settings("strain_limit");
    settings.min = c.min;
    settings.max = c.max;
    try {
      make_material(settings, "test");
      ADD_FAILURE() << c.min << " " << c.max;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), c.where);
    }
  }
  MaterialSettings settings = example_settings("strain_limit");
  settings.mu = 0;
  EXPECT_THROW(make_material(settings, "test"), Error);
}

// ------------------------------------------------------------------------- volume

/// Least squared distance from s to stretches of product one, by a search that shares nothing with
/// the library: a grid over the logarithms of t1 and t2, refined around its best points.
double least_distance(const Vector3<double>& s) {
  const auto distance = [&](double u, double v) {
    const double a = std::exp(u), b = std::exp(v);
    const Vector3<double> e{{s[0] - a, s[1] - b, s[2] - 1 / (a * b)}};
    return dot(e, e);
  };
  double best = HUGE_VAL;
  for (double last : {0.0, 1.0}) {
    // Twice, for t3 below and above half of s3, where the two minima are.
    double u0 = 0, v0 = 0, found = HUGE_VAL;
    const auto visit = [&](double u, double v) {
      const bool low = std::exp(-u - v) < 0.5 * s[2];
      if (low == (last == 1.0)) return;
      if (const double f = distance(u, v); f < found) found = f, u0 = u, v0 = v;
    };
    for (double u = -1; u < 2; u += 0.02) {
      for (double v = -1; v < 2; v += 0.02) visit(u, v);
    }
    for (double width = 0.02; width > 1e-9; width *= 0.6) {
      const double uc = u0, vc = v0;
      for (int i = -2; i <= 2; ++i) {
        for (int j = -2; j <= 2; ++j) visit(uc + i * width / 2, vc + j * width / 2);
      }
    }
    best = std::min(best, found);
  }
  return best;
}

TEST(Volume, TheProjectionHasDeterminantOneAndIsTheNearest) {
  const Volume<double> material{1};
  Random random(24);
  int collapsed = 0;
  for (int i = 0; i < 120; ++i) {
    Vector3<double> s{{uniform(random, 1.5, 2.5), uniform(random, 1.2, 2.2), 0}};
    if (s[1] > s[0]) std::swap(s.v[0], s.v[1]);
    s[2] = i % 3 == 0 ? uniform(random, -1, 0.5) : uniform(random, 0.9, 1) * s[1];
    const Vector3<double> t = material.project_stretches(s);
    EXPECT_NEAR(t[0] * t[1] * t[2], 1, 1e-14);
    EXPECT_GT(t[2], 0);
    // The search stops 1e-9 from the minimum, in the floor of the quadratic, or above it at the
    // wall between its two halves.
    EXPECT_NEAR(material.principal_energy(s), least_distance(s), 1e-12) << s[0] << " " << s[1];
    collapsed += t[2] < 0.5 * s[2] ? 1 : 0;
  }
  EXPECT_GT(collapsed, 10);
  EXPECT_LT(collapsed, 70);
  for (const Mat3<double>& F : any_deformations()) {
    const Mat3<double> p = project(material, F);
    // Entries of up to 100 whose products cancel.
    EXPECT_NEAR(determinant(p), 1, 1e-12 + 1e-15 * std::pow(largest(p), 3));
    const Vector3<double> t = material.project_stretches(svd(F).s);
    EXPECT_NEAR(t[0] * t[1] * t[2], 1, 1e-12);
  }
}

TEST(Volume, TheEnergyIsContinuousWhereTheNearestStretchesJump) {
  const Volume<double> material{1};
  double before = material.principal_energy(Vector3<double>{{1.7, 1.69, 1.68}});
  int jumps = 0;
  double last = material.project_stretches(Vector3<double>{{1.7, 1.69, 1.68}})[2];
  const double step = 1e-4;
  for (double x = step; x < 0.6; x += step) {
    const Vector3<double> s{{1.7 + x, 1.69 + x, 1.68 + x}};
    const double energy = material.principal_energy(s);
    // The slope is at most 2 |s - t| sqrt 3 < 8.
    EXPECT_LT(std::abs(energy - before), 8 * step);
    before = energy;
    const double t = material.project_stretches(s)[2];
    jumps += std::abs(t - last) > 0.1 ? 1 : 0;
    last = t;
  }
  EXPECT_EQ(jumps, 1);
}

TEST(Volume, DerivativesAreExactForExpandedAndSqueezedElements) {
  const Volume<double> material{3};
  Random random(25);
  for (int i = 0; i < 200; ++i) {
    // Away from the surface where the minima swap: s3 well below s2, or all below 1.6.
    const bool flat = i % 2 == 0;
    const Vector3<double> s{{uniform(random, 2, 3) * (flat ? 1 : 0.5),
                             uniform(random, 1.3, 1.9) * (flat ? 1 : 0.5),
                             uniform(random, -0.5, 0.6)}};
    const PrincipalModes<double> modes = material.principal_modes(s);
    const double h = 1e-5;
    for (int k = 0; k < 3; ++k) {
      Vector3<double> up = s, down = s;
      up[k] += h;
      down[k] -= h;
      const Vector3<double> g = material.principal_stress(s);
      const double slope =
          (material.principal_energy(up) - material.principal_energy(down)) / (2 * h);
      EXPECT_NEAR(g[k], slope, 1e-7);
      const Vector3<double> column =
          (1 / (2 * h)) * (material.principal_stress(up) - material.principal_stress(down));
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      for (int r = 0; r < 3; ++r)
        EXPECT_NEAR(modes.A[r][k], column[r], 1e-6) << s[0] << " " << s[2];
      EXPECT_NEAR(modes.symmetric[k], (g[a] - g[b]) / (s[a] - s[b]), 1e-10);
      EXPECT_NEAR(modes.skew[k], (g[a] + g[b]) / (s[a] + s[b]), 1e-10);
    }
  }
}

TEST(Volume, IsFiniteAtEverySize) {
  const Volume<double> material{1};
  Random random(26);
  for (double size : {0.0, 1e-100, 1e-20, 1e-8, 1e8, 1e20, 1e60}) {
    for (int i = 0; i < 50; ++i) {
      const Mat3<double> F = random_matrix(random, size);
      Mat3<double> P;
      EXPECT_TRUE(std::isfinite(material.energy_and_stress(F, P)));
      EXPECT_TRUE(std::isfinite(squared_norm(P)));
      const PrincipalHessian<double> H = principal_hessian(material, svd(F).s, true);
      for (int k = 0; k < 3; ++k) {
        EXPECT_TRUE(std::isfinite(H.alpha[k]) && std::isfinite(H.beta[k]));
        EXPECT_TRUE(std::isfinite(H.A[k][0] + H.A[k][1] + H.A[k][2]));
      }
    }
  }
}

// ------------------------------------------------------------------------- fiber

TEST(FiberProjection, IsTheNearestUnitVector) {
  const Fiber<double> fiber{{{0.6, 0, 0.8}}, 4};
  for (const Mat3<double>& F : any_deformations()) {
    const Vector3<double> n = fiber.project(F);
    const Vector3<double> f = F * fiber.direction;
    EXPECT_NEAR(dot(n, n), 1, 1e-14);
    const Vector3<double> e = f - n;
    EXPECT_NEAR(fiber.energy_density(F), 0.5 * fiber.kappa * dot(e, e), 1e-13 * (1 + dot(f, f)));
  }
  const Vector3<double> n = fiber.project(Mat3<double>::zero());
  EXPECT_NEAR(dot(n, n), 1, 1e-14);
}

}  // namespace
}  // namespace supple
