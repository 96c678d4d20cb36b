#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace supple {

/// The kind of an error, so that a program can react. The command line's exit codes follow it.
enum class ErrorKind {
  invalid_input,  ///< a scene, an option or a call is not valid (exit code 2)
  bad_file,       ///< a file cannot be read or is malformed (exit code 3)
  non_finite,     ///< the simulation produced a non-finite state (exit code 4)
};

/// The library's own exception. Loading, building and setting up may throw it; stepping never
/// does. `what()` reads "where: message". `where` is a file with a line ("bar.mesh:12") or a file
/// with a JSON pointer ("bar.json: /bodies/0/material/poisson").
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string_view where, std::string_view message);

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& message() const noexcept { return message_; }

 private:
  ErrorKind kind_;
  std::string where_;
  std::string message_;
};

}  // namespace supple

#pragma GCC visibility pop
