#pragma once

#include <string>

#include "studies/compare/compare_scene.h"

namespace supple::cli {

/// What `compare` prints at its end: errors after some iterations, and the cost of an iteration.
std::string compare_table(const std::string& scene_name, const CompareSceneOptions& options,
                          const CompareSceneResult& result);

}  // namespace supple::cli
