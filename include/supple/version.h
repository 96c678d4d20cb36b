#pragma once

#include "supple/version_number.h"  // IWYU pragma: export

#pragma GCC visibility push(default)

namespace supple {

/// Version of the linked library, for example "0.2.0".
const char* version() noexcept;
/// The same in the form of SUPPLE_VERSION_NUMBER. If it differs from the program's
/// SUPPLE_VERSION_NUMBER, the program runs with another library than it was compiled for.
int version_number() noexcept;

}  // namespace supple

#pragma GCC visibility pop
