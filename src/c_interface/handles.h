#pragma once

#include <memory>
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
  /// Of each body: the pins of the scene that runs, and of one that waits to take over.
  std::vector<std::vector<supple::Pin>> scene_pins, waiting_pins;
  std::vector<std::vector<supple::Pin>> held;  ///< of each body, beside them
};

namespace supple {

/// What a handle of the caller stands for.
inline Simulation& simulation_of(SuppleSimulation* handle) {
  return given(handle, "simulation").simulation;
}
inline const Simulation& simulation_of(const SuppleSimulation* handle) {
  return given(handle, "simulation").simulation;
}

/// Three numbers of the caller.
inline Vec3 vec3_at(const double* numbers, const char* parameter) {
  given(numbers, parameter);
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace supple
