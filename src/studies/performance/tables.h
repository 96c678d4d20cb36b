#pragma once

#include <string>
#include <vector>

#include "io/run/machine.h"
#include "studies/performance/growth.h"
#include "studies/performance/measure.h"
#include "studies/reproduce/finding.h"

namespace supple::bench {

/// All that was measured.
struct Results {
  Machine machine;
  int threads = 1;  ///< beside one
  bool quick = false;
  std::vector<SceneResult> scenes;
  std::vector<GrowthResult> growth;
};

/// A row a scene and number of threads, the machine and the build in every row. Milliseconds,
/// bytes; a value that is not known is empty, a time to an error that was not reached is inf.
std::string bench_csv(const Results& results);
std::string growth_csv(const Results& results);

/// "1 thread", "2 threads".
std::string threads_text(int threads);

using reproduce::Table;

Table frame_table(const Results& results);   ///< ms beside the yardstick
Table error_table(const Results& results);   ///< errors and the time to them
Table stage_table(const Results& results);   ///< where the time goes, set-up, memory
Table growth_table(const Results& results);  ///< ms, set-up and memory against size

/// As Markdown: columns of the first `texts` left-aligned, the others right-aligned.
std::string markdown(const Table& table, std::size_t texts);
/// The same in columns for a terminal.
std::string columns(const Table& table, std::size_t texts);

/// performance.md: what was measured and how, the four tables, those of empty studies left out.
std::string performance_page(const Results& results);

}  // namespace supple::bench
