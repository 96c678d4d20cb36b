#pragma once

#include <functional>
#include <memory>

namespace supple::bench {

/// Bytes of physical memory that building something took; NaN if the system does not tell.
struct Memory {
  double held;  ///< increase once it is built and used (resident set, VmRSS)
  double peak;  ///< largest increase on the way (VmHWM), if the system allows resetting it
};

/// Memory of what `build` makes. Before and after building, the allocator's free memory is given
/// back to the system, so that the difference counts only what is alive. Linux counts pages in
/// lumps: differences below about a megabyte mean little.
Memory memory_of(const std::function<std::shared_ptr<void>()>& build);

}  // namespace supple::bench
