#include "linear/float_front.h"

#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

#ifdef __AVX512F__
constexpr int lanes = 16;
/// Slices and columns whose products are summed at once, as many as the registers allow.
constexpr int slices_at_once = 3, columns_at_once = 8;
#elif defined(__AVX2__)
constexpr int lanes = 8;
constexpr int slices_at_once = 1, columns_at_once = 4;
#else
constexpr int lanes = 4;
constexpr int slices_at_once = 1, columns_at_once = 2;
#endif
constexpr int slice = FloatFront::slice, vectors = slice / lanes;
/// Columns whose products are added to a tile before the next tile has its turn, so that what the
/// tiles read stays in the L1 cache.
constexpr int most_products = 128;

typedef float Lanes __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

inline Lanes load(const float* from) { return *reinterpret_cast<const Lanes*>(from); }
inline void store(Lanes value, float* to) { *reinterpret_cast<Lanes*>(to) = value; }
/// A difference, since a sum with 0 could turn -0 into 0, so the compiler would keep the addition.
inline Lanes all(float value) { return value - Lanes{}; }

/// Tiles of 8 columns, one for each of `count` slices, -= A B^T, or = -A B^T. a: the columns of the
/// first slice; further slices are `stride` apart. b: the columns of another slice, which has the
/// rows of B.
template <int count, bool add>
inline void subtract_columns(const float* a, std::ptrdiff_t stride, const float* b,
                             int num_products, float* const* tiles, int first_column) {
  constexpr int columns = columns_at_once;
  Lanes sum[count][vectors][columns];
  const auto place = [&](int s, int v, int c) {
    return tiles[s] + slice * (first_column + c) + lanes * v;
  };
  for (int s = 0; s < count; ++s) {
    for (int v = 0; v < vectors; ++v) {
      for (int c = 0; c < columns; ++c) sum[s][v][c] = add ? load(place(s, v, c)) : Lanes{};
    }
  }
  for (int k = 0; k < num_products; ++k, a += slice, b += slice) {
    Lanes row[count][vectors];
    for (int s = 0; s < count; ++s) {
      for (int v = 0; v < vectors; ++v) row[s][v] = load(a + s * stride + lanes * v);
    }
    for (int c = 0; c < columns; ++c) {
      const Lanes factor = all(b[first_column + c]);
      for (int s = 0; s < count; ++s) {
        for (int v = 0; v < vectors; ++v) sum[s][v][c] -= row[s][v] * factor;
      }
    }
  }
  for (int s = 0; s < count; ++s) {
    for (int v = 0; v < vectors; ++v) {
      for (int c = 0; c < columns; ++c) store(sum[s][v][c], place(s, v, c));
    }
  }
}

template <int count, bool add>
void subtract_products(const float* a, std::ptrdiff_t stride, const float* b, int num_products,
                       float* const* tiles) {
  for (int c = 0; c < FloatFront::columns; c += columns_at_once) {
    subtract_columns<count, add>(a, stride, b, num_products, tiles, c);
  }
}

/// The same for `count` slices, at most `slices_at_once`.
template <bool add>
void subtract_products(int count, const float* a, std::ptrdiff_t stride, const float* b,
                       int num_products, float* const* tiles) {
  if constexpr (slices_at_once == 3) {
    if (count == 3) return subtract_products<3, add>(a, stride, b, num_products, tiles);
    if (count == 2) return subtract_products<2, add>(a, stride, b, num_products, tiles);
  }
  subtract_products<1, add>(a, stride, b, num_products, tiles);
}

/// Cholesky of the eight columns at `tile`, whose first row on the diagonal is `row`, including the
/// rows below in this slice. Rows above the diagonal become zero.
bool eliminate_diagonal(float* tile, int row) {
  for (int c = 0; c < FloatFront::columns; ++c) {
    float* const column = tile + slice * c;
    const float pivot = column[row + c];
    if (!(pivot > 0) || !__builtin_isfinite(pivot)) return false;
    const float inverse = 1 / __builtin_sqrtf(pivot);
    for (int v = 0; v < slice; v += lanes) store(load(column + v) * all(inverse), column + v);
    for (int d = c + 1; d < FloatFront::columns; ++d) {
      const Lanes factor = all(column[row + d]);
      float* const other = tile + slice * d;
      for (int v = 0; v < slice; v += lanes) {
        store(load(other + v) - load(column + v) * factor, other + v);
      }
    }
    column[row + c] = inverse;
  }
  for (int c = 0; c < FloatFront::columns; ++c) {
    for (int i = 0; i < row + c; ++i) tile[slice * c + i] = 0;
  }
  return true;
}

