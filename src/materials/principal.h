#pragma once

#include <array>

#include "math/mat3.h"
#include "math/svd.h"

/// Isotropic materials in principal stretches.
///
/// Almost every material of this room can be written in the form of Valanis and Landel [thesis eq.
/// 7.12],
///   Psi(F) = sum_i a(s_i) + sum_{i<j} b(s_i s_j) + c(s_1 s_2 s_3),
/// F = U diag(s) V^T with det U = det V = 1 and s_1 >= s_2 >= |s_3|. A material gives the terms and
/// their derivatives as a, da, dda, b, db, ddb, c, dc, ddc (J/m^3; the derivatives in Pa). It also
/// gives the divided differences
///   slope_a(p, q) = (a'(p) - a'(q))/(p - q),  slope_b(p, q) = (b'(p) - b'(q))/(p - q),
/// which are a''(p) and b''(p) if p = q. For polynomials these are closed forms without a quotient;
/// others use divided_difference below. `smooth` says that a' and b' are odd. The density is then
/// differentiable at s_2 + s_3 = 0; otherwise it has a kink there. A material without these terms
/// gives principal_energy(s), principal_stress(s) and principal_modes(s) itself.
namespace supple {

/// Whether a material has the terms of Valanis and Landel.
template <class Material>
concept HasTerms = requires {
  Material::smooth;
};

/// dPsi/ds_i [Pa]:
///   g_i = a'(s_i) + s_j b'(s_i s_j) + s_k b'(s_i s_k) + s_j s_k c'(J),
/// and P = U diag(g) V^T is the first Piola-Kirchhoff stress [Irving et al. 2004].
template <class Material, class S>
Vector3<S> principal_stress(const Material& material, const Vector3<S>& s) {
  return material.principal_stress(s);
}
template <HasTerms Material, class S>
Vector3<S> principal_stress(const Material& material, const Vector3<S>& s) {
  const S p[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  const S db[3] = {material.db(p[0]), material.db(p[1]), material.db(p[2])};
  const S dc = material.dc(S(s[0] * p[0]));
  Vector3<S> g;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    g[i] = material.da(s[i]) + (s[j] * db[k] + s[k] * db[j]) + p[i] * dc;
  }
  return g;
}

/// Psi as a function of the stretches [J/m^3].
template <class Material, class S>
S principal_energy(const Material& material, const Vector3<S>& s) {
  return material.principal_energy(s);
}
template <HasTerms Material, class S>
S principal_energy(const Material& material, const Vector3<S>& s) {
  const S p[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  const S a = material.a(s[0]) + material.a(s[1]) + material.a(s[2]);
  const S b = material.b(p[0]) + material.b(p[1]) + material.b(p[2]);
  return a + b + material.c(S(s[0] * p[0]));
}

/// The Hessian d2Psi/dF2 in the frames U, V of F [Pa]:
///   dP = U (H : U^T dF V) V^T,  H_{ii,kk} = A_ik = d2Psi/ds_i ds_k,
///   and for i != j  H_{ij,ij} = alpha_l,  H_{ij,ji} = beta_l,
/// where l is the index that is neither i nor j: the pairs (1,2), (0,2), (0,1) have l = 0, 1, 2.
/// All other entries vanish. Each pair has the eigenvalues alpha + beta = (g_i - g_j)/(s_i - s_j)
/// for the symmetric mode and alpha - beta = (g_i + g_j)/(s_i + s_j) for the skew one [GAMES103,
/// lecture on nonlinear materials; Xu et al. 2015, sec. 5; Smith et al. 2019].
template <class S>
struct PrincipalHessian {
  S A[3][3];
  S alpha[3];
  S beta[3];
};

/// The parts of a principal Hessian [Pa]: the block A = d2Psi/ds_i ds_k and the eigenvalues of each
/// pair's symmetric and skew mode. A pair is stored under the index that is not in it.
template <class S>
struct PrincipalModes {
  S A[3][3];
  S symmetric[3];
  S skew[3];
};

/// What to do with negative eigenvalues of a Hessian that must be positive semi-definite.
enum class NegativeEigenvalues {
  keep,
  clamp,    ///< to zero: the nearest such matrix [Teran et al. 2005]
  absolute  ///< to their absolute values [Nocedal & Wright 2006, sec. 3.4, "modified Newton"]
};

namespace detail {
template <class S>
SUPPLE_INLINE S mended(const S& eigenvalue, NegativeEigenvalues mode) {
  const S o = S(0.0);
  if (mode == NegativeEigenvalues::keep) return eigenvalue;
  const S instead = mode == NegativeEigenvalues::absolute ? S(o - eigenvalue) : o;
  return select(eigenvalue < o, instead, eigenvalue);
}
}  // namespace detail

/// At a kink of the density (s_2 + s_3 = 0 in a material that is not smooth) the skew eigenvalue is
/// infinite. Smaller sums of stretches count as this one, so that the Hessian stays finite.
inline constexpr double least_stretch_sum = 1e-6;

/// (f(p) - f(q))/(p - q) for a function without a closed form of it; f' is its derivative. If p and
/// q are closer than 1e-5 max(1, |p|), it is f' at the midpoint. The error there, (p-q)^2 f'''/24 =
/// 4e-12 f''', is below that of the quotient, 2e-16 f/(p-q) = 2e-11 f.
inline double divided_difference(double p, double q, double f_p, double f_q, double f_middle) {
  const double scale = std::abs(p) > 1 ? std::abs(p) : 1;
  const double difference = p - q;
  return std::abs(difference) < 1e-5 * scale ? f_middle : (f_p - f_q) / difference;
}

namespace detail {

/// Lanes whose symmetric A certainly has no negative eigenvalue: its diagonal dominates
/// [Gershgorin], or its leading minors are positive [Sylvester's criterion]. The rounding error of
/// a minor is below 1e-15 of the products that it is the sum of; the margin is ten times that.
template <class S>
SUPPLE_INLINE MaskOf<S> surely_semi_definite(const S (&A)[3][3]) {
  using std::abs;
  const S o = S(0.0), margin = S(1e-14);
  const S a01 = abs(A[0][1]), a02 = abs(A[0][2]), a12 = abs(A[1][2]);
  const auto dominant = (A[0][0] >= a01 + a02) & (A[1][1] >= a01 + a12) & (A[2][2] >= a02 + a12);
  const S diagonal = A[0][0] * A[1][1], off = A[0][1] * A[0][1];
  const S minor = diagonal - off;
  const S c0 = A[0][1] * A[1][2] - A[0][2] * A[1][1];
  const S c1 = A[0][0] * A[1][2] - A[0][1] * A[0][2];
  const S determinant = A[2][2] * minor + (A[0][2] * c0 - A[1][2] * c1);
  const S size = (abs(A[0][0]) + abs(A[1][1]) + abs(A[2][2])) + (a01 + a02 + a12);
  const auto positive = (A[0][0] > o) & (minor > margin * (abs(diagonal) + off)) &
                        (determinant > margin * (size * size * size));
  return dominant | positive;
}

/// Mends the negative eigenvalues of the symmetric A by its eigen-decomposition. A matrix without
/// any keeps its bits, and so does a lane that `sure` marks as such: no lane depends on its
/// neighbours.
template <class S>
[[gnu::noinline]] void mend_by_eigenvalues(S (&A)[3][3], NegativeEigenvalues mode,
                                           const MaskOf<S>& sure) {
  Mat3<S> D, Q = Mat3<S>::identity();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) D(i, k) = A[i][k];
  }
  for (int sweep = 0; sweep < 5; ++sweep) {
    rotate_symmetric<0, 1, 2>(D, Q);
    rotate_symmetric<0, 2, 1>(D, Q);
    rotate_symmetric<1, 2, 0>(D, Q);
  }
  const S o = S(0.0);
  S mended_value[3];
  for (int i = 0; i < 3; ++i) mended_value[i] = mended(D(i, i), mode);
  const S least = select(D(1, 1) < D(0, 0), D(1, 1), D(0, 0));
  const auto negative = (select(D(2, 2) < least, D(2, 2), least) < o) & !sure;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k <= i; ++k) {
      S entry = o;
      for (int e = 0; e < 3; ++e) entry = entry + Q(i, e) * mended_value[e] * Q(k, e);
      A[i][k] = A[k][i] = select(negative, entry, A[i][k]);
    }
  }
}

