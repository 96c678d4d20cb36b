#pragma once

#include "math/svd.h"

/// The rotation nearest to a 3x3 matrix, and the sum of its stretches, without a singular value
/// decomposition: about a fifth of the work.
namespace supple {

/// F = R Y with a rotation R and a symmetric Y, whose eigenvalues are the signed stretches
/// s1 >= s2 >= |s3|.
template <class S>
struct Polar {
  Mat3<S> R;
  S stretch_sum;  ///< tr Y = s1 + s2 + s3
};

namespace detail {

/// Out of line, so that hot loops that hardly ever call it keep their registers.
template <class S>
[[gnu::noinline]] Polar<S> polar_by_svd(const Mat3<S>& F) {
  const Svd<S> d = svd(F);
  return {times_transpose(d.U, d.V), d.s[0] + d.s[1] + d.s[2]};
}

}  // namespace detail

/// With a = |F|^2, b = |cof F|^2 and J = det F, the trace t of Y is the largest root of
///   p(t) = t^4 - 2 a t^2 - 8 J t + a^2 - 4 b,  p'(t) = 8 (s1 + s2)(s1 + s3)(s2 + s3)
/// [this is the characteristic polynomial of Davenport's matrix for the nearest rotation: Horn
/// 1987; Higham & Noferini 2016, sec. 2; for elastic energies Lin et al. 2022]. Since R = dt/dF,
/// differentiating p(t; F) = 0 gives
///   R = ((t^2 + a) F + 2 t cof F - 2 F F^T F) / (t^3 - a t - 2 J).
/// t^2 = a + 2 m, m^2 = b + 2 J t, and sqrt(a/3) <= t <= sqrt(3 a) give an upper bound of t that is
/// off by at most 2 percent if J >= 0. Two steps of Householder's method of fourth order
/// [Householder 1970] bring the error to 4e-6 and to rounding (8e5 random matrices). If s2 + s3 is
/// small compared with s1, the root is nearly double; if also J < 0, two steps can be too few. Such
/// lanes use the decomposition instead.
///
/// F: finite. Errors of R and t: a few rounding errors over (s2 + s3)/s1, like those of svd(F).
template <class S>
SUPPLE_INLINE Polar<S> polar(const Mat3<S>& F) {
  using std::abs;
  using std::sqrt;
  const Mat3<S> cof = cofactor(F);
  const S J = dot(F.column(0), cof.column(0));
  const S a = squared_norm(F), b = squared_norm(cof);
  const S bound = sqrt(S(3.0) * a);
  const S mm = b + S(2.0) * J * select(J < S(0.0), S(S(1.0 / 3) * bound), bound);
  S t = sqrt(a + S(2.0) * sqrt(select(mm < S(0.0), S(0.0), mm)));
  const S two_J = S(2.0) * J, two_a = S(2.0) * a;
  const S constant = a * a - S(4.0) * b;
  S step = S(0.0);
  for (int k = 0; k < 2; ++k) {
    // A quarter of p and of its derivatives, and the third one also over 3! (it is t).
    const S tt = t * t;
    const S f = S(0.25) * (tt * (tt - two_a) + (constant - S(4.0) * two_J * t));
    const S f1 = t * (tt - a) - two_J, f2 = S(3.0) * tt - a;
    const S square = f1 * f1, ff2 = f * f2;
    step = f * (square - S(0.5) * ff2) / (f1 * (square - ff2) + t * (f * f));
    t = t - step;
  }
  const S tt = t * t;
  const S divisor = t * (tt - a) - two_J;
  // The slope keeps t and R accurate; a small last step means that the next one is rounding;
  // smaller matrices would lose the ninth powers above. All three are false if something is not a
  // number.
  const auto good = (divisor > S(0.1) * (t * a)) & (abs(step) < S(1e-5) * t) & (a > S(1e-50));

  const Vector3<S> f0 = F.column(0), f1 = F.column(1), f2 = F.column(2);
  const S inverse = S(1.0) / divisor;
  const S minus_two = S(-2.0) * inverse;
  const S on_cof = S(2.0) * t * inverse, diagonal = (tt + a) * inverse;
  const S m01 = minus_two * dot(f0, f1), m02 = minus_two * dot(f0, f2);
  const S m12 = minus_two * dot(f1, f2);
  const Mat3<S> M{{{diagonal + minus_two * dot(f0, f0), m01, m02},
                   {m01, diagonal + minus_two * dot(f1, f1), m12},
                   {m02, m12, diagonal + minus_two * dot(f2, f2)}}};
  Polar<S> result;
  result.R = F * M;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) result.R(r, c) = result.R(r, c) + on_cof * cof(r, c);
  }
  result.stretch_sum = t;
  if (any(!good)) [[unlikely]] {
    const Polar<S> other = detail::polar_by_svd(F);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) result.R(r, c) = select(good, result.R(r, c), other.R(r, c));
    }
    result.stretch_sum = select(good, t, other.stretch_sum);
  }
  return result;
}

}  // namespace supple
