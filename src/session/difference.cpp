#include "session/difference.h"

#include <nlohmann/json.hpp>

#include "io/scene/json_text.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

/// The value under a key; null if there is none.
const ordered_json& value_of(const ordered_json& object, const std::string& key) {
  static const ordered_json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

bool differ(const ordered_json& a, const ordered_json& b, const char* key) {
  return value_of(a, key) != value_of(b, key);
}

bool any_differs(const ordered_json& a, const ordered_json& b,
                 std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (differ(a, b, key)) return true;
  }
  return false;
}

void compare_bodies(const ordered_json& a, const ordered_json& b, int index, Difference& result) {
  if (any_differs(a, b, {"mesh", "transform"})) result.mesh = result.rebuild = true;
  if (differ(a, b, "name")) result.mesh = true;
  if (any_differs(a, b,
                  {"density", "mass", "layers", "regions", "fiber", "damping", "pressure", "volume",
                   "growth", "tearing"}))
    result.rebuild = true;
  if (any_differs(a, b, {"initial", "velocity"})) result.initial = true;
  if (differ(a, b, "pins")) result.pins = true;
  if (differ(a, b, "material")) result.materials.push_back(index);
  // Plastic flow is switched on or off only by a change of the scene.
  const auto flows = [](const ordered_json& body) {
    return value_of(body, "material").contains("plasticity");
  };
  if (flows(a) != flows(b)) result.rebuild = true;
}

void collect(const ordered_json& from, const ordered_json& to, const std::string& pointer,
             ordered_json& changes) {
  if (from == to) return;
  if (from.is_object() && to.is_object()) {
    for (const auto& [key, value] : from.items()) {
      if (!to.contains(key)) changes[pointer + "/" + pointer_step(key)] = nullptr;
    }
    for (const auto& [key, value] : to.items()) {
      const std::string at = pointer + "/" + pointer_step(key);
      if (from.contains(key)) {
        collect(from[key], value, at, changes);
      } else {
        changes[at] = value;
      }
    }
  } else if (from.is_array() && to.is_array() && from.size() == to.size()) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      collect(from[i], to[i], pointer + "/" + std::to_string(i), changes);
    }
  } else {
    changes[pointer] = to;
  }
}

}  // namespace

Difference difference(const Scene& scene_a, const ordered_json& a, const Scene& scene_b,
                      const ordered_json& b) {
  Difference result;
  result.vertices = scene_a.bodies.size() != scene_b.bodies.size();
  for (std::size_t i = 0; !result.vertices && i < scene_a.bodies.size(); ++i) {
    result.vertices =
        scene_a.bodies[i].mesh.vertices.size() != scene_b.bodies[i].mesh.vertices.size();
  }
  if (result.vertices) return result;
  ordered_json time_a = value_of(a, "time"), time_b = value_of(b, "time");
  for (ordered_json* time : {&time_a, &time_b}) {
    if (time->is_object()) time->erase("frames");
  }
  result.rebuild = time_a != time_b || any_differs(a, b,
                                                   {"gravity", "solver", "contact", "damping",
                                                    "wind", "blades", "bonds", "seams"});
  result.colliders = differ(a, b, "colliders");
  const ordered_json& bodies_a = value_of(a, "bodies");
  const ordered_json& bodies_b = value_of(b, "bodies");
  for (std::size_t i = 0; i < scene_a.bodies.size(); ++i) {
    compare_bodies(bodies_a[i], bodies_b[i], static_cast<int>(i), result);
  }
  return result;
}

ordered_json changed_values(const ordered_json& from, const ordered_json& to) {
  ordered_json changes = ordered_json::object();
  collect(from, to, "", changes);
  return changes;
}

}  // namespace supple
