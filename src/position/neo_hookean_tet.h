#pragma once

#include <cmath>

#include "position/tet_lanes.h"

namespace supple {

inline namespace SUPPLE_SIMD {

/// Stable Neo-Hookean, gamma = 1 + mu/lambda [Macklin & Mueller 2021, eq. 14]. Rows: A mu and 1/(A
/// lambda) come from V mu and 1/(V lambda).
template <class S>
struct NeoHookeanTet {
  using T = typename TetLanes<S>::T;
  static constexpr int multipliers = tet_rows::material + 2;

  /// The whole stress at once. Around F the local model of g is
  ///   |F' - F|^2 in the norm of G^-1 + A mu/2 |F'|^2 + (k - A mu)/2 |F' - F|^2
  ///   + A lambda/2 (J + c : (F' - F) - gamma)^2,  c = cof F.
  /// With H = (I + k G)^-1, K = H G and Y = Q + A mu F its minimiser is
  ///   s = (J - gamma - c : (Y K)) / (1/(A lambda) + c : (c K)),  dQ = -(Y + s c) H.
  /// k = A mu + min(|s|, A mu) |F|/sqrt(3), with the last s, stands for the second derivative of
  /// det that a linear det drops, whose eigenvalues are about |s| |F|/sqrt(3). It is bounded
  /// because it makes the tet unwilling to move: with all of |s| a crumpled incompressible body,
  /// whose pressures are large, never unfolds. Where |F' - F| > 1, out of sight of that model, the
  /// tet goes the way until it is 1. Multipliers: Q and s; before the first visit Q = 0 and s = -A
  /// mu, its value at rest.
  template <bool first>
  SUPPLE_INLINE static S stress(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2,
                                const S& inverse_a2) {
    using std::abs;
    using std::sqrt;
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> F = tet.deformation_gradient(x, B);
    const Vector3<S> G = tet.mobility();
    const S volume_mu = tet.row(tet_rows::material);
    const S inverse_lambda = tet.row(tet_rows::material + 1);
    const S A_mu = a2 * volume_mu;
    const S compliance = inverse_lambda * inverse_a2;
    S s_old = -A_mu;
    if constexpr (!first) s_old = tet.row(multipliers + 9);

    const S size = abs(s_old);
    const S pressure = select(size < A_mu, size, A_mu);
    const S k = A_mu + pressure * sqrt(S(1.0 / 3) * tet_detail::inner_by_rows(F, F));
    const Vector3<S> H = tet_detail::inverse_of_identity_plus(k, G);
    const Vector3<S> K{{H[0] * G[0], H[1] * G[1], H[2] * G[2]}};
    const Mat3<S> c = cofactor(F);
    const S gap = dot(F.column(0), c.column(0)) - S(1.0) - volume_mu * inverse_lambda;
    Mat3<S> Q, Y = A_mu * F;
    if constexpr (!first) {
      Q = tet.matrix(multipliers);
      Y = Q + Y;
    }
    const S s = tet_detail::quotient(S(gap - tet_detail::inner_by_columns(Y, c, K)),
                                     S(compliance + tet_detail::inner_by_columns(c, c, K)));
    const Mat3<S> R = Y + s * c;
    Mat3<S> M = tet_detail::scaled_columns(R, H);
    const Vector3<S> GG{{G[0] * G[0], G[1] * G[1], G[2] * G[2]}};
    const S moved = tet_detail::inner_by_columns(M, M, GG);  // |F' - F|^2
    const auto far = moved > S(1.0);
    if (any(far)) M = select(far, S(S(1.0) / sqrt(moved)), S(1.0)) * M;
    if constexpr (first) {
      Q = S(-1.0) * M;
    } else {
      Q = Q - M;
    }
    tet.set_matrix(multipliers, Q);
    tet.set_row(multipliers + 9, s);
    tet.pull(M, B, x);
    return tet_detail::violation(S(gap - compliance * s_old), G);
  }

  /// C_D = |F|, compliance 1/(A mu), then C_H = det F - gamma, 1/(A lambda) [eqs. 8, 12 to 14].
  template <bool first>
  SUPPLE_INLINE static S sequential(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2,
                                    const S& inverse_a2) {
    using std::sqrt;
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> F = tet.deformation_gradient(x, B);
    const Vector3<S> G = tet.mobility();
    const S volume_mu = tet.row(tet_rows::material);
    const S inverse_lambda = tet.row(tet_rows::material + 1);
    const S A_mu = a2 * volume_mu;
    const S compliance = inverse_lambda * inverse_a2;
    S l_D = S(0.0), l_H = S(0.0);
    if constexpr (!first) l_D = tet.row(multipliers), l_H = tet.row(multipliers + 1);

    // With the increment dl_D = u |F|: one division.
    const S square = tet_detail::inner_by_rows(F, F), norm = sqrt(square);
    const S u = tet_detail::quotient(S(A_mu * square + l_D * norm),
                                     S(A_mu * tet_detail::inner_by_columns(F, F, G) + square));
    const Mat3<S> F2 = tet_detail::scaled_columns(
        F, Vector3<S>{{S(1.0) - u * G[0], S(1.0) - u * G[1], S(1.0) - u * G[2]}});

    const Mat3<S> c = cofactor(F2);
    const S gap = dot(F2.column(0), c.column(0)) - S(1.0) - volume_mu * inverse_lambda;
    const S residual = gap + compliance * l_H;
    const S dl_H =
        tet_detail::quotient(residual, S(tet_detail::inner_by_columns(c, c, G) + compliance));
    tet.set_row(multipliers, l_D - u * norm);
    tet.set_row(multipliers + 1, l_H - dl_H);
    tet.pull(u * F + dl_H * c, B, x);
    return tet_detail::violation(residual, G);
  }

  /// The same two, both at F, by their 2x2 system.
  template <bool first>
  SUPPLE_INLINE static S block(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2,
                               const S& inverse_a2) {
    using std::sqrt;
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> F = tet.deformation_gradient(x, B);
    const Vector3<S> G = tet.mobility();
    const S volume_mu = tet.row(tet_rows::material);
    const S inverse_lambda = tet.row(tet_rows::material + 1);
    const S A_mu = a2 * volume_mu;
    const S compliance = inverse_lambda * inverse_a2;
    S l_D = S(0.0), l_H = S(0.0);
    if constexpr (!first) l_D = tet.row(multipliers), l_H = tet.row(multipliers + 1);

    const S square = tet_detail::inner_by_rows(F, F), norm = sqrt(square);
    const Mat3<S> c = cofactor(F);
    const S gap = dot(F.column(0), c.column(0)) - S(1.0) - volume_mu * inverse_lambda;
    const S residual = gap + compliance * l_H;
    // With the increment dl_D = u |F| the first row times A mu |F|, so that mu may vanish, and
    //   (A mu F : FG + |F|^2) u + A mu (F : cG) dl_H = A mu |F|^2 + l_D |F|
    //                (F : cG) u + (c : cG + 1/(A lambda)) dl_H = residual.
    const S both = tet_detail::inner_by_columns(F, c, G);
    const S first_diagonal = A_mu * tet_detail::inner_by_columns(F, F, G) + square;
    const S second_diagonal = tet_detail::inner_by_columns(c, c, G) + compliance;
    const S right = A_mu * square + l_D * norm;
    const S inverse =
        tet_detail::quotient(S(1.0), S(first_diagonal * second_diagonal - A_mu * (both * both)));
    const S u = inverse * (right * second_diagonal - A_mu * both * residual);
    const S dl_H = inverse * (first_diagonal * residual - both * right);
    tet.set_row(multipliers, l_D - u * norm);
    tet.set_row(multipliers + 1, l_H - dl_H);
    tet.pull(u * F + dl_H * c, B, x);
    return tet_detail::violation(residual, G);
  }

  /// Q of the scalar multipliers at x_start.
  SUPPLE_INLINE static Mat3<S> impulse(const TetLanes<S>& tet, const Mat3<S>& F) {
    using std::sqrt;
    const S on_F = tet.row(multipliers) *
                   tet_detail::quotient(S(1.0), S(sqrt(tet_detail::inner_by_rows(F, F))));
    return on_F * F + tet.row(multipliers + 1) * cofactor(F);
  }
};

}  // namespace SUPPLE_SIMD

}  // namespace supple
