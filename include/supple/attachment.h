#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace supple {

/// Names an attachment of a Simulation until it is detached. After that, and if
/// default-constructed, it names none.
struct Attachment {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0: names none

  bool operator==(const Attachment&) const = default;
};

}  // namespace supple

#pragma GCC visibility pop
