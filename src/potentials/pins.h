#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "math/vector_field.h"
#include "supple/scene.h"

namespace supple {

/// Springs of rest length zero between vertices and moving targets [thesis eq. 8.5]:
///   E = k/2 |x - x_a(t)|^2,  dE/dx = k (x - x_a),  d2E/dx2 = k I.
/// The Hessian is constant: it is part of M/h^2 + L [thesis eq. 8.6].
struct PinnedVertex {
  int vertex;        ///< of the model
  int motion;        ///< into `motions`; -1: the target is held
  double stiffness;  ///< N/m
  Vec3 rest;         ///< m
  int held = -1;     ///< into HeldTargets; -1: none
  int point = -1;    ///< into `points`, the point whose corner this is; -1: none
};

/// A point p = sum_i w_i x_i on a spring: E = k/2 |p - x_a|^2, d2E/dx_i dx_j = k w_i w_j I. Each
/// corner is also a pin, of stiffness k w_i. With their targets at x_a + x_i - p, for any x, the
/// pins of the corners have E's value and gradient at x, and elsewhere
///   sum_i k w_i/2 |z_i - x_a - x_i + p|^2 >= k/2 |sum_i w_i z_i - x_a|^2,  sum_i w_i = 1
/// (Jensen). They bound E from above, and k diag(w) - k w w^T is positive semi-definite. So a
/// method that treats the corners as pins descends on E as well.
struct PinnedPoint {
  int first;                        ///< corner among `pins`; the others follow
  int count;                        ///< 2 to 4
  double stiffness;                 ///< k, N/m
  std::array<double, 4> weights{};  ///< w, > 0
};

/// Targets that are set from outside and reached at the end of a frame.
struct HeldTargets {
  std::vector<Vec3> from, to;  ///< at the start and the end of the frame, m
  /// The frame, s. Between two frames the targets are where the last one ended.
  double begin = std::numeric_limits<double>::infinity(), end = begin;

  Vec3 at(int i, double time) const;
};

struct PinSet {
  std::vector<PinnedVertex> pins;  ///< of the scene in its order, then held ones
  std::vector<Motion> motions;     ///< one per pin of the scene
  std::vector<int> colliders;      ///< for each motion the scene's collider that it is of, or -1
  std::vector<int> clamps;         ///< for each motion the first one with which it clamps rods as
                                   ///< one pin
  std::vector<PinnedPoint> points;
  const HeldTargets* held = nullptr;  ///< must outlive the set; null: no pin is held

  /// Targets at a time, s: [pins.size()], m. `out` must have that size.
  void targets(double time, std::vector<Vec3>& out) const;

  /// The vector that a pin pulls at: x - target, or p - target for a corner, m.
  Vec3 stretch(std::size_t pin, const VectorField& x, const std::vector<Vec3>& target) const;

  /// p, m.
  Vec3 place(const PinnedPoint& point, const VectorField& x) const;

  /// Energy of these pins, J; adds their gradient, N, to `gradient`.
  double add(const VectorField& x, const std::vector<Vec3>& target, VectorField& gradient,
             std::span<const int> some) const {
    return sum(x, target, gradient.data(), some);
  }
  /// The same for all pins.
  double add(const VectorField& x, const std::vector<Vec3>& target, VectorField& gradient) const {
    return add(x, target, gradient, all().pins);
  }
  /// Only the energy of these pins, J.
  double energy(const VectorField& x, const std::vector<Vec3>& target,
                std::span<const int> some) const {
    return sum(x, target, nullptr, some);
  }

  /// Pins and points, by number, ascending.
  struct Some {
    std::vector<int> pins, points;
  };
  Some all() const;
  /// Those of each body: [num_bodies].
  std::vector<Some> by_body(std::span<const int> body_vertices) const;

 private:
  double sum(const VectorField& x, const std::vector<Vec3>& target, PaddedVector* gradient,
             std::span<const int> some) const;
};

}  // namespace supple
