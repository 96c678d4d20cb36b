#pragma once

#include <string>
#include <vector>

#include "io/run/machine.h"
#include "studies/performance/growth.h"
#include "studies/performance/measure.h"
#include "studies/reproduce/finding.h"

namespace supple::bench {

/// Everything that was measured.
struct Results {
  Machine machine;
  int threads = 1;  ///< beside one thread
  bool quick = false;
  std::vector<SceneResult> scenes;
  std::vector<GrowthResult> growth;
};

/// One row per scene and number of threads, with the machine and the build in every row.
/// Milliseconds and bytes. A value that is not known is empty; a time to an error that was not
/// reached is inf.
std::string bench_csv(const Results& results);
std::string growth_csv(const Results& results);

/// "1 thread", "2 threads".
std::string threads_text(int threads);

using reproduce::Table;

Table frame_table(const Results& results);   ///< ms, compared with the yardstick
Table error_table(const Results& results);   ///< errors, and the time until they are reached
Table stage_table(const Results& results);   ///< where the time goes, set-up, memory
Table growth_table(const Results& results);  ///< ms, set-up and memory against size

/// The table as Markdown: the first `texts` columns are left-aligned, the others right-aligned.
std::string markdown(const Table& table, std::size_t texts);
/// The same, aligned for a terminal.
std::string columns(const Table& table, std::size_t texts);

/// performance.md: what was measured and how, and the four tables without those of empty studies.
std::string performance_page(const Results& results);

}  // namespace supple::bench
