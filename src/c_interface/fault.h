#pragma once

#include <cstddef>
#include <string>

#include "base/refuse.h"
#include "supple/error.h"
#include "supple/supple_c.h"

/// How exceptions end where C begins.
namespace supple {

/// Remembers the exception that is being handled as this thread's last error and returns its kind.
SuppleError remember_exception() noexcept;

/// Remembers an error that was never thrown.
SuppleError remember(SuppleError kind, const char* where, const std::string& message) noexcept;

/// Calls work(), which may throw anything.
template <class Work>
SuppleError guarded(const Work& work) noexcept {
  try {
    work();
    return supple_ok;
  } catch (...) {
    return remember_exception();
  }
}

/// What make() returns, or null where it throws.
template <class Make>
auto made(const Make& make) noexcept -> decltype(make()) {
  try {
    return make();
  } catch (...) {
    remember_exception();
    return nullptr;
  }
}

/// The object behind a pointer of a caller. Throws Error{invalid_input} naming the parameter where
/// it is null.
template <class Object>
Object& given(Object* pointer, const char* parameter) {
  if (pointer == nullptr) refuse(parameter, "is NULL");
  return *pointer;
}

/// Throws Error{invalid_input} unless `size` is `expected` and there is an array, or none of size
/// 0.
void check_array(const void* array, std::size_t size, std::size_t expected, const char* parameter);

}  // namespace supple
