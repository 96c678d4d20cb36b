#include "materials/principal.h"

#include <gtest/gtest.h>

#include "materials/test_support.h"

namespace supple {
namespace {

using namespace supple::testing;

using Matrix9 = Eigen::Matrix<double, 9, 9>;

Matrix9 to_eigen(const Hessian9& H) {
  Matrix9 m;
  for (int r = 0; r < 9; ++r) {
    for (int c = 0; c < 9; ++c) {
      m(r, c) = H[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    }
  }
  return m;
}

Eigen::Matrix<double, 9, 1> eigenvalues(const Matrix9& m) {
  return Eigen::SelfAdjointEigenSolver<Matrix9>(m).eigenvalues();
}

/// Rows: entries of P; columns: entries of F.
Matrix9 derivatives(const Mat3<Dual>& P) {
  Matrix9 m;
  for (int r = 0; r < 9; ++r) m.row(r) = P(r / 3, r % 3).derivatives();
  return m;
}

/// Central differences of the stress with Richardson's extrapolation, whose truncation is h^4.
template <class Material>
Matrix9 difference_quotient(const Material& material, const Mat3<double>& F, double h) {
  Matrix9 m;
  const auto quotient = [&](int c, double step) {
    Mat3<double> up = F, down = F;
    up(c / 3, c % 3) += step;
    down(c / 3, c % 3) -= step;
    return (1 / (2 * step)) * (material.stress(up) - material.stress(down));
  };
  for (int c = 0; c < 9; ++c) {
    const Mat3<double> D = (4.0 / 3) * quotient(c, h) - (1.0 / 3) * quotient(c, 2 * h);
    for (int r = 0; r < 9; ++r) m(r, c) = D(r / 3, r % 3);
  }
  return m;
}

/// dPsi/ds_i with derivatives, from the terms and their derivatives.
template <class Material>
Vector3<Dual> reference_principal_stress(const Material& m, const Vector3<Dual>& s) {
  const auto da = [&](const Dual& x) { return chain(x, m.da(x.value()), m.dda(x.value())); };
  const auto db = [&](const Dual& x) { return chain(x, m.db(x.value()), m.ddb(x.value())); };
  const auto dc = [&](const Dual& x) { return chain(x, m.dc(x.value()), m.ddc(x.value())); };
  const Dual pressure = dc(Dual(s[0] * s[1] * s[2]));
  Vector3<Dual> g;
  for (int i = 0; i < 3; ++i) {
    const Dual sj = s[(i + 1) % 3], sk = s[(i + 2) % 3], si = s[i];
    g[i] = da(si) + sj * db(Dual(si * sj)) + sk * db(Dual(si * sk)) + sj * sk * pressure;
  }
  return g;
}
Vector3<Dual> reference_principal_stress(const Volume<double>& m, const Vector3<Dual>& s) {
  return Dual(2 * m.mu) * (s - reference_unit_volume(s));
}

/// P(F) = F f(F^T F) where f has the eigenvalues g_i/s_i, by Sylvester's formula with dual
/// stretches, which must differ in size.
template <class Material>
Mat3<Dual> reference_stress(const Material& m, const Mat3<double>& value) {
  const Mat3<Dual> F = variables(value);
  const Vector3<Dual> s = reference_stretches(F, value);
  const Vector3<Dual> g = reference_principal_stress(m, s);
  const Mat3<Dual> C = transpose_times(F, F);
  Mat3<Dual> sum = Mat3<Dual>::zero();
  for (int i = 0; i < 3; ++i) {
    const Dual sj = s[(i + 1) % 3], sk = s[(i + 2) % 3], si = s[i];
    const Dual xi = si * si, xj = sj * sj, xk = sk * sk;
    const Mat3<Dual> projector =
        Dual(1.0 / ((xi - xj) * (xi - xk))) *
        ((C - xj * Mat3<Dual>::identity()) * (C - xk * Mat3<Dual>::identity()));
    sum = sum + Dual(g[i] / si) * projector;
  }
  return F * sum;
}

/// Whether A = d2Psi/ds_i ds_k has no negative eigenvalue at any stretches.
template <class Model>
inline constexpr bool is_always_convex =
    std::is_same_v<Model, CorotatedModel> || std::is_same_v<Model, ArapModel> ||
    std::is_same_v<Model, PolynomialModel> || std::is_same_v<Model, StrainLimitModel>;

template <class Model>
class HessianOf : public ::testing::Test {
 protected:
  Example<Model> example_;
};
TYPED_TEST_SUITE(HessianOf, AllModels, ModelNames);

TYPED_TEST(HessianOf, IsTheDerivativeOfTheStressByAutomaticDifferentiation) {
  const auto material = this->example_.template at<double>();
  int compared = 0;
  for (const Deformation& d : deformations()) {
    if (!d.distinct) continue;
    const Matrix9 H = to_eigen(hessian(material, d.F, false));
    const Matrix9 expected = derivatives(reference_stress(material, d.F));
    // Derivatives are exact. What is left is rounding, raised twice by the gaps of the squared
    // stretches (0.2).
    EXPECT_LT((H - expected).cwiseAbs().maxCoeff(), 1e-11 * (1 + H.cwiseAbs().maxCoeff()))
        << d.kind;
    ++compared;
  }
  EXPECT_EQ(compared, 21);
}

TYPED_TEST(HessianOf, IsTheDifferenceQuotientOfTheStress) {
  const auto material = this->example_.template at<double>();
  for (const Deformation& d : deformations()) {
    const Matrix9 H = to_eigen(hessian(material, d.F, false));
    const Matrix9 expected = difference_quotient(material, d.F, 1e-4);
    // Truncation is 1e-16 P^(5), large where the extended logarithm is steep, plus kinks of the
    // third derivative of curves within 2e-4; rounding is 1e-12. The gap between stretches must not
    // show, be it 1e-12 or 1e-4.
    EXPECT_LT((H - expected).cwiseAbs().maxCoeff(), 1e-7 * (1 + H.cwiseAbs().maxCoeff())) << d.kind;
  }
}

TYPED_TEST(HessianOf, IsSymmetric) {
  const auto material = this->example_.template at<double>();
  for (const Deformation& d : deformations()) {
    for (bool project : {false, true}) {
      const Matrix9 H = to_eigen(hessian(material, d.F, project));
      EXPECT_LE((H - H.transpose()).cwiseAbs().maxCoeff(), 1e-14 * H.cwiseAbs().maxCoeff());
    }
  }
}

TYPED_TEST(HessianOf, ProjectionClampsTheNegativeEigenvaluesAlone) {
  const auto material = this->example_.template at<double>();
  Random random(12);
  int indefinite = 0, definite = 0;
  std::vector<Deformation> list = deformations();
  for (int i = 0; i < 100; ++i) list.push_back({"random", random_matrix(random, 1.5), false});
  for (const Deformation& d : list) {
    const Matrix9 H = to_eigen(hessian(material, d.F, false));
    const Matrix9 projected = to_eigen(hessian(material, d.F, true));
    const double scale = H.cwiseAbs().maxCoeff();
    const Eigen::SelfAdjointEigenSolver<Matrix9> solver(H);
    const Matrix9 expected = solver.eigenvectors() *
                             solver.eigenvalues().cwiseMax(0.0).asDiagonal() *
                             solver.eigenvectors().transpose();
    EXPECT_LE((projected - expected).cwiseAbs().maxCoeff(), 1e-13 * scale) << d.kind;
    EXPECT_GE(eigenvalues(projected)[0], -1e-14 * scale) << d.kind;
    if (solver.eigenvalues()[0] < -1e-12 * scale) ++indefinite;
    if (solver.eigenvalues()[0] > 1e-12 * scale) {
      EXPECT_EQ((projected - H).cwiseAbs().maxCoeff(), 0) << d.kind;
      ++definite;
    }
  }
  EXPECT_GT(indefinite, 0);
  EXPECT_GT(definite, is_soft_at_rest<TypeParam> ? -1 : 0);
}

/// Stretches of all kinds: arbitrary, inverted, nearly repeated, nearly collapsed and collapsed.
std::vector<Vector3<double>> any_stretches() {
  Random random(15);
  std::vector<Vector3<double>> list;
  for (int i = 0; i < 400; ++i) {
    const double x = uniform(random, 0.2, 2), y = uniform(random, 0.1, 1) * x;
    const double z = uniform(random, -1, 1) * y, tiny = std::pow(10, uniform(random, -16, -3));
    list.push_back({{x, y, z}});
    list.push_back({{x + tiny, x, z}});
    list.push_back({{x, y + tiny, y}});
    list.push_back({{x + 2 * tiny, x + tiny, i % 2 == 0 ? x : -x}});
    list.push_back({{x, y, tiny}});
    list.push_back({{x, tiny, -0.5 * tiny}});
  }
  list.push_back({{1, 1, 1}});
  list.push_back({{1, 0.5, 0}});
  list.push_back({{1, 0, 0}});
  list.push_back({{0, 0, 0}});
  return list;
}

TYPED_TEST(HessianOf, WithoutTheDecompositionIsThatWithIt) {
  const auto material = this->example_.template at<double>();
  int skipped = 0, mended = 0;
  for (const Vector3<double>& s : any_stretches()) {
    for (const auto mode : {NegativeEigenvalues::clamp, NegativeEigenvalues::absolute}) {
      const PrincipalHessian<double> found = principal_hessian(material, s, mode);
      PrincipalModes<double> expected = principal_modes(material, s);
      const bool sure = detail::surely_semi_definite(expected.A);
      double scale = 0;
      for (const auto& row : expected.A) {
        for (const double entry : row) scale = std::max(scale, std::abs(entry));
      }
      detail::mend_by_eigenvalues(expected.A, mode, false);
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          // What needs no mending keeps its bits, unless rounding makes a zero eigenvalue negative.
          EXPECT_NEAR(found.A[i][k], expected.A[i][k], sure ? 1e-14 * scale : 0)
              << s[0] << " " << s[1] << " " << s[2];
        }
      }
      (sure ? skipped : mended) += 1;
    }
  }
  EXPECT_GT(skipped, 400);
  if (!is_always_convex<TypeParam>) {
    EXPECT_GT(mended, 100);
  }
}

TYPED_TEST(HessianOf, ALaneIsMendedAsIfItWereAlone) {
  const auto material = this->example_.template at<double>();
  const auto batch = this->example_.template at<Batch8>();
  const std::vector<Vector3<double>> list = any_stretches();
  for (std::size_t first = 0; first + 8 <= list.size(); first += 8) {
    Vector3<Batch8> s;
    for (int lane = 0; lane < 8; ++lane) {
      for (int k = 0; k < 3; ++k) s[k].set(lane, list[first + static_cast<std::size_t>(lane)][k]);
    }
    for (const auto mode : {NegativeEigenvalues::clamp, NegativeEigenvalues::absolute}) {
      const PrincipalHessian<Batch8> H = principal_hessian(batch, s, mode);
      for (int lane = 0; lane < 8; ++lane) {
        const PrincipalHessian<double> alone =
            principal_hessian(material, list[first + static_cast<std::size_t>(lane)], mode);
        for (int i = 0; i < 9; ++i) {
          // The decomposition may be needed only for a neighbour.
          const double entry = alone.A[i / 3][i % 3];
          EXPECT_EQ(H.A[i / 3][i % 3][lane], entry);
        }
      }
    }
  }
}

TEST(SemiDefiniteness, IsNeverClaimedOfAMatrixWithANegativeEigenvalue) {
  Random random(16);
  int claimed = 0, near = 0, missed = 0;
  for (int i = 0; i < 100000; ++i) {
    // Two eigenvalues of any size; the third is a part of them down to rounding, with either sign.
    const double size = std::pow(10, uniform(random, -8, 8));
    const Mat3<double> Q = random_rotation(random);
    const double last = std::pow(10, uniform(random, -18, 0)) * (i % 2 == 0 ? 1 : -1);
    const Vector3<double> values{{size, size * std::pow(10, uniform(random, -6, 0)), size * last}};
    double A[3][3];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) {
        A[r][c] = A[c][r] = Q(r, 0) * values[0] * Q(c, 0) + Q(r, 1) * values[1] * Q(c, 1) +
                            Q(r, 2) * values[2] * Q(c, 2);
      }
    }
    const bool sure = detail::surely_semi_definite(A);
    // The entries themselves have rounding errors of 4e-16 of the size.
    EXPECT_FALSE(sure && last < -1e-15) << values[0] << " " << values[1] << " " << values[2];
    claimed += sure ? 1 : 0;
    near += last < -1e-15 && last > -1e-12 ? 1 : 0;
    // Condition numbers go up to 1e6: 1e-14 of 216 sizes cubed, compared with the product.
    if (last > 1e-3 && values[1] > 1e-3 * size) missed += sure ? 0 : 1;
  }
  EXPECT_GT(claimed, 10000);
  EXPECT_GT(near, 5000);
  EXPECT_EQ(missed, 0);
}

