#pragma once

#include "materials/principal.h"
#include "math/mat3.h"

/// Materials of a sheet in 3D, as functions of the 3x2 deformation gradient F = [f_0 f_1] of a
/// triangle [thesis sec. 3.3.1].
///
/// F = U diag(s_1, s_2) V^T with orthonormal u_1, u_2 and a rotation V of the plane. Both stretches
/// are at least 0, as a triangle in 3D cannot be told from its mirror image. A sheet provides
///   energy_and_stress(f, P)   Psi in J/m^3 and P = dPsi/dF, Pa
///   hessian(f, mode)          d2Psi/dF2, as an object that gives K_ab for two shape gradients
/// for a number type S, double or a batch of lanes.
namespace supple {

/// Treats the negative eigenvalues of a symmetric 2x2 matrix as `mode` says.
template <class S>
SUPPLE_INLINE void mend_plane(S& a, S& b, S& d, NegativeEigenvalues mode) {
  using std::sqrt;
  if (mode == NegativeEigenvalues::keep) return;
  const S o = S(0.0), half = S(0.5);
  const S mean = half * (a + d), difference = half * (a - d);
  const S radius = sqrt(difference * difference + b * b);
  const S low = mean - radius;
  const auto negative = low < o;
  if (!any(negative)) return;
  const S first = detail::mended(S(mean + radius), mode), second = detail::mended(low, mode);
  const S middle = half * (first + second);
  const S turn = half * (first - second) / select(radius > o, radius, S(1.0));
  a = select(negative, middle + turn * difference, a);
  d = select(negative, middle - turn * difference, d);
  b = select(negative, turn * b, b);
}

/// A collapsed triangle has no direction across its line. In divisions, stretches below this are
/// replaced by it, so that everything stays finite.
inline constexpr double least_sheet_stretch = 1e-6;

/// The frames of F. If s_2 vanishes, so does u_2.
template <class S>
struct SheetFrame {
  Vector3<S> u[2];
  S s[2];
  S cosine, sine;  ///< v_1 = (cosine, sine), v_2 = (-sine, cosine)

  SUPPLE_INLINE explicit SheetFrame(const Vector3<S> (&f)[2]) {
    using std::abs;
    using std::sqrt;
    const S o = S(0.0), one = S(1.0), half = S(0.5);
    // tan 2 theta = twice/difference; of the half angle, first the larger one of cosine and sine.
    const S difference = dot(f[0], f[0]) - dot(f[1], f[1]), twice = S(2.0) * dot(f[0], f[1]);
    const S length = sqrt(difference * difference + twice * twice);
    const auto turned = length > o;
    const S divisor = select(turned, length, one);
    const S share = select(turned, abs(difference) / divisor, one);
    const S large = sqrt(half * (one + share));
    const S small = half * abs(twice) / (divisor * large);
    const S sign = select(twice < o, S(-1.0), one);
    cosine = select(difference < o, small, large);
    sine = sign * select(difference < o, large, small);
    const Vector3<S> b[2] = {cosine * f[0] + sine * f[1], cosine * f[1] - sine * f[0]};
    for (int i = 0; i < 2; ++i) {
      s[i] = sqrt(dot(b[i], b[i]));
      u[i] = (one / select(s[i] > S(1e-150), s[i], one)) * b[i];
    }
  }

  /// U diag(g) V^T.
  SUPPLE_INLINE void compose(const S (&g)[2], Vector3<S> (&P)[2]) const {
    const Vector3<S> first = g[0] * u[0], second = g[1] * u[1];
    P[0] = cosine * first - sine * second;
    P[1] = sine * first + cosine * second;
  }
};

/// d2Psi/dF2 of an isotropic sheet [Pa] in the frames of F. With the normal n, its modes are those
/// of a 3D material at s_3 = 1 that do not change the thickness (materials/principal.h): A on
/// u_i v_i^T, and the symmetric and the skew mode of u_1 v_2^T and u_2 v_1^T. Across the sheet
/// there is g_i/s_i on n v_i^T.
template <class S>
struct PrincipalSheetHessian {
  Vector3<S> axis[3];  ///< u_1, u_2, n
  S cosine, sine;
  S a00, a01, a11, alpha, beta;
  S across[2];

  /// K of the shape gradients g_a and g_b: d2Psi/dx_a dx_b, row-major, Pa/m^2.
  SUPPLE_INLINE void block(const S (&ga)[2], const S (&gb)[2], S (&K)[9]) const {
    const S a[2] = {cosine * ga[0] + sine * ga[1], cosine * ga[1] - sine * ga[0]};
    const S b[2] = {cosine * gb[0] + sine * gb[1], cosine * gb[1] - sine * gb[0]};
    const S p00 = a[0] * b[0], p01 = a[0] * b[1], p10 = a[1] * b[0], p11 = a[1] * b[1];
    const S k00 = a00 * p00 + alpha * p11, k11 = a11 * p11 + alpha * p00;
    const S k01 = a01 * p01 + beta * p10, k10 = a01 * p10 + beta * p01;
    const S knn = across[0] * p00 + across[1] * p11;
    const Vector3<S>&u = axis[0], &w = axis[1], &n = axis[2];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        K[3 * r + c] = (k00 * (u[r] * u[c]) + k11 * (w[r] * w[c])) +
                       (k01 * (u[r] * w[c]) + k10 * (w[r] * u[c])) + knn * (n[r] * n[c]);
      }
    }
  }
};

/// A material of materials/ as a sheet, in the two-stretch form of Valanis and Landel: eq. 7.12 of
/// the thesis at s_3 = 1,
///   Psi(s_1, s_2) = a(s_1) + a(s_2) + b(s_1) + b(s_2) + b(s_1 s_2) + c(s_1 s_2) + constant.
/// The thickness stays fixed; how Poisson's ratio would change it is taken into account by the
/// parameters (sheet_settings in membrane.h).
template <class Material, class S>
struct PrincipalSheet {
  Material material;

