#pragma once

#include "materials/principal.h"
#include "math/mat3.h"

namespace supple {

/// d2Psi/dF2 of a woven limit: H_i on f_i alone,
///   H_i = 2 mu (c/l n n^T + (1 - c/l) I) beyond the limits, c being the nearer one, else 0.
template <class S>
struct WovenLimitHessian {
  Vector3<S> n[2];
  S along[2], across[2];  ///< Pa, mended

  SUPPLE_INLINE void block(const S (&ga)[2], const S (&gb)[2], S (&K)[9]) const {
    const S p[2] = {ga[0] * gb[0], ga[1] * gb[1]};
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        S entry = S(0.0);
        for (int i = 0; i < 2; ++i) {
          entry += p[i] * ((along[i] - across[i]) * (n[i][r] * n[i][c]));
          if (r == c) entry += p[i] * across[i];
        }
        K[3 * r + c] = entry;
      }
    }
  }
};

/// Strain limits of the threads of a sheet: the squared distance to the deformations in which the
/// stretches l_i = |f_i| of warp (f_0) and weft (f_1) are within [min_i, max_i],
///   Psi = mu sum_i (l_i - c_i(l_i))^2,
/// where c(l) is l clamped. This is like StrainLimit, but with the two directions in place of the
/// principal stretches [thesis sec. 6.2]. Threads turn against each other freely. A thread of
/// length zero has no direction and no force.
template <class S>
struct WovenLimit {
  S mu;
  S min[2], max[2];

  SUPPLE_INLINE S energy_and_stress(const Vector3<S> (&f)[2], Vector3<S> (&P)[2]) const {
    S energy = S(0.0);
    for (int i = 0; i < 2; ++i) {
      S length, excess;
      P[i] = (S(2.0) * mu) * thread(f[i], i, length, excess);
      P[i] = excess * P[i];
      energy += mu * (excess * excess);
    }
    return energy;
  }

  SUPPLE_INLINE WovenLimitHessian<S> hessian(const Vector3<S> (&f)[2],
                                             NegativeEigenvalues mode) const {
    WovenLimitHessian<S> H;
    const S o = S(0.0), twice = S(2.0) * mu;
    for (int i = 0; i < 2; ++i) {
      S length, excess;
      H.n[i] = thread(f[i], i, length, excess);
      const auto is_out = (length < min[i]) | (max[i] < length);
      H.along[i] = select(is_out, twice, o);
      const S least = S(least_thread);
      const S divisor = select(length < least, least, length);
      H.across[i] = detail::mended(S(twice * (excess / divisor)), mode);
    }
    return H;
  }

 private:
  static constexpr double least_thread = 1e-6;

  /// The direction of a thread, its stretch, and how far the stretch is beyond its limits.
  SUPPLE_INLINE Vector3<S> thread(const Vector3<S>& f, int i, S& length, S& excess) const {
    using std::sqrt;
    length = sqrt(dot(f, f));
    excess = length - select(length < min[i], min[i], select(max[i] < length, max[i], length));
    return (S(1.0) / select(length > S(1e-150), length, S(1.0))) * f;
  }
};

struct WovenLimitModel {
  static constexpr const char* name = "woven_limit";
  static constexpr int num_parameters = 5;
  template <class S>
  WovenLimit<S> at(const S* p) const {
    return {p[0], {p[1], p[3]}, {p[2], p[4]}};
  }
};

}  // namespace supple
