#pragma once

#include "materials/principal.h"
#include "math/mat3.h"

namespace supple {

/// Fibers along one direction at rest, added to any material [thesis sec. 8.3]:
///   Psi = kappa/2 (|F d| - 1)^2.
/// direction: unit vector d; kappa: Pa. (Of muscles it is longer: contract_fibers in model.h.)
/// Where F d = 0 the density has a kink; there the stress is taken as zero and the Hessian stays
/// finite.
template <class S>
struct Fiber {
  Vector3<S> direction;
  S kappa;

  S energy_density(const Mat3<S>& F) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S e = sqrt(dot(f, f)) - S(1.0);
    return S(0.5) * kappa * (e * e);
  }
  Mat3<S> stress(const Mat3<S>& F) const {
    Mat3<S> P;
    energy_and_stress(F, P);
    return P;
  }
  /// P = kappa (1 - 1/|F d|) (F d) d^T, written over what P was.
  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    const S e = length - S(1.0);
    const Vector3<S> pull = (kappa * e / at_least(length, 1e-150)) * f;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) P(r, c) = pull[r] * direction[c];
    }
    return S(0.5) * kappa * (e * e);
  }

  /// The nearest unit vector n to F d: Psi = kappa/2 |F d - n|^2, a distance as in projection.h.
  /// Where F d = 0 all are equally near and it is d.
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
  ///   B = kappa (n n^T + (1 - 1/l) (I - n n^T)),  l = |F d|, n = F d/l.
  /// Compressed fibers (l < 1) have a negative eigenvalue, treated as `mode` says. Lengths below
  /// 1e-6 are taken as that one.
  Mat3<S> hessian_block(const Mat3<S>& F, NegativeEigenvalues mode) const {
    using std::sqrt;
    const Vector3<S> f = F * direction;
    const S length = sqrt(dot(f, f));
    const Vector3<S> n = (S(1.0) / at_least(length, 1e-150)) * f;
    const S across =
        detail::mended(S(kappa * (S(1.0) - S(1.0) / at_least(length, least_stretch_sum))), mode);
    Mat3<S> B;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        B(r, c) = (kappa - across) * n[r] * n[c];
        if (r == c) B(r, c) = B(r, c) + across;
      }
    }
    return B;
  }
  /// project: clamp.
  Mat3<S> hessian_block(const Mat3<S>& F, bool project) const {
    return hessian_block(F, project ? NegativeEigenvalues::clamp : NegativeEigenvalues::keep);
  }

 private:
  static S at_least(const S& x, double least) { return select(x < S(least), S(least), x); }
};

/// d2Psi/dF2 of the fibers, rows of F one after another as in materials/principal.h.
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
