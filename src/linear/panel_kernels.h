#pragma once

#include <cstddef>
#include <type_traits>

#include "base/simd_level.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace supple::detail {

inline namespace SUPPLE_SIMD {

/// Tiles of four that hold so many rows or columns.
constexpr int tiles(int count) { return (count + 3) / 4; }

// Products of a supernode's panel with a few right-hand sides. The panel is cut into tiles of 4 x
// 4, row-major; columns are taken two tiles at a time (a strip), whose tiles lie side by side, row
// after row of tiles. Right-hand sides are interleaved: entry c of row i is at [sides * i + c].

/// With any number of sides. out += strip * b: b has the 4 * columns rows of the strip, out 4 *
/// count.
template <int columns, int sides, class Real>
void multiply_strip_any(const Real* strip, int count, const Real* b, Real* out) {
  for (int tile = 0; tile < count; ++tile) {
    for (int column = 0; column < columns; ++column, strip += 16) {
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
          for (int c = 0; c < sides; ++c) {
            out[sides * i + c] += strip[4 * i + k] * b[sides * (4 * column + k) + c];
          }
        }
      }
    }
    out += 4 * sides;
  }
}

/// With any number of sides. out = strip^T * x: x has 4 * count rows, out the 4 * columns of the
/// strip.
template <int columns, int sides, class Real>
void multiply_transposed_strip_any(const Real* strip, int count, const Real* x, Real* out) {
  Real sum[4 * columns * sides] = {};
  for (int tile = 0; tile < count; ++tile) {
    for (int column = 0; column < columns; ++column, strip += 16) {
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
          for (int c = 0; c < sides; ++c) {
            sum[sides * (4 * column + k) + c] += strip[4 * i + k] * x[sides * i + c];
          }
        }
      }
    }
    x += 4 * sides;
  }
  for (int e = 0; e < 4 * columns * sides; ++e) out[e] = sum[e];
}

/// Four right-hand sides of a row, and two ways of going through a tile: without them the compiler
/// shuffles tiles to and fro.
template <class Real>
struct RowOfFour;
template <>
struct RowOfFour<double> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct RowOfFour<float> {
  typedef float type __attribute__((vector_size(16), aligned(4), may_alias));
};

template <int columns, class Real>
void multiply_strip_4(const Real* strip, int count, const Real* b, Real* out) {
  using Row = typename RowOfFour<Real>::type;
  Row row[4 * columns];
  for (int k = 0; k < 4 * columns; ++k) row[k] = *reinterpret_cast<const Row*>(b + 4 * k);
  for (int tile = 0; tile < count; ++tile, strip += 16 * columns, out += 16) {
    for (int i = 0; i < 4; ++i) {
      Row sum = *reinterpret_cast<const Row*>(out + 4 * i);
      for (int k = 0; k < 4; ++k) sum += strip[4 * i + k] * row[k];
      if constexpr (columns == 2) {
        // A chain of its own: the sum above is not waited for.
        Row other = strip[16 + 4 * i] * row[4];
        for (int k = 1; k < 4; ++k) other += strip[16 + 4 * i + k] * row[4 + k];
        sum += other;
      }
      *reinterpret_cast<Row*>(out + 4 * i) = sum;
    }
  }
}

template <int columns, class Real>
void multiply_transposed_strip_4(const Real* strip, int count, const Real* x, Real* out) {
  using Row = typename RowOfFour<Real>::type;
  Row sum[4 * columns] = {};
  for (int tile = 0; tile < count; ++tile, strip += 16 * columns, x += 16) {
    for (int i = 0; i < 4; ++i) {
      const Row row = *reinterpret_cast<const Row*>(x + 4 * i);
      for (int column = 0; column < columns; ++column) {
        for (int k = 0; k < 4; ++k) {
          sum[4 * column + k] += strip[16 * column + 4 * i + k] * row;
        }
      }
    }
  }
  for (int k = 0; k < 4 * columns; ++k) *reinterpret_cast<Row*>(out + 4 * k) = sum[k];
}

#ifdef __AVX512F__

/// Entry k of each of the tile's four rows, four times side by side.
template <int k>
__m512 spread(__m512 tile) {
  return _mm512_permute_ps(tile, k * 0x55);
}

/// One row four times.
inline __m512 repeat(const float* row) { return _mm512_broadcast_f32x4(_mm_loadu_ps(row)); }

