#pragma once

namespace supple {

/// Version of the library that is linked, for example "0.1.0".
const char* version() noexcept;

}  // namespace supple
