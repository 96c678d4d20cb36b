#pragma once

#include <cmath>

#include "materials/own.h"
#include "materials/principal.h"

/// Blocks of an element's Hessian that belong to one corner.
namespace supple::detail {

/// U K^ U^T with K^ the block K^_aa of hessian.h for the corner gradient q = V^T grad N_a:
///   K^_ii = A_ii q_i^2 + sum_j alpha_ij q_j^2,  K^_ik = (A_ik + beta_ik) q_i q_k  (i != k).
/// Symmetric; per volume, Pa/m^2.
template <class S>
SUPPLE_INLINE Mat3<S> corner_block(const PrincipalHessian<S>& H, const Mat3<S>& U,
                                   const Vector3<S>& q) {
  Mat3<S> K;
  for (int l = 0; l < 3; ++l) {
    // The pair (i, j) is stored under the index that is neither.
    const int i = (l + 1) % 3, j = (l + 2) % 3;
    K(l, l) = H.A[l][l] * (q[l] * q[l]) + H.alpha[j] * (q[i] * q[i]) + H.alpha[i] * (q[j] * q[j]);
    K(i, j) = K(j, i) = (H.A[i][j] + H.beta[l]) * (q[i] * q[j]);
  }
  return U * times_transpose(K, U);
}

/// H : m.
template <class S>
SUPPLE_INLINE Mat3<S> times(const OwnHessian<S>& H, const Mat3<S>& m) {
  Mat3<S> result;
  for (int i = 0; i < 9; ++i) {
    S row = S(0.0);
    for (int k = 0; k < 9; ++k) row = row + H(i, k) * m(k / 3, k % 3);
    result(i / 3, i % 3) = row;
  }
  return result;
}

/// The principal Hessian of an isotropic energy, from d2Psi/dF2: the entries of that matrix on
/// the modes of the frames. Negative eigenvalues are mended here, at a tenth of what it costs with
/// the 9x9 matrix.
template <class S>
SUPPLE_INLINE PrincipalHessian<S> principal_hessian_of(const OwnHessian<S>& full,
                                                       const Svd<S>& frame,
                                                       NegativeEigenvalues mode) {
  const auto mode_of = [&](int i, int k) {
    Mat3<S> m;
    for (int e = 0; e < 9; ++e) m(e / 3, e % 3) = frame.U(e / 3, i) * frame.V(e % 3, k);
    return m;
  };
  PrincipalHessian<S> H;
  for (int k = 0; k < 3; ++k) {
    const Mat3<S> row = times(full, mode_of(k, k));
    for (int i = 0; i <= k; ++i) H.A[i][k] = H.A[k][i] = inner(mode_of(i, i), row);
  }
  for (int l = 0; l < 3; ++l) {
    const int i = (l + 1) % 3, j = (l + 2) % 3;
    const Mat3<S> row = times(full, mode_of(i, j));
    const S alpha = inner(mode_of(i, j), row), beta = inner(mode_of(j, i), row);
    const S symmetric = mended(S(alpha + beta), mode), skew = mended(S(alpha - beta), mode);
    H.alpha[l] = S(0.5) * (symmetric + skew);
    H.beta[l] = S(0.5) * (symmetric - skew);
  }
  if (mode != NegativeEigenvalues::keep) mend(H.A, mode);
  return H;
}

/// Solves A d = b for a symmetric 3x3 A by L D L^T. Pivots below `floor` > 0 are replaced by
/// `floor`: if A does not resist, a step is large but finite.
template <class S>
SUPPLE_INLINE Vector3<S> solve_symmetric(const Mat3<S>& A, const Vector3<S>& b, const S& floor) {
  const auto lifted = [&](const S& pivot) { return select(pivot < floor, floor, pivot); };
  const S i0 = S(1.0) / lifted(A(0, 0));
  const S l10 = A(1, 0) * i0, l20 = A(2, 0) * i0;
  const S i1 = S(1.0) / lifted(A(1, 1) - l10 * A(1, 0));
  const S m21 = A(2, 1) - l20 * A(1, 0);
  const S l21 = m21 * i1;
  const S i2 = S(1.0) / lifted(A(2, 2) - l20 * A(2, 0) - l21 * m21);
  const S y1 = b[1] - l10 * b[0];
  const S y2 = b[2] - l20 * b[0] - l21 * y1;
  Vector3<S> d;
  d[2] = y2 * i2;
  d[1] = y1 * i1 - l21 * d[2];
  d[0] = b[0] * i0 - l10 * d[1] - l20 * d[2];
  return d;
}

/// d = |A|^-1 b for a symmetric 3x3 A. |A| has the absolute values of A's eigenvalues; those below
/// `floor` > 0 are replaced by `floor`. Along a direction of negative curvature the step descends
/// as far as it would with positive curvature of the same size.
template <class S>
SUPPLE_INLINE Vector3<S> solve_absolute(Mat3<S> A, const Vector3<S>& b, const S& floor) {
  using std::abs;
  Mat3<S> Q = Mat3<S>::identity();
  for (int sweep = 0; sweep < 5; ++sweep) {
    rotate_symmetric<0, 1, 2>(A, Q);
    rotate_symmetric<0, 2, 1>(A, Q);
    rotate_symmetric<1, 2, 0>(A, Q);
  }
  Vector3<S> part = transpose(Q) * b;
  for (int e = 0; e < 3; ++e) {
    const S size = abs(A(e, e));
    part[e] = part[e] / select(size < floor, floor, size);
  }
  return Q * part;
}

}  // namespace supple::detail
