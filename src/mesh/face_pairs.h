#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace supple {

/// Pairs tets that share a face. Few tets are left alone, as each first takes the neighbour that
/// has the fewest others [Karp & Sipser 1981]. Every tet is in one pair, (own, other) with own <
/// other, or (own, -1) if alone; pairs ascend by their first tet. The same tets give the same
/// pairs.
/// tets: corners, at least 0 and below 2^21. If several tets share a face, any two of them can be a
/// pair.
std::vector<std::pair<int, int>> pair_by_faces(std::span<const std::array<int, 4>> tets);

}  // namespace supple