/// The same, but without the decomposition if no lane needs it: most elements of a body in motion
/// have a definite A.
template <class S>
SUPPLE_INLINE void mend(S (&A)[3][3], NegativeEigenvalues mode) {
  const auto sure = surely_semi_definite(A);
  if (any(!sure)) mend_by_eigenvalues(A, mode, sure);
}

}  // namespace detail

/// The modes of the principal Hessian at the stretches of svd(F): s_1 >= s_2 >= |s_3|. With g
/// written out, the quotients never divide by s_i - s_j:
///   (g_i - g_j)/(s_i - s_j) = slope_a(s_i, s_j) - b'(s_i s_j) + s_k^2 slope_b(s_i s_k, s_j s_k)
///                             - s_k c'(J),
///   if a', b' are odd,
///   (g_i + g_j)/(s_i + s_j) = slope_a(s_i, -s_j) + b'(s_i s_j) + s_k^2 slope_b(s_i s_k, -s_j s_k)
///                             + s_k c'(J),
///   otherwise
///   (g_i + g_j)/(s_i + s_j) = (a'(s_i) + a'(s_j) + s_k (b'(s_i s_k) + b'(s_j s_k)))/(s_i + s_j)
///                             + b'(s_i s_j) + s_k c'(J).
template <class Material, class S>
SUPPLE_INLINE PrincipalModes<S> principal_modes(const Material& material, const Vector3<S>& s) {
  return material.principal_modes(s);
}
template <HasTerms Material, class S>
SUPPLE_INLINE PrincipalModes<S> principal_modes(const Material& material, const Vector3<S>& s) {
  const S p[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  const S J = s[0] * p[0];
  const S dc = material.dc(J), ddc = material.ddc(J);
  const S db[3] = {material.db(p[0]), material.db(p[1]), material.db(p[2])};
  const S ddb[3] = {material.ddb(p[0]), material.ddb(p[1]), material.ddb(p[2])};
  const S da[3] = {material.da(s[0]), material.da(s[1]), material.da(s[2])};

  PrincipalModes<S> modes;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    // Row k of the diagonal, and the entry of the pair (i, j).
    modes.A[k][k] =
        material.dda(s[k]) + (s[i] * s[i] * ddb[j] + s[j] * s[j] * ddb[i]) + p[k] * p[k] * ddc;
    modes.A[i][j] = modes.A[j][i] = (db[k] + p[k] * ddb[k]) + (s[k] * dc + p[i] * p[j] * ddc);

    const S sk_dc = s[k] * dc, sk2 = s[k] * s[k];
    // p[j] = s_i s_k and p[i] = s_j s_k.
    modes.symmetric[k] =
        material.slope_a(s[i], s[j]) - db[k] + sk2 * material.slope_b(p[j], p[i]) - sk_dc;
    if constexpr (Material::smooth) {
      modes.skew[k] =
          material.slope_a(s[i], S(-s[j])) + db[k] + sk2 * material.slope_b(p[j], S(-p[i])) + sk_dc;
    } else {
      const S least = S(least_stretch_sum);
      const S stretch_sum = s[i] + s[j];
      const S divisor = select(stretch_sum < least, least, stretch_sum);
      modes.skew[k] = (da[i] + da[j] + s[k] * (db[j] + db[i])) / divisor + db[k] + sk_dc;
    }
  }
  return modes;
}

