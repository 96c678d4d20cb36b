#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "materials/principal.h"
#include "math/cubic_spline.h"
#include "math/interleaved_batch.h"
#include "math/polar.h"
#include "math/symmetric.h"
#include "supple/scene.h"

namespace supple {

/// The curves of a spline material, immutable.
struct SplineCurves {
  CubicSpline a;  ///< a'(s), Pa
  CubicSpline b;  ///< b'(s_i s_j), Pa
  CubicSpline c;  ///< c'(J), Pa
};

/// Material drawn by hand [Xu et al. 2015, sec. 4]: a', b' and c' of the Valanis-Landel form are
/// natural cubic splines through control points, continued linearly beyond the ends with the end
/// slope. The energies are their exact integrals with a(1) = b(1) = c(1) = 0. The rest shape has no
/// stress if a'(1) + 2 b'(1) + c'(1) = 0.
template <class S>
struct Spline {
  const SplineCurves* curves;  ///< of a SplineModel, which must outlive it

  S energy_density(const Mat3<S>& F) const {
    Mat3<S> P;
    return energy_and_stress(F, P);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = R g(Y), F = R Y with R = U V^T and g as in materials/principal.h. With k as the third
  /// index, its divided differences are
  ///   (g_i - g_j)/(s_i - s_j) = a'[s_i, s_j] - b'(s_i s_j) + s_k^2 b'[s_i s_k, s_j s_k] - s_k c'.
  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> R = polar(F).R;
    const Mat3<S> Y = symmetric_product(transpose(R), F);
    const Vector3<S> s = symmetric_eigenvalues(Y);
    const S p[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    const Samples a(curves->a, s.v);
    const auto c = curves->c.evaluate(S(s[0] * p[0]));
    S energy = a.sum() + c.integral;
    S g1 = a.value[0] + p[0] * c.value;
    S g12 = a.divided(s.v, 0, 1) - s[2] * c.value;
    S g23 = a.divided(s.v, 1, 2) - s[0] * c.value;
    if (!curves->b.is_zero()) {
      const Samples b(curves->b, p);
      energy += b.sum();
      g1 += s[1] * b.value[2] + s[2] * b.value[1];
      g12 += s[2] * s[2] * b.divided(p, 1, 0) - b.value[2];
      g23 += s[0] * s[0] * b.divided(p, 2, 1) - b.value[0];
    }
    P = R * symmetric_function(Y, s, g1, g12, g23);
    return energy;
  }

  static constexpr bool smooth = false;
  S a(const S& s) const { return integral(curves->a, s); }
  S da(const S& s) const { return value(curves->a, s); }
  S dda(const S& s) const { return slope(curves->a, s); }
  S slope_a(const S& p, const S& q) const { return divided(curves->a, p, q); }
  S b(const S& p) const { return integral(curves->b, p); }
  S db(const S& p) const { return value(curves->b, p); }
  S ddb(const S& p) const { return slope(curves->b, p); }
  S slope_b(const S& p, const S& q) const { return divided(curves->b, p, q); }
  S c(const S& J) const { return integral(curves->c, J); }
  S dc(const S& J) const { return value(curves->c, J); }
  S ddc(const S& J) const { return slope(curves->c, J); }

 private:
  /// A curve at three places.
  struct Samples {
    S integral[3], value[3], slope[3];

    Samples(const CubicSpline& curve, const S* x) {
      for (int i = 0; i < 3; ++i) {
        const auto at = curve.evaluate(x[i]);
        integral[i] = at.integral;
        value[i] = at.value;
        slope[i] = at.slope;
      }
    }
    S sum() const { return integral[0] + integral[1] + integral[2]; }
    /// Divided difference of places i and j. If they are nearer than 1e-8, the mean of the slopes
    /// is used, whose error is 1e-16 of the third derivative.
    S divided(const S* x, int i, int j) const {
      using std::abs;
      const S difference = x[i] - x[j];
      const auto apart = abs(difference) > S(1e-8) * abs(x[i]);
      const S quotient = (value[i] - value[j]) / select(apart, difference, S(1.0));
      return select(apart, quotient, S(S(0.5) * (slope[i] + slope[j])));
    }
  };

  static S integral(const CubicSpline& curve, const S& x) { return curve.evaluate(x).integral; }
  static S value(const CubicSpline& curve, const S& x) { return curve.evaluate(x).value; }
  static S slope(const CubicSpline& curve, const S& x) { return curve.evaluate(x).slope; }
  static S divided(const CubicSpline& curve, const S& x, const S& y) {
    return map_lanes(x, y, [&](double p, double q) {
      return divided_difference(p, q, curve.value(p), curve.value(q),
                                curve.slope(p + 0.5 * (q - p)));
    });
  }
};

struct SplineModel {
  static constexpr const char* name = "spline";
  static constexpr int num_parameters = 0;
  std::shared_ptr<const SplineCurves> curves;
  template <class S>
  Spline<S> at(const S*) const {
    return {curves.get()};
  }
};

/// Checks the control points of a curve: there must be none or at least two, finite, with
/// increasing x. Throws Error{invalid_input} at `where` or below it.
void check_control_points(const SplineCurve& curve, const std::string& where);

/// The papers' two spline materials [Liu et al. 2017, Fig. 5; thesis Fig. 7.1] as control points.
/// The papers only give pictures, so these are made from Neo-Hookean with mu and lambda:
///   'A', "resists compression more":  a'(s) = mu s - 20 mu (1 - s)^3              for s < 1
///   'B', "resists tension more":      a'(s) = mu s + 10 mu (s - 1)^3              for s > 1,
///                                     a'(s) = mu s - 25 mu (0.4 - s)^3            for s < 0.4
/// and a'(s) = mu s elsewhere, at s = 0, 0.1, ..., 2 and 3. b' = 0. c' is that of Neo-Hookean at J
/// = -0.1, -0.05, 0, 0.05 and the 23 values 10^((k-16)/16) from 0.1 to 2.37. (Beyond J = e the
/// slope of Neo-Hookean's c' can be negative, which must not be continued.) Unlike Neo-Hookean's,
/// both a' fall below zero near s = 0, so F = 0 pushes open. With a'' > 0, c' < 0 for J < 1 and
/// a'(s) <= 0 for s <= 0.1, the rest shape is the only minimum.
/// mu > 0 and lambda >= 0 in Pa. Throws Error{invalid_input} otherwise, or for another letter.
MaterialSettings spline_preset(char which, double mu, double lambda);

}  // namespace supple
