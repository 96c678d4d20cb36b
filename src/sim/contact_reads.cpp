#include "sim/contact_reads.h"

#include <map>
#include <tuple>
#include <utility>

#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// Pushing and rubbing at the same place share an entry.
using Key = std::tuple<int, int, int>;
Key key_of(const Contact& own) { return {own.collider, own.point.count, own.place}; }

/// The side of a point on which the force acts: all of it, or the vertices with positive weights.
Vec3 place_of(const ContactPoint& point, const VectorField& x) {
  Vec3 place{0, 0, 0};
  for (int i = 0; i < point.count; ++i) {
    const PaddedVector& own = x[static_cast<std::size_t>(point.vertices[i])];
    for (int k = 0; k < 3 && point.weights[i] > 0; ++k) {
      place[static_cast<std::size_t>(k)] += point.weights[i] * own[k];
    }
  }
  return place;
}

BodyContact entry_of(const Contact& own, const Model& model, const VectorField& z) {
  BodyContact entry;
  entry.collider = own.collider;
  for (int i = 0; i < own.point.count; ++i) {
    const int body = model.body_of(own.point.vertices[i]);
    (own.point.weights[i] > 0 ? entry.body : entry.other_body) = body;
  }
  entry.point = place_of(own.point, z);
  entry.normal = own.normal;
  return entry;
}

/// Force of a contact on its point at z, N.
Vec3 force_of(const ContactEnergy& contact, const Contact& own, const VectorField& z) {
  double gradient[3] = {};
  contact.add(own, own.point.position(z[0].v).data(), gradient);
  return {-gradient[0], -gradient[1], -gradient[2]};
}

}  // namespace

std::vector<ColliderForce> read_collider_forces(const ContactEnergy& contact,
                                                const VectorField& z) {
  std::vector<ColliderForce> list;
  for (const ColliderObject& collider : contact.colliders()) {
    list.emplace_back().center = collider.center();
  }
  for (const Contact& own : contact.contacts()) {
    if (own.is_of_bodies()) continue;
    ColliderForce& sum = list[static_cast<std::size_t>(own.collider)];
    const Vec3 force = -1.0 * force_of(contact, own, z);
    sum.force = sum.force + force;
    sum.torque = sum.torque + cross(place_of(own.point, z) - sum.center, force);
  }
  return list;
}

void add_pin_forces(const PinSet& pins, double time, const VectorField& x,
                    std::vector<ColliderForce>& forces) {
  std::vector<Vec3> targets(pins.pins.size());
  pins.targets(time, targets);
  for (std::size_t i = 0; i < pins.pins.size(); ++i) {
    const PinnedVertex& pin = pins.pins[i];
    const int collider = pin.motion < 0 ? -1 : pins.colliders[static_cast<std::size_t>(pin.motion)];
    if (collider < 0) continue;
    ColliderForce& sum = forces[static_cast<std::size_t>(collider)];
    const Vec3 force = pin.stiffness * pins.stretch(i, x, targets);
    const PaddedVector& place = x[static_cast<std::size_t>(pin.vertex)];
    sum.force = sum.force + force;
    sum.torque = sum.torque + cross(Vec3{place[0], place[1], place[2]} - sum.center, force);
  }
}

void add_contact_forces(const ContactEnergy& contact, const VectorField& z, VectorField& forces) {
  for (const Contact& own : contact.contacts()) {
    const Vec3 force = force_of(contact, own, z);
    for (int i = 0; i < own.point.count; ++i) {
      PaddedVector& vertex = forces[static_cast<std::size_t>(own.point.vertices[i])];
      for (std::size_t k = 0; k < 3; ++k) {
        vertex[static_cast<int>(k)] += own.point.weights[i] * force[k];
      }
    }
  }
}

std::vector<BodyContact> read_contacts(const ContactEnergy& contact, const Model& model,
                                       const VectorField& z) {
  std::vector<BodyContact> list;
  std::map<Key, std::size_t> places;
  for (const Contact& own : contact.contacts()) {
    const auto [found, is_new] = places.try_emplace(key_of(own), list.size());
    if (is_new) list.push_back(entry_of(own, model, z));
    BodyContact& entry = list[found->second];
    if (own.stiffness > 0) entry.depth = own.depth + own.shift - own.layer;
    entry.force = entry.force + force_of(contact, own, z);
  }
  return list;
}

}  // namespace supple
