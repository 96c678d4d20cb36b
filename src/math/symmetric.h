#pragma once

#include "math/mat3.h"

/// Eigenvalues of symmetric 3x3 matrices, and functions of such matrices, without eigenvectors and
/// without branches.
namespace supple {

/// Y = q I + B with tr B = 0. B has the eigenvalues 2 p cos(phi + 2 pi k/3), where cos 3 phi = r,
/// p^2 = |B|^2/6 and r = det B/(2 p^3) [Cardano; Smith 1961]. cos phi = y is the root of
/// 4 y^3 - 3 y = |r| between sqrt(3/4) and one, found by a polynomial and a step of Newton's
/// method. It is always simple and well-conditioned. Its eigenvalue, the largest one if r > 0 and
/// else the smallest, is therefore exact to the rounding of |Y|. So is the mean of the other two.
/// If they are close to each other, their distance is exact only to the square root of rounding.
///
/// Y: finite, |Y| below 1e100. Returns s1 >= s2 >= s3.
template <class S>
SUPPLE_INLINE Vector3<S> symmetric_eigenvalues(const Mat3<S>& Y) {
  using std::abs;
  using std::sqrt;
  const S q = S(1.0 / 3) * trace(Y);
  const S a = Y(0, 0) - q, b = Y(1, 1) - q, c = Y(2, 2) - q;
  const S x = Y(1, 2), y = Y(0, 2), z = Y(0, 1);
  const S pp = S(1.0 / 6) * ((a * a + b * b + c * c) + S(2.0) * (x * x + y * y + z * z));
  const S p = sqrt(pp);
  const S determinant = (a * (b * c - x * x) - z * (z * c - x * y)) + y * (z * x - b * y);
  // Next to p^3 the tiny term is negligible, unless Y is a multiple of the identity.
  const S any_r = determinant / (S(2.0) * (pp * p) + S(1e-300));
  const S r = select(abs(any_r) < S(1.0), abs(any_r), S(1.0));
  constexpr double fit[] = {0.8660254148,   0.1666651913,  -0.04807964781,  0.02440584058,
                            -0.01432729707, 0.00771881356, -0.002961986952, 0.0005536798059};
  S cosine = S(fit[7]);  // accurate to 1.1e-8
  for (int k = 6; k >= 0; --k) cosine = S(fit[k]) + r * cosine;
  const S square = cosine * cosine;
  cosine = cosine - (cosine * (S(4.0) * square - S(3.0)) - r) / (S(12.0) * square - S(3.0));
  const S rest = S(1.0) - cosine * cosine;
  const S half_gap = p * sqrt(S(3.0) * select(rest < S(0.0), S(0.0), rest));
  const S far = p * cosine;
  const auto largest = !(any_r < S(0.0));
  const S mean = select(largest, S(q - far), S(q + far));
  const S high = mean + half_gap, low = mean - half_gap;
  return {{select(largest, S(q + S(2.0) * far), high), select(largest, high, low),
           select(largest, low, S(q - S(2.0) * far))}};
}

/// g(Y) for a symmetric Y with the eigenvalues s1 >= s2 >= s3, from g(s1) and the divided
/// differences g[s1, s2] and g[s2, s3], by Newton's interpolation,
///   g(s1) + g[s1, s2] (Y - s1) + g[s1, s2, s3] (Y - s1)(Y - s2).
/// If two eigenvalues are close and have errors d, the result changes only by d^2. The rounding of
/// a quotient over a small gap is multiplied by that gap again.
template <class S>
SUPPLE_INLINE Mat3<S> symmetric_function(const Mat3<S>& Y, const Vector3<S>& s, const S& g1,
                                         const S& g12, const S& g23) {
  using std::abs;
  const S gap = s[0] - s[2];
  const auto apart = gap > S(1e-8) * (abs(s[0]) + abs(s[2]));
  const S second = select(apart, S((g12 - g23) / select(apart, gap, S(1.0))), S(0.0));
  Mat3<S> X = Y;
  for (int i = 0; i < 3; ++i) X(i, i) = Y(i, i) - s[0];
  Mat3<S> G = symmetric_product(X, X);
  const S first = g12 + second * (s[0] - s[1]);
  for (int i = 0; i < 9; ++i) G(i / 3, i % 3) = second * G(i / 3, i % 3) + first * X(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) G(i, i) = G(i, i) + g1;
  return G;
}

}  // namespace supple
