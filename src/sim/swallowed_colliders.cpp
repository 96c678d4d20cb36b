#include "sim/swallowed_colliders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.h"
#include "math/vec3.h"
#include "sim/nearest_place.h"
#include "supple/error.h"

namespace supple {

namespace {

bool holds(const Body& body, const Collider& collider) {
  return std::any_of(body.pins.begin(), body.pins.end(), [&](const Pin& pin) {
    return !collider.name.empty() && pin.collider == collider.name;
  });
}

/// The place of the collider's surface that is nearest to a point outside, before inflation.
Vec3 surface_near(const ColliderObject& collider, const Vec3& x) {
  using namespace vec3;
  const SurfacePoint near = collider.surface(x);
  return x - (near.distance + collider.offset()) * near.normal;
}

bool is_between(const Vec3& x, const Vec3& low, const Vec3& high) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(low[k] < x[k] && x[k] < high[k])) return false;
  }
  return true;
}

}  // namespace

void require_none_swallowed(const Scene& scene, const Model& model, const Numbering& numbering,
                            const ContactEnergy& contact, const VectorField& x, Swallowed which) {
  const std::vector<ColliderObject>& colliders = contact.colliders();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (body.mesh.tets.empty()) continue;
    std::vector<Vec3> places;
    for (int v = model.body_vertices[b]; v < model.body_vertices[b + 1]; ++v) {
      const PaddedVector& place = x[at(numbering.to_model(v))];
      places.push_back({place[0], place[1], place[2]});
    }
    Vec3 low = places[0], high = places[0];
    for (const Vec3& place : places) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], place[k]);
        high[k] = std::max(high[k], place[k]);
      }
    }
    for (std::size_t c = 0; c < colliders.size(); ++c) {
      if (which == Swallowed::that_rest && colliders[c].can_move()) continue;
      if (!colliders[c].touches(static_cast<int>(b)) || holds(body, scene.colliders[c])) continue;
      // Surfaces do not meet, so if one point of a collider is inside, all of it is.
      const Vec3 point = surface_near(colliders[c], places[0]);
      if (!is_between(point, low, high)) continue;
      if (NearestPlace(body, places).find(point).distance > 0) continue;
      throw Error(ErrorKind::invalid_input, fmt::format("/bodies/{}", b),
                  fmt::format("it contains all of /colliders/{}, but the contact mode barrier can "
                              "only keep it outside; move it, or use the mode soft",
                              c));
    }
  }
}

}  // namespace supple
