#pragma once

#include <algorithm>
#include <cstddef>

namespace supple::detail {

/// A row of one or four right-hand sides. The vector typedef stands in a trait of its own because a
/// template argument would lose its attributes.
template <int sides>
struct RowOf {
  using type = double;
};
template <>
struct RowOf<4> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};

/// A lower triangular factor L, column after column, the diagonal entry first in each.
struct LowerFactor {
  int n;
  const int* start;                ///< [n + 1]
  const int* row;                  ///< [start[n]]
  const double* value;             ///< [start[n]]
  const double* inverse_diagonal;  ///< [n]
};

/// L L^T x = b for one or four interleaved right-hand sides; b and x may be the same place.
template <int sides>
void substitute(const LowerFactor& factor, const double* b, double* x) {
  using Row = typename RowOf<sides>::type;
  const auto [n, start, row, value, inverse_diagonal] = factor;
  if (x != b) std::copy(b, b + static_cast<std::ptrdiff_t>(n) * sides, x);
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

}  // namespace supple::detail
