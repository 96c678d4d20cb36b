#include "c_interface/fault.h"

#include <exception>
#include <new>

namespace supple {

namespace {

struct LastError {
  SuppleError kind = supple_ok;
  std::string where, message;
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

SuppleError kind_of(ErrorKind kind) {
  if (kind == ErrorKind::bad_file) return supple_bad_file;
  if (kind == ErrorKind::non_finite) return supple_non_finite;
  return supple_invalid_input;
}

}  // namespace

SuppleError remember(SuppleError kind, const char* where, const std::string& message) noexcept {
  LastError& last = last_error();
  try {
    last.kind = kind;
    last.where = where;
    last.message = message;
  } catch (...) {  // no memory for the texts
    last.where.clear();
    last.message.clear();
  }
  return kind;
}

SuppleError remember_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return remember(kind_of(error.kind()), error.where().c_str(), error.message());
  } catch (const std::bad_alloc&) {
    // The texts are short enough to need no memory.
    return remember(supple_out_of_memory, "", "out of memory");
  } catch (const std::exception& error) {
    return remember(supple_unexpected, "", error.what());
  } catch (...) {
    return remember(supple_unexpected, "", "unknown");
  }
}

void check_array(const void* array, std::size_t size, std::size_t expected, const char* parameter) {
  if (size != expected) {
    refuse(parameter,
           "has " + std::to_string(size) + " numbers: expected " + std::to_string(expected));
  }
  if (array == nullptr && size > 0) refuse(parameter, "is NULL");
}

}  // namespace supple

SuppleError supple_last_error() { return supple::last_error().kind; }
const char* supple_last_error_where() { return supple::last_error().where.c_str(); }
const char* supple_last_error_message() { return supple::last_error().message.c_str(); }
