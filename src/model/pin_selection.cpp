#include "model/pin_selection.h"

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/refuse.h"
#include "math/motion.h"
#include "supple/error.h"

namespace supple {

namespace {

/// The collider that a pin follows; -1: it has a motion of its own.
int collider_of(const Pin& pin, std::span<const Collider> colliders, const std::string& where) {
  if (pin.collider.empty()) return -1;
  require(pin.motion == Motion{}, where + "/motion",
          "the pin has the motion of the collider that it follows; expected none");
  std::vector<std::string> names;
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    if (colliders[c].name == pin.collider) return static_cast<int>(c);
    names.push_back(colliders[c].name);
  }
  refuse(where + "/collider", unknown_name("collider", pin.collider, names));
}

void add_pin(const Pin& pin, const std::vector<Vec3>& rest, int first_vertex,
             const std::string& where, std::span<const Collider> colliders, PinSet& to) {
  const int num_vertices = static_cast<int>(rest.size());
  require(std::isfinite(pin.stiffness) && pin.stiffness > 0, where + "/stiffness",
          "expected a positive stiffness in N/m");
  const int collider = collider_of(pin, colliders, where);
  const Motion& motion =
      collider < 0 ? pin.motion : colliders[static_cast<std::size_t>(collider)].motion;
  const std::string fault = validate(pin.motion);
  require(fault.empty(), where + "/motion", fault);
  for (const int vertex : pin.vertices) {
    require(vertex >= 0 && vertex < num_vertices, where + "/vertices",
            "there is no vertex " + std::to_string(vertex) + ": the body has " +
                std::to_string(num_vertices));
  }
  // A list alone costs its own length, whatever the body's size: each vertex can have its own pin.
  std::vector<int> chosen = pin.vertices;
  if (pin.vertices.empty() || pin.box.min != pin.box.max) {
    for (int i = 0; i < num_vertices; ++i) {
      if (contains(pin.box, rest[static_cast<std::size_t>(i)])) chosen.push_back(i);
    }
  }
  require(!chosen.empty(), where + "/select",
          "selects none of the body's " + std::to_string(num_vertices) + " vertices");
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const int i : chosen) {
    to.pins.push_back({first_vertex + i, static_cast<int>(to.motions.size()), pin.stiffness,
                       rest[static_cast<std::size_t>(i)]});
  }
  to.motions.push_back(motion);
  to.colliders.push_back(collider);
}

}  // namespace

bool contains(const Box& box, const Vec3& x) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(x[k] >= box.min[k] && x[k] <= box.max[k])) return false;
  }
  return true;
}

std::vector<int> selected_vertices(const VertexSelection& selection, const std::vector<Vec3>& rest,
                                   const std::string& where) {
  const int num_vertices = static_cast<int>(rest.size());
  std::vector<int> chosen;
  for (const int vertex : selection.vertices) {
    require(vertex >= 0 && vertex < num_vertices, where + "/vertices",
            "there is no vertex " + std::to_string(vertex) + ": the body has " +
                std::to_string(num_vertices));
    chosen.push_back(vertex);
  }
  for (int i = 0; i < num_vertices && selection.box.min != selection.box.max; ++i) {
    if (contains(selection.box, rest[static_cast<std::size_t>(i)])) chosen.push_back(i);
  }
  require(!chosen.empty(), where,
          "selects none of the body's " + std::to_string(num_vertices) + " vertices");
  return chosen;
}

void add_pins(const std::vector<Pin>& pins, const std::vector<Vec3>& rest, int first_vertex,
              const std::string& where, std::span<const Collider> colliders, PinSet& to) {
  const std::size_t first = to.motions.size();
  for (std::size_t p = 0; p < pins.size(); ++p) {
    add_pin(pins[p], rest, first_vertex, where + "/pins/" + std::to_string(p), colliders, to);
    std::size_t clamp = p;
    for (std::size_t i = 0; pins[p].part_of >= 0 && i < p && clamp == p; ++i) {
      if (pins[i].part_of == pins[p].part_of) clamp = i;
    }
    to.clamps.push_back(static_cast<int>(first + clamp));
  }
}

PinSet pins_of(const Scene& scene) {
  PinSet set;
  int first_vertex = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    add_pins(body.pins, body.mesh.vertices, first_vertex, "/bodies/" + std::to_string(b),
             scene.colliders, set);
    first_vertex += static_cast<int>(body.mesh.vertices.size());
  }
  return set;
}

}  // namespace supple
