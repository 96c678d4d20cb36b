#include "sim/energy_guard.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "sim/measures.h"

namespace supple {

namespace {

using Vector = Vector3<double>;

Vector vector_of(const PaddedVector& v) { return {{v[0], v[1], v[2]}}; }

Vector cross(const Vector& a, const Vector& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

/// At most this share of the available energy is taken: moving bodies must not stop dead.
constexpr double most_taken = 0.99;

}  // namespace

EnergyGuard::EnergyGuard(const Model& model)
    : model_(&model), rigid_(model.body_vertices.size() - 1) {}

EnergyGuard::Vector EnergyGuard::Rigid::at(const PaddedVector& x) const {
  return velocity + cross(spin, vector_of(x) - center);
}

EnergyGuard::Rigid EnergyGuard::rigid_of(std::size_t body, const VectorField& x,
                                         const VectorField& v) const {
  const std::size_t first = supple::at(model_->body_vertices[body]);
  const std::size_t last = supple::at(model_->body_vertices[body + 1]);
  Rigid rigid;
  for (std::size_t i = first; i < last; ++i) {
    const double m = model_->mass[i];
    rigid.mass += m;
    rigid.center = rigid.center + m * vector_of(x[i]);
    rigid.velocity = rigid.velocity + m * vector_of(v[i]);
  }
  if (!(rigid.mass > 0)) return rigid;
  rigid.center = (1 / rigid.mass) * rigid.center;
  rigid.velocity = (1 / rigid.mass) * rigid.velocity;
  Vector momentum{{0, 0, 0}};
  Mat3<double> inertia = Mat3<double>::zero();
  double size = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double m = model_->mass[i];
    const Vector r = vector_of(x[i]) - rigid.center;
    momentum = momentum + m * cross(r, vector_of(v[i]) - rigid.velocity);
    const double r2 = dot(r, r);
    size += m * r2;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) inertia(a, b) += m * ((a == b ? r2 : 0) - r[a] * r[b]);
    }
  }
  // A straight strand has no inertia about its axis.
  for (int a = 0; a < 3; ++a) inertia(a, a) += 1e-9 * size;
  if (size > 0) rigid.spin = inverse(inertia) * momentum;
  return rigid;
}

double EnergyGuard::rigid_square(std::size_t body, const VectorField& x,
                                 const VectorField& v) const {
  const Rigid rigid = rigid_of(body, x, v);
  double sum = 0;
  for (auto i = supple::at(model_->body_vertices[body]);
       i < supple::at(model_->body_vertices[body + 1]); ++i) {
    const Vector one = rigid.at(x[i]);
    sum += model_->mass[i] * dot(one, one);
  }
  return sum;
}

template <class Visit>
void EnergyGuard::for_vertices(std::span<const int> bodies, const Visit& visit) const {
  for (const int body : bodies) {
    for (int i = model_->body_vertices[supple::at(body)];
         i < model_->body_vertices[supple::at(body) + 1]; ++i) {
      visit(supple::at(i));
    }
  }
}

