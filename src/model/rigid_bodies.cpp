#include "model/rigid_bodies.h"

#include <cmath>

#include "base/index.h"
#include "math/polar.h"

namespace supple {

namespace {

using Vector = RigidBodies::Vector;
using Matrix = RigidBodies::Matrix;

constexpr int most_flight_rounds = 20;
/// Residual to which the equation of a flight is solved, relative to tr J. The iteration converges
/// quadratically.
constexpr double flight_error = 1e-15;

Vector vector_of(const PaddedVector& x) { return {{x[0], x[1], x[2]}}; }

/// The vector of a skew matrix.
Vector axial(const Matrix& skew) { return {{skew(2, 1), skew(0, 2), skew(1, 0)}}; }

/// exp of the skew matrix of v [Rodrigues].
Matrix rotation_by(const Vector& v) {
  const double angle = std::sqrt(dot(v, v));
  const double a = angle > 1e-8 ? std::sin(angle) / angle : 1;
  const double s = angle > 1e-8 ? std::sin(angle / 2) / (angle / 2) : 1;
  const double b = s * s / 2;
  const double c = std::cos(angle);
  Matrix R = Matrix::diagonal(c, c, c);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) += b * v[i] * v[j];
  }
  R(2, 1) += a * v[0];
  R(1, 2) -= a * v[0];
  R(0, 2) += a * v[1];
  R(2, 0) -= a * v[1];
  R(1, 0) += a * v[2];
  R(0, 1) -= a * v[2];
  return R;
}

/// Removes the rounding from a rotation.
Matrix orthonormal(const Matrix& R) { return polar(R).R; }

}  // namespace

RigidBodies::RigidBodies(const Model& model) : model_(&model) {
  if (model.is_rigid.empty()) return;
  index_.assign(at(model.num_bodies()), -1);
  for (int b = 0; b < model.num_bodies(); ++b) {
    if (!model.is_rigid_body(b)) continue;
    Body body{
        .number = b, .first = model.body_vertices[at(b)], .last = model.body_vertices[at(b) + 1]};
    for (int i = body.first; i < body.last; ++i) {
      const double m = model.mass[at(i)];
      body.mass += m;
      for (int k = 0; k < 3; ++k) body.center[k] += m * model.rest[at(i)][at(k)];
    }
    for (int k = 0; k < 3; ++k) body.center[k] /= body.mass;
    for (int i = body.first; i < body.last; ++i) {
      const Vector X = arm(body, i);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) body.moment(r, c) += model.mass[at(i)] * X[r] * X[c];
      }
    }
    index_[at(b)] = static_cast<int>(bodies_.size());
    bodies_.push_back(body);
  }
}

Vector RigidBodies::arm(const Body& body, int vertex) const {
  const Vec3& rest = model_->rest[at(vertex)];
  return {{rest[0] - body.center[0], rest[1] - body.center[1], rest[2] - body.center[2]}};
}

/// sum m (z - c) X^T.
Matrix RigidBodies::covariance(const Body& body, const VectorField& z, Vector& center) const {
  center = {};
  for (int i = body.first; i < body.last; ++i) {
    center = center + model_->mass[at(i)] * vector_of(z[at(i)]);
  }
  center = (1 / body.mass) * center;
  Matrix sum = Matrix::zero();
  for (int i = body.first; i < body.last; ++i) {
    const Vector X = arm(body, i), d = model_->mass[at(i)] * (vector_of(z[at(i)]) - center);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) sum(r, c) += d[r] * X[c];
    }
  }
  return sum;
}

RigidBodies::Pose RigidBodies::nearest(const Body& body, const VectorField& z) const {
  Pose pose{};
  const Matrix B = covariance(body, z, pose.center);
  pose.rotation = polar((1 / trace(body.moment)) * B).R;
  return pose;
}

