#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supple/scene.h"

/// Which bodies and colliders touch, by the lists of names that they can have: two of them touch
/// unless one has a list without the other's name.
namespace supple {

/// A name in such a list that belongs to nothing that the list can name.
struct UnknownTouch {
  std::string where;  ///< JSON pointer of the name
  std::string message;
};
std::optional<UnknownTouch> find_unknown_touch(const Scene& scene);

/// Throws Error{invalid_input} for an unknown name.
void check_touches(const Scene& scene);

/// Which bodies touch a collider: [num_bodies], 0 or 1; empty if all do.
std::vector<std::uint8_t> touching_bodies(const Scene& scene, const Collider& collider);

/// All pairs of bodies that do not touch, the smaller number first, ascending.
std::vector<std::pair<int, int>> bodies_apart(const Scene& scene);

}  // namespace supple