double EnergyGuard::kinetic(std::span<const int> bodies, const VectorField& v) const {
  double sum = 0;
  for_vertices(bodies, [&](std::size_t i) {
    sum += model_->mass[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
  });
  return 0.5 * sum;
}

double EnergyGuard::kinetic_of_way(std::span<const int> bodies, const VectorField& x,
                                   const VectorField& z, double h) const {
  double sum = 0;
  for_vertices(bodies, [&](std::size_t i) {
    for (int k = 0; k < 3; ++k) {
      sum += model_->mass[i] * (z[i][k] - x[i][k]) * (z[i][k] - x[i][k]);
    }
  });
  return 0.5 * sum / (h * h);
}

double EnergyGuard::work_of_weight(std::span<const int> bodies, const Vec3& gravity,
                                   const VectorField& from, const VectorField& to) const {
  double sum = 0;
  for_vertices(bodies, [&](std::size_t i) {
    sum += model_->mass[i] *
           (gravity[0] * (to[i][0] - from[i][0]) + gravity[1] * (to[i][1] - from[i][1]) +
            gravity[2] * (to[i][2] - from[i][2]));
  });
  return sum;
}

double EnergyGuard::weight_times_size(const Vec3& gravity) const {
  double sum = 0;
  for (std::size_t b = 0; b < rigid_.size(); ++b) {
    double mass = 0;
    for (int i = model_->body_vertices[b]; i < model_->body_vertices[b + 1]; ++i) {
      mass += model_->mass[supple::at(i)];
    }
    sum += mass * box_diagonal(*model_, b);
  }
  return sum * std::hypot(gravity[0], gravity[1], gravity[2]);
}

double EnergyGuard::dissipate(std::span<const int> bodies, double excess,
                              const std::vector<char>& is_held, const VectorField& x,
                              VectorField& v) {
  double beside = 0, along = 0;  // beside rigid motions; rigid, of bodies that are held
  for (const int body : bodies) {
    const std::size_t b = supple::at(body);
    rigid_[b] = rigid_of(b, x, v);
    for (auto i = supple::at(model_->body_vertices[b]);
         i < supple::at(model_->body_vertices[b + 1]); ++i) {
      const Vector rigid = rigid_[b].at(x[i]), other = vector_of(v[i]) - rigid;
      beside += 0.5 * model_->mass[i] * dot(other, other);
      if (is_held[b] != 0) along += 0.5 * model_->mass[i] * dot(rigid, rigid);
    }
  }
  const double from_beside = std::min(excess, most_taken * beside);
  const double from_along = std::min(excess - from_beside, most_taken * along);
  const double keep_beside = beside > 0 ? std::sqrt(1 - from_beside / beside) : 1;
  const double keep_along = along > 0 ? std::sqrt(1 - from_along / along) : 1;
  for (const int body : bodies) {
    const std::size_t b = supple::at(body);
    const double keep = is_held[b] != 0 ? keep_along : 1;
    for (auto i = supple::at(model_->body_vertices[b]);
         i < supple::at(model_->body_vertices[b + 1]); ++i) {
      const Vector rigid = rigid_[b].at(x[i]);
      for (int k = 0; k < 3; ++k) v[i][k] = keep * rigid[k] + keep_beside * (v[i][k] - rigid[k]);
    }
  }
  return from_beside + from_along;
}

void EnergyGuard::move_rigidly(std::span<const int> bodies, const VectorField& x,
                               const VectorField& v, const Vec3& gravity, double t,
                               VectorField& moved) {
  for (const int body : bodies) {
    const std::size_t b = supple::at(body);
    const Rigid rigid = rigid_of(b, x, v);
    const double rate = std::sqrt(dot(rigid.spin, rigid.spin));
    const Vector axis = rate > 0 ? (1 / rate) * rigid.spin : Vector{{0, 0, 0}};
    const double sine = std::sin(rate * t), cosine = std::cos(rate * t);
    for (auto i = supple::at(model_->body_vertices[b]);
         i < supple::at(model_->body_vertices[b + 1]); ++i) {
      moved[i] = x[i];
      if (!(model_->mass[i] > 0)) continue;
      const Vector r = vector_of(x[i]) - rigid.center;
      // [Rodrigues' formula]
      const Vector turned =
          cosine * r + sine * cross(axis, r) + ((1 - cosine) * dot(axis, r)) * axis;
      for (int k = 0; k < 3; ++k) {
        moved[i][k] = rigid.center[k] + turned[k] + t * rigid.velocity[k] +
                      t * t * gravity[static_cast<std::size_t>(k)];
      }
    }
  }
}

void EnergyGuard::push(std::span<const int> bodies, const Loads& loads, double scale,
                       VectorField& moved) {
  if (loads.empty()) return;
  for (Rigid& rigid : rigid_) rigid = {};
  loads.for_each([&](std::size_t i, const PaddedVector& force) {
    Rigid& rigid = rigid_[supple::at(model_->body_of(static_cast<int>(i)))];
    rigid.velocity = rigid.velocity + vector_of(force);
  });
  for (const int body : bodies) {
    const std::size_t b = supple::at(body);
    const std::size_t first = supple::at(model_->body_vertices[b]);
    const std::size_t last = supple::at(model_->body_vertices[b + 1]);
    double mass = 0;
    for (std::size_t i = first; i < last; ++i) mass += model_->mass[i];
    for (std::size_t i = first; i < last; ++i) {
      if (!(model_->mass[i] > 0)) continue;
      for (int k = 0; k < 3; ++k) moved[i][k] += scale / mass * rigid_[b].velocity[k];
    }
  }
}

}  // namespace supple
