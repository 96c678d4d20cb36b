#pragma once

#include <string>

namespace supple {

/// On what a run was made, for its report.
struct Machine {
  std::string processor;  ///< model name, or "unknown"
  int cores = 1;          ///< that are online
  double memory = 0;      ///< GiB
  std::string compiler;
  std::string build;  ///< build type
  std::string flags;  ///< compiler options
  std::string simd;   ///< level of vectors, as simd_level()
};

Machine this_machine();

}  // namespace supple
