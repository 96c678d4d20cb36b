#pragma once

#include <string_view>

namespace supple {

/// Reads text that is entirely a decimal number ("-1.5e3"; no plus sign, no blanks), in any locale,
/// to the nearest double. Returns false for anything else and for numbers beyond the range of a
/// double, too large or too small; `value` is then unchanged. "inf" and "nan" are read.
bool read_decimal(std::string_view text, double& value);

}  // namespace supple
