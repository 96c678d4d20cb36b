#include "mesh/separation.h"

#include <algorithm>
#include <numeric>

#include "base/index.h"

namespace supple {

namespace {

/// A facet by its corners, ascending, without those that all facets of a list have in common.
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
  std::span<const int> of(std::size_t i) const {
    return std::span(list).subspan(at(start[i]), at(start[i + 1] - start[i]));
  }
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

/// Groups of the elements around a vertex (ascending) that facets there join: for each element, the
/// place of the first one of its group.
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

template <std::size_t num_corners>
std::size_t count_common(const std::array<int, num_corners>& a,
                         const std::array<int, num_corners>& b) {
  return at(std::count_if(a.begin(), a.end(), [&](int corner) {
    return std::find(b.begin(), b.end(), corner) != b.end();
  }));
}

/// Pairs of elements that bear a spring, one at either end of it, in the order of the first ones.
/// An element with both ends is a pair by itself.
struct Bearers {
  std::vector<ElementPair> pairs;
  std::size_t common = 0;  ///< corners that the two elements of a pair have in common
};

template <std::size_t num_corners>
void find_bearers(std::span<const std::array<int, num_corners>> elements, std::span<const int> at_a,
                  std::span<const int> at_b, Bearers& bearers) {
  bearers.common = 1;
  for (const int a : at_a) {
    for (const int b : at_b) {
      const std::size_t count = count_common(elements[at(a)], elements[at(b)]);
      if (count < bearers.common) continue;
      if (count > bearers.common) bearers.pairs.clear();
      bearers.common = count;
      bearers.pairs.emplace_back(a, b);
    }
  }
}

/// Appends what is left of a spring. Of the pairs of each first element, moves those that still
/// bear it to the front.
template <std::size_t num_corners>
void add_parts(const Spring& spring, std::span<const std::array<int, num_corners>> whole,
               std::span<const std::array<int, num_corners>> now, Bearers& bearers,
               std::vector<Spring>& result) {
  const auto corner = [&](int element, int vertex) {
    const auto& corners = whole[at(element)];
    return now[at(element)]
              [at(std::find(corners.begin(), corners.end(), vertex) - corners.begin())];
  };
  const auto still_bears = [&](const ElementPair& pair) {
    return count_common(now[at(pair.first)], now[at(pair.second)]) == bearers.common;
  };
  const auto begin = static_cast<std::ptrdiff_t>(result.size());
  int num_first = 0, num_left = 0;  // first elements, and those that still bear it
  for (auto first = bearers.pairs.begin(); first != bearers.pairs.end();) {
    const auto last = std::find_if(first, bearers.pairs.end(),
                                   [&](const auto& pair) { return pair.first != first->first; });
    const auto end = std::stable_partition(first, last, still_bears);
    ++num_first;
    if (end != first) ++num_left;
    const double share = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(end - first, 1));
    for (auto pair = first; pair != end; ++pair) {
      const int a = corner(pair->first, spring.a), b = corner(pair->second, spring.b);
      const auto known =
          std::find_if(result.begin() + begin, result.end(),
                       [&](const Spring& part) { return part.a == a && part.b == b; });
      if (known == result.end()) {
        result.push_back({a, b, share, spring.rest_length, spring.inextensible});
      } else {
        known->stiffness += share;
      }
    }
    first = last;
  }
  // A spring that is whole keeps its stiffness to the last bit.
  const bool is_whole = num_left == num_first && result.end() - result.begin() == begin + 1;
  for (auto part = result.begin() + begin; part != result.end(); ++part) {
    part->stiffness = spring.stiffness * (is_whole ? 1.0 : part->stiffness / num_first);
  }
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
    const std::span<const int> own = around.of(v);
    const std::vector<std::size_t> group = groups_around(vertices[v], elements, own, apart);
    std::vector<int> vertex_of(own.size(), vertices[v]);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (group[i] == i && i > 0) {
        vertex_of[i] = num_vertices + static_cast<int>(result.copies.size());
        result.copies.push_back(vertices[v]);
      }
      auto& corners = result.elements[at(own[i])];
      // The corners in `elements` are those before, each in its place.
      for (std::size_t c = 0; c < num_corners; ++c) {
        if (elements[at(own[i])][c] == vertices[v]) corners[c] = vertex_of[group[i]];
      }
    }
  }
  return result;
}

