#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "supple/scene.h"

namespace supple {

/// In what two scenes differ, as far as it matters for going on from one with the other.
struct Difference {
  bool vertices = false;  ///< other numbers of bodies or vertices: nothing can be kept
  bool mesh = false;      ///< rest shapes, names of bodies
  bool rebuild = false;   ///< what only a change of the scene brings
  bool pins = false;
  bool colliders = false;
  bool initial = false;        ///< states at time 0
  std::vector<int> materials;  ///< of the bodies themselves
};

/// `a`, `b`: settings as in LoadedScene.
Difference difference(const Scene& scene_a, const nlohmann::ordered_json& a, const Scene& scene_b,
                      const nlohmann::ordered_json& b);

/// What turns one document into another, by JSON pointer: values, null for what is taken away.
nlohmann::ordered_json changed_values(const nlohmann::ordered_json& from,
                                      const nlohmann::ordered_json& to);

}  // namespace supple
