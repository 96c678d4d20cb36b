#pragma once

#include <string>

#include "io/run/run_scene.h"

namespace supple {

/// run.json: the scene with every default filled in, version, machine, totals and warnings.
std::string run_report(const LoadedScene& loaded, const RunOptions& options,
                       const RunResult& result);

}  // namespace supple