/// Solves X L^T = tile for a slice below, where L is the eight columns at `diagonal`.
void solve_tile(const float* diagonal, int row, float* tile) {
  for (int v = 0; v < slice; v += lanes) {
    Lanes x[FloatFront::columns];
    for (int c = 0; c < FloatFront::columns; ++c) x[c] = load(tile + slice * c + v);
    for (int c = 0; c < FloatFront::columns; ++c) {
      const float* const column = diagonal + slice * c + row;
      x[c] *= all(column[c]);
      for (int d = c + 1; d < FloatFront::columns; ++d) x[d] -= x[c] * all(column[d]);
    }
    for (int c = 0; c < FloatFront::columns; ++c) store(x[c], tile + slice * c + v);
  }
}

/// Goes over groups of slices, each from its first to its last column, so that they stay in the L1
/// cache.
bool eliminate(const FloatFront& front) {
  const std::ptrdiff_t stride = std::ptrdiff_t{slice} * front.num_columns;
  for (int first = 0; first < front.slices; first += slices_at_once) {
    const int end = first + slices_at_once < front.slices ? first + slices_at_once : front.slices;
    for (int column = 0; column < front.num_columns; column += FloatFront::columns) {
      const int of_diagonal = column / slice, row = column % slice;
      if (of_diagonal >= end) break;
      const float* const diagonal = front.panel + of_diagonal * stride;
      const int top = of_diagonal > first ? of_diagonal : first;
      float* tiles[slices_at_once];
      for (int s = top; s < end; ++s) tiles[s - top] = front.panel + s * stride + slice * column;
      if (column > 0) {
        subtract_products<true>(end - top, front.panel + top * stride, stride, diagonal + row,
                                column, tiles);
      }
      const bool is_diagonal = top == of_diagonal;
      if (is_diagonal && !eliminate_diagonal(tiles[0], row)) return false;
      for (int s = is_diagonal ? 1 : 0; s < end - top; ++s) {
        solve_tile(diagonal + slice * column, row, tiles[s]);
      }
    }
  }
  return true;
}

void leave(const FloatFront& front, float* left) {
  const std::ptrdiff_t stride = std::ptrdiff_t{slice} * front.num_columns;
  const float* const below = front.panel + front.own_slices * stride;
  const int slices = front.slices - front.own_slices;
  for (int first = 0; first < slices; first += slices_at_once) {
    const int end = first + slices_at_once < slices ? first + slices_at_once : slices;
    for (int done = 0; done < front.num_columns; done += most_products) {
      const int products =
          done + most_products < front.num_columns ? most_products : front.num_columns - done;
      for (int column = 0; column < slice * end; column += FloatFront::columns) {
        const int of_column = column / slice;
        const int top = of_column > first ? of_column : first;
        float* tiles[slices_at_once];
        for (int s = top; s < end; ++s) {
          tiles[s - top] = left + FloatFront::left_start(s) + slice * std::ptrdiff_t{column};
        }
        const float* const a = below + top * stride + slice * done;
        const float* const b = below + of_column * stride + slice * done + column % slice;
        if (done > 0) {
          subtract_products<true>(end - top, a, stride, b, products, tiles);
        } else {
          subtract_products<false>(end - top, a, stride, b, products, tiles);
        }
      }
    }
  }
}

/// Moves the rows of one vector of a child to one vector of its parent's front.
struct Moves {
  std::int32_t source[lanes] = {};    ///< the child's lane for each lane of the front
  std::int32_t is_taken[lanes] = {};  ///< all bits set if there is such a lane
};

/// to(column) += from(column) with moved lanes, for columns first .. last - 1.
template <class From, class To>
void add_moved(const Moves& moves, int first, int last, const From& from, const To& to) {
#ifdef __AVX512F__
  const __m512i source = _mm512_loadu_si512(moves.source);
  const __mmask16 mask = _mm512_movepi32_mask(_mm512_loadu_si512(moves.is_taken));
  for (int column = first; column < last; ++column) {
    const __m512 moved = _mm512_maskz_permutexvar_ps(mask, source, _mm512_loadu_ps(from(column)));
    float* const sum = to(column);
    _mm512_storeu_ps(sum, _mm512_add_ps(_mm512_loadu_ps(sum), moved));
  }
#elif defined(__AVX2__)
  const __m256i source = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(moves.source));
  const __m256 taken = _mm256_loadu_ps(reinterpret_cast<const float*>(moves.is_taken));
  for (int column = first; column < last; ++column) {
    const __m256 moved = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from(column)), source);
    float* const sum = to(column);
    _mm256_storeu_ps(sum, _mm256_add_ps(_mm256_loadu_ps(sum), _mm256_and_ps(moved, taken)));
  }
#else
  for (int column = first; column < last; ++column) {
    const float* const value = from(column);
    float* const sum = to(column);
    for (int l = 0; l < lanes; ++l) {
      if (moves.is_taken[l] != 0) sum[l] += value[moves.source[l]];
    }
  }
#endif
}

