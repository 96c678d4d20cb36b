#pragma once

#include <cmath>
#include <limits>

#include "position/projected_tet.h"

namespace supple {

inline namespace SUPPLE_SIMD {

/// Stable Neo-Hookean, gamma = 1 + mu/lambda [Macklin & Mueller 2021, eq. 14]. A mu and 1/(A
/// lambda) are computed from the rows V mu and 1/(V lambda).
template <class S>
struct NeoHookeanTet {
  using T = typename TetLanes<S>::T;
  static constexpr int multipliers = tet_rows::material + 2;

  /// Replaces the whole stress at once, by a step on the tet's own part of g,
  ///   |F' - F + Q G|^2/2 in the norm of G^-1 + A Psi(F').
  /// The step uses one of three local models: `turned` near a rotation; elsewhere `unturned`, or
  /// `along_gradients` for poor tets (`careful`). If F is a rotation up to rounding, a step that is
  /// mere rounding is dropped, so a body at rest keeps its bits. If |F' - F| > 1, which no model
  /// can predict, the tet goes only as far as 1. Multipliers: Q and s. Before the first visit Q = 0
  /// and s = -A mu, its value at rest. Damping has the second derivative A w/2 (dF + R dF^T R) near
  /// a rotation, and at most A w I.
  template <bool first, bool careful, bool is_damped>
  SUPPLE_INLINE static S stress(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2,
                                const S& inverse_a2, const TetDamping<S, is_damped>& damping) {
    constexpr int own = multipliers + (is_damped ? 1 : 0);
    using std::sqrt;
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> F = tet.deformation_gradient(x, B);
    const Vector3<S> G = tet.mobility();
    const S volume_mu = tet.row(tet_rows::material);
    const S inverse_lambda = tet.row(tet_rows::material + 1);
    const S A_mu = a2 * volume_mu;
    const S A_w = damping.stiffness(tet, multipliers);
    Local local{A_mu,     A_w, S(inverse_lambda * inverse_a2), -A_mu, S(0.0), F, cofactor(F),
                A_mu * F, G};
    if constexpr (is_damped) local.Y = local.Y + damping.stress(tet, B, F, A_w);
    if constexpr (!first) local.s_old = tet.row(own + 9);
    const S J = dot(F.column(0), local.c.column(0));
    local.gap = J - S(1.0) - volume_mu * inverse_lambda;
    Mat3<S> Q;
    if constexpr (!first) {
      Q = tet.matrix(own);
      local.Y = Q + local.Y;
    }
    const S strain = squared_strain(F);
    const auto far = S(largest_strain * largest_strain) < strain;
    const auto inverted = J <= S(0.0);
    S s, s_far;
    Mat3<S> M = turned(local, select(inverted, S(1.0), J), s);
    if (any(far) || any(inverted)) {
      const Mat3<S> M_far = careful ? along_gradients(local, s_far) : unturned(local, s_far);
      M = select_matrix(far, M_far, select_matrix(inverted, M_far, M));
      s = select(far, s_far, select(inverted, s_far, s));
    }
    const Vector3<S> GG{{G[0] * G[0], G[1] * G[1], G[2] * G[2]}};
    const S moved = tet_detail::inner_by_columns(M, M, GG);  // |F' - F|^2
    const auto too_far = S(1.0) < moved;
    if (any(too_far)) M = select(too_far, S(S(1.0) / sqrt(moved)), S(1.0)) * M;
    if (any(strain < S(perhaps_rounding))) M = beyond_rounding(tet, x, B, strain, moved) * M;
    // A tet whose step is beyond the range of numbers stays.
    const auto in_range = moved <= S(static_cast<double>(std::numeric_limits<T>::max()));
    M = select_matrix(in_range, M, Mat3<S>::zero());
    s = select(in_range, s, local.s_old);
    if constexpr (first) {
      Q = S(-1.0) * M;
    } else {
      Q = Q - M;
    }
    tet.set_matrix(own, Q);
    tet.set_row(own + 9, s);
    tet.pull(M, B, x);
    return tet_detail::violation(S(local.gap - local.compliance * local.s_old), G);
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

    // Writing dl_D = u |F| takes one division.
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
    // With dl_D = u |F|, and the first row multiplied by A mu |F| so that mu can be zero:
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
    Mat3<S> M = u * F + dl_H * c;
    const S strain = squared_strain(F);
    if (any(strain < S(perhaps_rounding))) {
      const Vector3<S> GG{{G[0] * G[0], G[1] * G[1], G[2] * G[2]}};
      M = beyond_rounding(tet, x, B, strain, tet_detail::inner_by_columns(M, M, GG)) * M;
    }
    tet.pull(M, B, x);
    return tet_detail::violation(residual, G);
  }

  /// Q of the scalar multipliers at x_start.
  SUPPLE_INLINE static Mat3<S> impulse(const TetLanes<S>& tet, const Mat3<S>& F) {
    using std::sqrt;
    const S on_F = tet.row(multipliers) *
                   tet_detail::quotient(S(1.0), S(sqrt(tet_detail::inner_by_rows(F, F))));
    return on_F * F + tet.row(multipliers + 1) * cofactor(F);
  }

 private:
  /// |F^T F - I| up to which F counts as a rotation with a small strain.
  static constexpr double largest_strain = 0.3;
  /// This part of c : c G is added to the compliance of poor tets far from rest, so that an
  /// incompressible one has a finite stiffness.
  static constexpr double softening = 1e-3;
  /// From this |F^T F - I|^2 on, nothing counts as rounding. In floats, flat tets reach it by
  /// rounding.
  static constexpr double perhaps_rounding = sizeof(T) == sizeof(double) ? 1e-16 : 1e-2;

  struct Local {
    S A_mu;
    S A_w;         ///< of damping
    S compliance;  ///< 1/(A lambda)
    S s_old;
    S gap;  ///< J - gamma
    Mat3<S> F;
    Mat3<S> c;  ///< cof F
    Mat3<S> Y;  ///< Q + A mu F + A w (F - R F_n)
    Vector3<S> G;
  };

  template <class Mask>
  SUPPLE_INLINE static Mat3<S> select_matrix(const Mask& which, const Mat3<S>& a,
                                             const Mat3<S>& b) {
    Mat3<S> r;
    for (int i = 0; i < 9; ++i) r(i / 3, i % 3) = select(which, a(i / 3, i % 3), b(i / 3, i % 3));
    return r;
  }

  /// |F^T F - I|^2.
  SUPPLE_INLINE static S squared_strain(const Mat3<S>& F) {
    const Vector3<S> f[3] = {F.column(0), F.column(1), F.column(2)};
    const S xx = dot(f[0], f[0]) - S(1.0), yy = dot(f[1], f[1]) - S(1.0),
            zz = dot(f[2], f[2]) - S(1.0);
    const S xy = dot(f[0], f[1]), xz = dot(f[0], f[2]), yz = dot(f[1], f[2]);
    return xx * xx + yy * yy + zz * zz + S(2.0) * (xy * xy + xz * xz + yz * yz);
  }

  /// 0 if |F^T F - I|^2 = strain and |F' - F|^2 = moved are no more than rounding of the positions
  /// can cause, else 1.
  SUPPLE_INLINE static S beyond_rounding(const TetLanes<S>& tet, const PaddedPosition<T>* x,
                                         const Mat3<S>& B, const S& strain, const S& moved) {
    constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
    S square = S(0.0);
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3<S> p = tet.position(x, corner);
      square = square + dot(p, p);
    }
    const S limit = S(rounding * rounding) * square * tet_detail::inner_by_rows(B, B);
    return select(tet_detail::greatest(strain, moved) <= limit, S(0.0), S(1.0));
  }

  /// 1/d, entry by entry. Doubles need one division for all; in floats the product could overflow.
  SUPPLE_INLINE static Vector3<S> reciprocals(const Vector3<S>& d) {
    const S one = S(1.0);
    if constexpr (sizeof(T) == sizeof(double)) {
      const S d01 = d[0] * d[1], inverse = one / (d01 * d[2]), rest = inverse * d[2];
      return {{rest * d[1], rest * d[0], inverse * d01}};
    } else {
      return {{one / d[0], one / d[1], one / d[2]}};
    }
  }

  /// Near a rotation R, the second derivative of A Psi is A mu (dF + R dF^T R) + (A lambda - A mu)
  /// (R : dF) R. With N = R^T dF and q = R^T dQ, each pair N_ij, N_ji is independent of the others,
  /// because G is diagonal. The model is exact at rest, so the visits there are the exact block
  /// ascent of a concave problem: nothing grows, whatever the shape of the tet. (k I instead would
  /// couple nothing, and rounding at rest would grow if the entries of G differ much.) The factor
  /// of s is cof F instead of R, so that the volume is that of F. With F = R U, T = (F + cof F/J)/2
  /// is R (U + U^-1)/2, which is off by the square of a strain; R = T (3 I - T^T T)/2 is off by its
  /// fourth power [Higham 2008, sec. 8.3]. A first visit gives the stress R R^T P. With T alone it
  /// would be 0.2 % too large in a body strained by 3 %.
  SUPPLE_INLINE static Mat3<S> turned(const Local& at, const S& J, S& s) {
    const S one = S(1.0);
    const S m = at.A_mu;
    const Mat3<S> near = S(0.5) * (at.F + (one / J) * at.c);
    const Mat3<S> R = S(1.5) * near - S(0.5) * (near * transpose_times(near, near));
    const Mat3<S> y = transpose_times(R, at.Y), c = transpose_times(R, at.c);
    // 1 - mu/lambda, which must not become negative for Poisson's ratios below 0.
    const S w = tet_detail::greatest(S(0.0), S(one - m * at.compliance));
    const S both = m + S(0.5) * at.A_w;
    const Vector3<S> g{{both * at.G[0], both * at.G[1], both * at.G[2]}};
    const Vector3<S> of_pair =
        reciprocals({{one + g[0] + g[1], one + g[0] + g[2], one + g[1] + g[2]}});
    const Vector3<S> of_diagonal =
        reciprocals({{one + S(2.0) * g[0], one + S(2.0) * g[1], one + S(2.0) * g[2]}});
    const auto solve = [&](const Mat3<S>& r) {
      Mat3<S> d;
      for (int i = 0; i < 3; ++i) {
        d(i, i) = of_diagonal[i] * r(i, i);
        for (int j = i + 1; j < 3; ++j) {
          const S skew = r(i, j) - r(j, i), inverse = of_pair[i + j - 1];
          d(i, j) = inverse * (r(i, j) + g[i] * skew);
          d(j, i) = inverse * (r(j, i) - g[j] * skew);
        }
      }
      return d;
    };
    const Mat3<S> d_y = solve(y), d_c = solve(c);
    // With t = w s + A mu gap: (1/(A lambda) + w c : d_c G) t = gap - w c : d_y G.
    const S c_y = tet_detail::inner_by_columns(c, d_y, at.G);
    const S c_c = tet_detail::inner_by_columns(c, d_c, at.G);
    const S t = tet_detail::quotient(S(at.gap - w * c_y), S(at.compliance + w * c_c));
    const auto clear = S(0.25) < w;
    s = select(clear, S(t - m * at.gap), S(at.gap - c_y - t * c_c)) /
        select(clear, w, at.compliance);
    return R * (d_y + t * d_c);
  }

  /// k I + A lambda c c^T, k = A mu + min(|s|, A mu) |F|/sqrt(3), with the last s. The second part
  /// of k stands for the second derivative of det, which a linear det drops; its eigenvalues are
  /// about |s| |F|/sqrt(3). This part is bounded because it makes the tet resist motion: with all
  /// of |s|, a crumpled incompressible body, whose pressures are large, never unfolds. With H = (I
  /// + k G)^-1 and K = H G the minimiser is
  ///   s = (J - gamma - c : (Y K)) / (1/(A lambda) + c : (c K)),  dQ = -(Y + s c) H.
  SUPPLE_INLINE static Mat3<S> unturned(const Local& at, S& s) {
    using std::abs;
    using std::sqrt;
    const S size = abs(at.s_old);
    const S pressure = select(size < at.A_mu, size, at.A_mu);
    const S k =
        at.A_mu + at.A_w + pressure * sqrt(S(1.0 / 3) * tet_detail::inner_by_rows(at.F, at.F));
    const Vector3<S> H = tet_detail::inverse_of_identity_plus(k, at.G);
    const Vector3<S> K{{H[0] * at.G[0], H[1] * at.G[1], H[2] * at.G[2]}};
    s = tet_detail::quotient(S(at.gap - tet_detail::inner_by_columns(at.Y, at.c, K)),
                             S(at.compliance + tet_detail::inner_by_columns(at.c, at.c, K)));
    return tet_detail::scaled_columns(at.Y + s * at.c, H);
  }

  /// The same model, restricted to the impulses u F + v c. Its neighbours push a poor tet far
  /// within an iteration, and its whole stress there would throw its light vertices around.
  SUPPLE_INLINE static Mat3<S> along_gradients(const Local& at, S& s) {
    using std::abs;
    using std::sqrt;
    const auto& [m, w, compliance, s_old, gap, F, c, Y, G] = at;
    const Vector3<S> GG{{G[0] * G[0], G[1] * G[1], G[2] * G[2]}};
    const S FF = tet_detail::inner_by_columns(F, F, G), Fc = tet_detail::inner_by_columns(F, c, G),
            cc = tet_detail::inner_by_columns(c, c, G);
    const S stiffness = tet_detail::quotient(S(1.0), S(compliance + S(softening) * cc));
    const S p = gap * stiffness, size = abs(p);
    const S k =
        m + w + select(size < m, size, m) * sqrt(S(1.0 / 3) * tet_detail::inner_by_rows(F, F));
    const Mat3<S> r = Y + p * c;
    const S a11 = FF + k * tet_detail::inner_by_columns(F, F, GG) + stiffness * Fc * Fc;
    const S a12 = Fc + k * tet_detail::inner_by_columns(F, c, GG) + stiffness * Fc * cc;
    const S a22 = cc + k * tet_detail::inner_by_columns(c, c, GG) + stiffness * cc * cc;
    const S b1 = tet_detail::inner_by_columns(r, F, G), b2 = tet_detail::inner_by_columns(r, c, G);
    // F and c are nearly parallel if the tet is only turned and scaled. Products of two entries are
    // avoided, because they would overflow in floats.
    const S firm = S(1 + 1e-4);
    const S inverse = tet_detail::quotient(S(1.0), S(firm * a11));
    const S slope = a12 * inverse;
    const S v = tet_detail::quotient(S(b2 - slope * b1), S(firm * a22 - slope * a12));
    const S u = inverse * b1 - slope * v;
    s = (gap - u * Fc - v * cc) * stiffness;
    return u * F + v * c;
  }
};

}  // namespace SUPPLE_SIMD

}  // namespace supple
