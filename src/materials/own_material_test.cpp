#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "materials/test_own_energies.h"
#include "materials/test_support.h"
#include "supple/error.h"

/// Energies of the host program: what is derived from them, and what is refused.
namespace supple {
namespace {

using namespace supple::testing;

constexpr int block = OwnEnergy::block;

/// Everything that is evaluated for eight deformation gradients at once.
struct Evaluation {
  double F[9][block], psi[block], alone[block], P[9][block], H[own_entries][block];

  Evaluation(const MaterialSettings& material, const std::vector<Mat3<double>>& gradients) {
    for (int lane = 0; lane < block; ++lane) {
      const Mat3<double>& m = gradients[static_cast<std::size_t>(lane) % gradients.size()];
      for (int i = 0; i < 9; ++i) F[i][lane] = m(i / 3, i % 3);
    }
    material.own->energy_density(F, alone);
    material.own->energy_and_stress(F, psi, P);
    material.own->hessian(F, H);
  }
};

double energy_at(const MaterialSettings& material, const Mat3<double>& F) {
  return Evaluation(material, {F}).psi[0];
}

Mat3<double> stress_at(const MaterialSettings& material, const Mat3<double>& F) {
  const Evaluation all(material, {F});
  Mat3<double> P;
  for (int i = 0; i < 9; ++i) P(i / 3, i % 3) = all.P[i][0];
  return P;
}

/// Eight different deformations with strains of up to two tenths.
std::vector<Mat3<double>> gentle() {
  Random random(11);
  std::vector<Mat3<double>> list;
  for (int i = 0; i < block; ++i) {
    list.push_back(with_stretches(random, uniform(random, 1.05, 1.2), uniform(random, 0.95, 1.02),
                                  uniform(random, 0.85, 0.92)));
  }
  return list;
}

void expect_derivatives(const MaterialSettings& material, const std::vector<Mat3<double>>& list) {
  const Evaluation all(material, list);
  const double h = 1e-5;
  for (int lane = 0; lane < block; ++lane) {
    EXPECT_NEAR(all.psi[lane], all.alone[lane], 1e-14 * (1 + std::abs(all.psi[lane])));
    const Mat3<double>& F = list[static_cast<std::size_t>(lane) % list.size()];
    for (int k = 0; k < 9; ++k) {
      Mat3<double> up = F, down = F;
      up(k / 3, k % 3) += h;
      down(k / 3, k % 3) -= h;
      // Truncation h^2 f'''/6 and rounding 1e-16 f / h, for functions and derivatives up to 1e3.
      EXPECT_NEAR(all.P[k][lane], (energy_at(material, up) - energy_at(material, down)) / (2 * h),
                  3e-7);
      const Mat3<double> column = (0.5 / h) * (stress_at(material, up) - stress_at(material, down));
      for (int i = 0; i < 9; ++i) {
        EXPECT_NEAR(all.H[own_entry(i, k)][lane], column(i / 3, i % 3), 3e-6) << i << k;
      }
    }
  }
}

TEST(OwnMaterial, DerivativesAreFoundByAutomaticDifferentiation) {
  expect_derivatives(own_material(Gent{}), gentle());
  expect_derivatives(own_material(Artery{}), gentle());
  expect_derivatives(own_material(OwnNeoHookean{}), gentle());
  expect_derivatives(own_material(OwnNeoHookeanWithStress{}), gentle());
  expect_derivatives(own_material(OwnNeoHookeanWithBoth{}), gentle());
}

/// Every function and operator that energies may use.
struct Everything {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const T x = squared_norm(F), y = determinant(F), z = trace(transpose_times(F, F) * F);
    T sum = sqrt(x) + log(y) + log1p(x) + exp(0.1 * z) + expm1(0.2 * y) + pow(x, 1.7) + sin(y);
    sum += cos(z) * tanh(y - 0.5) / x + 2.0 / y + y / 3.0 - (1.0 - x) * 4 + (x - 2) - (-z);
    sum -= abs(y - 2.0) + max(x, y) - min(x, 2.0 * y) + max(y, 0.5) + min(3 * y, 100.0);
    sum *= T(0.5);
    const Mat3<T> m = inverse(F) + cofactor(F) - T(2.0) * transpose(F);
    return sum + inner(m, F) + select(y > 0.3, y * y, log(y - 0.3)) +
           dot(cross(F.column(0), F.row(1)), F * F.column(2));
  }
};

TEST(OwnMaterial, EveryFunctionHasItsDerivatives) {
  expect_derivatives(own_material(Everything{}), gentle());
}

struct Guarded {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const T x = squared_norm(F) - 3.0;
    return x * x + select(x > 1e-3, sqrt(x - 1e-3), 0 * x);  // at x = 0 the root is not used
  }
};

