#pragma once

#include <limits>
#include <string>

namespace supple {

/// The numbers that an option or a key accepts.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_included = false;
  bool high_included = false;
  const char* unit = "";  ///< for messages

  bool contains(double value) const {
    return (low_included ? value >= low : value > low) &&
           (high_included ? value <= high : value < high);
  }
};

constexpr Range any_number(const char* unit) { return {.unit = unit}; }
constexpr Range above_zero(const char* unit) { return {.low = 0, .unit = unit}; }
constexpr Range from_zero(const char* unit) {
  return {.low = 0, .low_included = true, .unit = unit};
}
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }
/// Both bounds are included.
constexpr Range from_to(double low, double high) {
  return {.low = low, .high = high, .low_included = true, .high_included = true};
}

/// "a number above 0 m".
std::string text_of(const Range& range);

}  // namespace supple
