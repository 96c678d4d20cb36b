#include "mesh/lattice.h"

#include <bit>
#include <utility>

namespace supple {

std::size_t Lattice::num_vertices() const {
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  return size(cells[0] + 1) * size(cells[1] + 1) * size(closed ? cells[2] : cells[2] + 1);
}

int Lattice::vertex(int i, int j, int k) const {
  if (closed && k == cells[2]) k = 0;
  return i + (cells[0] + 1) * (j + (cells[1] + 1) * k);
}

std::array<int, 8> Lattice::corners(int i, int j, int k) const {
  std::array<int, 8> result{};
  for (unsigned c = 0; c < 8; ++c) {
    result[c] = vertex(i + static_cast<int>(c & 1U), j + static_cast<int>((c >> 1U) & 1U),
                       k + static_cast<int>((c >> 2U) & 1U));
  }
  return result;
}

void append_kuhn_tets(const std::array<int, 8>& corners, unsigned start,
                      std::vector<std::array<int, 4>>& tets) {
  // The six ways to go along x, y and z; the even ones are right-handed from corner 0.
  constexpr std::array<std::array<unsigned, 2>, 6> paths{
      {{1, 2}, {2, 4}, {4, 1}, {2, 1}, {4, 2}, {1, 4}}};
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const unsigned second = start ^ paths[p][0];
    const unsigned third = second ^ paths[p][1];
    std::array<int, 4> tet{corners[start], corners[second], corners[third], corners[start ^ 7U]};
    // Each mirrored direction flips the orientation once more.
    const bool odd = (p >= 3) != (std::popcount(start) % 2 == 1);
    if (odd) std::swap(tet[2], tet[3]);
    tets.push_back(tet);
  }
}

void append_five_tets(const std::array<int, 8>& corners, unsigned parity,
                      std::vector<std::array<int, 4>>& tets) {
  std::array<int, 4> middle{};
  std::size_t found = 0;
  for (unsigned c = 0; c < 8; ++c) {
    const bool odd = std::popcount(c) % 2 == 1;
    if (odd == (parity == 1)) {
      middle[found++] = corners[c];
      continue;
    }
    std::array<int, 4> tet{corners[c], corners[c ^ 1U], corners[c ^ 2U], corners[c ^ 4U]};
    if (odd) std::swap(tet[2], tet[3]);
    tets.push_back(tet);
  }
  // Corners 0 3 5 6 in this order are left-handed, 1 2 4 7 right-handed.
  if (parity == 0) std::swap(middle[2], middle[3]);
  tets.push_back(middle);
}

}  // namespace supple
