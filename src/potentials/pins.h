#pragma once

#include <vector>

#include "math/vector_field.h"
#include "supple/scene.h"

namespace supple {

/// Springs of rest length zero between vertices and moving targets [thesis eq. 8.5]:
///   E = k/2 |x - x_a(t)|^2,  dE/dx = k (x - x_a),  d2E/dx2 = k I.
/// The Hessian is constant: it is part of M/h^2 + L [thesis eq. 8.6].
struct PinnedVertex {
  int vertex;        ///< of the model
  int motion;        ///< into `motions`
  double stiffness;  ///< N/m
  Vec3 rest;         ///< m
};

struct PinSet {
  std::vector<PinnedVertex> pins;  ///< in scene order
  std::vector<Motion> motions;     ///< one per pin of the scene

  /// Targets at a time, s: [pins.size()], m. `out` has that size already.
  void targets(double time, std::vector<Vec3>& out) const;

  /// Energy, J; adds the gradient, N, to `gradient`.
  double add(const VectorField& x, const std::vector<Vec3>& target, VectorField& gradient) const;
};

}  // namespace supple
