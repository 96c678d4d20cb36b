#pragma once

#include <string>
#include <vector>

#include "io/scene/scene_json.h"

namespace supple {

/// Scenes that together have every key, with every kind of value, every material and every option
/// of every solver. schema_sources provides the files that they name. The tests compare them with
/// the keys that the reader says it knows.
std::vector<std::string> schema_examples();
SceneSources schema_sources();

}  // namespace supple