TEST(OwnMaterial, ABranchThatIsNotTakenLeavesNoTrace) {
  const Evaluation all(own_material(Guarded{}), {Mat3<double>::identity()});
  EXPECT_EQ(all.psi[0], 0);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(all.P[i][0], 0);
  // 8 F F^T comes from x^2.
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k <= i; ++k) {
      EXPECT_EQ(all.H[own_entry(i, k)][0], i % 4 == 0 && k % 4 == 0 ? 8 : 0) << i << k;
    }
  }
}

struct Long {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    T sum = 0;
    const T x = squared_norm(F);
    for (int i = 0; i < 5000; ++i) sum += 1e-4 * (x * x);
    return sum;
  }
};

TEST(OwnMaterial, ALongEnergyFindsRoom) {
  const Mat3<double> F = gentle()[0];
  const Mat3<double> P = stress_at(own_material(Long{}), F);
  const double x = squared_norm(F);
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(P(i / 3, i % 3), 0.5 * 4 * x * F(i / 3, i % 3), 1e-11);
  }
}

template <class Energy>
void expect_built_in(const Energy& energy, double tolerance) {
  const MaterialSettings own = own_material(energy);
  const OwnModel model = make_own(own, "test");
  EXPECT_TRUE(model.is_isotropic);
  const NeoHookean<double> built_in{energy.mu, energy.lambda};
  for (const Deformation& d : deformations()) {
    const Evaluation all(own, {d.F});
    Mat3<double> P, Q;
    const double psi = built_in.energy_and_stress(d.F, P);
    EXPECT_NEAR(model.at<double>(nullptr).energy_and_stress(d.F, Q), psi,
                tolerance * (1 + std::abs(psi)))
        << d.kind;
    const Hessian9 H = hessian(built_in, d.F, false);
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(Q(i / 3, i % 3), P(i / 3, i % 3), tolerance * (1 + largest(P))) << d.kind;
      for (int k = 0; k <= i; ++k) {
        EXPECT_NEAR(all.H[own_entry(i, k)][0],
                    H[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)],
                    // The Hessian has squares of 1/J.
                    100 * tolerance * (1 + largest(P)))
            << d.kind;
      }
    }
  }
}

TEST(OwnMaterial, OneThatTheLibraryHasIsTheSameToRounding) {
  expect_built_in(OwnNeoHookean{}, 1e-13);
  expect_built_in(OwnNeoHookeanWithStress{}, 1e-13);
  expect_built_in(OwnNeoHookeanWithBoth{}, 1e-13);
  const double parameters[] = {3, 5};
  for (const std::pair<double, double>& range : {std::pair{0.5, 1.5}, std::pair{0.8, 3.0}}) {
    EXPECT_NEAR(fit_stiffness(make_own(own_material(OwnNeoHookean{}), ""), nullptr, range),
                fit_stiffness(NeoHookeanModel{}, parameters, range), 1e-12);
  }
}

TEST(OwnMaterial, MendedHessiansAreThoseOfTheLibrary) {
  const NeoHookean<double> built_in{3, 5};
  const MaterialSettings own = own_material(OwnNeoHookean{});
  for (const NegativeEigenvalues mode :
       {NegativeEigenvalues::clamp, NegativeEigenvalues::absolute}) {
    int mended = 0;
    for (const Deformation& d : deformations()) {
      Evaluation all(own, {d.F});
      const double before = all.H[0][0];
      mend_hessians(all.H, mode);
      mended += all.H[0][0] != before ? 1 : 0;
      const Hessian9 H = hessian(built_in, d.F, mode);
      double most = 1;
      for (const auto& row : H) {
        for (const double entry : row) most = std::max(most, std::abs(entry));
      }
      for (int i = 0; i < 9; ++i) {
        for (int k = 0; k <= i; ++k) {
          EXPECT_NEAR(all.H[own_entry(i, k)][0],
                      H[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], 1e-11 * most)
              << d.kind;
        }
      }
    }
    EXPECT_GT(mended, 10);
  }
}

TEST(OwnMaterial, TheStiffnessIsThatOfTheStiffestDirection) {
  Artery artery;
  artery.fibers[0] = artery.fibers[1] = {std::sqrt(0.5), std::sqrt(0.5), 0};
  const double along = fit_stiffness(make_own(own_material(artery), ""), nullptr, {0.9, 1.1});
  artery.fibers[0] = artery.fibers[1] = {1, 0, 0};
  EXPECT_NEAR(fit_stiffness(make_own(own_material(artery), ""), nullptr, {0.9, 1.1}), along, 1e-9);
  EXPECT_FALSE(make_own(own_material(artery), "").is_isotropic);
  artery.k1 = 0;
  EXPECT_LT(fit_stiffness(make_own(own_material(artery), ""), nullptr, {0.9, 1.1}), 0.8 * along);
}

