#include "elements/vertex_adjacency.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// The items of one body among all items, which are sorted by body; vertex_of: any vertex of an
/// item.
template <class Item, class VertexOf>
std::span<const Item> of_body(const std::vector<Item>& items, const Model& model, int body,
                              const VertexOf& vertex_of) {
  const auto first_from = [&](int vertex) {
    return std::partition_point(items.data(), items.data() + items.size(),
                                [&](const Item& item) { return vertex_of(item) < vertex; });
  };
  const Item* const first = first_from(model.body_vertices[at(body)]);
  const Item* const last = first_from(model.body_vertices[at(body) + 1]);
  return {first, static_cast<std::size_t>(last - first)};
}

}  // namespace

Adjacency vertex_adjacency(const Model& model, int body) {
  const int first = model.body_vertices[at(body)];
  const auto of_edge = [](const auto& edge) { return edge.a; };
  const auto tets = of_body(model.tets, model, body, [](const auto& tet) { return tet[0]; });
  const auto springs = of_body(model.springs.springs, model, body, of_edge);
  const auto membranes = of_body(model.membranes.edges, model, body, of_edge);
  const auto rods = of_body(model.rods.edges, model, body, of_edge);
  const auto pressures = of_body(model.pressures.edges, model, body, of_edge);
  std::vector<std::pair<int, int>> edges;
  edges.reserve(tets.size() * 12 +
                2 * (springs.size() + membranes.size() + rods.size() + pressures.size()));
  for (const auto& tet : tets) {
    for (int a : tet) {
      for (int b : tet) {
        if (a != b) edges.emplace_back(a - first, b - first);
      }
    }
  }
  const auto add = [&](const auto& of_set) {
    for (const auto& edge : of_set) {
      edges.emplace_back(edge.a - first, edge.b - first);
      edges.emplace_back(edge.b - first, edge.a - first);
    }
  };
  add(springs);
  add(membranes);
  add(rods);
  add(pressures);
  // Row by row: rows are short, so sorting each is much faster than sorting all edges.
  Adjacency adjacency;
  std::vector<int>& start = adjacency.start;
  start.assign(at(model.body_vertices[at(body) + 1] - first) + 1, 0);
  for (const auto& [a, b] : edges) ++start[at(a) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> rows(edges.size()), end = start;
  for (const auto& [a, b] : edges) rows[at(end[at(a)]++)] = b;
  int begin_of_row = 0;
  for (std::size_t v = 0; v + 1 < start.size(); ++v) {
    const auto begin = rows.begin() + std::exchange(begin_of_row, start[v + 1]);
    std::sort(begin, rows.begin() + begin_of_row);
    const auto last = std::unique(begin, rows.begin() + begin_of_row);
    start[v] = static_cast<int>(adjacency.neighbour.size());
    adjacency.neighbour.insert(adjacency.neighbour.end(), begin, last);
  }
  start.back() = static_cast<int>(adjacency.neighbour.size());
  return adjacency;
}

namespace {

/// Adds the neighbours through bonds.
Adjacency with_bonds(Adjacency without, const BondSet& bonds) {
  if (bonds.empty()) return without;
  std::vector<std::pair<int, int>> edges;
  bonds.visit_edges([&](int a, int b, double) {
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  });
  std::sort(edges.begin(), edges.end());
  Adjacency all;
  all.start.assign(1, 0);
  auto next = edges.begin();
  for (std::size_t v = 0; v + 1 < without.start.size(); ++v) {
    const auto first = all.neighbour.size();
    all.neighbour.insert(all.neighbour.end(), without.neighbour.begin() + without.start[v],
                         without.neighbour.begin() + without.start[v + 1]);
    for (; next != edges.end() && next->first == static_cast<int>(v); ++next) {
      all.neighbour.push_back(next->second);
    }
    const auto begin = all.neighbour.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, all.neighbour.end());
    all.neighbour.erase(std::unique(begin, all.neighbour.end()), all.neighbour.end());
    all.start.push_back(static_cast<int>(all.neighbour.size()));
  }
  return all;
}

/// Rows first .. last - 1, which must be coupled to no others.
Adjacency part_of(const Adjacency& all, int first, int last) {
  Adjacency part;
  for (int v = first; v <= last; ++v) part.start.push_back(all.start[at(v)] - all.start[at(first)]);
  for (int k = all.start[at(first)]; k < all.start[at(last)]; ++k) {
    part.neighbour.push_back(all.neighbour[at(k)] - first);
  }
  return part;
}

}  // namespace

Adjacency vertex_adjacency(const Model& model) {
  Adjacency all;
  all.start.assign(1, 0);
  for (int b = 0; b < model.num_bodies(); ++b) {
    const Adjacency own = vertex_adjacency(model, b);
    const int first = model.body_vertices[at(b)], before = all.start.back();
    for (std::size_t i = 1; i < own.start.size(); ++i) all.start.push_back(before + own.start[i]);
    for (const int neighbour : own.neighbour) all.neighbour.push_back(first + neighbour);
  }
  return with_bonds(std::move(all), model.bonds);
}

std::vector<int> elimination_order(const Model& model) {
  std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
  std::iota(order.begin(), order.end(), 0);
  const auto use = [&](const Adjacency& graph, int first) {
    const std::vector<int> own = fill_reducing_order(graph);
    std::transform(own.begin(), own.end(), order.begin() + first,
                   [&](int vertex) { return first + vertex; });
  };
  for (int b = 0; b < model.num_bodies() && !model.in_elimination_order; ++b) {
    use(vertex_adjacency(model, b), model.body_vertices[at(b)]);
  }
  if (model.bonds.empty()) return order;
  const Adjacency all = vertex_adjacency(model);
  const std::vector<char> is_bound = bound_bodies(model);
  const std::vector<int> groups = model.bonds.groups(model.body_vertices);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    if (is_bound[at(groups[g])] == 0) continue;
    const int first = model.body_vertices[at(groups[g])];
    use(part_of(all, first, model.body_vertices[at(groups[g + 1])]), first);
  }
  return order;
}

std::vector<char> bound_bodies(const Model& model) {
  std::vector<char> is_bound(at(model.num_bodies()), 0);
  const std::vector<int> groups = model.bonds.groups(model.body_vertices);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    if (groups[g + 1] == groups[g] + 1) continue;
    std::fill(is_bound.begin() + groups[g], is_bound.begin() + groups[g + 1], 1);
  }
  for (const PointBond& bond : model.bonds.bonds) {
    is_bound[at(model.body_of(bond.vertices[0]))] = 1;
  }
  return is_bound;
}

}  // namespace supple
