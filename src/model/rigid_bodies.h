#pragma once

#include <span>
#include <vector>

#include "math/mat3.h"
#include "model/model.h"

namespace supple {

/// The bodies of a model that do not deform (docs/rigid.md). Their vertices are unknowns as all
/// others are, but only the places
///   x_i = c + R X_i,  X_i = rest_i - (centre of mass at rest),  R a rotation
/// are theirs. With M the masses of the vertices and J = sum m X X^T, the rigid place that is
/// nearest to a field z in the norm of M has c = sum m z / m and the rotation nearest to
/// sum m (z - c) X^T [Kabsch 1976]. Vertices without mass belong to no body.
class RigidBodies {
 public:
  using Vector = Vector3<double>;
  using Matrix = Mat3<double>;
  struct Body {
    int number;       ///< of the model's bodies
    int first, last;  ///< vertices
    double mass = 0;  ///< kg
    Vector center{};  ///< at rest, m
    Matrix moment{};  ///< J, kg m^2; the inertia tensor at rest is tr(J) I - J
  };
  struct Pose {
    Vector center;
    Matrix rotation;
  };

  explicit RigidBodies(const Model& model);

  bool empty() const { return bodies_.empty(); }
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Index of a body of the model, or -1: it deforms.
  int of(int body) const { return bodies_.empty() ? -1 : index_[static_cast<std::size_t>(body)]; }
  /// X of a vertex of a body, m.
  Vector arm(const Body& body, int vertex) const;

  /// The nearest rigid place.
  Pose nearest(const Body& body, const VectorField& z) const;
  void place(const Body& body, const Pose& pose, VectorField& z) const;
  /// Moves what is rigid of these bodies of the model to the nearest rigid place.
  void make_rigid(std::span<const int> bodies, VectorField& z) const;

  /// Replaces the gradient of a function at a rigid z by that of the function at the nearest rigid
  /// place, N: m (a + alpha x (z - c)), with the accelerations that the sum and the torque of
  /// -gradient would give the body.
  void keep_tangent(std::span<const int> bodies, const VectorField& z, VectorField& gradient) const;

  /// sum m |y - x| (|x| + |X|), kg m^2: times 1/a^2 what the rounding of places changes the energy
  /// of inertia by, in units of rounding.
  double rounded(const Body& body, const VectorField& x, const VectorField& y) const;

  /// Where a body that is at x flies within a step if it would without rigidity come to y: with Q
  /// the turn from x and B = R^T sum m (y - c) X^T
  ///   Q J - J Q^T = B - B^T,
  /// the step of Moser & Veselov [1991]. What keeps the body rigid pushes where it was and not, as
  /// in a step of backward Euler, where it will be: its angular momentum stays to rounding, its
  /// energy to the second order and without drift. Turns of more than a quarter within a step,
  /// where the equation has no such solution, end at the nearest rigid place.
  Pose flight(const Body& body, const VectorField& x, const VectorField& y) const;

 private:
  Matrix covariance(const Body& body, const VectorField& z, Vector& center) const;

  const Model* model_;
  std::vector<Body> bodies_;
  std::vector<int> index_;  ///< [num_bodies]
};

}  // namespace supple
