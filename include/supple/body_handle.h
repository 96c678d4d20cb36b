#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace supple {

/// Names a body of a Simulation until it is removed, whatever its index becomes. After that, and if
/// default-constructed, it names none.
struct BodyHandle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0: names none

  bool operator==(const BodyHandle&) const = default;
};

}  // namespace supple

#pragma GCC visibility pop
