#pragma once

#include "math/functions.h"

namespace supple {

/// Below this J the second-order Taylor expansion at this point replaces the logarithm.
inline constexpr double log_extension_start = 0.1;

/// The logarithm of J with its derivatives, continued below J = 0.1 so that it and its first two
/// derivatives are continuous and every J, even a negative one, has a finite value:
///   L(J) = log 0.1 + r - r^2/2,  r = (J - 0.1)/0.1   for J < 0.1;   L(J) = log J   elsewhere.
/// L' > 0 everywhere, so energies in L push an inverted element back.
template <class S>
struct ExtendedLog {
  S value;
  S first;
  S second;
};

template <class S>
SUPPLE_INLINE ExtendedLog<S> extended_log(const S& J) {
  const S start = S(log_extension_start);
  const S at = select(J < start, start, J);
  // Above the start r is exactly zero, so one formula serves both cases. With i = 1/at, L = log(at)
  // + r - r^2/2, L' = i (1 - r), L'' = -i^2.
  const S i = S(1.0) / at;
  const S r = (J - at) * i;
  const S value = fast_log(at) + (r - S(0.5) * (r * r));
  return {value, S(i * (S(1.0) - r)), S(-(i * i))};
}

}  // namespace supple
