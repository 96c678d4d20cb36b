#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "c_interface/fault.h"
#include "c_interface/handles.h"

namespace {

using supple::Attachment;
using supple::given;
using supple::guarded;
using supple::simulation_of;
using supple::Vec3;
using supple::vec3_at;

Attachment attachment_of(SuppleAttachment attachment) {
  return supple::from_c<Attachment>(attachment);
}

/// Calls attach() and passes the new attachment to the caller.
template <class Attach>
SuppleError make(SuppleAttachment* attachment, const Attach& attach) {
  return guarded([&] {
    SuppleAttachment& out = given(attachment, "attachment");
    out = supple::in_c(attach());
  });
}

}  // namespace

SuppleError supple_simulation_attach(SuppleSimulation* simulation, int32_t body,
                                     const int32_t* vertices, const double* targets, size_t count,
                                     double stiffness, SuppleAttachment* attachment) {
  return make(attachment, [&] {
    const std::vector<Vec3> places = supple::vectors_at(targets, count, "targets");
    if (count > 0) given(vertices, "vertices");
    return simulation_of(simulation)
        .attach(body, std::span<const int>(vertices, count), places, stiffness);
  });
}

SuppleError supple_simulation_attach_at(SuppleSimulation* simulation, const SuppleSurfaceHit* hit,
                                        const double target[3], double stiffness,
                                        SuppleAttachment* attachment) {
  return make(attachment, [&] {
    return simulation_of(simulation)
        .attach(supple::hit_of(hit), vec3_at(target, "target"), stiffness);
  });
}

SuppleError supple_simulation_attach_in_tet(SuppleSimulation* simulation, int32_t tet,
                                            const double weights[4], const double target[3],
                                            double stiffness, SuppleAttachment* attachment) {
  return make(attachment, [&] {
    std::array<double, 4> of_corners;
    std::copy_n(&given(weights, "weights"), 4, of_corners.begin());
    return simulation_of(simulation).attach(tet, of_corners, vec3_at(target, "target"), stiffness);
  });
}

SuppleError supple_simulation_attach_to_body(SuppleSimulation* simulation, int32_t body,
                                             const int32_t* vertices, size_t count, int32_t to,
                                             double stiffness, SuppleAttachment* attachment) {
  return make(attachment, [&] {
    if (count > 0) given(vertices, "vertices");
    return simulation_of(simulation)
        .attach(body, std::span<const int>(vertices, count), to, stiffness);
  });
}

SuppleError supple_simulation_set_targets(SuppleSimulation* simulation, SuppleAttachment attachment,
                                          const double* targets, size_t count) {
  return guarded([&] {
    simulation_of(simulation)
        .set_targets(attachment_of(attachment), supple::vectors_at(targets, count, "targets"));
  });
}

SuppleError supple_simulation_set_target_pose(SuppleSimulation* simulation,
                                              SuppleAttachment attachment, const double rotation[9],
                                              const double translation[3]) {
  return guarded([&] {
    supple::Pose pose;
    std::copy_n(&given(rotation, "rotation"), 9, pose.rotation.begin());
    pose.translation = vec3_at(translation, "translation");
    simulation_of(simulation).set_targets(attachment_of(attachment), pose);
  });
}

SuppleError supple_simulation_detach(SuppleSimulation* simulation, SuppleAttachment attachment) {
  return guarded([&] { simulation_of(simulation).detach(attachment_of(attachment)); });
}

SuppleError supple_simulation_is_attached(const SuppleSimulation* simulation,
                                          SuppleAttachment attachment, int32_t* is_attached) {
  return guarded([&] {
    const bool is = simulation_of(simulation).is_attached(attachment_of(attachment));
    given(is_attached, "is_attached") = is ? 1 : 0;
  });
}

SuppleError supple_simulation_attachment_force(const SuppleSimulation* simulation,
                                               SuppleAttachment attachment, double force[3]) {
  return guarded([&] {
    const Vec3 sum = simulation_of(simulation).force(attachment_of(attachment));
    std::copy(sum.begin(), sum.end(), &given(force, "force"));
  });
}

SuppleError supple_simulation_attachment_forces(const SuppleSimulation* simulation,
                                                SuppleAttachment attachment, double* forces,
                                                size_t room, size_t* count) {
  return guarded([&] {
    const std::vector<Vec3> each = simulation_of(simulation).forces(attachment_of(attachment));
    if (room > 0) given(forces, "forces");
    given(count, "count") = each.size();
    for (size_t i = 0; i < std::min(room, each.size()); ++i) {
      std::copy(each[i].begin(), each[i].end(), forces + 3 * i);
    }
  });
}
