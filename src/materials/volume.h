#pragma once

#include "materials/principal.h"
#include "materials/projection.h"

namespace supple {

/// Volume preservation: the squared distance to the deformations of determinant one, SL(3) [Bouaziz
/// et al. 2014, sec. 5.1; thesis sec. 6.2],
///   Psi = mu |F - p(F)|^2 = mu |s - t|^2,  t = argmin |s - t|^2 subject to t1 t2 t3 = 1.
/// mu: Pa. It resists only changes of volume: with `arap` or another material as a layer a body
/// keeps its shape. An element's energy is bounded by that of its collapse, mu |t|^2 <= 3 mu at F =
/// 0.
///
/// A stationary t has t_i = s_i + l/t_i with one multiplier l = t3 (t3 - s3), so that
///   t_i = (s_i + r_i)/2,  r_i^2 = s_i^2 + 4 l = (s_i - s3)(s_i + s3) + (2 t3 - s3)^2  (i = 1, 2),
/// and one equation is left, G(t3) = t1 t2 t3 - 1 = 0 with 0 < t3 <= 1. At a minimum, only t3 can
/// be the smaller of the two roots of its quadratic (the second-order condition in log t, where the
/// constraint is a plane). For J <= 1, G is convex and increasing near the root, and there is only
/// one. For J > 1 there can be two minima, one with t3 near s3 and one with a small t3 (from s =
/// (1.9, 1.9, 1.9) on). Both are found, from either end of the interval, and the nearer one is
/// taken. So Psi is the true distance. It is continuous everywhere, with kinks at s2 + s3 = 0 and
/// where two minima are equally near; the stress there is that of one of them.
template <class S>
struct Volume {
  S mu;

  S energy_density(const Mat3<S>& F) const { return principal_energy(svd(F).s); }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = 2 mu (F - p(F)).
  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Svd<S> d = svd(F);
    const Vector3<S> e = d.s - project_stretches(d.s);
    P = compose(d.U, S(2.0) * mu * e, d.V);
    return mu * dot(e, e);
  }

  /// The nearest stretches whose product is one.
  Vector3<S> project_stretches(const Vector3<S>& s) const { return nearest(s).t; }
  S projection_weight() const { return S(2.0) * mu; }

