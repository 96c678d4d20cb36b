#pragma once

#include <cstddef>
#include <span>

namespace supple {

/// What was made for the bodies of another scene. Some of them are unchanged in the next scene, so
/// their part need not be made again.
template <class Made>
struct Earlier {
  const Made* made = nullptr;
  std::span<const int> origin{};  ///< the index of each body there; -1: new, or changed

  /// -1: there is none.
  int of(std::size_t body) const { return made == nullptr ? -1 : origin[body]; }
};

}  // namespace supple
