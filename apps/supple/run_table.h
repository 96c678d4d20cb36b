#pragma once

#include <string>

#include "io/run/run_scene.h"

namespace supple::cli {

/// What a run prints at its end: its cost, how well it was solved, what was written.
std::string run_table(const std::string& scene_name, const RunOptions& options,
                      const RunResult& result);

/// "1,234,567".
std::string grouped(long long number);

}  // namespace supple::cli