TYPED_TEST(HessianOf, AtRestIsThatOfLinearElasticity) {
  // Rotations cost nothing: three zero eigenvalues, the rest not negative.
  const auto material = this->example_.template at<double>();
  const Matrix9 H = to_eigen(hessian(material, Mat3<double>::identity(), false));
  const auto values = eigenvalues(H);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[i], 0, 1e-13 * (1 + values[8]));
  for (int i = 3; i < 9; ++i) {
    if (!is_soft_at_rest<TypeParam>) {
      EXPECT_GT(values[i], 1);
    }
  }
}

TYPED_TEST(HessianOf, IsFiniteAndPositiveWhereNothingIsLeftOfTheElement) {
  const auto material = this->example_.template at<double>();
  Random random(13);
  const std::vector<Mat3<double>> collapsed = {Mat3<double>::zero(),
                                               with_stretches(random, 1, 0, 0),
                                               with_stretches(random, 1, 1, 0),
                                               with_stretches(random, 1, 0.5, -0.5),
                                               with_stretches(random, 1, 1, -1),
                                               with_stretches(random, 30, -20, 10),
                                               1e-8 * random_matrix(random, 1),
                                               1e-200 * random_matrix(random, 1)};
  for (const Mat3<double>& F : collapsed) {
    for (bool project : {false, true}) {
      const Matrix9 H = to_eigen(hessian(material, F, project));
      const double scale = H.cwiseAbs().maxCoeff();
      EXPECT_TRUE(H.allFinite());
      EXPECT_LE((H - H.transpose()).cwiseAbs().maxCoeff(), 1e-13 * scale);
      if (project) {
        EXPECT_GE(eigenvalues(H)[0], -1e-13 * scale);
      }
    }
  }
}

