#pragma once

#include <cstddef>
#include <span>

namespace supple {

/// What was made for the bodies of another scene, some of which are in the next one as they were:
/// their part need not be made again.
template <class Made>
struct Earlier {
  const Made* made = nullptr;
  std::span<const int> origin{};  ///< of each body its index there; -1: it is new, or was changed

  /// -1: there is none.
  int of(std::size_t body) const { return made == nullptr ? -1 : origin[body]; }
};

}  // namespace supple
