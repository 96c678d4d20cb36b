#include "base/range.h"

#include <fmt/format.h>

#include <cmath>

namespace supple {

std::string text_of(const Range& range) {
  const std::string unit = range.unit[0] == '\0' ? "" : std::string(" ") + range.unit;
  if (std::isinf(range.low) && std::isinf(range.high)) return "a finite number" + unit;
  if (std::isinf(range.high)) {
    return fmt::format("a number {} {}{}", range.low_included ? "of at least" : "above", range.low,
                       unit);
  }
  return fmt::format("a number {} {} and {} {}{}", range.low_included ? "of at least" : "above",
                     range.low, range.high_included ? "at most" : "below", range.high, unit);
}

}  // namespace supple
