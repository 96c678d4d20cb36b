#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/panel_kernels.h"
#include "linear/supernodes.h"

namespace supple::detail {

/// Rows of tiles of a supernode: in the diagonal block and below it.
inline int num_row_tiles(const Supernodes& nodes, int s) {
  return tiles(nodes.width(s)) + tiles(nodes.num_rows(s));
}

/// Entries of a supernode's panel, including the padding of its tiles.
inline std::ptrdiff_t num_panel_entries(const Supernodes& nodes, int s) {
  std::ptrdiff_t size = 0;
  const int columns = tiles(nodes.width(s)), rows = num_row_tiles(nodes, s);
  for (int column = 0; column < columns; column += 2) {
    size += 16 * (rows - column) * std::min(2, columns - column);
  }
  return size;
}

/// The part of the factor that belongs to a supernode, as the panel
///   P = [ L11^-1     ]
///       [ L21 L11^-1 ]
/// with which both substitutions are products: (y1, -b2 update) = P b1 forwards and
/// x1 = P^T (y1, -x2) backwards [partitioned inverse: Alvarado & Schreiber 1993]. If a factor is
/// used only once, that product costs more than it saves. The lower part is then L21 itself, and
/// the substitutions go through the panel in two steps. Tiles above the diagonal of L11^-1 are left
/// out, strip by strip.
template <class Real>
class Panels {
 public:
  void allocate(const Supernodes& nodes) {
    start_.assign(1, 0);
    for (int s = 0; s < nodes.count(); ++s) {
      start_.push_back(start_.back() + num_panel_entries(nodes, s));
    }
    // A row of tiles is one cache line of floats; it should not straddle two.
    values_.assign(static_cast<std::size_t>(start_.back()) + 64 / sizeof(Real), Real(0));
    const auto misaligned = reinterpret_cast<std::uintptr_t>(values_.data()) % 64 / sizeof(Real);
    offset_ = misaligned == 0 ? 0 : 64 / sizeof(Real) - misaligned;
  }

  /// Values of all supernodes, and where each supernode's panel starts.
  const Real* values() const { return values_.data() + offset_; }
  const std::ptrdiff_t* start() const { return start_.data(); }

  /// Copies the values from panels of the same supernodes.
  void copy(const Panels& from) {
    std::copy(from.values(), from.values() + start_.back(), values_.data() + offset_);
  }

  /// Writes inverse (w x w, lower) and below (r x w), column-major.
  template <class Work>
  void store(const Supernodes& nodes, int s, const Work* inverse, const Work* below) {
    Real* to = values_.data() + offset_ + start_[static_cast<std::size_t>(s)];
    const int width = nodes.width(s), num_rows = nodes.num_rows(s), columns = tiles(width);
    const auto entry = [&](int row, int column) {
      const int r = row - 4 * columns;
      if (column >= width || r >= num_rows || (r < 0 && (row >= width || row < column))) {
        return Real(0);
      }
      const std::ptrdiff_t c = column;
      return static_cast<Real>(r < 0 ? inverse[c * width + row] : below[c * num_rows + r]);
    };
    // Tiles that are neither on the diagonal nor at an end need no check of each entry.
    const auto is_inner = [&](int row, int column) {
      const int r = 4 * (row - columns);
      if (4 * column + 4 > width) return false;
      return r < 0 ? row > column && 4 * row + 4 <= width : r + 4 <= num_rows;
    };
    for (int column = 0; column < columns; column += 2) {
      const int strip = std::min(2, columns - column);
      for (int row = column; row < num_row_tiles(nodes, s); ++row) {
        for (int c = column; c < column + strip; ++c, to += 16) {
          if (is_inner(row, c)) {
            const bool is_above = row < columns;
            const std::ptrdiff_t height = is_above ? width : num_rows;
            const Work* const from = (is_above ? inverse : below) + 4 * c * height +
                                     4 * (is_above ? row : row - columns);
            for (int i = 0; i < 4; ++i) {
              for (int k = 0; k < 4; ++k) to[4 * i + k] = static_cast<Real>(from[k * height + i]);
            }
            continue;
          }
          for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) to[4 * i + k] = entry(4 * row + i, 4 * c + k);
          }
        }
      }
    }
  }

 private:
  std::vector<Real> values_;
  std::vector<std::ptrdiff_t> start_;
  std::size_t offset_ = 0;
};

}  // namespace supple::detail
