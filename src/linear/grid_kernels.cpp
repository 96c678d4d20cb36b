#include "linear/grid_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

/// A row of four sides.
typedef float Row __attribute__((vector_size(16), aligned(4), may_alias));

const Row& row_of(const float* x, int i) {
  return *reinterpret_cast<const Row*>(x + std::ptrdiff_t{4} * i);
}
Row& row_of(float* x, int i) { return *reinterpret_cast<Row*>(x + std::ptrdiff_t{4} * i); }

typedef std::uint32_t Words __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::uint16_t Lower __attribute__((may_alias));
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of a word comes first");

/// Entry k of four entries, repeated four times.
template <int k>
Row spread(Words four) {
  return reinterpret_cast<Row>(__builtin_shufflevector(four, four, k, k, k, k));
}

/// The row of x for the column in the lower half of a word. The column is read from memory, since
/// extracting it from a vector would move it from one kind of register to the other.
const Row& row_at(const float* x, const std::uint32_t* word) {
  return row_of(x, *reinterpret_cast<const Lower*>(word));
}

/// Calls store(i, (M x)_i) for the rows of some slices.
template <class Store>
void for_rows(const RowSlices& M, int first, int last, const float* x, const Store& store) {
  for (int s = first; s < last; ++s) {
    const int* const row = M.row + std::ptrdiff_t{4} * s;
    const std::ptrdiff_t begin = std::ptrdiff_t{4} * M.start[s];
    const std::ptrdiff_t end = std::ptrdiff_t{4} * M.start[s + 1];
    Row p = {0, 0, 0, 0}, q = p, r = p, t = p;
    if (M.word != nullptr) {
      const float* const own = M.diagonal + std::ptrdiff_t{4} * s;
      p = own[0] * row_of(x, row[0]);
      q = own[1] * row_of(x, row[1]);
      r = own[2] * row_of(x, row[2]);
      t = own[3] * row_of(x, row[3]);
      for (std::ptrdiff_t e = begin; e < end; e += 4) {
        const std::uint32_t* const word = M.word + e;
        const Words four = *reinterpret_cast<const Words*>(word) & 0xffff0000U;
        p += spread<0>(four) * row_at(x, word);
        q += spread<1>(four) * row_at(x, word + 1);
        r += spread<2>(four) * row_at(x, word + 2);
        t += spread<3>(four) * row_at(x, word + 3);
      }
    } else {
      for (std::ptrdiff_t e = begin; e < end; e += 4) {
        p += M.value[e] * row_of(x, M.column[e]);
        q += M.value[e + 1] * row_of(x, M.column[e + 1]);
        r += M.value[e + 2] * row_of(x, M.column[e + 2]);
        t += M.value[e + 3] * row_of(x, M.column[e + 3]);
      }
    }
    store(row[0], p);
    store(row[1], q);
    store(row[2], r);
    store(row[3], t);
  }
}

void load(const double* b, const double* scale, double factor, int count, float* y) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const double own = scale[i] * factor;
    for (int c = 0; c < 4; ++c) y[4 * i + c] = static_cast<float>(own * b[4 * i + c]);
  }
}

void combine(const RowSlices& M, int first, int last, const float* x, const float* y, float a,
             float b, float c, float* to) {
  for_rows(M, first, last, x, [&](int i, const Row& product) {
    row_of(to, i) = a * row_of(x, i) + (b * row_of(y, i) + c * product);
  });
}

void finish(const RowSlices& M, int first, int last, const float* x, const float* y, float c,
            const double* scale, double factor, double* to) {
  for_rows(M, first, last, x, [&](int i, const Row& product) {
    const Row value = row_of(x, i) + c * (row_of(y, i) - product);
    const double own = scale[i] * factor;
    double* const place = to + std::ptrdiff_t{4} * i;
    for (int side = 0; side < 4; ++side) place[side] = own * static_cast<double>(value[side]);
  });
}

void restrict_to(const RowSlices& M, int first, int last, const float* x, double* to) {
  for_rows(M, first, last, x, [&](int i, const Row& product) {
    double* const place = to + std::ptrdiff_t{4} * i;
    for (int side = 0; side < 4; ++side) place[side] = static_cast<double>(product[side]);
  });
}

void prolong(const RowSlices& M, int first, int last, const float* x, const float* y, float* to) {
  for_rows(M, first, last, x,
           [&](int i, const Row& product) { row_of(to, i) = row_of(y, i) + product; });
}

}  // namespace

const GridKernels grid_table{load, combine, finish, restrict_to, prolong};

}  // namespace SUPPLE_SIMD

}  // namespace supple
