#include "render/colour.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {

namespace {

double decode(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }

/// The linear values at which the rounded 8-bit value goes from i to i + 1.
std::array<double, 255> rounding_thresholds() {
  std::array<double, 255> thresholds{};
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    thresholds[i] = decode((static_cast<double>(i) + 0.5) / 255);
  }
  return thresholds;
}

/// The 8-bit values at the start of 4096 equal intervals of [0, 1). Within an interval at most a
/// few thresholds remain to be passed (the curve's slope is at most 12.92 * 255 / 4096 < 1 per
/// interval).
std::array<std::uint8_t, 4096> first_values(const std::array<double, 255>& thresholds) {
  std::array<std::uint8_t, 4096> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(values.size());
    values[i] = static_cast<std::uint8_t>(
        std::upper_bound(thresholds.begin(), thresholds.end(), x) - thresholds.begin());
  }
  return values;
}

}  // namespace

double from_srgb(std::uint8_t value) { return decode(value / 255.0); }

Colour srgb(std::uint32_t hex) {
  return {from_srgb(static_cast<std::uint8_t>(hex >> 16)),
          from_srgb(static_cast<std::uint8_t>(hex >> 8)),
          from_srgb(static_cast<std::uint8_t>(hex))};
}

std::uint8_t to_srgb(double linear) {
  static const std::array<double, 255> thresholds = rounding_thresholds();
  static const std::array<std::uint8_t, 4096> first = first_values(thresholds);
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 255;
  std::uint8_t value = first[static_cast<std::size_t>(linear * 4096)];
  while (value < 255 && linear >= thresholds[value]) ++value;
  return value;
}

Colour body_colour(int body) {
  static constexpr std::array<std::uint32_t, 8> palette{0xEE7733, 0x0077BB, 0x009988, 0xEE3377,
                                                        0x33BBEE, 0xCCBB44, 0x332288, 0xAA4499};
  return srgb(palette[static_cast<std::size_t>(body < 0 ? 0 : body) % palette.size()]);
}

}  // namespace supple
