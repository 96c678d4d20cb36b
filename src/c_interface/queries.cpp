#include <algorithm>
#include <optional>
#include <vector>

#include "c_interface/fault.h"
#include "c_interface/handles.h"

namespace {

using supple::copy_found;
using supple::given;
using supple::guarded;
using supple::simulation_of;
using supple::vec3_at;

SuppleSurfaceHit hit_in_c(const std::optional<supple::SurfaceHit>& found) {
  SuppleSurfaceHit hit{};
  hit.body = -1;
  if (!found) return hit;
  hit.body = found->body;
  hit.triangle = found->triangle;
  hit.tet = found->tet;
  std::copy(found->vertices.begin(), found->vertices.end(), hit.vertices);
  std::copy(found->weights.begin(), found->weights.end(), hit.weights);
  std::copy(found->point.begin(), found->point.end(), hit.point);
  std::copy(found->normal.begin(), found->normal.end(), hit.normal);
  hit.distance = found->distance;
  return hit;
}

}  // namespace

SuppleError supple_simulation_raycast(const SuppleSimulation* simulation, const double origin[3],
                                      const double direction[3], double max_distance,
                                      SuppleSurfaceHit* hit) {
  return guarded([&] {
    const supple::Simulation& self = simulation_of(simulation);
    supple::fill(hit,
                 hit_in_c(self.raycast(vec3_at(origin, "origin"), vec3_at(direction, "direction"),
                                       max_distance)),
                 "hit");
  });
}

SuppleError supple_simulation_closest_point(const SuppleSimulation* simulation,
                                            const double point[3], double max_distance,
                                            SuppleSurfaceHit* hit) {
  return guarded([&] {
    const supple::Simulation& self = simulation_of(simulation);
    supple::fill(hit, hit_in_c(self.closest_point(vec3_at(point, "point"), max_distance)), "hit");
  });
}

SuppleError supple_simulation_contacts(const SuppleSimulation* simulation, SuppleContact* contacts,
                                       size_t room, size_t* count) {
  return guarded([&] {
    std::vector<SuppleContact> found;
    for (const supple::BodyContact& own : simulation_of(simulation).contacts()) {
      found.push_back({own.body,
                       own.other_body,
                       own.collider,
                       {own.point[0], own.point[1], own.point[2]},
                       {own.normal[0], own.normal[1], own.normal[2]},
                       own.depth,
                       {own.force[0], own.force[1], own.force[2]}});
    }
    copy_found(found, contacts, room, "contacts", count);
  });
}

SuppleError supple_simulation_collider_forces(const SuppleSimulation* simulation,
                                              SuppleColliderForce* forces, size_t room,
                                              size_t* count) {
  return guarded([&] {
    std::vector<SuppleColliderForce> found;
    for (const supple::ColliderForce& own : simulation_of(simulation).collider_forces()) {
      found.push_back({{own.force[0], own.force[1], own.force[2]},
                       {own.torque[0], own.torque[1], own.torque[2]},
                       {own.center[0], own.center[1], own.center[2]}});
    }
    copy_found(found, forces, room, "forces", count);
  });
}

SuppleError supple_simulation_contact_events(const SuppleSimulation* simulation,
                                             SuppleContactEvent* events, size_t room,
                                             size_t* count) {
  return guarded([&] {
    std::vector<SuppleContactEvent> found;
    for (const supple::ContactEvent& own : simulation_of(simulation).contact_events()) {
      found.push_back({own.body, own.other_body, own.collider, own.begins ? 1 : 0});
    }
    copy_found(found, events, room, "events", count);
  });
}

SuppleError supple_simulation_overlap_box(const SuppleSimulation* simulation, const double min[3],
                                          const double max[3], int32_t* bodies, size_t room,
                                          size_t* count) {
  return guarded([&] {
    const supple::Box box{vec3_at(min, "min"), vec3_at(max, "max")};
    copy_found(simulation_of(simulation).overlap(box), bodies, room, "bodies", count);
  });
}

SuppleError supple_simulation_overlap_sphere(const SuppleSimulation* simulation,
                                             const double center[3], double radius, int32_t* bodies,
                                             size_t room, size_t* count) {
  return guarded([&] {
    const supple::SphereShape sphere{vec3_at(center, "center"), radius};
    copy_found(simulation_of(simulation).overlap(sphere), bodies, room, "bodies", count);
  });
}

SuppleError supple_simulation_vertices_in_box(const SuppleSimulation* simulation,
                                              const double min[3], const double max[3],
                                              int32_t* vertices, size_t room, size_t* count) {
  return guarded([&] {
    const supple::Box box{vec3_at(min, "min"), vec3_at(max, "max")};
    copy_found(simulation_of(simulation).vertices_in(box), vertices, room, "vertices", count);
  });
}

SuppleError supple_simulation_vertices_in_sphere(const SuppleSimulation* simulation,
                                                 const double center[3], double radius,
                                                 int32_t* vertices, size_t room, size_t* count) {
  return guarded([&] {
    const supple::SphereShape sphere{vec3_at(center, "center"), radius};
    copy_found(simulation_of(simulation).vertices_in(sphere), vertices, room, "vertices", count);
  });
}
