#pragma once

#include <string>

#include "supple/error.h"

namespace supple {

/// Throws Error{invalid_input} about the value at `where`.
[[noreturn]] inline void refuse(const std::string& where, const std::string& message) {
  throw Error(ErrorKind::invalid_input, where, message);
}

/// Throws Error{invalid_input} if the condition does not hold.
inline void require(bool condition, const std::string& where, const std::string& message) {
  if (!condition) refuse(where, message);
}

}  // namespace supple