TEST(OwnMaterial, FunctionsServeWithoutAHessian) {
  const NeoHookean<double> built_in{3, 5};
  OwnFunctions functions;
  functions.energy_density = [=](const Mat3<double>& F) { return built_in.energy_density(F); };
  EXPECT_THROW(own_material(functions), Error);
  functions.stress = [=](const Mat3<double>& F) { return built_in.stress(F); };
  const Mat3<double> F = gentle()[3];
  for (const double tolerance : {1e-8, 0.0}) {
    if (tolerance == 0) {
      functions.hessian = [=](const Mat3<double>& G) { return hessian(built_in, G, false); };
    }
    const Evaluation all(own_material(functions), {F});
    const Hessian9 H = hessian(built_in, F, false);
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k <= i; ++k) {
        EXPECT_NEAR(all.H[own_entry(i, k)][0],
                    H[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], tolerance + 1e-14);
      }
    }
  }
}

// -------------------------------------------------------------------------------- refusals

std::string fault_of(const MaterialSettings& settings) {
  try {
    make_material(settings, "/bodies/0/material");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "/bodies/0/material");
    return error.message();
  }
  return "";
}
template <class Energy>
std::string fault(const Energy& energy) {
  return fault_of(own_material(energy));
}

struct Linear {  // elasticity of small strains
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return squared_norm(0.5 * (F + transpose(F)) - Mat3<T>::identity());
  }
};

struct Stressed {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return squared_norm(F);
  }
};

struct Unstable {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const Mat3<T> E = transpose_times(F, F) - Mat3<T>::identity();
    return squared_norm(E) - trace(E) * trace(E);
  }
};

struct WrongStress : OwnNeoHookean {
  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    return T(mu) * (F - cofactor(F));
  }
};

struct WrongHessian : OwnNeoHookean {
  template <class T>
  Matrix9<T> hessian(const Mat3<T>&) const {
    Matrix9<T> H;
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t k = 0; k < 9; ++k) H[i][k] = i == k ? mu : 0.0;
    }
    return H;
  }
};

struct Infinite {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return log(squared_norm(F) - 3.0);
  }
};

TEST(OwnMaterial, WhatIsNoEnergyIsRefused) {
  EXPECT_EQ(fault(Gent{}), "");
  EXPECT_EQ(fault(Artery{}), "");
  EXPECT_NE(fault(Linear{}).find("when the body rotates"), std::string::npos) << fault(Linear{});
  EXPECT_NE(fault(Stressed{}).find("up to 2 Pa"), std::string::npos) << fault(Stressed{});
  EXPECT_NE(fault(Unstable{}).find("not a minimum"), std::string::npos) << fault(Unstable{});
  EXPECT_NE(fault(WrongStress{}).find("the stress is not the derivative"), std::string::npos)
      << fault(WrongStress{});
  EXPECT_NE(fault(WrongHessian{}).find("the Hessian is not the derivative"), std::string::npos)
      << fault(WrongHessian{});
  EXPECT_NE(fault(Infinite{}).find("is not finite"), std::string::npos) << fault(Infinite{});
  OwnFunctions throwing;
  throwing.energy_density = [](const Mat3<double>&) -> double {
    throw std::runtime_error("not today");
  };
  throwing.stress = [](const Mat3<double>& F) { return F; };
  EXPECT_NE(fault_of(own_material(throwing)).find("not today"), std::string::npos);
  MaterialSettings none;
  none.model = "own";
  EXPECT_NE(fault_of(none).find("own_material()"), std::string::npos);
  EXPECT_EQ(fault_of(own_material(std::shared_ptr<const OwnEnergy>())), fault_of(none));
}

struct Offset : OwnNeoHookean {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return OwnNeoHookean::energy_density(F) + 4.5;
  }
};

TEST(OwnMaterial, AConstantIsTakenOff) {
  const OwnModel model = make_own(own_material(Offset{}), "");
  EXPECT_EQ(model.at<double>(nullptr).energy_density(Mat3<double>::identity()), 0);
}

struct Nothing {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return 0 * squared_norm(F);
  }
};

TEST(OwnMaterial, WithoutAStiffnessItIsRefused) {
  EXPECT_THROW(fit_stiffness(make_own(own_material(Nothing{}), ""), nullptr, {0.5, 1.5}), Error);
  // Chains of this length end within the range.
  EXPECT_THROW(fit_stiffness(make_own(own_material(Gent{.limit = 0.5}), ""), nullptr, {0.5, 1.5}),
               Error);
}

}  // namespace
}  // namespace supple
