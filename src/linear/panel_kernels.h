#pragma once

#include <cstddef>
#include <type_traits>

#include "base/simd_level.h"

namespace supple::detail {

inline namespace SUPPLE_SIMD {

/// Number of tiles of four that hold this many rows or columns.
constexpr int tiles(int count) { return (count + 3) / 4; }

// Products of a supernode's panel with a few right-hand sides. The panel is cut into tiles of 4 x
// 4, row-major. Columns are taken two tiles at a time (a strip). The tiles of a strip are stored
// side by side, row after row of tiles. Right-hand sides are interleaved: entry c of row i is at
// [sides * i + c].

/// out += strip * b for any number of sides: b has the 4 * columns rows of the strip, out has 4 *
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

/// out = strip^T * x for any number of sides: x has 4 * count rows, out has the 4 * columns of the
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

/// Four right-hand sides of a row. It serves two loops over a tile, without which the compiler
/// shuffles tiles back and forth.
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
        // A separate chain, so it need not wait for the sum above.
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

/// Calls work(number of tiles side by side, the strip's first tile, its column of tiles) for each
/// strip of a panel.
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
