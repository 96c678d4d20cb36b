#pragma once

#include <string>
#include <vector>

#include "supple/io.h"

namespace supple::cli {

/// The overrides given as `--set PATH=VALUE`. Throws Error{invalid_input} for a text without '='.
std::vector<Override> overrides_of(const std::vector<std::string>& settings);

}  // namespace supple::cli
