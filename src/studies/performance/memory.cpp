#include "studies/performance/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace supple::bench {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A value of /proc/self/status, bytes; NaN if it is not there.
double status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream words(line.substr(key.size() + 1));
    double kibibytes = 0;
    return words >> kibibytes ? 1024 * kibibytes : nan;
  }
  return nan;
}

void give_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

/// Resets VmHWM to the current resident size [proc(5), clear_refs].
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

}  // namespace

Memory memory_of(const std::function<std::shared_ptr<void>()>& build) {
  give_back();
  const bool has_peak = reset_peak();
  const double before = status("VmRSS");
  const std::shared_ptr<void> alive = build();
  const double peak = status("VmHWM");
  give_back();
  const double after = status("VmRSS");
  return {std::max(0.0, after - before), has_peak ? std::max(0.0, peak - before) : nan};
}

}  // namespace supple::bench
