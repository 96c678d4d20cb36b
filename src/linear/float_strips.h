#pragma once

#include <cstddef>

#include "linear/panel_kernels.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/// The substitutions with four right-hand sides and a panel of floats (panels.h): from y to y,
/// strip by strip, with as little overhead as possible. Most supernodes have one strip of few
/// tiles, so the work around the products used to take as long as the products.
namespace supple::detail {

inline namespace SUPPLE_SIMD {

/// Four rows of four sides: what a tile is multiplied by, and the product.
#ifdef __AVX512F__

using FourRows = __m512;
using OneRow = __m128;

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

inline FourRows load_rows(const float* y) { return _mm512_loadu_ps(y); }
inline FourRows gather_rows(const int* rows, const float* all) {
  const auto row = [&](int i) { return _mm_loadu_ps(all + std::ptrdiff_t{4} * rows[i]); };
  const __m512 two = _mm512_insertf32x4(_mm512_castps128_ps512(row(0)), row(1), 1);
  return _mm512_insertf32x4(_mm512_insertf32x4(two, row(2), 2), row(3), 3);
}
template <int i>
OneRow row_of(FourRows tile) {
  return _mm512_extractf32x4_ps(tile, i);
}
inline void store_all(FourRows rows, float* y) { _mm512_storeu_ps(y, rows); }
inline void store_row(OneRow row, float* y) { _mm_storeu_ps(y, row); }
inline void subtract_row(OneRow row, float* y) {
  _mm_storeu_ps(y, _mm_sub_ps(_mm_loadu_ps(y), row));
}

/// Rows of y by which the columns of tiles are multiplied.
template <int columns>
struct RowsOfStrip {
  __m512 row[4 * columns];

  explicit RowsOfStrip(const float* y) {
    for (int k = 0; k < 4 * columns; ++k) row[k] = repeat(y + 4 * k);
  }
  /// The product with tiles side by side, added to `sum`.
  FourRows times(const float* tiles, FourRows sum = _mm512_setzero_ps()) const {
    const __m512 t = _mm512_loadu_ps(tiles);
    sum = _mm512_fmadd_ps(spread<0>(t), row[0], sum);
    sum = _mm512_fmadd_ps(spread<1>(t), row[1], sum);
    sum = _mm512_fmadd_ps(spread<2>(t), row[2], sum);
    sum = _mm512_fmadd_ps(spread<3>(t), row[3], sum);
    if constexpr (columns == 2) {
      const __m512 u = _mm512_loadu_ps(tiles + 16);
      __m512 other = _mm512_mul_ps(spread<0>(u), row[4]);
      other = _mm512_fmadd_ps(spread<1>(u), row[5], other);
      other = _mm512_fmadd_ps(spread<2>(u), row[6], other);
      other = _mm512_fmadd_ps(spread<3>(u), row[7], other);
      sum = _mm512_add_ps(sum, other);
    }
    return sum;
  }
};

/// Sums of the columns of a strip.
template <int columns>
struct SumsOfStrip {
  __m512 sum[4 * columns];

  SumsOfStrip() {
    for (__m512& s : sum) s = _mm512_setzero_ps();
  }
  void add(const float* tiles, FourRows rows) {
    for (int c = 0; c < columns; ++c) {
      const __m512 t = _mm512_loadu_ps(tiles + 16 * c);
      sum[4 * c] = _mm512_fmadd_ps(spread<0>(t), rows, sum[4 * c]);
      sum[4 * c + 1] = _mm512_fmadd_ps(spread<1>(t), rows, sum[4 * c + 1]);
      sum[4 * c + 2] = _mm512_fmadd_ps(spread<2>(t), rows, sum[4 * c + 2]);
      sum[4 * c + 3] = _mm512_fmadd_ps(spread<3>(t), rows, sum[4 * c + 3]);
    }
  }
  void subtract(const float* tiles, FourRows rows) {
    for (int c = 0; c < columns; ++c) {
      const __m512 t = _mm512_loadu_ps(tiles + 16 * c);
      sum[4 * c] = _mm512_fnmadd_ps(spread<0>(t), rows, sum[4 * c]);
      sum[4 * c + 1] = _mm512_fnmadd_ps(spread<1>(t), rows, sum[4 * c + 1]);
      sum[4 * c + 2] = _mm512_fnmadd_ps(spread<2>(t), rows, sum[4 * c + 2]);
      sum[4 * c + 3] = _mm512_fnmadd_ps(spread<3>(t), rows, sum[4 * c + 3]);
    }
  }
  OneRow total(int k) const { return add_rows(sum[k]); }
};

#else

using OneRow = RowOfFour<float>::type;
struct FourRows {
  OneRow row[4] = {};
};

inline FourRows load_rows(const float* y) {
  FourRows rows;
  for (int i = 0; i < 4; ++i) {
    rows.row[i] = *reinterpret_cast<const OneRow*>(y + 4 * i);
  }
  return rows;
}
inline FourRows gather_rows(const int* rows, const float* all) {
  FourRows found;
  for (int i = 0; i < 4; ++i) {
    found.row[i] = *reinterpret_cast<const OneRow*>(all + std::ptrdiff_t{4} * rows[i]);
  }
  return found;
}
template <int i>
OneRow row_of(const FourRows& tile) {
  return tile.row[i];
}
inline void store_all(const FourRows& rows, float* y) {
  for (int i = 0; i < 4; ++i) *reinterpret_cast<OneRow*>(y + 4 * i) = rows.row[i];
}
inline void store_row(OneRow row, float* y) { *reinterpret_cast<OneRow*>(y) = row; }
inline void subtract_row(OneRow row, float* y) { *reinterpret_cast<OneRow*>(y) -= row; }

template <int columns>
struct RowsOfStrip {
  OneRow row[4 * columns];

  explicit RowsOfStrip(const float* y) {
    for (int k = 0; k < 4 * columns; ++k) {
      row[k] = *reinterpret_cast<const OneRow*>(y + 4 * k);
    }
  }
  FourRows times(const float* tiles, const FourRows& start = {}) const {
    FourRows product;
    for (int i = 0; i < 4; ++i) {
      auto sum = start.row[i];
      for (int k = 0; k < 4; ++k) sum += tiles[4 * i + k] * row[k];
      if constexpr (columns == 2) {
        auto other = tiles[16 + 4 * i] * row[4];
        for (int k = 1; k < 4; ++k) other += tiles[16 + 4 * i + k] * row[4 + k];
        sum += other;
      }
      product.row[i] = sum;
    }
    return product;
  }
};

template <int columns>
struct SumsOfStrip {
  OneRow sum[4 * columns] = {};

  void add(const float* tiles, const FourRows& rows) {
    for (int i = 0; i < 4; ++i) {
      for (int c = 0; c < columns; ++c) {
        for (int k = 0; k < 4; ++k) sum[4 * c + k] += tiles[16 * c + 4 * i + k] * rows.row[i];
      }
    }
  }
  void subtract(const float* tiles, const FourRows& rows) {
    for (int i = 0; i < 4; ++i) {
      for (int c = 0; c < columns; ++c) {
        for (int k = 0; k < 4; ++k) sum[4 * c + k] -= tiles[16 * c + 4 * i + k] * rows.row[i];
      }
    }
  }
  OneRow total(int k) const { return sum[k]; }
};

#endif

/// Stores the first `count` rows of a tile.
inline void store_rows(const FourRows& tile, int count, float* y) {
  if (count > 0) store_row(row_of<0>(tile), y);
  if (count > 1) store_row(row_of<1>(tile), y + 4);
  if (count > 2) store_row(row_of<2>(tile), y + 8);
  if (count > 3) store_row(row_of<3>(tile), y + 12);
}

inline void subtract_rows(const FourRows& tile, const int* rows, float* all) {
  const auto place = [&](int i) { return all + std::ptrdiff_t{4} * rows[i]; };
  subtract_row(row_of<0>(tile), place(0));
  subtract_row(row_of<1>(tile), place(1));
  subtract_row(row_of<2>(tile), place(2));
  subtract_row(row_of<3>(tile), place(3));
}

/// A supernode of a factor in floats, with four sides.
struct FloatNode {
  int width, columns;  ///< number of columns, and of tiles side by side
  const int *rows, *rows_end;
  float* y;    ///< its own rows; up to the end of the last tile, the rows that follow are
               ///< multiplied by zero
  float* all;  ///< all rows
};

/// A strip's part of y = L11^-1 y and of L21 L11^-1 y, which is subtracted from the rows below.
/// out: the sums of the previous strips.
template <int columns, bool first, bool last>
void forwards_strip(const float* strip, int column, const FloatNode& node, float* out) {
  const RowsOfStrip<columns> own(node.y + 16 * column);
  const auto product = [&] { return first ? own.times(strip) : own.times(strip, load_rows(out)); };
  if constexpr (last && !first) {
    for (int i = 0; i < 16 * column; ++i) node.y[i] = out[i];
  }
  if constexpr (!first) out += 16 * column;
  for (int t = column; t < node.columns; ++t, strip += 16 * columns, out += 16) {
    if constexpr (last) {
      store_rows(product(), node.width - 4 * t, node.y + 16 * t);
    } else {
      store_all(product(), out);
    }
  }
  for (const int* row = node.rows; row != node.rows_end; row += 4) {
    if constexpr (last) {
      subtract_rows(product(), row, node.all);
    } else {
      store_all(product(), out);
    }
    strip += 16 * columns;
    out += 16;
  }
}

/// A strip's rows of y = P^T (y, -x), where x are the rows below. in: those rows side by side, for
/// the strips after the first.
template <int columns, bool first, bool last>
void backwards_strip(const float* strip, int column, const FloatNode& node, float* in) {
  SumsOfStrip<columns> sums;
  for (int t = column; t < node.columns; ++t, strip += 16 * columns) {
    sums.add(strip, load_rows(node.y + 16 * t));
  }
  for (const int* row = node.rows; row != node.rows_end;
       row += 4, strip += 16 * columns, in += 16) {
    if constexpr (first) {
      const FourRows rows = gather_rows(row, node.all);
      if constexpr (!last) store_all(rows, in);
      sums.subtract(strip, rows);
    } else {
      sums.subtract(strip, load_rows(in));
    }
  }
  const int left = node.width - 4 * column;
  for (int k = 0; k < left && k < 4 * columns; ++k) {
    store_row(sums.total(k), node.y + 16 * column + 4 * k);
  }
}

}  // namespace SUPPLE_SIMD

}  // namespace supple::detail
