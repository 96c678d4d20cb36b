#pragma once

#include <string_view>

namespace supple {

/// Reads text that is a decimal number as a whole ("-1.5e3"; no sign +, no blanks), whatever the
/// locale, to the nearest double. False for anything else and for what is beyond the range of a
/// double, be it too large or too small; `value` is then as it was. "inf" and "nan" are read.
bool read_decimal(std::string_view text, double& value);

}  // namespace supple
