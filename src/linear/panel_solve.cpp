#include "linear/panel_solve.h"

#include <type_traits>

#include "linear/float_strips.h"
#include "linear/panel_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

using detail::for_strips;
using detail::tiles;

/// One supernode of a factor.
template <class Real>
struct Node {
  const Real* panel;
  int width, columns, count;  ///< number of columns, of tiles side by side, and of tiles in the
                              ///< rows
  const int* rows;            ///< rows below the diagonal block
  const int* rows_end;
  std::ptrdiff_t first;  ///< column

  Node(const FactorView<Real>& factor, int s)
      : panel(factor.panels + factor.panel_start[s]),
        width(factor.first[s + 1] - factor.first[s]),
        columns(tiles(width)),
        count(columns + (factor.row_start[s + 1] - factor.row_start[s]) / 4),
        rows(factor.rows + factor.row_start[s]),
        rows_end(factor.rows + factor.row_start[s + 1]),
        first(factor.first[s]) {}
};

template <class Real>
void copy(const Real* from, std::ptrdiff_t size, Real* to) {
  for (std::ptrdiff_t i = 0; i < size; ++i) to[i] = from[i];
}

/// Whether a supernode has nothing to subtract from the rows above it. A right-hand side with few
/// nonzero rows reaches only those above them in the elimination tree.
template <int sides, class Real>
bool is_idle(const FactorView<Real>& factor, int s, const Real* all) {
  const Real* const y = all + std::ptrdiff_t{sides} * factor.first[s];
  const std::ptrdiff_t size = std::ptrdiff_t{sides} * (factor.first[s + 1] - factor.first[s]);
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    if (!(y[i] == 0)) return false;
  }
  return true;
}

/// has_products: whether the lower part of a panel is L21 L11^-1 (panels.h).
template <int sides, bool has_products, class Real>
void forwards(const FactorView<Real>& factor, int s, Real* all, Real* scratch) {
  if (is_idle<sides>(factor, s, all)) return;
  const Node<Real> node(factor, s);
  const int columns = node.columns, count = node.count;
  constexpr std::ptrdiff_t tile = 4 * sides;
  const std::ptrdiff_t own = std::ptrdiff_t{sides} * node.width;
  Real* const y = all + sides * node.first;
  Real* const in = scratch;
  Real* const out = scratch + factor.scratch_half;
  copy(y, own, in);
  for (std::ptrdiff_t i = own; i < tile * columns; ++i) in[i] = 0;
  for (std::ptrdiff_t i = 0; i < tile * count; ++i) out[i] = 0;
  if constexpr (has_products) {
    for_strips(node.panel, columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel, count - column, in + tile * column,
                                             out + tile * column);
    });
    copy(out, own, y);
  } else {
    for_strips(node.panel, columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel, columns - column, in + tile * column,
                                             out + tile * column);
    });
    copy(out, own, y);
    for_strips(node.panel, columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel + 16 * strip() * (columns - column),
                                             count - columns, out + tile * column,
                                             out + tile * columns);
    });
  }
  const Real* from = out + tile * columns;
  for (const int* row = node.rows; row != node.rows_end; ++row, from += sides) {
    detail::subtract_row<sides>(from, all + std::ptrdiff_t{sides} * *row);
  }
}

template <int sides, bool has_products, class Real>
void backwards(const FactorView<Real>& factor, int s, Real* all, Real* scratch) {
  const Node<Real> node(factor, s);
  const int columns = node.columns, count = node.count;
  constexpr std::ptrdiff_t tile = 4 * sides;
  const std::ptrdiff_t own = std::ptrdiff_t{sides} * node.width;
  Real* const y = all + sides * node.first;
  Real* const in = scratch;
  copy(y, own, in);
  for (std::ptrdiff_t i = own; i < tile * columns; ++i) in[i] = 0;
  Real* to = in + tile * columns;
  for (const int* row = node.rows; row != node.rows_end; ++row, to += sides) {
    detail::negate_row<sides>(all + std::ptrdiff_t{sides} * *row, to);
  }
  /// Entries of a strip's columns; the last columns can be mere padding.
  const auto entries = [&](int strip, int column) {
    const int left = node.width - 4 * column;
    return std::ptrdiff_t{sides} * (left < 4 * strip ? left : 4 * strip);
  };
  Real out[2 * tile];
  int num_tiles = count;
  if constexpr (!has_products) {
    for_strips(node.panel, columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_transposed_strip<strip(), sides>(panel + 16 * strip() * (columns - column),
                                                        count - columns, in + tile * columns, out);
      for (std::ptrdiff_t e = 0; e < entries(strip(), column); ++e) {
        in[tile * column + e] += out[e];
      }
    });
    num_tiles = columns;
  }
  for_strips(node.panel, columns, count, [&](auto strip, const Real* panel, int column) {
    detail::multiply_transposed_strip<strip(), sides>(panel, num_tiles - column, in + tile * column,
                                                      out);
    copy(out, entries(strip(), column), y + tile * column);
  });
}

