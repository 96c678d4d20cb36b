#include "linear/sparse_kernels.h"

#include <cstddef>

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

/// A row of one or four right-hand sides. The vector typedef is in a trait of its own because a
/// template argument would lose its attributes.
template <int sides>
struct RowOf {
  using type = double;
};
#ifdef __AVX__
template <>
struct RowOf<4> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};
#else
/// If registers hold two numbers, g++ splits wider vectors into single entries.
struct TwoHalves {
  typedef double Half __attribute__((vector_size(16), aligned(8), may_alias));
  Half lo, hi;

  TwoHalves& operator+=(const TwoHalves& b) { return lo += b.lo, hi += b.hi, *this; }
  TwoHalves& operator-=(const TwoHalves& b) { return lo -= b.lo, hi -= b.hi, *this; }
  friend TwoHalves operator+(const TwoHalves& a, const TwoHalves& b) {
    return {a.lo + b.lo, a.hi + b.hi};
  }
  friend TwoHalves operator*(const TwoHalves& a, double s) { return {a.lo * s, a.hi * s}; }
  friend TwoHalves operator*(double s, const TwoHalves& a) { return {s * a.lo, s * a.hi}; }
} __attribute__((may_alias));
template <>
struct RowOf<4> {
  using type = TwoHalves;
};
#endif

template <int sides>
void substitute_in(const LowerFactor& factor, const double* b, double* x) {
  using Row = typename RowOf<sides>::type;
  const auto [n, start, row, value, inverse_diagonal] = factor;
  if (x != b) {
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{sides} * n; ++i) x[i] = b[i];
  }
  Row* y = reinterpret_cast<Row*>(x);
  // L y = b, column by column.
  for (int j = 0; j < n; ++j) {
    const Row yj = y[j] * inverse_diagonal[j];
    y[j] = yj;
    for (int k = start[j] + 1; k < start[j + 1]; ++k) y[row[k]] -= value[k] * yj;
  }
  // L^T x = y.
  for (int j = n - 1; j >= 0; --j) {
    Row sum = y[j];
    for (int k = start[j] + 1; k < start[j + 1]; ++k) sum -= value[k] * y[row[k]];
    y[j] = sum * inverse_diagonal[j];
  }
}

void substitute(const LowerFactor& factor, int sides, const double* b, double* x) {
  if (sides == 4) {
    substitute_in<4>(factor, b, x);
  } else {
    substitute_in<1>(factor, b, x);
  }
}

template <int sides>
void multiply_in(const SparseRows& matrix, int first, int last, const double* x, double* y) {
  using Row = typename RowOf<sides>::type;
  const Row* from = reinterpret_cast<const Row*>(x);
  Row* to = reinterpret_cast<Row*>(y);
  for (int i = first; i < last; ++i) {
    // Two sums hide the latency of the additions.
    Row even{}, odd{};
    std::int64_t e = matrix.start[i];
    const std::int64_t end = matrix.start[i + 1];
    for (; e + 2 <= end; e += 2) {
      even += matrix.value[e] * from[matrix.column[e]];
      odd += matrix.value[e + 1] * from[matrix.column[e + 1]];
    }
    if (e < end) even += matrix.value[e] * from[matrix.column[e]];
    to[i] = even + odd;
  }
}

/// Three rows with the same columns. Each sum is computed as on its own, but none waits for its own
/// additions.
void multiply_three(const SparseRows& matrix, int i, const double* x, double* y) {
  const std::int64_t start = matrix.start[i], size = matrix.start[i + 1] - start;
  const int* const column = matrix.column + start;
  const double* const value[3] = {matrix.value + start, matrix.value + start + size,
                                  matrix.value + start + 2 * size};
  double even[3] = {}, odd[3] = {};
  std::int64_t e = 0;
  for (; e + 2 <= size; e += 2) {
    const double of_even = x[column[e]], of_odd = x[column[e + 1]];
    for (int r = 0; r < 3; ++r) {
      even[r] += value[r][e] * of_even;
      odd[r] += value[r][e + 1] * of_odd;
    }
  }
  for (int r = 0; r < 3; ++r) {
    if (e < size) even[r] += value[r][e] * x[column[e]];
    y[i + r] = even[r] + odd[r];
  }
}

void multiply_in_threes(const SparseRows& matrix, int first, int last, const double* x, double* y) {
  while (first < last) {
    if (first % 3 == 0 && first + 3 <= last) {
      multiply_three(matrix, first, x, y);
      first += 3;
    } else {
      multiply_in<1>(matrix, first, first + 1, x, y);
      ++first;
    }
  }
}

void multiply(const SparseRows& matrix, int sides, int first, int last, const double* x,
              double* y) {
  if (sides == 1 && matrix.in_threes) {
    multiply_in_threes(matrix, first, last, x, y);
  } else if (sides == 4) {
    multiply_in<4>(matrix, first, last, x, y);
  } else {
    multiply_in<1>(matrix, first, last, x, y);
  }
}

}  // namespace

const SparseKernels sparse_table{substitute, multiply};

}  // namespace SUPPLE_SIMD

}  // namespace supple
