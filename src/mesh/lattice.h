#pragma once

#include <array>
#include <cstddef>
#include <vector>

/// A lattice of cells, each cut into tets so that faces of neighbours match. The generators place
/// its vertices.
namespace supple {

/// nx * ny * nz cells with their vertices, x fastest. A lattice that is closed along z (a ring) has
/// no vertices of its own at the end, but uses those of the beginning.
struct Lattice {
  std::array<int, 3> cells{1, 1, 1};
  bool closed = false;  ///< along z

  std::size_t num_vertices() const;
  /// Index of the vertex at (i, j, k), 0 <= i <= nx, 0 <= j <= ny, 0 <= k <= nz.
  int vertex(int i, int j, int k) const;
  /// Corner c of the cell is the one at (i + c & 1, j + (c >> 1) & 1, k + (c >> 2) & 1).
  std::array<int, 8> corners(int i, int j, int k) const;
};

/// Appends the six tets of Kuhn's subdivision of a cell, which all share the diagonal from corner
/// `start` to the opposite one. Faces of neighbouring cells match if the bit of `start` along a
/// direction depends only on the position along that direction: the diagonal of a face follows the
/// bits of the other two directions, which both its cells share.
void append_kuhn_tets(const std::array<int, 8>& corners, unsigned start,
                      std::vector<std::array<int, 4>>& tets);

/// Appends five tets: one in the middle and one at each corner c whose number of bits is not
/// congruent to `parity` (0 or 1). Faces match if neighbouring cells have different parity.
void append_five_tets(const std::array<int, 8>& corners, unsigned parity,
                      std::vector<std::array<int, 4>>& tets);

/// The bit at which the diagonal of a cell must start along one direction to lead away from the
/// middle: 0 from the middle on, 1 before it. A cell across the middle counts as beyond it.
inline unsigned outward_bit(int cell, int cells) { return 2 * cell + 1 >= cells ? 0U : 1U; }

}  // namespace supple
