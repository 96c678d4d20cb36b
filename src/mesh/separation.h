#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "supple/scene.h"

namespace supple {

/// Two elements, the smaller number first.
using ElementPair = std::pair<int, int>;

/// Elements after some of them have come apart: the same elements with other corners.
template <std::size_t num_corners>
struct SeparatedElements {
  std::vector<std::array<int, num_corners>> elements;
  /// For each new vertex, which are behind the others, the vertex that it is a copy of.
  std::vector<int> copies;
};

/// Separates elements. Facets of an element are the faces of a tet, the edges of a triangle, the
/// ends of a segment. Two elements are joined if they have a facet in common, unless they are
/// `apart`.
///
/// Around each vertex of a facet of `newly` apart elements, the elements form groups that are
/// joined by facets at the vertex. The group of the first element keeps the vertex; each other
/// group, in the order of their first elements, gets a copy of it. Elements that are joined only at
/// other vertices stay joined: a facet whose vertices have only one group each is closed, and opens
/// when those around it come apart too.
///
/// apart: all pairs that are apart, ascending; newly: some of these, each with a facet in common.
/// Vertices are at least 0 and below num_vertices. For tets (4), triangles (3) and segments (2).
template <std::size_t num_corners>
SeparatedElements<num_corners> separate_elements(
    std::span<const std::array<int, num_corners>> elements, int num_vertices,
    std::span<const ElementPair> apart, std::span<const ElementPair> newly);

/// The corners that two elements have in common, ascending.
template <std::size_t num_corners>
std::vector<int> common_corners(const std::array<int, num_corners>& a,
                                const std::array<int, num_corners>& b);

/// All pairs of elements that have a facet in common, ascending.
template <std::size_t num_corners>
std::vector<ElementPair> joined_elements(std::span<const std::array<int, num_corners>> elements);

/// The springs of a body, and the springs of the whole body that they are parts of, ascending.
struct SeparatedSprings {
  std::vector<Spring> springs;
  std::vector<int> origins;
};

/// The springs of a body after its elements, triangles or segments, have come apart.
///
/// A spring with both ends in an element belongs to that element. Any other belongs to pairs of
/// elements, one at either end: those with a facet in common, over which it shears or bends, or
/// else those with a vertex in common. Such a pair bears the spring as long as the two elements
/// have in common what they had. The elements at its first end that bear it have equal parts of its
/// stiffness. Each part is shared by the pairs that are left to the element, and parts with the
/// same ends are one spring. So a spring across a tear is gone, and a spring along it is shared by
/// its sides. A spring that belongs to no elements stays at its vertices.
///
/// springs, whole: of the body before anything came apart; now: the elements as they are now. For
/// triangles (3) and segments (2).
template <std::size_t num_corners>
SeparatedSprings separate_springs(std::span<const Spring> springs,
                                  std::span<const std::array<int, num_corners>> whole,
                                  std::span<const std::array<int, num_corners>> now,
                                  int num_vertices);

/// For each spring of a body, the spring before elements came apart that it is a part of.
///
/// before, now: springs of the same whole body; copies: for each vertex from num_vertices on, the
/// earlier vertex that it is a copy of.
std::vector<int> parents_of(const SeparatedSprings& before, const SeparatedSprings& now,
                            std::span<const int> copies, int num_vertices);

}  // namespace supple