  SUPPLE_INLINE S energy_and_stress(const Vector3<S> (&f)[2], Vector3<S> (&P)[2]) const {
    const SheetFrame<S> frame(f);
    const Vector3<S> s{{frame.s[0], frame.s[1], S(1.0)}};
    const Vector3<S> g = principal_stress(material, s);
    frame.compose({g[0], g[1]}, P);
    return principal_energy(material, s);
  }

  SUPPLE_INLINE PrincipalSheetHessian<S> hessian(const Vector3<S> (&f)[2],
                                                 NegativeEigenvalues mode) const {
    const SheetFrame<S> frame(f);
    const Vector3<S> s{{frame.s[0], frame.s[1], S(1.0)}};
    const Vector3<S> g = principal_stress(material, s);
    const PrincipalModes<S> modes = principal_modes(material, s);
    const S symmetric = detail::mended(modes.symmetric[2], mode);
    const S skew = detail::mended(modes.skew[2], mode);
    const S least = S(least_sheet_stretch), half = S(0.5);
    PrincipalSheetHessian<S> H;
    H.axis[0] = frame.u[0];
    H.axis[1] = frame.u[1];
    H.axis[2] = cross(frame.u[0], frame.u[1]);
    H.cosine = frame.cosine;
    H.sine = frame.sine;
    H.a00 = modes.A[0][0];
    H.a01 = modes.A[0][1];
    H.a11 = modes.A[1][1];
    mend_plane(H.a00, H.a01, H.a11, mode);
    H.alpha = half * (symmetric + skew);
    H.beta = half * (symmetric - skew);
    for (int i = 0; i < 2; ++i) {
      H.across[i] = detail::mended(S(g[i] / select(s[i] < least, least, s[i])), mode);
    }
    return H;
  }

  SUPPLE_INLINE S projection_weight() const { return material.projection_weight(); }
};

/// d2Psi/dF2 of an orthotropic sheet: dE : C : dE + S : dF^T dF.
template <class S>
struct OrthotropicHessian {
  Vector3<S> f[2];
  S warp, weft, coupling, shear;  ///< Pa
  S s00, s01, s11;                ///< second Piola-Kirchhoff stress, mended, Pa

  SUPPLE_INLINE void block(const S (&ga)[2], const S (&gb)[2], S (&K)[9]) const {
    const Vector3<S> a[3] = {ga[0] * f[0], ga[1] * f[1], ga[1] * f[0] + ga[0] * f[1]};
    const Vector3<S> b[3] = {gb[0] * f[0], gb[1] * f[1], gb[1] * f[0] + gb[0] * f[1]};
    const Vector3<S> Cb[3] = {warp * b[0] + coupling * b[1], coupling * b[0] + weft * b[1],
                              shear * b[2]};
    const S tension =
        (s00 * (ga[0] * gb[0]) + s11 * (ga[1] * gb[1])) + s01 * (ga[0] * gb[1] + ga[1] * gb[0]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const S entry = (a[0][r] * Cb[0][c] + a[1][r] * Cb[1][c]) + a[2][r] * Cb[2][c];
        K[3 * r + c] = r == c ? entry + tension : entry;
      }
    }
  }
};

/// Orthotropic St. Venant-Kirchhoff sheet, f_0 along the warp and f_1 along the weft:
///   Psi = 1/2 (C_1 E_11^2 + C_2 E_22^2) + C_12 E_11 E_22 + G/2 (2 E_12)^2,  E = (F^T F - I)/2,
///   C_1 = E_1/(1 - nu_12 nu_21), C_2 = E_2/(1 - nu_12 nu_21), C_12 = nu_21 C_1,
///   nu_21 = nu_12 E_2/E_1
/// [plane stress of an orthotropic lamina: Jones 1999, sec. 2.5]. All in Pa. Instead of the nearest
/// semi-definite Hessian it uses C and the mended stress, which is no smaller than the Hessian.
template <class S>
struct OrthotropicSheet {
  S warp, weft, coupling, shear;

  SUPPLE_INLINE S energy_and_stress(const Vector3<S> (&f)[2], Vector3<S> (&P)[2]) const {
    S e[3], t[3];
    strain_and_stress(f, e, t);
    P[0] = t[0] * f[0] + t[2] * f[1];
    P[1] = t[2] * f[0] + t[1] * f[1];
    return S(0.5) * ((t[0] * e[0] + t[1] * e[1]) + t[2] * e[2]);
  }

  SUPPLE_INLINE OrthotropicHessian<S> hessian(const Vector3<S> (&f)[2],
                                              NegativeEigenvalues mode) const {
    S e[3], t[3];
    strain_and_stress(f, e, t);
    mend_plane(t[0], t[2], t[1], mode);
    return {{f[0], f[1]}, warp, weft, coupling, shear, t[0], t[2], t[1]};
  }

 private:
  /// E_11, E_22, 2 E_12, and the stress conjugate to each.
  SUPPLE_INLINE void strain_and_stress(const Vector3<S> (&f)[2], S (&e)[3], S (&t)[3]) const {
    const S half = S(0.5), one = S(1.0);
    e[0] = half * (dot(f[0], f[0]) - one);
    e[1] = half * (dot(f[1], f[1]) - one);
    e[2] = dot(f[0], f[1]);
    t[0] = warp * e[0] + coupling * e[1];
    t[1] = coupling * e[0] + weft * e[1];
    t[2] = shear * e[2];
  }
};

}  // namespace supple
