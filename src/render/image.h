#pragma once

#include <cstdint>
#include <vector>

namespace supple {

/// A picture of 8-bit sRGB values.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< [height * width * 3], row by row from the top

  Image() = default;
  /// All pixels black. Throws Error{invalid_input} unless 1 <= width, height <= `max_image_side`.
  Image(int width, int height);

  std::uint8_t* pixel(int x, int y) {
    return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(x))];
  }
  const std::uint8_t* pixel(int x, int y) const {
    return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(x))];
  }
  bool operator==(const Image&) const = default;
};

/// Larger images are refused: a typo must not exhaust the memory.
inline constexpr int max_image_side = 8192;

}  // namespace supple
