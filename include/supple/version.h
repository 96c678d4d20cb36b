#pragma once

#include "supple/version_number.h"  // IWYU pragma: export

#pragma GCC visibility push(default)

namespace supple {

/// Version of the library that is linked, for example "0.2.0".
const char* version() noexcept;
/// The same as SUPPLE_VERSION_NUMBER writes it. A program that finds another number than its
/// SUPPLE_VERSION_NUMBER runs with another library than it was compiled for.
int version_number() noexcept;

}  // namespace supple

#pragma GCC visibility pop
