#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/simd_level.h"
#include "supple/mat3.h"  // SUPPLE_INLINE

/// A number type that is W numbers at once, built on the compiler's vector extension, with the few
/// functions that scalar code needs. So one template runs on double, on Batch and on automatic
/// differentiation numbers. Nothing is contracted and every operation is IEEE's, so a lane has the
/// same bits as the scalar, whatever the processor's vector width.

namespace supple {

namespace detail {
// The typedef must be in a trait of its own: as a member of the template, g++ makes it a scalar.
template <class T, int W>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T>
struct IntegerOf;
template <>
struct IntegerOf<double> {
  using type = std::int64_t;
};
template <>
struct IntegerOf<float> {
  using type = std::int32_t;
};
}  // namespace detail

inline namespace SUPPLE_SIMD {

/// Result of comparing batches: all bits set where the comparison is true.
template <class T, int W>
struct Mask {
  using Integer = typename detail::IntegerOf<T>::type;
  using Vector = typename detail::VectorOf<Integer, W>::type;
  Vector v;

  SUPPLE_INLINE friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  SUPPLE_INLINE friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  SUPPLE_INLINE friend Mask operator!(Mask a) { return {~a.v}; }
  bool operator[](int lane) const { return v[lane] != 0; }
};

template <class T, int W>
struct Batch {
  using Vector = typename detail::VectorOf<T, W>::type;
  static constexpr int width = W;
  Vector v;

  Batch() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  SUPPLE_INLINE Batch(Vector vector) : v(vector) {}
  SUPPLE_INLINE Batch(T value) : v(Vector{} + value) {}
  SUPPLE_INLINE Batch(int value) : Batch(static_cast<T>(value)) {}
  // NOLINTEND(google-explicit-constructor)
  template <class U = T>
  requires(!std::is_same_v<U, double>)
      // NOLINTNEXTLINE(google-explicit-constructor)
      SUPPLE_INLINE Batch(double value)
      : Batch(static_cast<T>(value)) {}

  SUPPLE_INLINE static Batch load(const T* p) {
    Batch b;
    std::memcpy(&b.v, p, sizeof(Vector));
    return b;
  }
  SUPPLE_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof(Vector)); }
  SUPPLE_INLINE T operator[](int lane) const { return v[lane]; }
  SUPPLE_INLINE void set(int lane, T value) { v[lane] = value; }

  SUPPLE_INLINE friend Batch operator+(Batch a, Batch b) { return {a.v + b.v}; }
  SUPPLE_INLINE friend Batch operator-(Batch a, Batch b) { return {a.v - b.v}; }
  SUPPLE_INLINE friend Batch operator*(Batch a, Batch b) { return {a.v * b.v}; }
  SUPPLE_INLINE friend Batch operator/(Batch a, Batch b) { return {a.v / b.v}; }
  SUPPLE_INLINE friend Batch operator-(Batch a) { return {-a.v}; }
  SUPPLE_INLINE Batch& operator+=(Batch b) { return v += b.v, *this; }
  SUPPLE_INLINE Batch& operator-=(Batch b) { return v -= b.v, *this; }
  SUPPLE_INLINE Batch& operator*=(Batch b) { return v *= b.v, *this; }

  SUPPLE_INLINE friend Mask<T, W> operator<(Batch a, Batch b) { return {a.v < b.v}; }
  SUPPLE_INLINE friend Mask<T, W> operator>(Batch a, Batch b) { return {a.v > b.v}; }
  SUPPLE_INLINE friend Mask<T, W> operator<=(Batch a, Batch b) { return {a.v <= b.v}; }
  SUPPLE_INLINE friend Mask<T, W> operator>=(Batch a, Batch b) { return {a.v >= b.v}; }
};

/// mask ? a : b, lane by lane.
template <class T, int W>
SUPPLE_INLINE Batch<T, W> select(Mask<T, W> mask, Batch<T, W> a, Batch<T, W> b) {
  return {mask.v ? a.v : b.v};
}
inline double select(bool condition, double a, double b) { return condition ? a : b; }
/// For other number types (automatic differentiation), whose comparisons give bool.
template <class S>
S select(bool condition, const S& a, const S& b) {
  return condition ? a : b;
}

template <class T, int W>
SUPPLE_INLINE Batch<T, W> sqrt(Batch<T, W> a) {
  Batch<T, W> r;
  for (int i = 0; i < W; ++i) r.v[i] = std::sqrt(a.v[i]);
  return r;
}
template <class T, int W>
SUPPLE_INLINE Batch<T, W> abs(Batch<T, W> a) {
  using Integers = typename Mask<T, W>::Vector;
  using Integer = typename Mask<T, W>::Integer;
  // Clears the sign bit: one operation.
  return {(typename Batch<T, W>::Vector)((Integers)a.v & std::numeric_limits<Integer>::max())};
}

/// f(x) lane by lane, for functions that only take double.
template <class F>
double map_lanes(double x, const F& f) {
  return f(x);
}
template <int W, class F>
Batch<double, W> map_lanes(Batch<double, W> x, const F& f) {
  Batch<double, W> r;
  for (int i = 0; i < W; ++i) r.v[i] = f(x.v[i]);
  return r;
}
template <class F>
double map_lanes(double x, double y, const F& f) {
  return f(x, y);
}
template <int W, class F>
Batch<double, W> map_lanes(Batch<double, W> x, Batch<double, W> y, const F& f) {
  Batch<double, W> r;
  for (int i = 0; i < W; ++i) r.v[i] = f(x.v[i], y.v[i]);
  return r;
}

/// Lane sums in order 0, 1, 2, ... (a fixed order).
template <class T, int W>
SUPPLE_INLINE T sum(Batch<T, W> a) {
  T s = a.v[0];
  for (int i = 1; i < W; ++i) s += a.v[i];
  return s;
}
inline double sum(double a) { return a; }

/// Number of lanes where the mask is true.
template <class T, int W>
SUPPLE_INLINE int count(Mask<T, W> mask) {
  typename Mask<T, W>::Integer n = 0;
  for (int i = 0; i < W; ++i) n -= mask.v[i];
  return static_cast<int>(n);
}
inline int count(bool condition) { return condition ? 1 : 0; }

/// Whether any lane is true.
template <class T, int W>
SUPPLE_INLINE bool any(Mask<T, W> mask) {
  typename Mask<T, W>::Integer bits = 0;
  for (int i = 0; i < W; ++i) bits |= mask.v[i];
  return bits != 0;
}
inline bool any(bool condition) { return condition; }

/// The type of a comparison of two S.
template <class S>
using MaskOf = decltype(std::declval<S>() < std::declval<S>());

/// Eight double precision lanes, as elements are laid out.
using Batch8 = Batch<double, 8>;

/// Number of doubles in a register of the processor. A kernel takes this many of the eight lanes at
/// a time, because comparisons and shuffles of wider vectors would be done entry by entry.
#if defined(__AVX512F__)
inline constexpr int register_lanes = 8;
#elif defined(__AVX__)
inline constexpr int register_lanes = 4;
#else
inline constexpr int register_lanes = 2;
#endif
using RegisterBatch = Batch<double, register_lanes>;

}  // namespace SUPPLE_SIMD

}  // namespace supple
