#pragma once

#include "math/batch.h"
#include "math/functions.h"
#include "math/mat3.h"

/// Two batches as one number type. Every operation is done on one batch and then on the other, so
/// the processor works on two independent chains: straight-line kernels wait for the latency of
/// their chain, not for the arithmetic units. A lane has the same bits as in a single batch.
namespace supple {

template <class M>
struct MaskPair {
  M lo, hi;

  SUPPLE_INLINE friend MaskPair operator&(const MaskPair& a, const MaskPair& b) {
    return {a.lo & b.lo, a.hi & b.hi};
  }
  SUPPLE_INLINE friend MaskPair operator|(const MaskPair& a, const MaskPair& b) {
    return {a.lo | b.lo, a.hi | b.hi};
  }
  SUPPLE_INLINE friend MaskPair operator!(const MaskPair& a) { return {!a.lo, !a.hi}; }
};

template <class B>
struct InterleavedBatch {
  static constexpr int width = 2 * B::width;
  B lo, hi;

  InterleavedBatch() = default;
  SUPPLE_INLINE InterleavedBatch(const B& a, const B& b) : lo(a), hi(b) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  SUPPLE_INLINE InterleavedBatch(double value) : lo(value), hi(value) {}

  /// Numbers side by side.
  SUPPLE_INLINE static InterleavedBatch load(const double* p) {
    return {B::load(p), B::load(p + B::width)};
  }
  SUPPLE_INLINE void store(double* p) const {
    lo.store(p);
    hi.store(p + B::width);
  }

  SUPPLE_INLINE friend InterleavedBatch operator+(const InterleavedBatch& a,
                                                  const InterleavedBatch& b) {
    return {a.lo + b.lo, a.hi + b.hi};
  }
  SUPPLE_INLINE friend InterleavedBatch operator-(const InterleavedBatch& a,
                                                  const InterleavedBatch& b) {
    return {a.lo - b.lo, a.hi - b.hi};
  }
  SUPPLE_INLINE friend InterleavedBatch operator*(const InterleavedBatch& a,
                                                  const InterleavedBatch& b) {
    return {a.lo * b.lo, a.hi * b.hi};
  }
  SUPPLE_INLINE friend InterleavedBatch operator/(const InterleavedBatch& a,
                                                  const InterleavedBatch& b) {
    return {a.lo / b.lo, a.hi / b.hi};
  }
  SUPPLE_INLINE friend InterleavedBatch operator-(const InterleavedBatch& a) {
    return {-a.lo, -a.hi};
  }
  SUPPLE_INLINE InterleavedBatch& operator+=(const InterleavedBatch& b) {
    return *this = *this + b;
  }
  SUPPLE_INLINE InterleavedBatch& operator*=(const InterleavedBatch& b) {
    return *this = *this * b;
  }

  using MaskType = MaskPair<MaskOf<B>>;
  SUPPLE_INLINE friend MaskType operator<(const InterleavedBatch& a, const InterleavedBatch& b) {
    return {a.lo < b.lo, a.hi < b.hi};
  }
  SUPPLE_INLINE friend MaskType operator>(const InterleavedBatch& a, const InterleavedBatch& b) {
    return {a.lo > b.lo, a.hi > b.hi};
  }
  SUPPLE_INLINE friend MaskType operator<=(const InterleavedBatch& a, const InterleavedBatch& b) {
    return {a.lo <= b.lo, a.hi <= b.hi};
  }
  SUPPLE_INLINE friend MaskType operator>=(const InterleavedBatch& a, const InterleavedBatch& b) {
    return {a.lo >= b.lo, a.hi >= b.hi};
  }
};

template <class B>
SUPPLE_INLINE InterleavedBatch<B> select(const MaskPair<MaskOf<B>>& mask,
                                         const InterleavedBatch<B>& a,
                                         const InterleavedBatch<B>& b) {
  return {select(mask.lo, a.lo, b.lo), select(mask.hi, a.hi, b.hi)};
}
template <class M>
SUPPLE_INLINE bool any(const MaskPair<M>& mask) {
  return any(mask.lo | mask.hi);
}
template <class B>
SUPPLE_INLINE InterleavedBatch<B> sqrt(const InterleavedBatch<B>& a) {
  return {sqrt(a.lo), sqrt(a.hi)};
}
template <class B>
SUPPLE_INLINE InterleavedBatch<B> abs(const InterleavedBatch<B>& a) {
  return {abs(a.lo), abs(a.hi)};
}
template <class B>
SUPPLE_INLINE InterleavedBatch<B> fast_log(const InterleavedBatch<B>& a) {
  return {fast_log(a.lo), fast_log(a.hi)};
}
template <class B, class F>
InterleavedBatch<B> map_lanes(const InterleavedBatch<B>& x, const F& f) {
  return {map_lanes(x.lo, f), map_lanes(x.hi, f)};
}
template <class B, class F>
InterleavedBatch<B> map_lanes(const InterleavedBatch<B>& x, const InterleavedBatch<B>& y,
                              const F& f) {
  return {map_lanes(x.lo, y.lo, f), map_lanes(x.hi, y.hi, f)};
}

using Batch16 = InterleavedBatch<Batch8>;

inline namespace SUPPLE_SIMD {

/// W doubles in as many registers as they need. For a single vector wider than a register, g++
/// generates stores and loads.
template <int W>
constexpr auto any_lanes() {
  if constexpr (W <= register_lanes) {
    return Batch<double, W>(0.0);
  } else {
    return InterleavedBatch<decltype(any_lanes<W / 2>())>(0.0);
  }
}
template <int W>
using Lanes = decltype(any_lanes<W>());

}  // namespace SUPPLE_SIMD

template <class B>
SUPPLE_INLINE Mat3<InterleavedBatch<B>> paired(const Mat3<B>& a, const Mat3<B>& b) {
  Mat3<InterleavedBatch<B>> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = {a(i / 3, i % 3), b(i / 3, i % 3)};
  return m;
}

template <class B>
SUPPLE_INLINE Mat3<B> first_of(const Mat3<InterleavedBatch<B>>& m) {
  Mat3<B> a;
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = m(i / 3, i % 3).lo;
  return a;
}
template <class B>
SUPPLE_INLINE Mat3<B> second_of(const Mat3<InterleavedBatch<B>>& m) {
  Mat3<B> b;
  for (int i = 0; i < 9; ++i) b(i / 3, i % 3) = m(i / 3, i % 3).hi;
  return b;
}

}  // namespace supple