/// Materials that need no decomposition can be differentiated as they are, whatever the stretches.
template <class Model>
class InvariantHessian : public HessianOf<Model> {};
using InvariantModels =
    ::testing::Types<StvkModel, NeoHookeanModel, StableNeoHookeanModel, MooneyRivlinModel>;
TYPED_TEST_SUITE(InvariantHessian, InvariantModels, ModelNames);

TYPED_TEST(InvariantHessian, IsExactForRepeatedAndNearlyRepeatedStretches) {
  const auto material = this->example_.template at<double>();
  const auto dual = this->example_.template at<Dual>();
  std::vector<Deformation> list = deformations();
  Random random(14);
  list.push_back({"flat", with_stretches(random, 1.2, 0.8, 0), false});
  list.push_back({"mirrored", with_stretches(random, 1.2, 0.8, -0.8), false});
  list.push_back({"line", with_stretches(random, 1.2, 0, 0), false});
  list.push_back({"point", Mat3<double>::zero(), false});
  for (const Deformation& d : list) {
    Mat3<Dual> P;
    const Dual density = dual.energy_and_stress(variables(d.F), P);
    const Mat3<double> stress = material.stress(d.F);
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(density.derivatives()[i], stress(i / 3, i % 3), 1e-13 * (1 + largest(stress)));
    }
    const Matrix9 H = to_eigen(hessian(material, d.F, false));
    EXPECT_LT((H - derivatives(P)).cwiseAbs().maxCoeff(), 1e-12 * (1 + H.cwiseAbs().maxCoeff()))
        << d.kind;
  }
}

