#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <string>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "materials/material.h"
#include "math/test_random.h"

/// What the tests of this room share: an example of every material, deformation gradients of every
/// kind, and formulas of the densities that are independent of those in the room.
namespace supple::testing {

/// A number with its derivatives with respect to the nine entries of F, row by row.
using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 9, 1>>;

using AllModels = ::testing::Types<CorotatedModel, ArapModel, StvkModel, NeoHookeanModel,
                                   StableNeoHookeanModel, MooneyRivlinModel, PolynomialModel,
                                   SplineModel, ValanisLandelModel, StrainLimitModel, VolumeModel>;
/// All but OwnModel.
static_assert(std::variant_size_v<MaterialModel> == 12, "a new material belongs into AllModels");

/// The models with the terms of Valanis and Landel.
using ModelsOfTerms = ::testing::Types<CorotatedModel, ArapModel, StvkModel, NeoHookeanModel,
                                       StableNeoHookeanModel, MooneyRivlinModel, PolynomialModel,
                                       SplineModel, ValanisLandelModel, StrainLimitModel>;

/// Whether some or all directions are not resisted at rest. `polynomial` is flat there to second
/// order; the others allow a whole set of deformations.
template <class Model>
inline constexpr bool is_soft_at_rest =
    std::is_same_v<Model, PolynomialModel> || std::is_same_v<Model, StrainLimitModel> ||
    std::is_same_v<Model, VolumeModel>;

struct ModelNames {
  template <class Model>
  static std::string GetName(int) {
    return Model::name;
  }
};

/// Stiffness of the examples, Pa: a scale for tolerances.
inline constexpr double example_mu = 3, example_lambda = 5;

/// The example of valanis_landel: all three terms act, none of them is odd, and F = I has no
/// stress.
struct ExampleFunctions {
  template <class T>
  static T a(const T& s) {
    const T e = s - 1.0;
    return T(2.0 * s * s + 0.3 * e * e * e * e + 0.4 * s);
  }
  template <class T>
  static T b(const T& p) {
    return T(0.7 * p * p + 0.2 * p);
  }
  /// Balances a'(1) + 2 b'(1) = 4.4 + 3.2.
  template <class T>
  static T c(const T& J) {
    const T e = J - 1.0;
    return T(4.0 * e * e - 7.6 * e);
  }
  static ScalarFunction function_a() {
    return {[](double s) { return a(s); },
            [](double s) { return 4 * s + 1.2 * std::pow(s - 1, 3) + 0.4; },
            [](double s) { return 4 + 3.6 * (s - 1) * (s - 1); }};
  }
  static ScalarFunction function_b() {
    return {[](double p) { return b(p); }, [](double p) { return 1.4 * p + 0.2; },
            [](double) { return 1.4; }};
  }
  static ScalarFunction function_c() {
    return {[](double J) { return c(J); }, [](double J) { return 8 * (J - 1) - 7.6; },
            [](double) { return 8.0; }};
  }
};

inline MaterialSettings example_settings(const std::string& name) {
  MaterialSettings settings;
  if (name == "spline") {
    settings = spline_preset('A', example_mu, example_lambda);
    // A b' of its own; c' takes up its stress at rest.
    settings.spline_b.points = {{-1, -1.5}, {0, -0.4}, {1, 0.5}, {2.5, 1}};
    for (auto& point : settings.spline_c.points) point.second -= 1;
  }
  settings.model = name;
  settings.mu = example_mu;
  settings.lambda = example_lambda;
  settings.min = 0.75;
  settings.max = 1.15;
  settings.c1 = 1.5;
  settings.c2 = 0.8;
  settings.bulk = 6;
  settings.a = ExampleFunctions::function_a();
  settings.b = ExampleFunctions::function_b();
  settings.c = ExampleFunctions::function_c();
  return settings;
}

/// The example of a model, and its parameters.
template <class Model>
struct Example {
  MaterialSettings settings = example_settings(Model::name);
  Model model = std::get<Model>(make_material(settings, "test"));
  std::vector<double> parameters = values();

  template <class S>
  auto at() const {
    S lanes[4] = {S(0.0), S(0.0), S(0.0), S(0.0)};
    for (std::size_t i = 0; i < parameters.size(); ++i) lanes[i] = S(parameters[i]);
    return model.template at<S>(lanes);
  }

