#pragma once

#include <string>

#include "studies/compare/compare_scene.h"

namespace supple {

/// compare.json: the scene with every default filled in, the converged answer, how each solver
/// ended, version and machine.
std::string compare_report(const LoadedScene& loaded, const CompareSceneOptions& options,
                           const Comparison& comparison);

}  // namespace supple