/// Sum of the four rows.
inline __m128 add_rows(__m512 v) {
  return _mm_add_ps(_mm_add_ps(_mm512_castps512_ps128(v), _mm512_extractf32x4_ps(v, 1)),
                    _mm_add_ps(_mm512_extractf32x4_ps(v, 2), _mm512_extractf32x4_ps(v, 3)));
}

template <int columns>
void multiply_strip_4(const float* strip, int count, const float* b, float* out) {
  __m512 row[4 * columns];
  for (int k = 0; k < 4 * columns; ++k) row[k] = repeat(b + 4 * k);
  for (int tile = 0; tile < count; ++tile, strip += 16 * columns, out += 16) {
    const __m512 t = _mm512_loadu_ps(strip);
    __m512 sum = _mm512_loadu_ps(out);
    sum = _mm512_fmadd_ps(spread<0>(t), row[0], sum);
    sum = _mm512_fmadd_ps(spread<1>(t), row[1], sum);
    sum = _mm512_fmadd_ps(spread<2>(t), row[2], sum);
    sum = _mm512_fmadd_ps(spread<3>(t), row[3], sum);
    if constexpr (columns == 2) {
      const __m512 u = _mm512_loadu_ps(strip + 16);
      __m512 other = _mm512_mul_ps(spread<0>(u), row[4]);
      other = _mm512_fmadd_ps(spread<1>(u), row[5], other);
      other = _mm512_fmadd_ps(spread<2>(u), row[6], other);
      other = _mm512_fmadd_ps(spread<3>(u), row[7], other);
      sum = _mm512_add_ps(sum, other);
    }
    _mm512_storeu_ps(out, sum);
  }
}

template <int columns>
void multiply_transposed_strip_4(const float* strip, int count, const float* x, float* out) {
  __m512 sum[4 * columns];
  for (__m512& s : sum) s = _mm512_setzero_ps();
  for (int tile = 0; tile < count; ++tile, strip += 16 * columns, x += 16) {
    const __m512 rows = _mm512_loadu_ps(x);
    for (int column = 0; column < columns; ++column) {
      const __m512 t = _mm512_loadu_ps(strip + 16 * column);
      __m512* const to = sum + 4 * column;
      to[0] = _mm512_fmadd_ps(spread<0>(t), rows, to[0]);
      to[1] = _mm512_fmadd_ps(spread<1>(t), rows, to[1]);
      to[2] = _mm512_fmadd_ps(spread<2>(t), rows, to[2]);
      to[3] = _mm512_fmadd_ps(spread<3>(t), rows, to[3]);
    }
  }
  for (int k = 0; k < 4 * columns; ++k) _mm_storeu_ps(out + 4 * k, add_rows(sum[k]));
}

#endif

/// to -= from, one row.
template <int sides, class Real>
void subtract_row(const Real* from, Real* to) {
  if constexpr (sides == 4) {
    using Row = typename RowOfFour<Real>::type;
    *reinterpret_cast<Row*>(to) -= *reinterpret_cast<const Row*>(from);
  } else {
    for (int c = 0; c < sides; ++c) to[c] -= from[c];
  }
}

/// to = -from, one row.
template <int sides, class Real>
void negate_row(const Real* from, Real* to) {
  if constexpr (sides == 4) {
    using Row = typename RowOfFour<Real>::type;
    *reinterpret_cast<Row*>(to) = -*reinterpret_cast<const Row*>(from);
  } else {
    for (int c = 0; c < sides; ++c) to[c] = -from[c];
  }
}

template <int columns, int sides, class Real>
void multiply_strip(const Real* strip, int count, const Real* b, Real* out) {
  if constexpr (sides == 4) {
    multiply_strip_4<columns>(strip, count, b, out);
  } else {
    multiply_strip_any<columns, sides>(strip, count, b, out);
  }
}

template <int columns, int sides, class Real>
void multiply_transposed_strip(const Real* strip, int count, const Real* x, Real* out) {
  if constexpr (sides == 4) {
    multiply_transposed_strip_4<columns>(strip, count, x, out);
  } else {
    multiply_transposed_strip_any<columns, sides>(strip, count, x, out);
  }
}

/// Calls work(tiles side by side, the strip's first tile, its column of tiles) for a panel's
/// strips.
template <class Real, class Work>
void for_strips(const Real* panel, int columns, int count, const Work& work) {
  int column = 0;
  for (; column + 1 < columns; column += 2) {
    work(std::integral_constant<int, 2>(), panel, column);
    panel += std::ptrdiff_t{32} * (count - column);
  }
  if (column < columns) work(std::integral_constant<int, 1>(), panel, column);
}

}  // namespace SUPPLE_SIMD

}  // namespace supple::detail