void RigidBodies::place(const Body& body, const Pose& pose, VectorField& z) const {
  for (int i = body.first; i < body.last; ++i) {
    if (!(model_->mass[at(i)] > 0)) continue;
    const Vector x = pose.center + pose.rotation * arm(body, i);
    for (int k = 0; k < 3; ++k) z[at(i)][k] = x[k];
  }
}

void RigidBodies::make_rigid(std::span<const int> bodies, VectorField& z) const {
  if (bodies_.empty()) return;
  for (const int body : bodies) {
    if (of(body) < 0) continue;
    const Body& own = bodies_[at(of(body))];
    place(own, nearest(own, z), z);
  }
}

void RigidBodies::keep_tangent(std::span<const int> bodies, const VectorField& z,
                               VectorField& gradient) const {
  if (bodies_.empty()) return;
  for (const int body : bodies) {
    if (of(body) < 0) continue;
    const Body& own = bodies_[at(of(body))];
    Vector center{}, force{}, torque{};
    for (int i = own.first; i < own.last; ++i) {
      center = center + model_->mass[at(i)] * vector_of(z[at(i)]);
    }
    center = (1 / own.mass) * center;
    Matrix J = Matrix::zero();
    for (int i = own.first; i < own.last; ++i) {
      const double m = model_->mass[at(i)];
      if (!(m > 0)) continue;
      const Vector r = vector_of(z[at(i)]) - center, g = vector_of(gradient[at(i)]);
      force = force + g;
      torque = torque + cross(r, g);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) J(a, b) += m * r[a] * r[b];
      }
    }
    const double t = trace(J);
    const Vector turn = inverse(Matrix::diagonal(t, t, t) - J) * torque;
    const Vector shift = (1 / own.mass) * force;
    for (int i = own.first; i < own.last; ++i) {
      const double m = model_->mass[at(i)];
      const Vector g = m * (shift + cross(turn, vector_of(z[at(i)]) - center));
      for (int k = 0; k < 3; ++k) gradient[at(i)][k] = g[k];
    }
  }
}

double RigidBodies::rounded(const Body& body, const VectorField& x, const VectorField& y) const {
  const auto norm = [](const Vector& v) { return std::sqrt(dot(v, v)); };
  double sum = 0;
  for (int i = body.first; i < body.last; ++i) {
    const Vector from = vector_of(x[at(i)]);
    sum +=
        model_->mass[at(i)] * norm(vector_of(y[at(i)]) - from) * (norm(from) + norm(arm(body, i)));
  }
  return sum;
}

RigidBodies::Pose RigidBodies::flight(const Body& body, const VectorField& x,
                                      const VectorField& y) const {
  Vector unused{};
  Pose pose{};
  const Matrix& J = body.moment;
  const Matrix R = polar((1 / trace(J)) * covariance(body, x, unused)).R;
  const Matrix B = transpose_times(R, covariance(body, y, pose.center));
  const Vector wanted = axial(B - transpose(B));
  Matrix Q = polar((1 / trace(J)) * B).R;
  pose.rotation = R * Q;
  bool is_solved = false;
  for (int round = 0; round < most_flight_rounds && !is_solved; ++round) {
    // A turn e on the left changes Q J - J Q^T by the skew matrix of (tr(Q J) I - Q J) e.
    const Matrix S = Q * J;
    const double t = trace(S);
    const Vector error = axial(S - transpose(S)) - wanted;
    is_solved = dot(error, error) <= std::pow(flight_error * trace(J), 2);
    const Matrix slope = Matrix::diagonal(t, t, t) - S;
    const double size = trace(J);
    if (is_solved || !(determinant(slope) > 1e-12 * size * size * size)) break;
    const Vector step = inverse(slope) * error;
    if (!(dot(step, step) < 1)) break;
    Q = orthonormal(rotation_by(-1.0 * step) * Q);
    // Rounding can keep the error above the limit. As the iteration converges quadratically, the
    // equation is solved after so small a step.
    is_solved = dot(step, step) < 1e-20;
  }
  if (is_solved) pose.rotation = orthonormal(R * Q);
  return pose;
}

}  // namespace supple