void add(const LeftOfChild& child, int first, int last, const FloatFront& front, bool to_left,
         float* to) {
  const int before = to_left ? slice * front.own_slices : 0;
  const std::ptrdiff_t stride = std::ptrdiff_t{slice} * front.num_columns;
  const auto vector_of = [&](int row) { return row % slice / lanes * lanes; };
  for (int row = first; row < child.num_rows;) {
    const int place = child.places[row] - before;
    const float* const from = child.left + FloatFront::left_start(row / slice) + vector_of(row);
    float* const sum = to + vector_of(place) +
                       (to_left ? FloatFront::left_start(place / slice) : place / slice * stride);
    Moves moves;
    const int child_vector = row / lanes, front_vector = place / lanes;
    for (; row < child.num_rows; ++row) {
      const int next = child.places[row] - before;
      if (row / lanes != child_vector || next / lanes != front_vector) break;
      moves.source[next % lanes] = row % lanes;
      moves.is_taken[next % lanes] = -1;
    }
    // Rows above the diagonal of a column are added too if they are in the same vectors. Nobody
    // reads the result there.
    add_moved(
        moves, first, row < last ? row : last,
        [&](int column) { return from + std::ptrdiff_t{slice} * column; },
        [&](int column) { return sum + std::ptrdiff_t{slice} * (child.places[column] - before); });
  }
}

/// t = L^-1 t for one slice on the diagonal.
void solve_diagonal(const float* diagonal, int num_columns, float* t) {
  for (int c = 0; c < num_columns; ++c) {
    const float* const column = diagonal + slice * c;
    const float x = t[c] * column[c];
    for (int v = 0; v < slice; v += lanes) store(load(t + v) - load(column + v) * all(x), t + v);
    t[c] = x;
  }
}

constexpr int rows_at_once = 4;  // slices

void forwards(const FloatFront& front, float* t) {
  const std::ptrdiff_t stride = std::ptrdiff_t{slice} * front.num_columns;
  const auto subtract = [&](auto count, int first, int num_products) {
    Lanes sum[count()][vectors];
    const float* const rows = front.panel + first * stride;
    for (int s = 0; s < count(); ++s) {
      for (int v = 0; v < vectors; ++v) sum[s][v] = load(t + slice * (first + s) + lanes * v);
    }
    for (int k = 0; k < num_products; ++k) {
      const Lanes x = all(t[k]);
      for (int s = 0; s < count(); ++s) {
        for (int v = 0; v < vectors; ++v) {
          sum[s][v] -= load(rows + s * stride + slice * k + lanes * v) * x;
        }
      }
    }
    for (int s = 0; s < count(); ++s) {
      for (int v = 0; v < vectors; ++v) store(sum[s][v], t + slice * (first + s) + lanes * v);
    }
  };
  struct One {
    constexpr int operator()() const { return 1; }
  };
  struct Several {
    constexpr int operator()() const { return rows_at_once; }
  };
  for (int s = 0; s < front.own_slices; ++s) {
    const int left = front.num_columns - slice * s;
    subtract(One(), s, slice * s);
    solve_diagonal(front.panel + s * stride + slice * slice * s, left < slice ? left : slice,
                   t + slice * s);
  }
  int s = front.own_slices;
  for (; s + rows_at_once <= front.slices; s += rows_at_once) {
    subtract(Several(), s, front.num_columns);
  }
  for (; s < front.slices; ++s) subtract(One(), s, front.num_columns);
}

/// t -= A^T x for eight columns, where A has `count` slices.
void subtract_transposed(const float* rows, std::ptrdiff_t stride, int count, const float* x,
                         float* t) {
  constexpr int columns = FloatFront::columns;
  Lanes sum[columns][vectors] = {};
  for (int s = 0; s < count; ++s, rows += stride, x += slice) {
    for (int v = 0; v < vectors; ++v) {
      const Lanes row = load(x + lanes * v);
      for (int c = 0; c < columns; ++c) sum[c][v] += load(rows + slice * c + lanes * v) * row;
    }
  }
  for (int c = 0; c < columns; ++c) {
    float total = 0;
    for (int v = 0; v < vectors; ++v) {
      for (int l = 0; l < lanes; ++l) total += sum[c][v][l];
    }
    t[c] -= total;
  }
}

void backwards(const FloatFront& front, float* t) {
  const std::ptrdiff_t stride = std::ptrdiff_t{slice} * front.num_columns;
  for (int column = front.num_columns - FloatFront::columns; column >= 0;
       column -= FloatFront::columns) {
    const int s = column / slice, row = column % slice;
    const float* const diagonal = front.panel + s * stride + slice * column;
    subtract_transposed(diagonal + stride, stride, front.slices - s - 1, t + slice * (s + 1),
                        t + column);
    float* const own = t + slice * s;
    for (int c = FloatFront::columns - 1; c >= 0; --c) {
      float sum = own[row + c];
      for (int i = row + c + 1; i < slice; ++i) sum -= diagonal[slice * c + i] * own[i];
      own[row + c] = sum * diagonal[slice * c + row + c];
    }
  }
}

}  // namespace

const FloatFrontKernels float_front_table{eliminate, leave, add, forwards, backwards};

}  // namespace SUPPLE_SIMD

}  // namespace supple
