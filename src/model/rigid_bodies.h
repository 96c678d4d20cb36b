#pragma once

#include <span>
#include <vector>

#include "math/mat3.h"
#include "model/model.h"

namespace supple {

/// The bodies of a model that do not deform (docs/rigid.md). Their vertices are unknowns like all
/// others, but can only be at the places
///   x_i = c + R X_i,  X_i = rest_i - (centre of mass at rest),  R a rotation.
/// Let M be the masses of the vertices and J = sum m X X^T. The rigid place nearest to a field z in
/// the norm of M has c = sum m z / m, and R is the rotation nearest to sum m (z - c) X^T [Kabsch
/// 1976]. Vertices without mass belong to no body.
class RigidBodies {
 public:
  using Vector = Vector3<double>;
  using Matrix = Mat3<double>;
  struct Body {
    int number;       ///< among the model's bodies
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
  /// Index of a body of the model; -1: it deforms.
  int of(int body) const { return bodies_.empty() ? -1 : index_[static_cast<std::size_t>(body)]; }
  /// X of a vertex of a body, m.
  Vector arm(const Body& body, int vertex) const;

  /// The nearest rigid place.
  Pose nearest(const Body& body, const VectorField& z) const;
  void place(const Body& body, const Pose& pose, VectorField& z) const;
  /// Moves those of the model's bodies that are rigid to the nearest rigid place.
  void make_rigid(std::span<const int> bodies, VectorField& z) const;

  /// Replaces the gradient of a function at a rigid z, N, by that of the function at the nearest
  /// rigid place: m (a + alpha x (z - c)), with the accelerations that the sum and the torque of
  /// -gradient would give the body.
  void keep_tangent(std::span<const int> bodies, const VectorField& z, VectorField& gradient) const;

  /// sum m |y - x| (|x| + |X|), kg m^2. Times 1/a^2, it says by how many units of rounding the
  /// energy of inertia changes when positions are rounded.
  double rounded(const Body& body, const VectorField& x, const VectorField& y) const;

  /// Where a body at x flies in a step if it would arrive at y without rigidity. Let R be its
  /// rotation at x, Q the rotation of the step, and B = R^T sum m (y - c) X^T. Then
  ///   Q J - J Q^T = B - B^T,
  /// the step of Moser & Veselov [1991]. The forces that keep the body rigid act where it was, not
  /// where it will be as in a step of backward Euler. So the angular momentum is kept up to
  /// rounding, and the energy to second order and without drift. Turns of more than a quarter
  /// within a step, for which the equation has no such solution, end at the nearest rigid place.
  Pose flight(const Body& body, const VectorField& x, const VectorField& y) const;

 private:
  Matrix covariance(const Body& body, const VectorField& z, Vector& center) const;

  const Model* model_;
  std::vector<Body> bodies_;
  std::vector<int> index_;  ///< [num_bodies]
};

}  // namespace supple
