#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "c_interface/fault.h"
#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

/// The objects that the handles of the C interface point to.
struct SuppleScene {
  supple::LoadedScene loaded;
};

struct SuppleSimulation {
  std::unique_ptr<supple::TaskSystem> tasks;  ///< the caller's; null: none
  supple::Simulation simulation;
  /// What supple_simulation_hold holds of a body.
  struct Held {
    supple::BodyHandle body;
    supple::Attachment attachment;
    std::vector<std::int32_t> vertices;
    double stiffness = 0;
  };
  std::vector<Held> held{};  ///< for bodies that exist or once existed
};

namespace supple {

/// Where a scene's meshes come from: those in memory (null: none), then files in the folder.
SceneSources sources_in(const std::filesystem::path& folder, const SuppleMeshes* meshes);

/// The energy defined by three functions of the caller.
MaterialSettings energy_of(SuppleEnergyDensity energy, SuppleStress stress, SuppleHessian hessian,
                           void* user);

/// The state in the caller's bytes.
SimulationState state_at(const void* bytes, std::size_t size);

/// Throws Error{invalid_input} if there is no such body.
template <class Scene>
auto& body_of(Scene& scene, std::int32_t body) {
  require(body >= 0 && static_cast<std::size_t>(body) < scene.bodies.size(), "body",
          "there is no body " + std::to_string(body) + ": the scene has " +
              std::to_string(scene.bodies.size()));
  return scene.bodies[static_cast<std::size_t>(body)];
}

/// Throws Error{invalid_input} if there is no such collider.
inline std::size_t collider_index(const std::vector<Collider>& colliders, std::int32_t collider) {
  require(collider >= 0 && static_cast<std::size_t>(collider) < colliders.size(), "collider",
          "there is no collider " + std::to_string(collider) + ": the scene has " +
              std::to_string(colliders.size()));
  return static_cast<std::size_t>(collider);
}

/// Copies as many as there is room for; `count` becomes the number found.
template <class Found, class Out>
void copy_found(const std::vector<Found>& found, Out* out, std::size_t room, const char* parameter,
                std::size_t* count) {
  if (room > 0) given(out, parameter);
  given(count, "count") = found.size();
  std::copy_n(found.begin(), std::min(room, found.size()), out);
}

/// The simulation behind a caller's handle.
inline Simulation& simulation_of(SuppleSimulation* handle) {
  return given(handle, "simulation").simulation;
}
inline const Simulation& simulation_of(const SuppleSimulation* handle) {
  return given(handle, "simulation").simulation;
}

inline std::size_t size_of_field(const Simulation& simulation) {
  return static_cast<std::size_t>(simulation.num_vertices()) * 3;
}

/// An Attachment or a BodyHandle as one number, 0 for none, and back.
template <class Handle>
std::uint64_t in_c(const Handle& handle) {
  return std::uint64_t{handle.generation} << 32 | handle.index;
}
template <class Handle>
Handle from_c(std::uint64_t number) {
  return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
}

/// Three numbers from the caller.
inline Vec3 vec3_at(const double* numbers, const char* parameter) {
  given(numbers, parameter);
  return {numbers[0], numbers[1], numbers[2]};
}

/// [count * 3] numbers from the caller; may be NULL if count is 0.
inline std::vector<Vec3> vectors_at(const double* numbers, std::size_t count,
                                    const char* parameter) {
  if (count > 0) given(numbers, parameter);
  std::vector<Vec3> vectors(count);
  for (std::size_t i = 0; i < count; ++i) vectors[i] = vec3_at(numbers + 3 * i, parameter);
  return vectors;
}

/// The fields of a caller's hit that are read: vertices and weights.
inline SurfaceHit hit_of(const SuppleSurfaceHit* hit) {
  const SuppleSurfaceHit from = read(hit, "hit");
  SurfaceHit to;
  std::copy_n(from.vertices, 3, to.vertices.begin());
  std::copy_n(from.weights, 3, to.weights.begin());
  if (from.body < 0) refuse("hit", "is empty: its query found nothing");
  return to;
}

}  // namespace supple
