#pragma once

#include <cstddef>

namespace supple {

/// An index as the containers of the standard library take it. i: not negative.
constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace supple
