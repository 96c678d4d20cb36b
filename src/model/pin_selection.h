#pragma once

#include <span>
#include <string>
#include <vector>

#include "potentials/pins.h"

namespace supple {

bool contains(const Box& box, const Vec3& x);

/// The vertices of a body that are selected, some of them twice where both a list and a box hold
/// them. Throws Error{invalid_input} at or below `where` if there is none, or none of that number.
std::vector<int> selected_vertices(const VertexSelection& selection, const std::vector<Vec3>& rest,
                                   const std::string& where);

/// Adds the pins of a body with these rest vertices, m, whose first vertex in the scene is
/// `first_vertex`. Throws Error{invalid_input} at `where`/pins/k for a pin that selects nothing,
/// names a vertex or a collider that is not there, or has no positive stiffness or no proper
/// motion.
void add_pins(const std::vector<Pin>& pins, const std::vector<Vec3>& rest, int first_vertex,
              const std::string& where, std::span<const Collider> colliders, PinSet& to);

/// All pins of a scene, vertices counted body after body. Throws as add_pins.
PinSet pins_of(const Scene& scene);

}  // namespace supple
