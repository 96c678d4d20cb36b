#pragma once

#include <cmath>
#include <random>

#include "math/mat3.h"

/// Matrices for tests, the same on every platform.
namespace supple::testing {

using Random = std::mt19937;

/// In [low, high), the same on every platform.
inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * (random() / 4294967296.0);
}

inline Mat3<double> random_matrix(Random& random, double scale = 1) {
  Mat3<double> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = uniform(random, -scale, scale);
  return m;
}

/// Angles are uniform, about a random axis (Rodrigues' formula).
inline Mat3<double> random_rotation(Random& random) {
  Vector3<double> u{{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)}};
  u = (1 / std::sqrt(dot(u, u))) * u;
  const double angle = uniform(random, -3.14, 3.14);
  const Mat3<double> K{{{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}}};
  return Mat3<double>::identity() + std::sin(angle) * K + (1 - std::cos(angle)) * (K * K);
}

inline Mat3<double> with_stretches(Random& random, double x, double y, double z) {
  return compose(random_rotation(random), {{x, y, z}}, random_rotation(random));
}

}  // namespace supple::testing