template <std::size_t num_corners>
SeparatedSprings separate_springs(std::span<const Spring> springs,
                                  std::span<const std::array<int, num_corners>> whole,
                                  std::span<const std::array<int, num_corners>> now,
                                  int num_vertices) {
  std::vector<char> has_changed(at(num_vertices), 0);
  for (std::size_t e = 0; e < whole.size(); ++e) {
    if (whole[e] == now[e]) continue;
    for (const int vertex : whole[e]) has_changed[at(vertex)] = 1;
  }
  std::vector<int> place_of(at(num_vertices));
  std::iota(place_of.begin(), place_of.end(), 0);
  const Around around = elements_around(whole, place_of, place_of.size());
  SeparatedSprings result;
  result.springs.reserve(springs.size());
  Bearers bearers;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const Spring& spring = springs[s];
    bearers.pairs.clear();
    if (has_changed[at(spring.a)] != 0 || has_changed[at(spring.b)] != 0) {
      find_bearers(whole, around.of(at(spring.a)), around.of(at(spring.b)), bearers);
    }
    if (bearers.pairs.empty()) {
      result.springs.push_back(spring);
    } else {
      add_parts(spring, whole, now, bearers, result.springs);
    }
    result.origins.resize(result.springs.size(), static_cast<int>(s));
  }
  return result;
}

std::vector<int> parents_of(const SeparatedSprings& before, const SeparatedSprings& now,
                            std::span<const int> copies, int num_vertices) {
  const auto source = [&](int vertex) {
    return vertex < num_vertices ? vertex : copies[at(vertex - num_vertices)];
  };
  std::vector<int> parents;
  parents.reserve(now.springs.size());
  std::size_t first = 0;  // first part of the same whole spring
  for (std::size_t s = 0; s < now.springs.size(); ++s) {
    while (before.origins[first] < now.origins[s]) ++first;
    const int a = source(now.springs[s].a), b = source(now.springs[s].b);
    std::size_t parent = first;
    while (before.springs[parent].a != a || before.springs[parent].b != b) ++parent;
    parents.push_back(static_cast<int>(parent));
  }
  return parents;
}

template std::vector<int> common_corners(const std::array<int, 2>&, const std::array<int, 2>&);
template std::vector<int> common_corners(const std::array<int, 3>&, const std::array<int, 3>&);
template std::vector<int> common_corners(const std::array<int, 4>&, const std::array<int, 4>&);
template std::vector<ElementPair> joined_elements(std::span<const std::array<int, 2>>);
template std::vector<ElementPair> joined_elements(std::span<const std::array<int, 3>>);
template std::vector<ElementPair> joined_elements(std::span<const std::array<int, 4>>);
template SeparatedElements<2> separate_elements(std::span<const std::array<int, 2>>, int,
                                                std::span<const ElementPair>,
                                                std::span<const ElementPair>);
template SeparatedElements<3> separate_elements(std::span<const std::array<int, 3>>, int,
                                                std::span<const ElementPair>,
                                                std::span<const ElementPair>);
template SeparatedElements<4> separate_elements(std::span<const std::array<int, 4>>, int,
                                                std::span<const ElementPair>,
                                                std::span<const ElementPair>);
template SeparatedSprings separate_springs(std::span<const Spring>,
                                           std::span<const std::array<int, 2>>,
                                           std::span<const std::array<int, 2>>, int);
template SeparatedSprings separate_springs(std::span<const Spring>,
                                           std::span<const std::array<int, 3>>,
                                           std::span<const std::array<int, 3>>, int);

}  // namespace supple
