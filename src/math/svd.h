#pragma once

#include "math/mat3.h"

/// Rotation-variant singular value decomposition of 3x3 matrices without branches, so that eight
/// run at once in the lanes of a batch.
///
/// F = U diag(s) V^T with det U = det V = 1, s1 >= s2 >= |s3|: s3 carries the sign of det F [Irving
/// et al. 2004, sec. 4]. V comes from cyclic Jacobi sweeps on S = F^T F, which lose the small
/// singular values to the square root of rounding. A last one-sided (Hestenes) sweep on B = F V
/// restores them, since its rotations come from the columns themselves. U is then the
/// orthonormalised B.
namespace supple {

template <class S>
struct Svd {
  Mat3<S> U;
  Vector3<S> s;
  Mat3<S> V;
};

namespace detail {

/// Cosine c and sine s of a rotation that nearly zeroes the off-diagonal entry of [a b; b d] (the
/// exact angle has tan 2 theta = 2b / (d - a)), from x = |2b / (d - a)| without a square root:
///   tan(theta/2) = tan(atan(x)/4) ~ x (1 + m x + n x^2) / (4 + 4 m x + (4 n + 5/4) x^2 + q x^3),
/// with q = n / tan(pi/8). It is correct to third order at x = 0, exact at x = 1 and x = infinity,
/// and off by less than 0.2 percent in between. Jacobi needs no exact angle: c^2 + s^2 = 1 holds to
/// rounding and a small entry is cubed. One division instead of two and two square roots shortens
/// the chain, for which the eight lanes wait. `scale` brings the entries to about 1.
template <class S>
SUPPLE_INLINE void jacobi_rotation(const S& a, const S& b, const S& d, const S& scale, S& c, S& s) {
  using std::abs;
  constexpr double m = 1.1254;
  constexpr double n = 0.6731017;
  constexpr double p = 4 * n + 1.25;
  constexpr double q = 2.414213562373095 * n;
  const S difference = (d - a) * scale;
  const S twice = S(2.0) * b * scale;
  const S u = abs(difference), w = abs(twice);
  const S uu = u * u, uw = u * w, ww = w * w;
  const S half_sine = select(difference < S(0.0), S(-twice), twice) * (uu + S(m) * uw + S(n) * ww);
  // The tiny term turns 0/0 into the identity; next to entries of about 1 it is negligible.
  const S half_cosine =
      u * (S(4.0) * uu + S(4.0 * m) * uw + S(p) * ww) + (S(q) * ww * w + S(1e-150));
  const S cc = half_cosine * half_cosine, ss = half_sine * half_sine;
  const S inverse = S(1.0) / (cc + ss);
  c = S(1.0) - S(2.0) * ss * inverse;  // exactly 1 if nothing is to be rotated
  s = S(2.0) * half_cosine * half_sine * inverse;
}

/// One two-sided rotation in the plane (p, q); r is the third index.
template <int p, int q, int r, class S>
SUPPLE_INLINE void rotate_symmetric(Mat3<S>& A, const S& scale, Mat3<S>& V) {
  S c, s;
  jacobi_rotation(A(p, p), A(p, q), A(q, q), scale, c, s);
  const S app = A(p, p), aqq = A(q, q), apq = A(p, q), apr = A(p, r), aqr = A(q, r);
  const S cc = c * c, ss = s * s, cs = c * s;
  const S both = S(2.0) * cs * apq;
  A(p, p) = cc * app - both + ss * aqq;
  A(q, q) = ss * app + both + cc * aqq;
  A(p, q) = A(q, p) = cs * (app - aqq) + (cc - ss) * apq;
  A(p, r) = A(r, p) = c * apr - s * aqr;
  A(q, r) = A(r, q) = s * apr + c * aqr;
  for (int i = 0; i < 3; ++i) {
    const S vp = V(i, p), vq = V(i, q);
    V(i, p) = c * vp - s * vq;
    V(i, q) = s * vp + c * vq;
  }
}

/// One two-sided rotation of a matrix of any size, which is scaled by the entries of the plane.
template <int p, int q, int r, class S>
SUPPLE_INLINE void rotate_symmetric(Mat3<S>& A, Mat3<S>& V) {
  using std::abs;
  const S size = abs(A(p, p)) + abs(A(q, q)) + abs(A(p, q));
  rotate_symmetric<p, q, r>(A, S(S(1.0) / select(size > S(0.0), size, S(1.0))), V);
}

/// Makes the columns p and q of B orthogonal, and rotates V in the same way.
template <class S>
SUPPLE_INLINE void rotate_columns(Mat3<S>& B, const S& scale, Mat3<S>& V, int p, int q) {
  const Vector3<S> bp = B.column(p), bq = B.column(q);
  S c, s;
  jacobi_rotation(dot(bp, bp), dot(bp, bq), dot(bq, bq), scale, c, s);
  for (int i = 0; i < 3; ++i) {
    const S x = B(i, p), y = B(i, q);
    B(i, p) = c * x - s * y;
    B(i, q) = s * x + c * y;
    const S vx = V(i, p), vy = V(i, q);
    V(i, p) = c * vx - s * vy;
    V(i, q) = s * vx + c * vy;
  }
}

/// Swaps columns p < q if |b_q| > |b_p|. One of them is negated, so det V stays 1.
template <class S>
SUPPLE_INLINE void sort_columns(Mat3<S>& B, Mat3<S>& V, int p, int q) {
  const Vector3<S> bp = B.column(p), bq = B.column(q);
  const auto swap = dot(bp, bp) < dot(bq, bq);
  for (int i = 0; i < 3; ++i) {
    const S x = B(i, p), y = B(i, q), vx = V(i, p), vy = V(i, q);
    B(i, p) = select(swap, y, x);
    B(i, q) = select(swap, S(-x), y);
    V(i, p) = select(swap, vy, vx);
    V(i, q) = select(swap, S(-vx), vy);
  }
}

/// A unit vector orthogonal to the unit vector u [Duff et al. 2017].
template <class S>
SUPPLE_INLINE Vector3<S> any_orthogonal(const Vector3<S>& u) {
  const S sign = select(u[2] < S(0.0), S(-1.0), S(1.0));
  const S a = S(-1.0) / (sign + u[2]);
  return {{S(1.0) + sign * u[0] * u[0] * a, sign * u[0] * u[1] * a, S(-sign) * u[0]}};
}

}  // namespace detail

/// F: finite, any rank. Errors of U s V^T - F, U^T U - I, V^T V - I: a few rounding errors of |F|,
/// for |F| between 1e-70 and 1e70 (the square of F^T F must neither vanish nor overflow).
template <class S>
SUPPLE_INLINE Svd<S> svd(const Mat3<S>& F) {
  using std::sqrt;
  Mat3<S> A = transpose_times(F, F);
  Mat3<S> V = Mat3<S>::identity();
  const S size = trace(A);
  const S scale = S(1.0) / select(size > S(0.0), size, S(1.0));
  // Three sweeps leave off-diagonals of 2e-5 |F|^2 in the worst of 3e6 matrices (random, graded
  // over six decades, nearly repeated stretches, nearly singular, near a multiple of the identity);
  // two leave 4e-2. The one-sided sweep cubes that to below rounding: 1.4e-16 |F|^2.
  for (int sweep = 0; sweep < 3; ++sweep) {
    detail::rotate_symmetric<0, 1, 2>(A, scale, V);
    detail::rotate_symmetric<0, 2, 1>(A, scale, V);
    detail::rotate_symmetric<1, 2, 0>(A, scale, V);
  }
  Mat3<S> B = F * V;
  detail::rotate_columns(B, scale, V, 0, 1);
  detail::rotate_columns(B, scale, V, 0, 2);
  detail::rotate_columns(B, scale, V, 1, 2);
  detail::sort_columns(B, V, 0, 1);
  detail::sort_columns(B, V, 0, 2);
  detail::sort_columns(B, V, 1, 2);

  const Vector3<S> b1 = B.column(0), b2 = B.column(1), b3 = B.column(2);
  const S s1 = sqrt(dot(b1, b1));
  const auto no_first = s1 <= S(1e-150);
  const S inverse1 = S(1.0) / select(no_first, S(1.0), s1);
  Vector3<S> u1 = inverse1 * b1;
  u1[0] = select(no_first, S(1.0), u1[0]);
  u1[1] = select(no_first, S(0.0), u1[1]);
  u1[2] = select(no_first, S(0.0), u1[2]);
  // b2 is orthogonal to b1 up to the rounding of |b1| |b2|. The remainder is removed here.
  const Vector3<S> w = b2 - dot(u1, b2) * u1;
  const S length = sqrt(dot(w, w));
  const auto no_second = length <= S(1e-15) * s1 + S(1e-150);
  const S inverse2 = S(1.0) / select(no_second, S(1.0), length);
  const Vector3<S> spare = detail::any_orthogonal(u1);
  Vector3<S> u2;
  for (int i = 0; i < 3; ++i) u2[i] = select(no_second, spare[i], S(inverse2 * w[i]));
  const Vector3<S> u3 = cross(u1, u2);

  Svd<S> result;
  result.U.set_column(0, u1);
  result.U.set_column(1, u2);
  result.U.set_column(2, u3);
  result.s = {{s1, dot(u2, b2), dot(u3, b3)}};
  result.V = V;
  return result;
}

}  // namespace supple