  S principal_energy(const Vector3<S>& s) const {
    const Vector3<S> e = s - project_stretches(s);
    return mu * dot(e, e);
  }
  Vector3<S> principal_stress(const Vector3<S>& s) const {
    return S(2.0) * mu * (s - project_stretches(s));
  }
  /// Found by implicit differentiation of the equations of t, with w_i = t_i (2 t_i - s_i) and D =
  /// w1 w2 + w1 w3 + w2 w3 (positive at a minimum):
  ///   dt_i/ds_i = t_i^2 (w_j + w_k)/D,  dt_i/ds_j = -t_i t_j w_k/D,
  ///   (t_i - t_j)/(s_i - s_j) = t_i t_j/(t_i t_j + l).
  PrincipalModes<S> principal_modes(const Vector3<S>& s) const {
    const Nearest at = nearest(s);
    const Vector3<S>& t = at.t;
    const S two_mu = S(2.0) * mu;
    const Vector3<S> w{{t[0] * (S(2.0) * t[0] - s[0]), t[1] * (S(2.0) * t[1] - s[1]),
                        t[2] * (S(2.0) * t[2] - s[2])}};
    // If two minima merge, D = 0; near that the inverse is bounded.
    const S least_D = S(1e-9) * dot(w, w);
    const S D = w[1] * w[2] + w[0] * w[2] + w[0] * w[1];
    const S inverse_D = S(1.0) / select(D < least_D, least_D, D);
    PrincipalModes<S> modes;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      modes.A[k][k] = two_mu * (S(1.0) - t[k] * t[k] * (w[i] + w[j]) * inverse_D);
      modes.A[i][j] = modes.A[j][i] = two_mu * (t[i] * t[j] * w[k] * inverse_D);
      const S product = t[i] * t[j];
      const S divided = product + at.multiplier;
      const S least_divided = S(least_stretch_sum) * product;
      modes.symmetric[k] =
          two_mu * (S(1.0) - product / select(divided < least_divided, least_divided, divided));
      const S stretch_sum = s[i] + s[j], least_sum = S(least_stretch_sum);
      modes.skew[k] = two_mu * ((stretch_sum - (t[i] + t[j])) /
                                select(stretch_sum < least_sum, least_sum, stretch_sum));
    }
    return modes;
  }

 private:
  struct Nearest {
    Vector3<S> t;
    S multiplier;
  };

  /// t1 and t2 for t3 = t.
  struct Upper {
    S r[2];
    S t[2];
  };
  static Upper upper(const Vector3<S>& s, const S& t) {
    using std::sqrt;
    const S slope = S(2.0) * t - s[2];
    Upper u;
    for (int i = 0; i < 2; ++i) {
      const S gap = (s[i] - s[2]) * (s[i] + s[2]);  // negative only by rounding
      u.r[i] = sqrt(select(gap < S(0.0), S(0.0), gap) + slope * slope);
      u.t[i] = S(0.5) * (s[i] + u.r[i]);
    }
    return u;
  }

  /// G at t, and where Newton's iteration goes from there.
  struct Step {
    S G;
    S next;
    MaskOf<S> rising;  ///< G has a positive slope
  };
  static Step newton(const Vector3<S>& s, const S& t) {
    const Upper u = upper(s, t);
    const S product = u.t[0] * u.t[1];
    const S G = t * product - S(1.0);
    // If r_i vanishes, so does 2 t - s3, since |2 t - s3| <= r_i: the quotient is then zero.
    const S slope = S(2.0) * t - s[2], tiny = S(1e-150);
    const S dG = product + t * slope * (u.t[1] / (u.r[0] + tiny) + u.t[0] / (u.r[1] + tiny));
    const auto rising = S(0.0) < dG;
    return {G, S(t - G / select(rising, dG, S(1.0))), rising};
  }

  /// Solves G(t) = 0 in [low, high], G(low) <= 0 <= G(high), by a safeguarded Newton iteration from
  /// t.
  static S solve(const Vector3<S>& s, S low, S high, S t) {
    for (int k = 0; k < newton_steps; ++k) {
      const Step step = newton(s, t);
      const auto above = S(0.0) < step.G;
      high = select(above, t, high);
      low = select(above, low, t);
      const auto outside = (step.next < low) | (high < step.next) | !step.rising;
      t = select(outside, S(S(0.5) * (low + high)), step.next);
    }
    return t;
  }

  /// t1 and t2 follow from t3. Then t3 is recomputed from them, so that the product is one up to
  /// rounding.
  static Nearest complete(const Vector3<S>& s, const S& t) {
    const Upper u = upper(s, t);
    return {{{u.t[0], u.t[1], S(1.0) / (u.t[0] * u.t[1])}}, t * (t - s[2])};
  }

  static Nearest nearest(const Vector3<S>& s) {
    using std::sqrt;
    const S one = S(1.0);
    const S area = s[0] * s[1];
    const auto expanded = one < area * s[2];
    // For J <= 1, t1 >= s1 and t2 >= s2, and always t1 >= t3: three upper bounds of t3. For J > 1,
    // t1 <= s1 and t2 <= s2 give a lower bound, and s3 is an upper one.
    const S s1 = select(one < s[0], s[0], one);
    const S root = one / sqrt(s1);
    const S inverse_area = one / select(one < area, area, one);
    S high = select(inverse_area < root, inverse_area, root);
    const S last = select(s[2] < one, s[2], one);
    high = select(expanded, last, high);
    const S low = select(expanded, inverse_area, S(0.0));
    const S ta = solve(s, low, high, high);
    const S tb = solve(s, low, high, select(expanded, low, high));
    const Vector3<S> ea = s - complete(s, ta).t, eb = s - complete(s, tb).t;
    S t = select(dot(eb, eb) < dot(ea, ea), tb, ta);
    // Both can stand for the same minimum, and rounding can make the coarser of the two roots the
    // nearer one. Two more steps make up for that.
    for (int k = 0; k < 2; ++k) {
      const Step step = newton(s, t);
      const auto inside = step.rising & !(step.next < low) & !(high < step.next);
      t = select(inside, step.next, t);
    }
    return complete(s, t);
  }

  static constexpr int newton_steps = 10;
};

struct VolumeModel {
  static constexpr const char* name = "volume";
  static constexpr int num_parameters = 1;
  template <class S>
  Volume<S> at(const S* parameters) const {
    return {parameters[0]};
  }
};

}  // namespace supple
