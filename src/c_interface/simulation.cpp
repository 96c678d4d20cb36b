#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_interface/fault.h"
#include "c_interface/handles.h"
#include "c_interface/step_report.h"
#include "supple/mesh.h"

namespace {

using supple::check_array;
using supple::given;
using supple::guarded;
using supple::size_of_field;

using Copy = void (supple::Simulation::*)(std::span<double>) const;

SuppleError copy_field(const SuppleSimulation* simulation, double* out, std::size_t size,
                       Copy copy) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    check_array(out, size, size_of_field(self), "out");
    (self.*copy)({out, size});
  });
}

SuppleError copy_field(const SuppleSimulation* simulation, float* out, std::size_t size,
                       Copy copy) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    check_array(out, size, size_of_field(self), "out");
    std::vector<double> field(size);
    (self.*copy)(field);
    std::transform(field.begin(), field.end(), out, [](double x) { return static_cast<float>(x); });
  });
}

/// A number of bodies, vertices, ... of a scene. The limits of the readers keep it far below 2^31.
template <class Number>
std::int32_t count(Number number) {
  return static_cast<std::int32_t>(number);
}

/// The elements of all bodies, with vertices in scene order.
template <class Elements>
SuppleError copy_elements(const SuppleSimulation* simulation, std::int32_t* out, std::size_t size,
                          const Elements& elements_of) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    const std::vector<supple::Body>& bodies = self.scene().bodies;
    std::size_t expected = 0;
    for (const supple::Body& body : bodies) {
      const auto& elements = elements_of(body);
      if (!elements.empty()) expected += elements.size() * elements[0].size();
    }
    check_array(out, size, expected, "out");
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const int first = self.body_vertices()[b];
      for (const auto& element : elements_of(bodies[b])) {
        for (const int vertex : element) *out++ = first + vertex;
      }
    }
  });
}

/// Holds `next` instead of what is held now.
void hold(supple::Simulation& simulation, int body, const std::vector<supple::Vec3>& targets,
          SuppleSimulation::Held next, SuppleSimulation::Held& held) {
  const bool is_held = simulation.is_attached(held.attachment);
  if (is_held && next.vertices == held.vertices && next.stiffness == held.stiffness) {
    simulation.set_targets(held.attachment, targets);
    return;
  }
  if (!next.vertices.empty()) {
    next.attachment = simulation.attach(body, next.vertices, targets, next.stiffness);
  }
  try {
    if (is_held) simulation.detach(held.attachment);
  } catch (...) {
    if (!next.vertices.empty()) simulation.detach(next.attachment);
    throw;
  }
  held = std::move(next);
}

/// What is held of a body. Entries of removed bodies are erased.
SuppleSimulation::Held& held_of(SuppleSimulation& self, const supple::BodyHandle& body) {
  std::erase_if(self.held, [&](const SuppleSimulation::Held& held) {
    return !self.simulation.is_alive(held.body);
  });
  for (SuppleSimulation::Held& held : self.held) {
    if (held.body == body) return held;
  }
  return self.held.emplace_back(SuppleSimulation::Held{.body = body});
}

/// The threads of a caller in C.
class TasksOfCaller : public supple::TaskSystem {
 public:
  explicit TasksOfCaller(const SuppleTaskSystem& tasks) : tasks_(tasks) {}

  void run(int count, void (*task)(void* context, int index), void* context) override {
    tasks_.run(tasks_.user, count, task, context);
  }

 private:
  SuppleTaskSystem tasks_;
};

}  // namespace

SuppleSimulation* supple_simulation_create(const SuppleScene* scene, int32_t threads) {
  SuppleSimulationOptions options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  return supple_simulation_create_with(scene, &options);
}

SuppleSimulation* supple_simulation_create_with(const SuppleScene* scene,
                                                const SuppleSimulationOptions* options) {
  return supple::made([&] {
    const supple::Scene& source = given(scene, "scene").loaded.scene;
    SuppleSimulationOptions chosen{};
    if (options != nullptr) chosen = supple::read(options, "options");
    std::unique_ptr<supple::TaskSystem> tasks;
    if (chosen.tasks.run != nullptr) tasks = std::make_unique<TasksOfCaller>(chosen.tasks);
    supple::Simulation simulation(source, {.threads = chosen.threads, .tasks = tasks.get()});
    return std::make_unique<SuppleSimulation>(
               SuppleSimulation{std::move(tasks), std::move(simulation)})
        .release();
  });
}

void supple_simulation_destroy(SuppleSimulation* simulation) { delete simulation; }

SuppleError supple_simulation_step(SuppleSimulation* simulation, SuppleStepReport* report) {
  supple::StepStatus status = supple::StepStatus::converged;
  const SuppleError error = guarded([&] {
    SuppleSimulation& self = given(simulation, "simulation");
    if (report != nullptr) supple::size_of_struct(report, "report");  // before anything is done
    const supple::StepReport done = self.simulation.step();
    if (report != nullptr) supple::fill(report, supple::in_c(done), "report");
    status = done.status;
    self.simulation.check_step();
  });
  if (error != supple_ok || status != supple::StepStatus::non_finite) return error;
  return supple::remember(supple_non_finite, "step",
                          "positions, energy or gradient are not finite: the state from "
                          "before the step was restored");
}

SuppleError supple_simulation_counts(const SuppleSimulation* simulation, SuppleCounts* counts) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    SuppleCounts out{};
    out.bodies = count(self.scene().bodies.size());
    out.vertices = self.num_vertices();
    out.tets = self.num_tets();
    out.triangles = count(self.surface().size());
    out.threads = self.num_threads();
    for (const supple::Body& body : self.scene().bodies)
      out.segments += count(body.segments.size());
    out.colliders = count(self.scene().colliders.size());
    supple::fill(counts, out, "counts");
  });
}

