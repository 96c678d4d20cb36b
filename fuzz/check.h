#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "supple/error.h"

/// Checks of a fuzz target beyond the sanitizers.
namespace supple::fuzz {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

/// Calls `read`, which must either succeed or throw Error{bad_file} that names the input.
template <typename Read>
void expect_mesh_or_error(const char* name, Read read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::bad_file, "a broken file is a bad_file");
    require(error.where().find(name) != std::string::npos, "an error names its file");
    require(!error.message().empty(), "an error has a message");
  }
}

}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
