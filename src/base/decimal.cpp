#include "base/decimal.h"

#include <charconv>
#include <system_error>

namespace supple {

bool read_decimal(std::string_view text, double& value) {
  double read = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, read);
  if (text.empty() || stop != end || code != std::errc()) return false;
  value = read;
  return true;
}

}  // namespace supple
