#include "io/run/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "supple/simd.h"

namespace supple {

namespace {

/// "model name : Some Processor" of the first core.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.cores = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  machine.memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / gibibyte;
#ifdef __clang__
  machine.compiler = "clang " __clang_version__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  machine.build = SUPPLE_BUILD_TYPE;
  machine.flags = SUPPLE_BUILD_FLAGS;
  machine.simd = simd_level();
  return machine;
}

}  // namespace supple
