#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/performance/memory.h"

namespace supple::bench {

/// Results for one size of the turned bar on one number of threads.
struct GrowthResult {
  std::string material;
  int tets = 0, vertices = 0, threads = 1, frames = 0;
  double frame = 0;    ///< ms, median
  double slowest = 0;  ///< ms, 99th percentile
  double setup = 0;    ///< ms
  Memory memory{};     ///< of a simulation on one thread, after its first frame
};

/// Measures neo_hookean and corotated bars, from about 1,500 to 300,000 tets (two small sizes if
/// `quick`), on one thread and, if `threads` is larger, on `threads`; both take their frames in
/// turn. Throws Error{non_finite}.
std::vector<GrowthResult> measure_growth(bool quick, int threads,
                                         const std::function<void(const std::string&)>& working);

}  // namespace supple::bench