/// Calls work(tiles side by side, whether it is the first strip, whether it is the last, its tiles,
/// its column of tiles) for a node's strips; the first three are constants.
template <class Work>
void for_strips_of(const Node<float>& node, const Work& work) {
  using Yes = std::true_type;
  using No = std::false_type;
  for_strips(node.panel, node.columns, node.count, [&](auto strip, const float* panel, int column) {
    const bool first = column == 0, last = column + strip() == node.columns;
    if (first && last) return work(strip, Yes(), Yes(), panel, column);
    if (first) return work(strip, Yes(), No(), panel, column);
    if (last) return work(strip, No(), Yes(), panel, column);
    work(strip, No(), No(), panel, column);
  });
}

/// Calls work(strip ..., the node as the strips see it) for the strips of a node. The thread has
/// the supernodes up to row `end`. If the node's last tile extends beyond them, its rows are a copy
/// padded with zeros, since the rows beyond can belong to another thread.
template <class Work>
void with_own_rows(const FactorView<float>& factor, int s, std::ptrdiff_t end, float* all,
                   float* scratch, const Work& work) {
  const Node<float> node(factor, s);
  float* const y = all + 4 * node.first;
  detail::FloatNode own{node.width, node.columns, node.rows, node.rows_end, y, all};
  const bool is_copied = node.first + 4 * node.columns > end;
  if (is_copied) {
    own.y = scratch + factor.scratch_half;
    copy(y, std::ptrdiff_t{4} * node.width, own.y);
    for (int i = 4 * node.width; i < 16 * node.columns; ++i) own.y[i] = 0;
  }
  for_strips_of(node, [&](auto strip, auto first, auto last, const float* panel, int column) {
    work(strip, first, last, panel, column, own);
  });
  if (is_copied) copy(own.y, std::ptrdiff_t{4} * node.width, y);
}

/// Four sides in floats.
void float_forwards(const FactorView<float>& factor, const int* nodes, int count, float* all,
                    float* scratch) {
  const std::ptrdiff_t end = factor.first[nodes[count - 1] + 1];
  for (int i = 0; i < count; ++i) {
    if (is_idle<4>(factor, nodes[i], all)) continue;
    with_own_rows(factor, nodes[i], end, all, scratch,
                  [&](auto strip, auto first, auto last, const float* panel, int column,
                      const detail::FloatNode& node) {
                    detail::forwards_strip<strip(), first(), last()>(panel, column, node, scratch);
                  });
  }
}

void float_backwards(const FactorView<float>& factor, const int* nodes, int count, float* all,
                     float* scratch) {
  const std::ptrdiff_t end = factor.first[nodes[count - 1] + 1];
  for (int i = count - 1; i >= 0; --i) {
    with_own_rows(factor, nodes[i], end, all, scratch,
                  [&](auto strip, auto first, auto last, const float* panel, int column,
                      const detail::FloatNode& node) {
                    detail::backwards_strip<strip(), first(), last()>(panel, column, node, scratch);
                  });
  }
}

template <bool has_products, class Real>
void all_forwards(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                  Real* scratch) {
  if (sides != 4) {
    for (int i = 0; i < count; ++i) forwards<1, has_products>(factor, nodes[i], y, scratch);
  } else if constexpr (has_products) {
    if (count > 0) float_forwards(factor, nodes, count, y, scratch);
  } else {
    for (int i = 0; i < count; ++i) forwards<4, has_products>(factor, nodes[i], y, scratch);
  }
}

template <bool has_products, class Real>
void all_backwards(const FactorView<Real>& factor, const int* nodes, int count, int sides, Real* y,
                   Real* scratch) {
  if (sides != 4) {
    for (int i = count - 1; i >= 0; --i) backwards<1, has_products>(factor, nodes[i], y, scratch);
  } else if constexpr (has_products) {
    if (count > 0) float_backwards(factor, nodes, count, y, scratch);
  } else {
    for (int i = count - 1; i >= 0; --i) backwards<4, has_products>(factor, nodes[i], y, scratch);
  }
}

template <class Real>
void load(const double* b, std::ptrdiff_t size, double scale, Real* y) {
  for (std::ptrdiff_t i = 0; i < size; ++i) y[i] = static_cast<Real>(scale * b[i]);
}

template <class Real>
void store(const Real* y, std::ptrdiff_t size, double scale, double* x) {
  for (std::ptrdiff_t i = 0; i < size; ++i) x[i] = scale * static_cast<double>(y[i]);
}

/// Eight at a time: one after the other, they would wait for each other.
double largest(const double* b, std::ptrdiff_t size) {
  double found[8] = {};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (int l = 0; l < 8; ++l) {
      const double value = __builtin_fabs(b[i + l]);
      found[l] = value > found[l] ? value : found[l];
    }
  }
  for (; i < size; ++i) {
    const double value = __builtin_fabs(b[i]);
    found[0] = value > found[0] ? value : found[0];
  }
  for (int l = 1; l < 8; ++l) found[0] = found[l] > found[0] ? found[l] : found[0];
  return found[0];
}

}  // namespace

const SolveKernels solve_table{
    {all_forwards<true, float>, all_backwards<true, float>, load<float>, store<float>},
    {all_forwards<false, double>, all_backwards<false, double>, load<double>, store<double>},
    largest};

}  // namespace SUPPLE_SIMD

}  // namespace supple
