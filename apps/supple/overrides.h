#pragma once

#include <string>
#include <vector>

#include "supple/io.h"

namespace supple::cli {

/// What `--set PATH=VALUE` asks for. Throws Error{invalid_input} for a text without '='.
std::vector<Override> overrides_of(const std::vector<std::string>& settings);

}  // namespace supple::cli
