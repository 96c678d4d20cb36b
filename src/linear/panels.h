#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "linear/panel_kernels.h"
#include "linear/supernodes.h"

namespace supple::detail {

/// Tiles in the rows of a supernode: of the diagonal block and below it.
inline int num_row_tiles(const Supernodes& nodes, int s) {
  return tiles(nodes.width(s)) + tiles(nodes.num_rows(s));
}

/// Entries that the panel of a supernode takes, with what fills its tiles.
inline std::ptrdiff_t num_panel_entries(const Supernodes& nodes, int s) {
  std::ptrdiff_t size = 0;
  const int columns = tiles(nodes.width(s)), rows = num_row_tiles(nodes, s);
  for (int column = 0; column < columns; column += 2) {
    size += 16 * (rows - column) * std::min(2, columns - column);
  }
  return size;
}

/// And those of all supernodes.
inline std::ptrdiff_t num_panel_entries(const Supernodes& nodes) {
  std::ptrdiff_t size = 0;
  for (int s = 0; s < nodes.count(); ++s) size += num_panel_entries(nodes, s);
  return size;
}

/// What a supernode keeps of its factor, as the panel
///   P = [ L11^-1     ]
///       [ L21 L11^-1 ]
/// with which both substitutions are products: (y1, -b2 update) = P b1 forwards and
/// x1 = P^T (y1, -x2) backwards [partitioned inverse: Alvarado & Schreiber 1993]. Where a factor is
/// used once only, that product costs more than it saves: the lower part is then L21 itself, and
/// the substitutions go through the panel in two steps. Tiles above the diagonal of L11^-1 are left
/// out, strip by strip.
///
/// In 16 bits an entry stands between scales, so that both parts of a panel are of size one and a
/// column uses all of a half's range:
///   P_ij = row_scale_i q_ij column_scale_j, |q_ij| <= 2^15,
/// where row_scale_i is 1/L_ii in the diagonal block, which becomes the inverse of a unit lower
/// triangle, and 1 below. Of a column's largest entry what is below 2^-29 is zero.
template <class Entry>
class Panels {
 public:
  void allocate(const Supernodes& nodes) {
    start_.assign(1, 0);
    for (int s = 0; s < nodes.count(); ++s) {
      start_.push_back(start_.back() + num_panel_entries(nodes, s));
    }
    // Rows of tiles are one cache line of floats: they should not straddle two.
    values_.assign(static_cast<std::size_t>(start_.back()) + 64 / sizeof(Entry), Entry{});
    const auto misaligned = reinterpret_cast<std::uintptr_t>(values_.data()) % 64 / sizeof(Entry);
    offset_ = misaligned == 0 ? 0 : 64 / sizeof(Entry) - misaligned;
    if (!has_scales) return;
    row_scale_.assign(static_cast<std::size_t>(nodes.first.back()), 0.0F);
    column_scale_ = row_scale_;
  }

  /// Of all supernodes, and where each one's begins there.
  const Entry* values() const { return values_.data() + offset_; }
  const std::ptrdiff_t* start() const { return start_.data(); }
  const float* row_scale() const { return row_scale_.data(); }
  const float* column_scale() const { return column_scale_.data(); }

  /// Writes inverse (w x w, lower) and below (r x w).
  void store(const Supernodes& nodes, int s, const Eigen::MatrixXd& inverse,
             const Eigen::MatrixXd& below) {
    Entry* to = values_.data() + offset_ + start_[static_cast<std::size_t>(s)];
    const int width = nodes.width(s), columns = tiles(width);
    const auto first = static_cast<std::size_t>(nodes.first[static_cast<std::size_t>(s)]);
    if constexpr (has_scales) find_scales(first, inverse, below);
    const auto entry = [&](int row, int column) {
      const int r = row - 4 * columns;
      if (column >= width || r >= below.rows() || (r < 0 && (row >= width || row < column))) {
        return Entry{};
      }
      const double value = r < 0 ? inverse(row, column) : below(r, column);
      if constexpr (!has_scales) {
        return static_cast<Entry>(value);
      } else {
        const auto at_row = first + static_cast<std::size_t>(row);
        const double scale = double{column_scale_[first + static_cast<std::size_t>(column)]} *
                             (r < 0 ? double{row_scale_[at_row]} : 1.0);
        // What no float can scale is left out; the solver finds that by its residual.
        const double scaled = value / scale;
        return half_of(std::abs(scaled) <= 65504 ? scaled : 0.0);
      }
    };
    for (int column = 0; column < columns; column += 2) {
      const int strip = std::min(2, columns - column);
      for (int row = column; row < num_row_tiles(nodes, s); ++row) {
        for (int c = column; c < column + strip; ++c) {
          for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) {
              *to++ = entry(4 * row + i, 4 * c + k);
            }
          }
        }
      }
    }
  }

 private:
  static constexpr bool has_scales = std::is_same_v<Entry, Half>;

  void find_scales(std::size_t first, const Eigen::MatrixXd& inverse,
                   const Eigen::MatrixXd& below) {
    for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
      double largest = 1;  // on the diagonal
      for (Eigen::Index i = j + 1; i < inverse.rows(); ++i) {
        largest = std::max(largest, std::abs(inverse(i, j) / inverse(i, i)));
      }
      for (Eigen::Index i = 0; i < below.rows(); ++i) {
        largest = std::max(largest, std::abs(below(i, j)));
      }
      const std::size_t column = first + static_cast<std::size_t>(j);
      row_scale_[column] = static_cast<float>(inverse(j, j));
      column_scale_[column] = static_cast<float>(largest / 0x1p15);
    }
  }

  std::vector<Entry> values_;
  std::vector<std::ptrdiff_t> start_;
  std::size_t offset_ = 0;
  std::vector<float> row_scale_, column_scale_;  ///< [n], of entries in 16 bits
};

}  // namespace supple::detail
