#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "supple/scene.h"

namespace supple {

/// How two scenes differ, as far as it matters for continuing from one to the other.
struct Difference {
  bool vertices = false;  ///< different numbers of bodies or vertices: nothing can be kept
  bool mesh = false;      ///< rest shapes, names of bodies
  bool rebuild = false;   ///< what takes effect only through a change of the scene
  bool pins = false;
  bool colliders = false;
  bool initial = false;        ///< states at time 0
  std::vector<int> materials;  ///< bodies whose own material differs
};

/// `a`, `b`: settings as in LoadedScene.
Difference difference(const Scene& scene_a, const nlohmann::ordered_json& a, const Scene& scene_b,
                      const nlohmann::ordered_json& b);

/// The changes that turn one document into another, by JSON pointer: values, and null for what is
/// removed.
nlohmann::ordered_json changed_values(const nlohmann::ordered_json& from,
                                      const nlohmann::ordered_json& to);

}  // namespace supple
