#pragma once

#include <string>

namespace supple {

/// The machine on which a run was made, for its report.
struct Machine {
  std::string processor;  ///< model name, or "unknown"
  int cores = 1;          ///< online cores
  double memory = 0;      ///< GiB
  std::string compiler;
  std::string build;  ///< build type
  std::string flags;  ///< compiler options
  std::string simd;   ///< SIMD level, as simd_level()
};

Machine this_machine();

}  // namespace supple
