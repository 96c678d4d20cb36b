#pragma once

#include <string>

namespace supple::cli {

/// Writes to standard output at once. That it cannot be written does not end a simulation: see
/// output_failed.
void say(const std::string& text);

/// "supple: message" on standard error.
void complain(const std::string& message);

/// Whether something could not be written by `say`, other than to a reader that went away or to an
/// output that was closed from the start.
bool output_failed();

}  // namespace supple::cli
