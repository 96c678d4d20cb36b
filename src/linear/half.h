#pragma once

#include <cstdint>

#include "base/simd_level.h"

namespace supple {

/// A number of IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction. Only zero and normal
/// numbers are used, 2^-14 to 65504.
struct Half {
  std::uint16_t bits;
};

/// Rounded to nearest, ties to even; what is below the smallest normal number becomes zero.
/// value: finite, |value| <= 65504.
inline Half half_of(double value) {
  constexpr int dropped = 52 - 10;  // bits of the fraction
  constexpr std::uint64_t bias = std::uint64_t{1023 - 15} << 52;
  const auto bits = __builtin_bit_cast(std::uint64_t, value);
  const std::uint64_t size = bits & ~(std::uint64_t{1} << 63);
  if (size < bias) return {0};
  const std::uint64_t odd = (size >> dropped) & 1;
  const std::uint64_t rounded =
      (size - bias + (std::uint64_t{1} << (dropped - 1)) - 1 + odd) >> dropped;
  if (rounded < 0x0400) return {0};
  return {static_cast<std::uint16_t>(rounded | (bits >> 48 & 0x8000U))};
}

inline namespace SUPPLE_SIMD {

/// Exact. The exponent's bias is made up for by a product.
inline float float_of(Half half) {
  const std::uint32_t sign = std::uint32_t{half.bits} & 0x8000U;
  const std::uint32_t rest = std::uint32_t{half.bits} & 0x7fffU;
  return __builtin_bit_cast(float, sign << 16 | rest << 13) * 0x1p112F;
}

}  // namespace SUPPLE_SIMD

}  // namespace supple
