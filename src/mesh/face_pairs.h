#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace supple {

/// Tets two by two: the two of a pair share a face. Few are left alone, as each takes first the
/// neighbour that has the fewest others [Karp & Sipser 1981]. Every tet stands in one pair, (own,
/// other) with own < other, or (own, -1) alone; pairs ascend by their first. The same tets give the
/// same pairs.
/// tets: corners, at least 0 and below 2^21. Of several tets at one face any two may be a pair.
std::vector<std::pair<int, int>> pair_by_faces(std::span<const std::array<int, 4>> tets);

}  // namespace supple
