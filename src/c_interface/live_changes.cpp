#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "c_interface/handles.h"

using supple::given;
using supple::guarded;
using supple::simulation_of;

SuppleError supple_simulation_change_is_waiting(const SuppleSimulation* simulation,
                                                int32_t* waits) {
  return guarded(
      [&] { given(waits, "waits") = simulation_of(simulation).change_is_waiting() ? 1 : 0; });
}

SuppleError supple_simulation_set_pins(SuppleSimulation* simulation, int32_t body,
                                       const char* pins) {
  return guarded([&] {
    supple::Simulation& self = simulation_of(simulation);
    const supple::Body& of = supple::body_of(self.scene(), body);
    self.set_pins(body, supple::parse_pins(&given(pins, "pins"), "pins", of.mesh));
  });
}

SuppleError supple_simulation_set_material(SuppleSimulation* simulation, int32_t body,
                                           const char* material) {
  return guarded([&] {
    supple::Simulation& self = simulation_of(simulation);
    const supple::Body& of = supple::body_of(self.scene(), body);
    self.set_material(body,
                      supple::parse_material(&given(material, "material"), "material", of.mesh));
  });
}

SuppleError supple_simulation_set_energy(SuppleSimulation* simulation, int32_t body,
                                         SuppleEnergyDensity energy, SuppleStress stress,
                                         SuppleHessian hessian, void* user) {
  return guarded([&] {
    simulation_of(simulation).set_material(body, supple::energy_of(energy, stress, hessian, user));
  });
}

SuppleError supple_simulation_set_colliders(SuppleSimulation* simulation,
                                            const SuppleScene* scene) {
  return guarded([&] {
    simulation_of(simulation).set_colliders(given(scene, "scene").loaded.scene.colliders);
  });
}

SuppleError supple_simulation_move_collider(SuppleSimulation* simulation, int32_t collider,
                                            const SuppleKeyframe* keyframes, size_t count,
                                            int32_t repeat) {
  return guarded([&] {
    supple::Simulation& self = simulation_of(simulation);
    std::vector<supple::Collider> colliders = self.scene().colliders;
    supple::Motion& motion = colliders[supple::collider_index(colliders, collider)].motion;
    motion = {};
    motion.repeat = repeat != 0;
    if (count > 0) given(keyframes, "keyframes");
    for (size_t i = 0; i < count; ++i) {
      const SuppleKeyframe& from = keyframes[i];
      supple::Keyframe& to = motion.keyframes.emplace_back();
      to.time = from.time;
      to.translate = supple::vec3_at(from.translate, "keyframes");
      to.center = supple::vec3_at(from.center, "keyframes");
      to.degrees = from.degrees;
      const supple::Vec3 axis = supple::vec3_at(from.axis, "keyframes");
      if (from.degrees != 0 || axis != supple::Vec3{0, 0, 0}) to.axis = axis;
    }
    self.set_colliders(std::move(colliders));
  });
}
