#pragma once

#include <cstddef>

namespace supple {

/// An index as standard containers take it. i: not negative.
constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace supple
