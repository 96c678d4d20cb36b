#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/index.h"
#include "potentials/membrane.h"

namespace supple {

namespace {

/// Weights smaller than this share of the others are rounding, as for diagonals of squares.
constexpr double smallest_weight = 1e-12;
/// If unit vectors to both neighbours on a border add up to less than this, the border is straight.
constexpr double straight = 1e-6;

/// An edge as seen from one end, with what its triangles contribute.
struct HalfEdge {
  int from, to;
  double weight;  ///< half the cotangent of the opposite angle, later the sum over triangles
  int num_triangles;
};

using Vector = Vector3<double>;

Vector between(const Vec3& from, const Vec3& to) {
  return {{to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
}

/// Both directions of every edge, sorted.
std::vector<HalfEdge> edges_of(const std::vector<std::array<int, 3>>& triangles,
                               const std::vector<Vec3>& rest) {
  std::vector<HalfEdge> edges;
  edges.reserve(6 * triangles.size());
  for (const auto& t : triangles) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int own = t[c], a = t[(c + 1) % 3], b = t[(c + 2) % 3];
      const Vector u = between(rest[at(own)], rest[at(a)]), v = between(rest[at(own)], rest[at(b)]);
      const Vector n = cross(u, v);
      const double cotangent = dot(u, v) / std::sqrt(dot(n, n));
      edges.push_back({a, b, 0.5 * cotangent, 1});
      edges.push_back({b, a, 0.5 * cotangent, 1});
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const HalfEdge& p, const HalfEdge& q) {
    return std::tie(p.from, p.to) < std::tie(q.from, q.to);
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (edges[i].from == edges[last].from && edges[i].to == edges[last].to) {
      edges[last].weight += edges[i].weight;
      ++edges[last].num_triangles;
    } else {
      edges[++last] = edges[i];
    }
  }
  if (!edges.empty()) edges.resize(last + 1);
  return edges;
}

/// The part of a triangle that is nearest to each corner. If an angle is obtuse, half of the
/// triangle belongs to that corner and a quarter to each of the others [Meyer et al. 2003].
void add_areas(const std::array<int, 3>& t, const std::vector<Vec3>& rest,
               std::vector<double>& area) {
  Vector edge[3];  // opposite each corner
  for (std::size_t c = 0; c < 3; ++c) {
    edge[c] = between(rest[at(t[(c + 1) % 3])], rest[at(t[(c + 2) % 3])]);
  }
  const Vector n = cross(edge[0], edge[1]);
  const double twice_area = std::sqrt(dot(n, n));
  double cotangent[3];
  int obtuse = -1;
  for (int c = 0; c < 3; ++c) {
    cotangent[c] = -dot(edge[(c + 1) % 3], edge[(c + 2) % 3]) / twice_area;
    if (cotangent[c] < 0) obtuse = c;
  }
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    const double nearest =
        (dot(edge[a], edge[a]) * cotangent[a] + dot(edge[b], edge[b]) * cotangent[b]) / 8;
    area[at(t[at(c)])] += obtuse < 0 ? nearest : twice_area * (c == obtuse ? 0.25 : 0.125);
  }
}

}  // namespace

void add_bends(const std::vector<std::array<int, 3>>& triangles, const std::vector<Vec3>& rest,
               double rigidity, MembraneSet& set) {
  if (!(rigidity > 0)) return;
  const std::vector<HalfEdge> edges = edges_of(triangles, rest);
  std::vector<double> area(rest.size(), 0.0);
  for (const auto& t : triangles) add_areas(t, rest, area);
  const auto add = [&](int vertex, double stiffness) {
    set.bends.push_back({stiffness, static_cast<int>(set.bend_vertex.size()), 1});
    set.bend_vertex.push_back(vertex);
    set.bend_weight.push_back(0);
  };
  const auto add_neighbour = [&](int vertex, double weight) {
    set.bend_vertex.push_back(vertex);
    set.bend_weight.push_back(weight);
    set.bend_weight[at(set.bends.back().first)] -= weight;
    ++set.bends.back().count;
  };
  for (std::size_t i = 0; i < edges.size();) {
    const int own = edges[i].from;
    std::size_t end = i;
    const HalfEdge* border[2] = {};
    int num_borders = 0;
    bool is_sheet = true;
    double largest = 0;
    for (; end < edges.size() && edges[end].from == own; ++end) {
      if (edges[end].num_triangles == 1 && num_borders++ < 2) border[num_borders - 1] = &edges[end];
      is_sheet = is_sheet && edges[end].num_triangles <= 2;
      largest = std::max(largest, std::abs(edges[end].weight));
    }
    if (is_sheet && num_borders == 0) {
      add(own, rigidity / area[at(own)]);
      for (std::size_t k = i; k < end; ++k) {
        if (std::abs(edges[k].weight) > smallest_weight * largest) {
          add_neighbour(edges[k].to, edges[k].weight);
        }
      }
    } else if (is_sheet && num_borders == 2) {
      const Vector a = between(rest[at(own)], rest[at(border[0]->to)]),
                   b = between(rest[at(own)], rest[at(border[1]->to)]);
      const double first = std::sqrt(dot(a, a)), second = std::sqrt(dot(b, b));
      const Vector sum = (1 / first) * a + (1 / second) * b;
      if (dot(sum, sum) < straight * straight) {
        const double width = 2 * area[at(own)] / (first + second);  // across the border
        add(own, rigidity * width * 2 / (first + second));
        add_neighbour(border[0]->to, 1 / first);
        add_neighbour(border[1]->to, 1 / second);
      }
    }
    i = end;
  }
}

}  // namespace supple
