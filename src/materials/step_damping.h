#pragma once

#include "math/mat3.h"
#include "math/polar.h"
#include "math/vector_field.h"

namespace supple {

/// The state from which damping measures a step.
struct StepStart {
  const PaddedVector* x = nullptr;  ///< where the vertices are then, [num_vertices], m
  double inverse_a = 0;             ///< 1/a, 1/s
};

/// What damping costs an element in a step from F_n to F, whatever rotation R is between them:
///   Psi = w/2 min_R |F - R F_n|^2,  P = w (F - R F_n),  R = the rotation nearest to F F_n^T,
/// with w = k tau/a. R = I would be the damping by the Laplacian of Li, Liu & Kavan [2018, sec. 3],
/// (x - x_n)^T tau L (x - x_n)/(2 a), which also slows down rotation. The minimum over R is lower,
/// and differs from that only in second order of the strain of the step. It costs a turning element
/// nothing, and the part of the constant matrix for R = I bounds it too.
template <class S>
struct StepDamping {
  S weight;        ///< w, Pa
  Mat3<S> before;  ///< F_n

  S energy_density(const Mat3<S>& F) const { return S(0.5) * weight * squared_norm(F - turned(F)); }

  S energy_and_stress(const Mat3<S>& F, Mat3<S>& P) const {
    const Mat3<S> change = F - turned(F);
    P = weight * change;
    return S(0.5) * weight * squared_norm(change);
  }

  /// The Hessian of two corners with shape gradients g_a and g_b:
  ///   K_ab = w (g_a . g_b I - [p_a] G^-1 [p_b]^T),  p = R F_n g,  G = tr(B) I - B,
  ///   B = F (R F_n)^T,
  /// where [p] is the matrix of the cross product. The second part is what turning the element does
  /// not cost; it follows from the symmetry of d(R^T F F_n^T).
  struct Hessian {
    S weight;
    Mat3<S> turned;     ///< R F_n
    Mat3<S> stillness;  ///< G^-1

    Mat3<S> block(const Vector3<S>& g_a, const Vector3<S>& g_b) const {
      const Mat3<S> p = crossing(turned * g_a), q = crossing(turned * g_b);
      Mat3<S> K = S(-1.0) * weight * (p * times_transpose(stillness, q));
      const S all = weight * dot(g_a, g_b);
      for (int k = 0; k < 3; ++k) K(k, k) += all;
      return K;
    }
  };

  /// The Hessian with B = R F_n F_n^T R^T, which is positive semi-definite. It is exact at F = R
  /// F_n; elsewhere its error is of the order of the strain of the step.
  Hessian positive_hessian(const Mat3<S>& F) const {
    const Mat3<S> at = turned(F);
    return with(at, at);
  }

  /// The Hessian as it is. It has negative eigenvalues if the step squeezes the element.
  Hessian hessian(const Mat3<S>& F) const { return with(F, turned(F)); }

 private:
  Hessian with(const Mat3<S>& F, const Mat3<S>& turned) const {
    const Mat3<S> B = times_transpose(F, turned);
    // If the element has collapsed to a line or a point, some turns change nothing. The small share
    // keeps G regular, and what it removes from the second part is positive.
    const S size = trace(B) + S(1e-9) * squared_norm(turned) + S(1e-100);
    return {weight, turned, inverse(Mat3<S>::diagonal(size, size, size) - B)};
  }

  /// R F_n.
  Mat3<S> turned(const Mat3<S>& F) const { return polar(times_transpose(F, before)).R * before; }

  static Mat3<S> crossing(const Vector3<S>& p) {
    const S o = S(0.0);
    return {{{o, S(-1.0) * p[2], p[1]}, {p[2], o, S(-1.0) * p[0]}, {S(-1.0) * p[1], p[0], o}}};
  }
};

}  // namespace supple