/// The principal Hessian at the stretches of svd(F). The negative eigenvalues of the 9x9 matrix,
/// which are those of A and of the six modes of the pairs, are treated as `mode` says.
template <class Material, class S>
SUPPLE_INLINE PrincipalHessian<S> principal_hessian(const Material& material, const Vector3<S>& s,
                                                    NegativeEigenvalues mode) {
  PrincipalModes<S> modes = principal_modes(material, s);
  PrincipalHessian<S> H;
  for (int k = 0; k < 3; ++k) {
    const S symmetric = detail::mended(modes.symmetric[k], mode);
    const S skew = detail::mended(modes.skew[k], mode);
    H.alpha[k] = S(0.5) * (symmetric + skew);
    H.beta[k] = S(0.5) * (symmetric - skew);
    for (int i = 0; i < 3; ++i) H.A[k][i] = modes.A[k][i];
  }
  if (mode != NegativeEigenvalues::keep) detail::mend(H.A, mode);
  return H;
}
/// project: whether to clamp negative eigenvalues.
template <class Material, class S>
PrincipalHessian<S> principal_hessian(const Material& material, const Vector3<S>& s, bool project) {
  return principal_hessian(material, s,
                           project ? NegativeEigenvalues::clamp : NegativeEigenvalues::keep);
}

/// d2Psi/dF2, Pa: entry [3 r + c][3 r' + c'] = d2Psi/dF_rc dF_r'c' (F row by row).
using Hessian9 = Matrix9<double>;

/// H_{(r,c),(r',c')} = sum U_ri V_ck H_{ik,i'k'} U_r'i' V_c'k'.
inline Hessian9 assemble_hessian(const PrincipalHessian<double>& H, const Mat3<double>& U,
                                 const Mat3<double>& V) {
  Hessian9 full{};
  // The modes u_i v_k^T as vectors of nine.
  std::array<std::array<double, 9>, 9> mode{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t r = 0; r < 9; ++r) {
        mode[3 * i + k][r] = U(static_cast<int>(r / 3), static_cast<int>(i)) *
                             V(static_cast<int>(r % 3), static_cast<int>(k));
      }
    }
  }
  const auto add = [&](double h, const std::array<double, 9>& x, const std::array<double, 9>& y) {
    for (std::size_t r = 0; r < 9; ++r) {
      for (std::size_t c = 0; c < 9; ++c) full[r][c] += h * x[r] * y[c];
    }
  };
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      add(H.A[i][k], mode[4 * i], mode[4 * k]);
      if (i == k) continue;
      add(H.alpha[3 - i - k], mode[3 * i + k], mode[3 * i + k]);
      add(H.beta[3 - i - k], mode[3 * i + k], mode[3 * k + i]);
    }
  }
  return full;
}

/// d2Psi/dF2 of a material at F.
template <class Material>
Hessian9 hessian(const Material& material, const Mat3<double>& F, NegativeEigenvalues mode) {
  const Svd<double> frame = svd(F);
  return assemble_hessian(principal_hessian(material, frame.s, mode), frame.U, frame.V);
}
/// project: whether to return the nearest positive semi-definite matrix.
template <class Material>
Hessian9 hessian(const Material& material, const Mat3<double>& F, bool project) {
  return hessian(material, F, project ? NegativeEigenvalues::clamp : NegativeEigenvalues::keep);
}

}  // namespace supple
