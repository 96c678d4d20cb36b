#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace supple::cli {

/// What is wrong with a command line, in one line; with the nearest known name for a misspelt
/// option or command.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv);

/// Refuses an empty word: what a script makes of a variable that is not set. `what` was expected.
CLI::Validator filled(const std::string& what);

}  // namespace supple::cli
