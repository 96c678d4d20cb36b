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

/// Elements after some of them have come apart. They are the same, with other corners.
template <std::size_t num_corners>
struct SeparatedElements {
  std::vector<std::array<int, num_corners>> elements;
  /// Of each new vertex, behind the others, the one that it is a copy of.
  std::vector<int> copies;
};

/// Facets of an element: faces of a tet, edges of a triangle, ends of a segment. Two elements are
/// joined where they have one in common, unless they are `apart`.
///
/// Around each vertex of a facet of `newly` apart elements, the elements fall into groups that are
/// joined by facets at the vertex. The group of the first element keeps the vertex; each other one,
/// in the order of their first elements, gets a copy of it. What is joined at other vertices alone
/// stays so: a facet of which no vertex has two groups is closed, and opens when those around it
/// come apart too.
///
/// apart: all pairs that are, ascending; newly: some of these, each with a facet in common.
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

/// The springs of a body and the ones of the whole body that they are parts of, ascending.
struct SeparatedSprings {
  std::vector<Spring> springs;
  std::vector<int> origins;
};

/// The springs of a body after its elements, triangles or segments, have come apart.
///
/// A spring with both ends in an element belongs to that one. Any other belongs to pairs of
/// elements, one at either end: those with a facet in common, as it shears or bends over that, or
/// else with a vertex in common. Such a pair bears it while the two have in common what they had.
/// The elements at its first end that bear it have equal parts of its stiffness, each shared by the
/// pairs that are left to it; parts with the same ends are one spring. So what spans a tear is
/// gone, and what lies along it is shared by its sides. What belongs to no elements stays at its
/// vertices.
///
/// springs, whole: of the body before anything came apart; now: the elements as they are. For
/// triangles (3) and segments (2).
template <std::size_t num_corners>
SeparatedSprings separate_springs(std::span<const Spring> springs,
                                  std::span<const std::array<int, num_corners>> whole,
                                  std::span<const std::array<int, num_corners>> now,
                                  int num_vertices);

/// Of each spring of a body, the one before elements came apart that it is a part of.
///
/// before, now: those of the same whole body; copies: of each vertex from num_vertices on, the one
/// before that it is a copy of.
std::vector<int> parents_of(const SeparatedSprings& before, const SeparatedSprings& now,
                            std::span<const int> copies, int num_vertices);

}  // namespace supple