/// Stress of materials by the polar factors F = R S, J > 0.
Mat3<Dual> polar_stress(const Example<CorotatedModel>& e, const Mat3<Dual>& F, const Mat3<Dual>& R,
                        const Mat3<Dual>& S) {
  const Dual pressure = e.parameters[1] * (trace(S) - 3.0);
  return Dual(2 * e.parameters[0]) * (F - R) + pressure * R;
}
Mat3<Dual> polar_stress(const Example<ArapModel>& e, const Mat3<Dual>& F, const Mat3<Dual>& R,
                        const Mat3<Dual>&) {
  return Dual(2 * e.parameters[0]) * (F - R);
}
Mat3<Dual> polar_stress(const Example<PolynomialModel>& e, const Mat3<Dual>&, const Mat3<Dual>& R,
                        const Mat3<Dual>& S) {
  const Mat3<Dual> E = S - Mat3<Dual>::identity();
  return Dual(4 * e.parameters[0]) * (R * (E * E * E));
}

template <class Model>
class PolarHessian : public HessianOf<Model> {};
using PolarModels = ::testing::Types<CorotatedModel, ArapModel, PolynomialModel>;
TYPED_TEST_SUITE(PolarHessian, PolarModels, ModelNames);

TYPED_TEST(PolarHessian, IsExactForRepeatedAndNearlyRepeatedStretches) {
  const auto material = this->example_.template at<double>();
  int compared = 0;
  for (const Deformation& d : deformations()) {
    if (determinant(d.F) <= 0) continue;
    Mat3<Dual> R, S;
    const Mat3<Dual> F = variables(d.F);
    reference_polar(F, R, S);
    const Mat3<Dual> P = polar_stress(this->example_, F, R, S);
    const Mat3<double> stress = material.stress(d.F);
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(P(i / 3, i % 3).value(), stress(i / 3, i % 3), 1e-12) << d.kind;
    }
    const Matrix9 H = to_eigen(hessian(material, d.F, false));
    // Newton's iteration inverts F, whose condition number is at most 13.
    EXPECT_LT((H - derivatives(P)).cwiseAbs().maxCoeff(), 1e-11) << d.kind;
    ++compared;
  }
  EXPECT_EQ(compared, 28);
}

TEST(DividedDifference, IsAccurateAtEveryDistance) {
  // exp on both sides of the threshold of 1e-5: the error of the midpoint is 4e-12, that of the
  // quotient 2e-11.
  for (double gap : {0.0, 1e-14, 1e-9, 9e-6, 1.1e-5, 1e-3, 0.5}) {
    const double p = 0.7, q = p + gap;
    const double mean = gap == 0 ? 1 : std::expm1(q - p) / (q - p);
    const double computed =
        divided_difference(p, q, std::exp(p), std::exp(q), std::exp(p + 0.5 * (q - p)));
    EXPECT_NEAR(computed, std::exp(p) * mean, 5e-11) << gap;
  }
}

}  // namespace
}  // namespace supple
