#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "materials/material.h"
#include "materials/projection.h"
#include "position/tet_lanes.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace tet_detail {

/// p(F). Singular values are computed in double, because the constants that keep their rotations
/// from 0/0 are below the range of floats.
template <class Material, class S>
SUPPLE_INLINE Mat3<S> nearest_allowed(const Material& family, const S* parameters,
                                      const Mat3<S>& F) {
  if constexpr (std::is_same_v<Material, ArapModel>) {
    return polar(F).R;
  } else {
    return project(family.template at<S>(parameters), F);
  }
}

template <class Material, class S>
SUPPLE_INLINE Mat3<S> target(const Material& family, const S* parameters, const Mat3<S>& F) {
  using Lanes = LanesOf<S>;
  if constexpr (std::is_same_v<typename Lanes::T, double>) {
    return nearest_allowed(family, parameters, F);
  } else if constexpr (Lanes::width == 1) {
    Mat3<double> wide;
    for (int i = 0; i < 9; ++i) wide(i / 3, i % 3) = static_cast<double>(F(i / 3, i % 3));
    double values[Material::num_parameters];
    for (int i = 0; i < Material::num_parameters; ++i)
      values[i] = static_cast<double>(parameters[i]);
    const Mat3<double> p = nearest_allowed(family, values, wide);
    Mat3<S> result;
    for (int i = 0; i < 9; ++i) result(i / 3, i % 3) = static_cast<S>(p(i / 3, i % 3));
    return result;
  } else {
    constexpr int half = Lanes::width / 2;
    using Half = Batch<double, half>;
    const auto widened = [](const S& a, int part) {
      Half h;
      for (int i = 0; i < half; ++i) h.v[i] = static_cast<double>(a.v[part * half + i]);
      return h;
    };
    Mat3<S> result;
    for (int part = 0; part < 2; ++part) {
      Mat3<Half> wide;
      for (int i = 0; i < 9; ++i) wide(i / 3, i % 3) = widened(F(i / 3, i % 3), part);
      Half values[Material::num_parameters];
      for (int i = 0; i < Material::num_parameters; ++i) values[i] = widened(parameters[i], part);
      const Mat3<Half> p = nearest_allowed(family, values, wide);
      for (int i = 0; i < 9; ++i) {
        for (int lane = 0; lane < half; ++lane) {
          result(i / 3, i % 3).v[part * half + lane] =
              static_cast<typename Lanes::T>(p(i / 3, i % 3).v[lane]);
        }
      }
    }
    return result;
  }
}

}  // namespace tet_detail

/// The damping of a tet in a step, A Psi = a V tau k/2 min_R |F - R F_n|^2
/// (materials/step_damping.h). Its impulses are in the Q of its material.
template <class S, bool is_damped>
struct TetDamping {
  using T = typename TetLanes<S>::T;
  const PaddedPosition<T>* x_start;
  S a;

  /// A w = a V tau k; 0 without damping. row: where the tet has V tau k.
  SUPPLE_INLINE S stiffness(const TetLanes<S>& tet, int row) const {
    if constexpr (is_damped) return a * tet.row(row);
    return S(0.0);
  }

  /// A P = A w (F - R F_n) with the rotation R nearest to F F_n^T; 0 if F and F_n differ by
  /// rounding.
  SUPPLE_INLINE Mat3<S> stress(const TetLanes<S>& tet, const Mat3<S>& B, const Mat3<S>& F,
                               const S& stiffness) const {
    constexpr double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const Mat3<S> before = tet.deformation_gradient(x_start, B);
    const S none[1] = {S(0.0)};
    const Mat3<S> R = tet_detail::target(ArapModel{}, none, Mat3<S>(times_transpose(F, before)));
    const auto still =
        squared_norm(F - before) <= S(rounding * rounding) * (S(1.0) + squared_norm(F));
    return select(still, S(0.0), stiffness) * (F - R * before);
  }
};

