#pragma once

#include <string>

namespace supple::cli {

/// Writes to standard output at once. A failed write does not end a simulation: see output_failed.
void say(const std::string& text);

/// Writes "supple: message" to standard error.
void complain(const std::string& message);

/// True if a write by `say` failed, unless the reader went away or the output was closed from the
/// start.
bool output_failed();

}  // namespace supple::cli
