#pragma once

#include <functional>
#include <memory>

namespace supple::bench {

/// Bytes of physical memory that building something took; NaN where the system does not say.
struct Memory {
  double held;  ///< more than before, once it is built and used (resident set, VmRSS)
  double peak;  ///< at most on the way (VmHWM), where the system lets it be reset
};

/// Memory of what `build` makes. Before and after it, what the allocator keeps of freed memory is
/// given back to the system, so that the difference is of what is alive. Linux counts pages in
/// lumps: differences below about a megabyte say little.
Memory memory_of(const std::function<std::shared_ptr<void>()>& build);

}  // namespace supple::bench