SuppleError supple_simulation_clock(const SuppleSimulation* simulation, double* time,
                                    int64_t* frame) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    if (time != nullptr) *time = self.time();
    if (frame != nullptr) *frame = self.frame();
  });
}

SuppleError supple_simulation_body(const SuppleSimulation* simulation, int32_t body, int32_t* first,
                                   int32_t* count) {
  return guarded([&] {
    const std::vector<int>& starts = supple::simulation_of(simulation).body_vertices();
    const auto b = static_cast<std::size_t>(body);
    if (body < 0 || b + 1 >= starts.size()) {
      supple::refuse("body", "there is no body " + std::to_string(body) + ": the scene has " +
                                 std::to_string(starts.size() - 1));
    }
    if (first != nullptr) *first = starts[b];
    if (count != nullptr) *count = starts[b + 1] - starts[b];
  });
}

SuppleError supple_simulation_energies(const SuppleSimulation* simulation,
                                       SuppleEnergies* energies) {
  return guarded([&] {
    const supple::Simulation& self = supple::simulation_of(simulation);
    const supple::Energies of_state = self.energies();
    SuppleEnergies out{};
    out.kinetic = of_state.kinetic;
    out.elastic = of_state.elastic;
    out.pins = of_state.pins;
    out.gravity = of_state.gravity;
    out.pressure = of_state.pressure;
    supple::fill(energies, out, "energies");
  });
}

SuppleError supple_simulation_copy_positions(const SuppleSimulation* simulation, double* out,
                                             size_t size) {
  return copy_field(simulation, out, size, &supple::Simulation::copy_positions);
}

SuppleError supple_simulation_copy_velocities(const SuppleSimulation* simulation, double* out,
                                              size_t size) {
  return copy_field(simulation, out, size, &supple::Simulation::copy_velocities);
}

SuppleError supple_simulation_copy_contact_forces(const SuppleSimulation* simulation, double* out,
                                                  size_t size) {
  return copy_field(simulation, out, size, &supple::Simulation::copy_contact_forces);
}

SuppleError supple_simulation_copy_positions_float(const SuppleSimulation* simulation, float* out,
                                                   size_t size) {
  return copy_field(simulation, out, size, &supple::Simulation::copy_positions);
}

SuppleError supple_simulation_copy_velocities_float(const SuppleSimulation* simulation, float* out,
                                                    size_t size) {
  return copy_field(simulation, out, size, &supple::Simulation::copy_velocities);
}

SuppleError supple_simulation_copy_triangles(const SuppleSimulation* simulation, int32_t* out,
                                             size_t size) {
  return guarded([&] {
    const auto& triangles = supple::simulation_of(simulation).surface();
    check_array(out, size, triangles.size() * 3, "out");
    for (const auto& triangle : triangles) out = std::copy(triangle.begin(), triangle.end(), out);
  });
}

SuppleError supple_simulation_copy_segments(const SuppleSimulation* simulation, int32_t* out,
                                            size_t size) {
  return copy_elements(
      simulation, out, size, [](const supple::Body& body) -> auto& { return body.segments; });
}

SuppleError supple_simulation_copy_tets(const SuppleSimulation* simulation, int32_t* out,
                                        size_t size) {
  return copy_elements(
      simulation, out, size, [](const supple::Body& body) -> auto& { return body.mesh.tets; });
}

const char* supple_simulation_body_name(const SuppleSimulation* simulation, int32_t body) {
  return supple::made([&] {
    return supple::body_of(supple::simulation_of(simulation).scene(), body).name.c_str();
  });
}

const char* supple_simulation_collider_name(const SuppleSimulation* simulation, int32_t collider) {
  return supple::made([&] {
    const auto& colliders = supple::simulation_of(simulation).scene().colliders;
    return colliders[supple::collider_index(colliders, collider)].name.c_str();
  });
}

SuppleScene* supple_simulation_scene(const SuppleSimulation* simulation) {
  return supple::made([&] {
    const supple::Scene& scene = supple::simulation_of(simulation).scene();
    return std::make_unique<SuppleScene>(SuppleScene{{scene, {}, {}}}).release();
  });
}

SuppleError supple_simulation_hold(SuppleSimulation* simulation, int32_t body,
                                   const int32_t* vertices, const double* targets, size_t count,
                                   double stiffness) {
  return guarded([&] {
    SuppleSimulation& self = given(simulation, "simulation");
    const std::size_t most = supple::body_of(self.simulation.scene(), body).mesh.vertices.size();
    if (count > most) {
      supple::refuse("count", "is " + std::to_string(count) + ": the body has " +
                                  std::to_string(most) + " vertices");
    }
    const std::vector<supple::Vec3> places = supple::vectors_at(targets, count, "targets");
    SuppleSimulation::Held next;
    if (count > 0) next.vertices.assign(&given(vertices, "vertices"), vertices + count);
    next.stiffness = stiffness;
    next.body = self.simulation.handle(body);
    SuppleSimulation::Held& held = held_of(self, next.body);
    hold(self.simulation, body, places, std::move(next), held);
  });
}

SuppleError supple_simulation_change(SuppleSimulation* simulation, const SuppleScene* scene,
                                     int32_t after_frames) {
  return guarded([&] {
    SuppleSimulation& self = given(simulation, "simulation");
    self.simulation.change(given(scene, "scene").loaded.scene, after_frames);
  });
}

SuppleError supple_simulation_check_change(SuppleSimulation* simulation) {
  return guarded([&] { given(simulation, "simulation").simulation.check_change(); });
}
