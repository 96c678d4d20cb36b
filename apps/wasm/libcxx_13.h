#pragma once

// What the library uses of C++20's standard library and libc++ 13 (Emscripten 3.1.6) does not have
// yet. The compiler includes this before each source of the engine, and nowhere else.

#include <cstddef>
#include <memory>
#include <type_traits>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

// NOLINTBEGIN(cert-dcl58-cpp): the names are the standard's
namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

template <class Array>
requires is_unbounded_array_v<Array> unique_ptr<Array> make_unique_for_overwrite(size_t size) {
  return unique_ptr<Array>(new remove_extent_t<Array>[size]);
}

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)

#endif
