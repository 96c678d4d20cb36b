#include <span>
#include <string_view>

#include "c_interface/fault.h"
#include "c_interface/handles.h"

namespace {

using supple::given;
using supple::guarded;
using supple::hit_of;
using supple::simulation_of;
using supple::vec3_at;

/// Calls add(vertices, amounts) with the contents of the caller's arrays.
template <class Add>
SuppleError add_to_vertices(const int32_t* vertices, const double* amounts, size_t count,
                            const char* parameter, const Add& add) {
  return guarded([&] {
    if (count > 0) given(vertices, "vertices");
    add(std::span<const int>(vertices, count), supple::vectors_at(amounts, count, parameter));
  });
}

}  // namespace

SuppleError supple_simulation_add_force(SuppleSimulation* simulation, int32_t body,
                                        const double force[3]) {
  return guarded([&] { simulation_of(simulation).add_force(body, vec3_at(force, "force")); });
}

SuppleError supple_simulation_add_force_at(SuppleSimulation* simulation,
                                           const SuppleSurfaceHit* hit, const double force[3]) {
  return guarded(
      [&] { simulation_of(simulation).add_force(hit_of(hit), vec3_at(force, "force")); });
}

SuppleError supple_simulation_add_forces(SuppleSimulation* simulation, const int32_t* vertices,
                                         const double* forces, size_t count) {
  return add_to_vertices(vertices, forces, count, "forces", [&](const auto& on, const auto& each) {
    simulation_of(simulation).add_force(on, each);
  });
}

SuppleError supple_simulation_clear_forces(SuppleSimulation* simulation) {
  return guarded([&] { simulation_of(simulation).clear_forces(); });
}

SuppleError supple_simulation_add_impulse(SuppleSimulation* simulation, int32_t body,
                                          const double impulse[3]) {
  return guarded([&] { simulation_of(simulation).add_impulse(body, vec3_at(impulse, "impulse")); });
}

SuppleError supple_simulation_add_impulse_at(SuppleSimulation* simulation,
                                             const SuppleSurfaceHit* hit, const double impulse[3]) {
  return guarded(
      [&] { simulation_of(simulation).add_impulse(hit_of(hit), vec3_at(impulse, "impulse")); });
}

SuppleError supple_simulation_add_impulses(SuppleSimulation* simulation, const int32_t* vertices,
                                           const double* impulses, size_t count) {
  return add_to_vertices(
      vertices, impulses, count, "impulses",
      [&](const auto& on, const auto& each) { simulation_of(simulation).add_impulse(on, each); });
}

SuppleError supple_simulation_set_velocity(SuppleSimulation* simulation, int32_t body,
                                           const double velocity[3]) {
  return guarded(
      [&] { simulation_of(simulation).set_velocity(body, vec3_at(velocity, "velocity")); });
}

SuppleError supple_simulation_set_gravity(SuppleSimulation* simulation, const double gravity[3]) {
  return guarded([&] { simulation_of(simulation).set_gravity(vec3_at(gravity, "gravity")); });
}

SuppleError supple_simulation_set_drag(SuppleSimulation* simulation, double drag) {
  return guarded([&] { simulation_of(simulation).set_drag(drag); });
}

SuppleError supple_simulation_set_friction(SuppleSimulation* simulation, double coefficient) {
  return guarded([&] { simulation_of(simulation).set_friction(coefficient); });
}

SuppleError supple_simulation_set_iterations(SuppleSimulation* simulation, int32_t iterations) {
  return guarded([&] { simulation_of(simulation).set_iterations(iterations); });
}

SuppleError supple_simulation_set_tolerance(SuppleSimulation* simulation, double tolerance) {
  return guarded([&] { simulation_of(simulation).set_tolerance(tolerance); });
}

SuppleError supple_simulation_set_budget(SuppleSimulation* simulation, double milliseconds) {
  return guarded([&] { simulation_of(simulation).set_budget(milliseconds); });
}

SuppleError supple_simulation_set_line_search(SuppleSimulation* simulation, const char* type) {
  return guarded([&] {
    supple::Simulation& self = simulation_of(simulation);
    supple::LineSearchSettings settings = self.scene().solver.line_search;
    const std::string_view text = &given(type, "type");
    if (text.find('{') != text.npos) {
      settings = supple::parse_line_search(text, "line_search", self.scene().solver.method);
    } else {
      settings.type = supple::from_string<supple::LineSearchType>(text, "/solver/line_search/type");
    }
    self.set_line_search(settings);
  });
}
