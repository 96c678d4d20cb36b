#pragma once

#include <memory>
#include <string>
#include <utility>

#include "materials/principal.h"
#include "math/cubic_spline.h"
#include "math/mat3.h"
#include "supple/scene.h"

namespace supple {

/// Fibers along one direction at rest, added to any material [thesis sec. 8.3]:
///   Psi = kappa/2 (|F d| - 1)^2,
/// or, with a curve T, which is the stress along a fiber over its stretch,
///   Psi = kappa W(|F d|),  W' = T,  W(1) = 0.
/// direction: unit vector d (longer in muscles: contract_fibers in model.h); kappa: Pa, or a factor
/// of the curve. The density has a kink at F d = 0; there the stress counts as zero and the Hessian
/// stays finite.
template <class S>
struct Fiber {
  Vector3<S> direction;
  S kappa;
  const CubicSpline* curve = nullptr;  ///< T, Pa; must outlive the fibers

  S energy_density(const Mat3<S>& F) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    if constexpr (takes_curves) {
      if (curve != nullptr) return kappa * curve->evaluate(length).integral;
    }
    const S e = length - S(1.0);
    return S(0.5) * kappa * (e * e);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = Psi'(|F d|)/|F d| (F d) d^T, which overwrites P.
  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    const S e = length - S(1.0);
    S tension = kappa * e, energy = S(0.5) * kappa * (e * e);
    if constexpr (takes_curves) {
      if (curve != nullptr) {
        const auto at = curve->evaluate(length);
        tension = kappa * at.value;
        energy = kappa * at.integral;
      }
    }
    const Vector3<S> pull = (tension / at_least(length, 1e-150)) * f;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) P(r, c) = pull[r] * direction[c];
    }
    return energy;
  }

  /// Without a curve, the nearest unit vector n to F d. Psi = kappa/2 |F d - n|^2 is then a
  /// distance as in projection.h. At F d = 0 all unit vectors are equally near, and the result is
  /// d.
  Vector3<S> project(const Mat3<S>& F) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    const auto none = length < S(1e-150);
    const S inverse_length = S(1.0) / select(none, S(1.0), length);
    Vector3<S> n;
    for (int i = 0; i < 3; ++i) n[i] = select(none, direction[i], S(inverse_length * f[i]));
    return n;
  }

  /// The 3x3 matrix B of the Hessian d2Psi/dF_rc dF_r'c' = B_rr' d_c d_c':
  ///   B = Psi'' n n^T + Psi'/l (I - n n^T),  l = |F d|, n = F d/l,
  /// where Psi'' = kappa and Psi' = kappa (l - 1), or those of the curve. Compressed fibers (l < 1)
  /// have a negative eigenvalue, which is treated as `mode` says. Lengths below 1e-6 count as 1e-6.
  Mat3<S> hessian_block(const Mat3<S>& F, NegativeEigenvalues mode) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    const Vector3<S> n = (S(1.0) / at_least(length, 1e-150)) * f;
    const S divisor = at_least(length, least_stretch_sum);
    S along = kappa, across = kappa * (S(1.0) - S(1.0) / divisor);
    if constexpr (takes_curves) {
      if (curve != nullptr) {
        const auto at = curve->evaluate(length);
        along = kappa * at.slope;
        across = kappa * (at.value / divisor);
      }
    }
    across = detail::mended(across, mode);
    Mat3<S> B;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        B(r, c) = (along - across) * n[r] * n[c];
        if (r == c) B(r, c) = B(r, c) + across;
      }
    }
    return B;
  }
  /// project: whether to clamp negative eigenvalues.
  Mat3<S> hessian_block(const Mat3<S>& F, bool project) const {
    return hessian_block(F, project ? NegativeEigenvalues::clamp : NegativeEigenvalues::keep);
  }

 private:
  /// Whether S takes curves; number types for automatic differentiation do not.
  static constexpr bool takes_curves = requires(const CubicSpline& spline, const S& x) {
    spline.evaluate(x);
  };

  static S at_least(const S& x, double least) { return select(x < S(least), S(least), x); }
};

/// Makes the curve of fibers: through the control points, monotone between them
/// (CubicSpline::monotone). Null without points. Throws Error{invalid_input} at `where` or below it
/// for points that are no curve, for a stress that falls anywhere, and if (1, 0) is not a control
/// point.
std::shared_ptr<const CubicSpline> make_fiber_curve(const SplineCurve& curve,
                                                    const std::string& where);

/// k of the best straight line k (s - 1) through the curve over a range of stretches. The range is
/// checked as for materials (fit_stiffness in material.h). Returns 0 or more, Pa.
double fit_curve_stiffness(const CubicSpline& curve, std::pair<double, double> range);

/// d2Psi/dF2 of the fibers; the rows of F follow each other as in materials/principal.h.
inline Hessian9 hessian(const Fiber<double>& fiber, const Mat3<double>& F, bool project) {
  const Mat3<double> B = fiber.hessian_block(F, project);
  Hessian9 full{};
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 9; ++k) {
      full[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] =
          B(i / 3, k / 3) * fiber.direction[i % 3] * fiber.direction[k % 3];
    }
  }
  return full;
}

}  // namespace supple