/// Materials with the energy Psi = kappa/2 |F - p(F)|^2 (materials/projection.h).
template <class Material, class S>
struct ProjectedTet {
  using T = typename TetLanes<S>::T;
  static constexpr int num_parameters = Material::num_parameters;
  static constexpr int multipliers = tet_rows::material + 1 + num_parameters;

  /// Returns F - p(F) and sets `stiffness` to A kappa.
  SUPPLE_INLINE static Mat3<S> strain(const TetLanes<S>& tet, const Mat3<S>& F, const S& a2,
                                      S& stiffness) {
    S parameters[num_parameters];
    for (int p = 0; p < num_parameters; ++p) {
      parameters[p] = tet.row(tet_rows::material + 1 + p);
    }
    const Material family{};
    stiffness =
        a2 * tet.row(tet_rows::material) * family.template at<S>(parameters).projection_weight();
    return F - tet_detail::target(family, parameters, F);
  }

  /// With p and R held (which majorises), dQ = -(Q + A kappa (F - p) + A w (F - R F_n)) H, H = (I +
  /// A (kappa + w) G)^-1.
  template <bool first, bool is_damped = false>
  SUPPLE_INLINE static void stress(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2,
                                   const TetDamping<S, is_damped>& damping = {}) {
    constexpr int own = multipliers + (is_damped ? 1 : 0);
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    S k;
    const Mat3<S> F = tet.deformation_gradient(x, B);
    Mat3<S> R = strain(tet, F, a2, k);
    R = k * R;
    if constexpr (is_damped) {
      const S w = damping.stiffness(tet, multipliers);
      R = R + damping.stress(tet, B, F, w);
      k = k + w;
    }
    Mat3<S> Q;
    if constexpr (!first) {
      Q = tet.matrix(own);
      R = R + Q;
    }
    const Vector3<S> H = tet_detail::inverse_of_identity_plus(k, tet.mobility());
    const Mat3<S> M = tet_detail::scaled_columns(R, H);
    if constexpr (first) {
      Q = S(-1.0) * M;
    } else {
      Q = Q - M;
    }
    tet.set_matrix(own, Q);
    tet.pull(M, B, x);
  }

  /// C = |F - p|, compliance 1/(A kappa), dC/dF = (F - p)/C; nothing if C is zero up to rounding.
  template <bool first>
  SUPPLE_INLINE static void scalar(const TetLanes<S>& tet, PaddedPosition<T>* x, const S& a2) {
    using std::sqrt;
    const Mat3<S> B = tet.matrix(tet_rows::gradients);
    const Mat3<S> F = tet.deformation_gradient(x, B);
    S k;
    const Mat3<S> N = strain(tet, F, a2, k);
    S l = S(0.0);
    if constexpr (!first) l = tet.row(multipliers);
    const S C = sqrt(squared_norm(N));
    const auto none = C <= S(4 * static_cast<double>(std::numeric_limits<T>::epsilon())) *
                               (S(1.0) + sqrt(squared_norm(F)));
    const S inverse_C = select(none, S(0.0), S(S(1.0) / select(none, S(1.0), C)));
    const S slope = inverse_C * inverse_C * tet_detail::inner_by_columns(N, N, tet.mobility());
    const S dl = select(none, S(0.0), S((k * C + l) / (k * slope + S(1.0))));
    tet.set_row(multipliers, l - dl);
    tet.pull(dl * inverse_C * N, B, x);
  }

  SUPPLE_INLINE static Mat3<S> impulse(const TetLanes<S>& tet, const Mat3<S>& F) {
    using std::sqrt;
    S k;
    const Mat3<S> N = strain(tet, F, S(1.0), k);
    const S C = sqrt(squared_norm(N));
    const auto none = C <= S(4 * static_cast<double>(std::numeric_limits<T>::epsilon())) *
                               (S(1.0) + sqrt(squared_norm(F)));
    return tet.row(multipliers) * select(none, S(0.0), S(S(1.0) / select(none, S(1.0), C))) * N;
  }
};

}  // namespace SUPPLE_SIMD

}  // namespace supple
