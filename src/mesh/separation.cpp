#include "mesh/separation.h"

#include <algorithm>
#include <numeric>

#include "base/index.h"

namespace supple {

namespace {

/// A facet by its corners, ascending, without those that all of a list have in common.
template <std::size_t size>
struct Facet {
  std::array<int, size> corners;
  int element;
  bool operator<(const Facet& other) const {
    return corners != other.corners ? corners < other.corners : element < other.element;
  }
};

/// Calls visit(a, b) for all pairs of elements that have a facet in common; `facets` is sorted.
template <std::size_t size, class Visit>
void for_each_pair(const std::vector<Facet<size>>& facets, const Visit& visit) {
  for (auto first = facets.begin(); first != facets.end();) {
    auto last = first;
    while (last != facets.end() && last->corners == first->corners) ++last;
    for (auto a = first; a != last; ++a) {
      for (auto b = a + 1; b != last; ++b) visit(a->element, b->element);
    }
    first = last;
  }
}

/// The elements around some vertices: those of vertex i are list[start[i] .. start[i + 1]).
struct Around {
  std::vector<int> start, list;
};

template <std::size_t num_corners>
Around elements_around(std::span<const std::array<int, num_corners>> elements,
                       const std::vector<int>& place_of, std::size_t num_places) {
  Around around;
  around.start.assign(num_places + 1, 0);
  const auto for_each = [&](const auto& visit) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const int vertex : elements[e]) {
        if (place_of[at(vertex)] >= 0) visit(at(place_of[at(vertex)]), static_cast<int>(e));
      }
    }
  };
  for_each([&](std::size_t place, int) { ++around.start[place + 1]; });
  std::partial_sum(around.start.begin(), around.start.end(), around.start.begin());
  around.list.resize(at(around.start.back()));
  std::vector<int> next(around.start.begin(), around.start.end() - 1);
  for_each([&](std::size_t place, int e) { around.list[at(next[place]++)] = e; });
  return around;
}

/// Groups of the elements around a vertex, ascending, by the facets there: of each its first one's
/// place.
template <std::size_t num_corners>
std::vector<std::size_t> groups_around(int vertex,
                                       std::span<const std::array<int, num_corners>> elements,
                                       std::span<const int> around,
                                       std::span<const ElementPair> apart) {
  std::vector<std::size_t> group(around.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  std::vector<Facet<num_corners - 2>> facets;
  for (std::size_t i = 0; i < around.size(); ++i) {
    std::array<int, num_corners - 1> others{};
    std::size_t count = 0;
    for (const int corner : elements[at(around[i])]) {
      if (corner != vertex && count < others.size()) others[count++] = corner;
    }
    std::sort(others.begin(), others.end());
    for (std::size_t left_out = 0; left_out < others.size(); ++left_out) {
      Facet<num_corners - 2> facet{{}, static_cast<int>(i)};
      for (std::size_t c = 0, k = 0; c < others.size(); ++c) {
        if (c != left_out) facet.corners[k++] = others[c];
      }
      facets.push_back(facet);
    }
  }
  std::sort(facets.begin(), facets.end());
  for_each_pair(facets, [&](int a, int b) {
    if (std::binary_search(apart.begin(), apart.end(), ElementPair(around[at(a)], around[at(b)]))) {
      return;
    }
    const std::size_t first = root(at(a)), second = root(at(b));
    group[std::max(first, second)] = std::min(first, second);
  });
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = root(i);
  return group;
}

}  // namespace

template <std::size_t num_corners>
std::vector<int> common_corners(const std::array<int, num_corners>& a,
                                const std::array<int, num_corners>& b) {
  std::vector<int> common;
  for (const int corner : a) {
    if (std::find(b.begin(), b.end(), corner) != b.end()) common.push_back(corner);
  }
  std::sort(common.begin(), common.end());
  return common;
}

template <std::size_t num_corners>
std::vector<ElementPair> joined_elements(std::span<const std::array<int, num_corners>> elements) {
  std::vector<Facet<num_corners - 1>> facets;
  facets.reserve(num_corners * elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    std::array<int, num_corners> corners = elements[e];
    std::sort(corners.begin(), corners.end());
    for (std::size_t left_out = 0; left_out < num_corners; ++left_out) {
      Facet<num_corners - 1> facet{{}, static_cast<int>(e)};
      for (std::size_t c = 0, k = 0; c < num_corners; ++c) {
        if (c != left_out) facet.corners[k++] = corners[c];
      }
      facets.push_back(facet);
    }
  }
  std::sort(facets.begin(), facets.end());
  std::vector<ElementPair> pairs;
  for_each_pair(facets, [&](int a, int b) { pairs.emplace_back(a, b); });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <std::size_t num_corners>
SeparatedElements<num_corners> separate_elements(
    std::span<const std::array<int, num_corners>> elements, int num_vertices,
    std::span<const ElementPair> apart, std::span<const ElementPair> newly) {
  SeparatedElements<num_corners> result{{elements.begin(), elements.end()}, {}};
  std::vector<int> place_of(at(num_vertices), -1);
  std::vector<int> vertices;
  for (const auto& [a, b] : newly) {
    for (const int vertex : common_corners(elements[at(a)], elements[at(b)])) {
      if (place_of[at(vertex)] >= 0) continue;
      place_of[at(vertex)] = 0;
      vertices.push_back(vertex);
    }
  }
  std::sort(vertices.begin(), vertices.end());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    place_of[at(vertices[i])] = static_cast<int>(i);
  }
  const Around around = elements_around(elements, place_of, vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const auto own = std::span(around.list)
                         .subspan(at(around.start[v]), at(around.start[v + 1] - around.start[v]));
    const std::vector<std::size_t> group = groups_around(vertices[v], elements, own, apart);
    std::vector<int> vertex_of(own.size(), vertices[v]);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (group[i] == i && i > 0) {
        vertex_of[i] = num_vertices + static_cast<int>(result.copies.size());
        result.copies.push_back(vertices[v]);
      }
      auto& corners = result.elements[at(own[i])];
      // The corners of `elements` are those before: each stands at its place.
      for (std::size_t c = 0; c < num_corners; ++c) {
        if (elements[at(own[i])][c] == vertices[v]) corners[c] = vertex_of[group[i]];
      }
    }
  }
  return result;
}

template std::vector<int> common_corners(const std::array<int, 3>&, const std::array<int, 3>&);
template std::vector<int> common_corners(const std::array<int, 4>&, const std::array<int, 4>&);
template std::vector<ElementPair> joined_elements(std::span<const std::array<int, 3>>);
template std::vector<ElementPair> joined_elements(std::span<const std::array<int, 4>>);
template SeparatedElements<3> separate_elements(std::span<const std::array<int, 3>>, int,
                                                std::span<const ElementPair>,
                                                std::span<const ElementPair>);
template SeparatedElements<4> separate_elements(std::span<const std::array<int, 4>>, int,
                                                std::span<const ElementPair>,
                                                std::span<const ElementPair>);

}  // namespace supple
