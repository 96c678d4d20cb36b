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

/// What the handles of the C interface point to.
struct SuppleScene {
  supple::LoadedScene loaded;
};

struct SuppleSimulation {
  std::unique_ptr<supple::TaskSystem> tasks;  ///< of the caller, null: none
  supple::Simulation simulation;
  /// Of a body, by supple_simulation_hold.
  struct Held {
    supple::BodyHandle body;
    supple::Attachment attachment;
    std::vector<std::int32_t> vertices;
    double stiffness = 0;
  };
  std::vector<Held> held{};  ///< of bodies that ever were
};

namespace supple {

/// Where a scene's meshes come from: those in memory (null: none), then files in the folder.
SceneSources sources_in(const std::filesystem::path& folder, const SuppleMeshes* meshes);

/// The energy that three functions of a caller make.
MaterialSettings energy_of(SuppleEnergyDensity energy, SuppleStress stress, SuppleHessian hessian,
                           void* user);

/// The state that the bytes of a caller hold.
SimulationState state_at(const void* bytes, std::size_t size);

/// Throws Error{invalid_input} where there is no such body.
template <class Scene>
auto& body_of(Scene& scene, std::int32_t body) {
  require(body >= 0 && static_cast<std::size_t>(body) < scene.bodies.size(), "body",
          "there is no body " + std::to_string(body) + ": the scene has " +
              std::to_string(scene.bodies.size()));
  return scene.bodies[static_cast<std::size_t>(body)];
}

/// Throws Error{invalid_input} where there is no such collider.
inline std::size_t collider_index(const std::vector<Collider>& colliders, std::int32_t collider) {
  require(collider >= 0 && static_cast<std::size_t>(collider) < colliders.size(), "collider",
          "there is no collider " + std::to_string(collider) + ": the scene has " +
              std::to_string(colliders.size()));
  return static_cast<std::size_t>(collider);
}

/// As many as there is room for.
template <class Found, class Out>
void copy_found(const std::vector<Found>& found, Out* out, std::size_t room, const char* parameter,
                std::size_t* count) {
  if (room > 0) given(out, parameter);
  given(count, "count") = found.size();
  std::copy_n(found.begin(), std::min(room, found.size()), out);
}

/// What a handle of the caller stands for.
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

/// Three numbers of the caller.
inline Vec3 vec3_at(const double* numbers, const char* parameter) {
  given(numbers, parameter);
  return {numbers[0], numbers[1], numbers[2]};
}

/// [count * 3] numbers of the caller; NULL where count is 0.
inline std::vector<Vec3> vectors_at(const double* numbers, std::size_t count,
                                    const char* parameter) {
  if (count > 0) given(numbers, parameter);
  std::vector<Vec3> vectors(count);
  for (std::size_t i = 0; i < count; ++i) vectors[i] = vec3_at(numbers + 3 * i, parameter);
  return vectors;
}

/// What is read of a hit of the caller: vertices and weights.
inline SurfaceHit hit_of(const SuppleSurfaceHit* hit) {
  const SuppleSurfaceHit from = read(hit, "hit");
  SurfaceHit to;
  std::copy_n(from.vertices, 3, to.vertices.begin());
  std::copy_n(from.weights, 3, to.weights.begin());
  if (from.body < 0) refuse("hit", "is empty: its query found nothing");
  return to;
}

}  // namespace supple
