#include <algorithm>

#include "base/index.h"
#include "contact/contact_energy.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

double ContactEnergy::add(const double* z, double* gradient) const {
  double energy = 0;
  for (const Contact& contact : contacts()) {
    double by_point[3] = {};
    energy += add(contact, contact.point.position(z).data(), by_point);
    for (int i = 0; i < contact.point.count; ++i) {
      double* const own = gradient + 4 * at(contact.point.vertices[i]);
      for (std::size_t k = 0; k < 3; ++k) own[k] += contact.point.weights[i] * by_point[k];
    }
  }
  return energy;
}

bool ContactEnergy::has_friction() const {
  return friction_ > 0 ||
         std::any_of(colliders_.begin(), colliders_.end(), [](const ColliderObject& collider) {
           return collider.friction().value_or(0) > 0;
         });
}

ContactEnergy::Local ContactEnergy::at_position(const Contact& contact, const double* z) const {
  Vec3 x{z[0], z[1], z[2]};
  if (stage_ != 1) {
    const Vec3 start = contact.point.position(x_n_);
    x = start + (1 / stage_) * (x - start);
  }
  Local local;
  local.gap = dot(x - contact.surface, contact.normal);
  const Vec3 moved = x - contact.anchor;
  local.slip = moved - dot(moved, contact.normal) * contact.normal;
  local.speed = norm(local.slip);
  return local;
}

double ContactEnergy::add(const Contact& contact, const double* z, double* gradient) const {
  const Local local = at_position(contact, z);
  double energy = 0;
  Vec3 force{0, 0, 0};  // the gradient
  if (local.gap < 0) {
    energy += contact.energy_at(-local.gap);
    force = -contact.force_at(-local.gap) * contact.normal;
  }
  if (contact.friction > 0) {
    const double most = contact.friction;
    if (local.speed <= contact.slip) {
      energy += most * local.speed * local.speed / (2 * contact.slip);
      force = force + (most / contact.slip) * local.slip;
    } else {
      energy += most * (local.speed - 0.5 * contact.slip);
      force = force + (most / local.speed) * local.slip;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) gradient[k] += force[k];
  return stage_ * energy;
}

ContactEnergy::Spring ContactEnergy::friction_spring(const Contact& contact,
                                                     const double* z) const {
  const Local local = at_position(contact, contact.point.position(z).data());
  return {contact.friction / std::max(local.speed, contact.slip) / stage_, stage_ * local.slip};
}

double ContactEnergy::friction_work(const double* z) const {
  double work = 0;
  for (const int i : start_of_bodies_.selected()) {
    const Contact& own = from_start_[at(i)];
    const Vec3 start = own.point.position(x_n_), end = own.point.position(z);
    double gradient[3] = {};
    add(own, end.data(), gradient);
    for (std::size_t k = 0; k < 3; ++k) work -= gradient[k] * (end[k] - start[k]) / stage_;
  }
  return work;
}

Touch ContactEnergy::touch() const {
  Touch sum;
  for (const Contact& contact : touching()) {
    sum.energy += contact.energy_at(contact.depth);
    // In barrier mode nothing is deep in a collider, whatever planes it is behind.
    if (contact.is_of_bodies() || guard_) continue;
    sum.deepest = std::max(sum.deepest, contact.depth + contact.shift);
  }
  return sum;
}

/// k n n^T inside the plane, plus mu N times
///   (I - n n^T) / eps               if the vertex sticks,
///   (I - n n^T - u u^T/|u|^2) / |u| if it slips; as a spring, (I - n n^T) / |u|.
void ContactEnergy::hessian(const Contact& contact, const double* z, double* block,
                            bool as_spring) const {
  const Local local = at_position(contact, z);
  const Vec3& n = contact.normal;
  double across = 0;  // factor of I - n n^T
  double along = 0;   // factor of -u u^T
  if (contact.friction > 0) {
    across = contact.friction / std::max(local.speed, contact.slip) / stage_;
    if (local.speed > contact.slip && !as_spring) along = across / (local.speed * local.speed);
  }
  const double normal = (local.gap < 0 ? contact.stiffness_at(-local.gap) / stage_ : 0) - across;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      block[3 * i + j] =
          (i == j ? across : 0) + normal * (n[i] * n[j]) - along * (local.slip[i] * local.slip[j]);
    }
  }
}

}  // namespace supple
