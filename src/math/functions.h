#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "math/batch.h"

/// Elementary functions whose batch and scalar forms run the same operations.
namespace supple {

namespace detail {

/// Splits x > 0, normal, into m in [sqrt(1/2), sqrt(2)) and a whole exponent e: x = m 2^e.
SUPPLE_INLINE void split_exponent(double x, double& m, double& e) {
  // Subtracting the bits of sqrt(1/2) before taking the exponent centres m about 1.
  constexpr std::int64_t sqrt_half = 0x3FE6A09E667F3BCD;
  constexpr std::int64_t exponent_bits = static_cast<std::int64_t>(0xFFF0000000000000ULL);
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t shifted = (bits - sqrt_half) & exponent_bits;
  m = std::bit_cast<double>(bits - shifted);
  e = static_cast<double>(shifted >> 52);
}

template <int W>
SUPPLE_INLINE void split_exponent(Batch<double, W> x, Batch<double, W>& m, Batch<double, W>& e) {
  using Integers = typename Mask<double, W>::Vector;
  constexpr std::int64_t sqrt_half = 0x3FE6A09E667F3BCD;
  constexpr std::int64_t exponent_bits = static_cast<std::int64_t>(0xFFF0000000000000ULL);
  Integers bits;
  std::memcpy(&bits, &x.v, sizeof(bits));
  const Integers shifted = (bits - sqrt_half) & exponent_bits;
  const Integers mantissa = bits - shifted;
  std::memcpy(&m.v, &mantissa, sizeof(mantissa));
  e.v = __builtin_convertvector(shifted >> 52, typename Batch<double, W>::Vector);
}

/// log x = 2 atanh(s) + e log 2, s = (m-1)/(m+1), |s| <= 0.1716. The remainder of the odd series of
/// atanh after s^21 is below rounding (0.1716^22 / 23 = 6e-19).
template <class S>
SUPPLE_INLINE S log_positive(S x) {
  S m, e;
  split_exponent(x, m, e);
  const S f = m - S(1.0);
  const S s = f / (m + S(1.0));
  const S z = s * s, z2 = z * z, z4 = z2 * z2;
  // In pairs [Estrin 1960]: a third of the waiting time of one term after the other.
  const S q0 = S(2.0 / 5) * z + S(2.0 / 3), q1 = S(2.0 / 9) * z + S(2.0 / 7),
          q2 = S(2.0 / 13) * z + S(2.0 / 11), q3 = S(2.0 / 17) * z + S(2.0 / 15),
          q4 = S(2.0 / 21) * z + S(2.0 / 19);
  const S p = (q4 * z4 + (q3 * z2 + q2)) * z4 + (q1 * z2 + q0);
  // 2 s = f - s f holds exactly in real numbers. It keeps the leading term free of the rounding of
  // s.
  const S correction = s * (z * p - f);
  return e * S(0.693147180369123816490) + (f + (correction + e * S(1.90821492927058770002e-10)));
}

}  // namespace detail

/// Natural logarithm of a positive normal number, within 2 ulp of the exact value. The batch has
/// the bits of the scalar. Other arguments give finite nonsense, which must be selected away.
SUPPLE_INLINE double fast_log(double x) { return detail::log_positive(x); }
template <int W>
SUPPLE_INLINE Batch<double, W> fast_log(Batch<double, W> x) {
  return detail::log_positive(x);
}
/// Automatic differentiation numbers bring their own log.
template <class S>
S fast_log(const S& x) {
  using std::log;
  return log(x);
}

}  // namespace supple
