#include "sim/contact_reads.h"

#include <map>
#include <tuple>
#include <utility>

namespace supple {

namespace {

/// One entry for what pushes and what rubs at the same place.
using Key = std::tuple<int, int, int>;
Key key_of(const Contact& own) { return {own.collider, own.point.count, own.place}; }

/// The side of a point that the force acts on: all of it, or where the weights are positive.
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

}  // namespace

std::vector<BodyContact> read_contacts(const ContactEnergy& contact, const Model& model,
                                       const VectorField& z) {
  std::vector<BodyContact> list;
  std::map<Key, std::size_t> places;
  for (const Contact& own : contact.contacts()) {
    double gradient[3] = {};
    contact.add(own, own.point.position(z[0].v).data(), gradient);
    const auto [found, is_new] = places.try_emplace(key_of(own), list.size());
    if (is_new) list.push_back(entry_of(own, model, z));
    BodyContact& entry = list[found->second];
    if (own.stiffness > 0) entry.depth = own.depth + own.shift;
    for (std::size_t k = 0; k < 3; ++k) entry.force[k] -= gradient[k];
  }
  return list;
}

}  // namespace supple
