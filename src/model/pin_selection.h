#pragma once

#include <span>
#include <string>
#include <vector>

#include "potentials/pins.h"

namespace supple {

bool contains(const Box& box, const Vec3& x);

/// The selected vertices of a body. A vertex that is both in the list and in the box occurs twice.
/// Throws Error{invalid_input} at or below `where` if there is none, or if a number in the list is
/// no vertex.
std::vector<int> selected_vertices(const VertexSelection& selection, const std::vector<Vec3>& rest,
                                   const std::string& where);

/// Adds the pins of a body. rest: its vertices at rest, m; first_vertex: its first vertex in the
/// scene. Throws Error{invalid_input} at `where`/pins/k for a pin that selects nothing, names a
/// vertex or a collider that does not exist, or has no positive stiffness or no valid motion.
void add_pins(const std::vector<Pin>& pins, const std::vector<Vec3>& rest, int first_vertex,
              const std::string& where, std::span<const Collider> colliders, PinSet& to);

/// All pins of a scene; vertices are counted body after body. Throws like add_pins.
PinSet pins_of(const Scene& scene);

}  // namespace supple
