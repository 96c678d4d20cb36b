#pragma once

#include "supple/own_material.h"

/// Energies as a user writes them.
namespace supple::testing {

/// neo_hookean, with its logarithm continued below J = 0.1 as materials/extended_log.h does.
struct OwnNeoHookean {
  double mu = 3, lambda = 5;

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const T L = logarithm(determinant(F));
    return 0.5 * mu * (squared_norm(F) - 3) - mu * L + 0.5 * lambda * L * L;
  }
  template <class T>
  static T logarithm(const T& J) {
    const T at = select(J < 0.1, T(0.1), J);
    const T r = (J - at) / at;
    return log(at) + (r - 0.5 * r * r);
  }
};

/// The same, with the stress.
struct OwnNeoHookeanWithStress : OwnNeoHookean {
  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    const T J = determinant(F);
    const T at = select(J < 0.1, T(0.1), J);
    const T slope = (1 - (J - at) / at) / at;
    return T(mu) * F + (lambda * logarithm(J) - mu) * slope * cofactor(F);
  }
};

/// And with both at once, which the local step asks for.
struct OwnNeoHookeanWithBoth : OwnNeoHookeanWithStress {
  template <class T>
  T energy_and_stress(const Mat3<T>& F, Mat3<T>& P) const {
    const Mat3<T> cof = cofactor(F);
    const T J = dot(F.column(0), cof.column(0));
    const T at = select(J < 0.1, T(0.1), J), inverse = 1 / at, r = (J - at) * inverse;
    const T L = log(at) + (r - 0.5 * r * r);
    P = T(mu) * F + (lambda * L - mu) * (inverse * (1 - r)) * cof;
    return 0.5 * mu * (squared_norm(F) - 3) + L * (0.5 * lambda * L - mu);
  }
};

/// Rubber whose chains cannot be stretched beyond `limit` [Gent 1996]; it is not finite there.
struct Gent {
  double mu = 3, limit = 4, bulk = 10;

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const T J = determinant(F);
    const T I = squared_norm(F) - 3.0 - 2.0 * log(J);
    return -0.5 * mu * limit * log(1.0 - I / limit) + 0.5 * bulk * (J - 1.0) * (J - 1.0);
  }
};

/// Two families of fibers that carry only tension, in a soft matrix [Holzapfel, Gasser & Ogden
/// 2000].
struct Artery {
  double mu = 3, bulk = 20, k1 = 8, k2 = 1.5;
  Vec3 fibers[2] = {{0.8, 0.6, 0}, {0.8, -0.36, 0.48}};

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const T J = determinant(F);
    T psi = 0.5 * mu * (squared_norm(F) - 3.0) - mu * OwnNeoHookean::logarithm(J) +
            0.5 * bulk * (J - 1.0) * (J - 1.0);
    for (const Vec3& d : fibers) {
      const Vector3<T> f = F * Vector3<T>{{d[0], d[1], d[2]}};
      const T E = max(dot(f, f) - 1.0, 0.0);
      psi += 0.5 * k1 / k2 * expm1(k2 * E * E);
    }
    return psi;
  }
};

}  // namespace supple::testing
