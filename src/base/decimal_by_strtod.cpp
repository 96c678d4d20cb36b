// Replaces decimal.cpp if the standard library has no from_chars for doubles (libc++ before version
// 20). For C libraries whose strtod knows only the locale "C", such as musl.
#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/decimal.h"

namespace supple {

namespace {

/// Excludes what strtod accepts and from_chars does not: a plus sign, leading blanks, hexadecimal
/// digits.
bool is_plain(std::string_view text) {
  const std::string_view digits = text.substr(text.substr(0, 1) == "-" ? 1 : 0);
  if (digits.empty()) return false;
  const char first = digits.front();
  const bool begins = (first >= '0' && first <= '9') || first == '.' || first == 'i' ||
                      first == 'I' || first == 'n' || first == 'N';
  return begins && digits.find_first_of("xX") == std::string_view::npos;
}

}  // namespace

bool read_decimal(std::string_view text, double& value) {
  if (!is_plain(text)) return false;
  const std::string copy(text);  // zero-terminated
  char* stop = nullptr;
  const int before = errno;
  errno = 0;
  const double read = std::strtod(copy.c_str(), &stop);
  const bool in_range = errno != ERANGE;
  errno = before;
  if (stop != copy.c_str() + copy.size() || !in_range) return false;
  value = read;
  return true;
}

}  // namespace supple