 private:
  std::vector<double> values() const {
    std::vector<double> list;
    for (const Parameter* p : material_parameters(settings)) list.push_back((*p)[0]);
    return list;
  }
};

// ------------------------------------------------------------------- deformation gradients

struct Deformation {
  std::string kind;
  Mat3<double> F;
  bool distinct;  ///< whether the stretches differ much in size
};

/// Deformations whose stretches keep s2 + s3 >= 0.2, away from the kink that some materials have.
inline std::vector<Deformation> deformations() {
  Random random(7);
  std::vector<Deformation> list;
  for (int i = 0; i < 10; ++i) {
    const double x = uniform(random, 1.1, 1.6), y = uniform(random, 0.8, 1.0),
                 z = uniform(random, 0.3, 0.6);
    list.push_back({"J > 0", with_stretches(random, x, y, z), true});
    list.push_back({"J < 0", with_stretches(random, x, y, -0.5 * z), true});
  }
  list.push_back({"J below 0.1", with_stretches(random, 1.3, 0.5, 0.1), true});
  list.push_back({"at rest", Mat3<double>::identity(), false});
  list.push_back({"turned", random_rotation(random), false});
  for (double gap : {0.0, 1e-12, 1e-9, 1e-6, 1e-4}) {
    const std::string text = " apart by " + std::to_string(gap * 1e12) + "e-12";
    list.push_back({"upper two" + text, with_stretches(random, 1.3, 1.3 - gap, 0.7), false});
    list.push_back({"lower two" + text, with_stretches(random, 1.3, 0.7 + gap, 0.7), false});
    list.push_back({"all" + text, with_stretches(random, 0.9 + gap, 0.9, 0.9 - gap), false});
    list.push_back({"inverted" + text, with_stretches(random, 1.2, 1.2 - gap, -0.4), false});
  }
  return list;
}

// ----------------------------------------------------------------- independent formulas

/// Signed singular values as roots of the characteristic polynomial of F^T F, so that they have
/// derivatives; their sizes must be distinct. The values come from Eigen's eigen-solver, and two
/// Newton steps on dual numbers add the derivatives (implicit function theorem).
template <class T>
Vector3<T> reference_stretches(const Mat3<T>& F, const Mat3<double>& value) {
  const Mat3<T> C = transpose_times(F, F);
  const T i1 = trace(C);
  const T i2 = trace(cofactor(C));
  const T i3 = determinant(C);
  Eigen::Matrix3d c;
  const Mat3<double> Cd = transpose_times(value, value);
  for (int i = 0; i < 9; ++i) c(i / 3, i % 3) = Cd(i / 3, i % 3);
  const Eigen::Vector3d roots = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(c).eigenvalues();
  Vector3<T> s;
  for (int i = 0; i < 3; ++i) {
    using std::sqrt;
    T x = T(roots[2 - i]);
    for (int step = 0; step < 2; ++step) {
      const T p = ((x - i1) * x + i2) * x - i3;
      const T slope = (3.0 * x - 2.0 * i1) * x + i2;
      x = x - p / slope;
    }
    s[i] = sqrt(x);
  }
  if (determinant(value) < 0) s[2] = -s[2];
  return s;
}

template <class T>
T reference_log(const T& J) {
  using std::log;
  if (J > T(0.1)) return log(J);
  const T r = (J - 0.1) / 0.1;
  return T(std::log(0.1) + r - 0.5 * r * r);
}

/// A function of a dual number from its value and derivative; for plain numbers the value.
inline double chain(double, double f, double) { return f; }
inline Dual chain(const Dual& x, double f, double df) { return Dual(f, df * x.derivatives()); }
inline double plain(double x) { return x; }
inline double plain(const Dual& x) { return x.value(); }

/// The densities as the contract writes them, from the invariants or from given stretches.
template <class T>
T reference_density(const Example<CorotatedModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  T sum = T(0.0);
  for (int i = 0; i < 3; ++i) sum += e.parameters[0] * (s[i] - 1.0) * (s[i] - 1.0);
  const T spread = s[0] + s[1] + s[2] - 3.0;
  return T(sum + 0.5 * e.parameters[1] * spread * spread);
}
template <class T>
T reference_density(const Example<ArapModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  T sum = T(0.0);
  for (int i = 0; i < 3; ++i) sum += e.parameters[0] * (s[i] - 1.0) * (s[i] - 1.0);
  return sum;
}
template <class T>
T reference_density(const Example<PolynomialModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  T sum = T(0.0);
  for (int i = 0; i < 3; ++i) {
    const T d = s[i] - 1.0;
    sum += e.parameters[0] * d * d * d * d;
  }
  return sum;
}
template <class T>
T reference_density(const Example<StvkModel>& e, const Mat3<T>& F, const Vector3<T>&) {
  const Mat3<T> E = T(0.5) * (transpose(F) * F - Mat3<T>::identity());
  const T t = trace(E);
  return T(e.parameters[0] * squared_norm(E) + 0.5 * e.parameters[1] * t * t);
}
template <class T>
T reference_density(const Example<NeoHookeanModel>& e, const Mat3<T>& F, const Vector3<T>&) {
  const double mu = e.parameters[0], lambda = e.parameters[1];
  const T log = reference_log(determinant(F));
  const T I1 = trace(transpose(F) * F);
  return T(0.5 * mu * (I1 - 3.0) - mu * log + 0.5 * lambda * log * log);
}
template <class T>
T reference_density(const Example<StableNeoHookeanModel>& e, const Mat3<T>& F, const Vector3<T>&) {
  const double mu = e.parameters[0], lambda = e.parameters[1];
  const T I1 = trace(transpose(F) * F);
  const T x = determinant(F) - (1.0 + mu / lambda);
  return T(0.5 * mu * (I1 - 3.0) + 0.5 * lambda * x * x);
}
template <class T>
T reference_density(const Example<MooneyRivlinModel>& e, const Mat3<T>& F, const Vector3<T>&) {
  const double c1 = e.parameters[0], c2 = e.parameters[1], bulk = e.parameters[2];
  const Mat3<T> B = transpose(F) * F;
  const T I1 = trace(B);
  const T I2 = 0.5 * (I1 * I1 - trace(B * B));
  const T log = reference_log(determinant(F));
  return T(c1 * (I1 - 3.0) + c2 * (I2 - 3.0) - (2 * c1 + 4 * c2) * log + 0.5 * bulk * log * log);
}
template <class T>
T reference_density(const Example<SplineModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  // The curves have tests of their own (math/cubic_spline_test.cpp).
  const auto term = [](const CubicSpline& curve, const T& x) {
    return chain(x, curve.integral(plain(x)), curve.value(plain(x)));
  };
  T sum = term(e.model.curves->c, T(s[0] * s[1] * s[2]));
  for (int i = 0; i < 3; ++i) {
    sum += term(e.model.curves->a, s[i]);
    sum += term(e.model.curves->b, T(s[i] * s[(i + 1) % 3]));
  }
  return sum;
}
template <class T>
T reference_density(const Example<ValanisLandelModel>&, const Mat3<T>&, const Vector3<T>& s) {
  T sum = ExampleFunctions::c(T(s[0] * s[1] * s[2]));
  for (int i = 0; i < 3; ++i) {
    sum += ExampleFunctions::a(s[i]);
    sum += ExampleFunctions::b(T(s[i] * s[(i + 1) % 3]));
  }
  return sum;
}

template <class T>
T reference_density(const Example<StrainLimitModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  T sum = T(0.0);
  for (int i = 0; i < 3; ++i) {
    const double limit = plain(s[i]) < 1 ? e.parameters[1] : e.parameters[2];
    const bool outside = plain(s[i]) < e.parameters[1] || plain(s[i]) > e.parameters[2];
    if (outside) sum += e.parameters[0] * (s[i] - limit) * (s[i] - limit);
  }
  return sum;
}

/// The nearest stretches of product one for s3 < 1.5: t_i = s_i + l/t_i, where t_i is the larger
/// root. Bisection of t1 t2 t3 = 1, which grows with l, gives l; two Newton steps on dual numbers
/// add the derivatives.
template <class T>
Vector3<T> reference_unit_volume(const Vector3<T>& s) {
  using std::sqrt;
  const auto root = [](const auto& x, const auto& l) {
    using std::sqrt;
    const auto r = sqrt(x * x + 4.0 * l);
    return std::decay_t<decltype(l)>(0.5 * (x + r));
  };
  const double last = plain(s[2]);
  double low = last > 0 ? -last * last / 4 : 0, high = 10;
  for (int step = 0; step < 80; ++step) {
    const double l = 0.5 * (low + high);
    double product = 1;
    for (int i = 0; i < 3; ++i) product *= root(plain(s[i]), l);
    (product < 1 ? low : high) = l;
  }
  T l = T(low);
  for (int step = 0; step < 2; ++step) {
    const T t[3] = {root(s[0], l), root(s[1], l), root(s[2], l)};
    T growth = T(0.0);
    for (int i = 0; i < 3; ++i) growth += 1.0 / (t[i] * (2.0 * t[i] - s[i]));
    const T product = t[0] * t[1] * t[2];
    l = T(l - (product - 1.0) / (product * growth));
  }
  return {{root(s[0], l), root(s[1], l), root(s[2], l)}};
}
template <class T>
T reference_density(const Example<VolumeModel>& e, const Mat3<T>&, const Vector3<T>& s) {
  const Vector3<T> t = reference_unit_volume(s);
  T sum = T(0.0);
  for (int i = 0; i < 3; ++i) sum += e.parameters[0] * (s[i] - t[i]) * (s[i] - t[i]);
  return sum;
}

/// F as independent variables.
inline Mat3<Dual> variables(const Mat3<double>& F) {
  Mat3<Dual> X;
  for (int i = 0; i < 9; ++i) X(i / 3, i % 3) = Dual(F(i / 3, i % 3), 9, i);
  return X;
}

/// Rotation and symmetric factor F = R S of a matrix with J > 0, by Newton's iteration R <- (R +
/// R^-T)/2 [Higham 1986], which is differentiable even if stretches are equal.
template <class T>
void reference_polar(const Mat3<T>& F, Mat3<T>& R, Mat3<T>& S) {
  R = F;
  for (int step = 0; step < 12; ++step) R = T(0.5) * (R + transpose(inverse(R)));
  S = transpose_times(R, F);
}

inline double largest(const Mat3<double>& m) {
  double x = 0;
  for (int i = 0; i < 9; ++i) x = std::max(x, std::abs(m(i / 3, i % 3)));
  return x;
}

}  // namespace supple::testing
