#include <algorithm>
#include <cmath>
#include <span>

#include "base/index.h"
#include "contact/contact_energy.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// The planes of a step know how a force is spread if they hold this share of it.
constexpr double least_of_force = 0.25;

}  // namespace

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

/// Lets friction begin with what its vertices remember of this partner.
void ContactEnergy::recall(Contact& contact) const {
  if (memory_ == nullptr || memory_->empty()) return;
  Vec3 share{0, 0, 0};
  double sum = 0;
  visit_sides(contact, [&](int vertex, std::int32_t partner, double weight) {
    if (memory_->partner[at(vertex)] != partner) return;
    const PaddedVector& own = memory_->share[at(vertex)];
    share = share + weight * Vec3{own[0], own[1], own[2]};
    sum += std::abs(weight);
  });
  if (!(sum > 0)) return;
  share = (1 / sum) * share;
  contact.anchor =
      contact.anchor - contact.slip * (share - dot(share, contact.normal) * contact.normal);
}

/// Makes the friction between two bodies mu times the normal force with which the step before
/// ended. Its planes are no more; how deep this step's planes hold things at its start says how
/// that force is spread. They may hold hardly anything yet, as those of edges that stay where they
/// are: then it is how deep things are in the layer.
void ContactEnergy::share_normal_forces() {
  if (memory_ == nullptr || memory_->normal_forces.empty()) return;
  sums_.assign(memory_->normal_forces.size(), {});
  const auto visit = [&](const auto& use) {
    for (std::size_t i = 0; i < num_from_start_; ++i) {
      Contact& own = from_start_[i];
      if (!own.is_of_bodies()) continue;
      const auto [a, b] = bodies_of(own.point);
      const FrictionMemory::NormalForce* const known = memory_->find(a, b);
      if (known == nullptr) continue;
      use(own, presses_[i], known->force, sums_[at(known - memory_->normal_forces.data())]);
    }
  };
  visit([](const Contact&, const Press& own, double, Press& sum) {
    sum.force += own.force;
    sum.depth += own.depth;
  });
  visit([&](Contact& contact, const Press& own, double force, const Press& sum) {
    const bool holds_it = sum.force > least_of_force * force;
    const double share = holds_it ? own.force / sum.force : own.depth / sum.depth;
    contact.friction =
        sum.depth > 0 || holds_it ? share * friction_on(contact.collider) * force : 0;
  });
}

void ContactEnergy::remember_normal_forces(const double* z, FrictionMemory& memory) const {
  memory.normal_forces.clear();
  for (std::size_t i = 0; pairs_ && i < num_points(); ++i) {
    const SurfaceContact& plane = surface_.points()[i];
    if (plane.collider != SurfaceContact::no_collider) continue;
    const Toucher own = point_at(i);
    const double depth = dot(plane.held() - way_to(z).end(own.point), plane.normal);
    if (!(depth > 0)) continue;
    const auto [a, b] = bodies_of(own.point);
    const Plane held{plane.collider, plane.held(), plane.normal};
    memory.add({a, b, behind(held, own, depth, 0).force()});
  }
}

void ContactEnergy::remember(const double* z, FrictionMemory& memory) {
  std::fill(memory.share.begin(), memory.share.end(), PaddedVector{});
  std::fill(memory.partner.begin(), memory.partner.end(), FrictionMemory::nothing);
  std::fill(pressing_.begin(), pressing_.end(), 0.0);
  const std::span<const Contact> start(from_start_.get(), num_from_start_);
  for (const Contact& own : start) {
    if (!(own.friction > 0)) continue;
    visit_sides(own, [&](int vertex, std::int32_t partner, double weight) {
      const double pressing = std::abs(weight) * own.friction;
      if (!(pressing > pressing_[at(vertex)])) return;
      pressing_[at(vertex)] = pressing;
      memory.partner[at(vertex)] = partner;
    });
  }
  std::fill(pressing_.begin(), pressing_.end(), 0.0);
  for (const Contact& own : start) {
    if (!(own.friction > 0)) continue;
    const Local local = at_position(own, own.point.position(z).data());
    const Vec3 share = (1 / std::max(local.speed, own.slip)) * local.slip;
    visit_sides(own, [&](int vertex, std::int32_t partner, double weight) {
      if (memory.partner[at(vertex)] != partner) return;
      for (int k = 0; k < 3; ++k) {
        memory.share[at(vertex)][k] += weight * own.friction * share[static_cast<std::size_t>(k)];
      }
      pressing_[at(vertex)] += std::abs(weight) * own.friction;
    });
  }
  for (std::size_t i = 0; i < pressing_.size(); ++i) {
    if (!(pressing_[i] > 0)) continue;
    for (int k = 0; k < 3; ++k) memory.share[i][k] /= pressing_[i];
  }
  remember_normal_forces(z, memory);
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
