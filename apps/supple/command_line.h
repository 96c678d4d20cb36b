#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace supple::cli {

/// Explains in one line what is wrong with a command line; for a misspelt option or command, it
/// names the closest known one.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv);

/// Refuses an empty word: scripts produce one from a variable that is not set. `what` was expected.
CLI::Validator filled(const std::string& what);

}  // namespace supple::cli
