#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/refuse.h"
#include "supple/error.h"
#include "supple/supple_c.h"

/// How exceptions end at the boundary to C.
namespace supple {

/// Stores the exception that is being handled as this thread's last error and returns its kind.
SuppleError remember_exception() noexcept;

/// Stores an error that was never thrown.
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

/// What make() returns, or null if it throws.
template <class Make>
auto made(const Make& make) noexcept -> decltype(make()) {
  try {
    return make();
  } catch (...) {
    remember_exception();
    return nullptr;
  }
}

/// The object behind a caller's pointer. Throws Error{invalid_input} naming the parameter if it is
/// null.
template <class Object>
Object& given(Object* pointer, const char* parameter) {
  if (pointer == nullptr) refuse(parameter, "is NULL");
  return *pointer;
}

/// The number of bytes that a caller's struct has room for. Throws Error{invalid_input} if it is
/// null, if its size was not set, or if it was compiled with a newer header than this library.
template <class Struct>
std::size_t size_of_struct(const Struct* pointer, const char* parameter) {
  const std::size_t size = given(pointer, parameter).struct_size;
  if (size < sizeof size || size > sizeof(Struct)) {
    refuse(parameter, "has struct_size " + std::to_string(size) +
                          ": expected the size of the struct, at most " +
                          std::to_string(sizeof(Struct)) + " in this version of the library");
  }
  return size;
}

/// Copies into a caller's struct the fields it has room for.
template <class Struct>
void fill(Struct* out, Struct value, const char* parameter) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  value.struct_size = size_of_struct(out, parameter);
  std::memcpy(out, &value, value.struct_size);
}

/// Copies a caller's struct. Fields that an older struct does not have are zero.
template <class Struct>
Struct read(const Struct* in, const char* parameter) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct value{};
  std::memcpy(&value, in, size_of_struct(in, parameter));
  return value;
}

/// Throws Error{invalid_input} unless `size` is `expected` and there is an array; a null array is
/// allowed if the size is 0.
void check_array(const void* array, std::size_t size, std::size_t expected, const char* parameter);

}  // namespace supple
