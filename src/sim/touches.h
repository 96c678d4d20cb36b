#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supple/scene.h"

/// Who touches whom by the lists of names that bodies and colliders may have: two touch unless one
/// has a list without the other's name.
namespace supple {

/// A name in such a list that nothing has that it may be of.
struct UnknownTouch {
  std::string where;  ///< JSON pointer of the name
  std::string message;
};
std::optional<UnknownTouch> find_unknown_touch(const Scene& scene);

/// Throws Error{invalid_input} for one.
void check_touches(const Scene& scene);

/// Which bodies touch a collider: [num_bodies], 0 or 1; empty where all do.
std::vector<std::uint8_t> touching_bodies(const Scene& scene, const Collider& collider);

/// Every two bodies that do not touch, the smaller number first, ascending.
std::vector<std::pair<int, int>> bodies_apart(const Scene& scene);

}  // namespace supple
