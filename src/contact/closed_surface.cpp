#include "contact/closed_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/index.h"
#include "base/refuse.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace {

void check_numbers(const TriangleMesh& mesh, const std::string& where) {
  if (mesh.triangles.empty()) refuse(where, "the surface has no triangles");
  // Corners are counted 3 * triangle + corner in an int.
  const std::size_t most = std::numeric_limits<int>::max() / 3;
  if (mesh.triangles.size() > most || mesh.vertices.size() > most) {
    refuse(where, fmt::format("the surface has more than {} triangles or vertices", most));
  }
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (double c : mesh.vertices[i]) {
      if (!(std::abs(c) <= 1e100)) {
        refuse(where, fmt::format("vertex {}: {} is not a finite number of at most 1e100", i, c));
      }
    }
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int v : mesh.triangles[t]) {
      if (v < 0 || at(v) >= mesh.vertices.size()) {
        refuse(where, fmt::format("triangle {}: there is no vertex {}; expected 0 to {}", t, v,
                                  static_cast<long long>(mesh.vertices.size()) - 1));
      }
    }
  }
}

void check_areas(const TriangleMesh& mesh, const std::string& where) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [i, j, k] = mesh.triangles[t];
    const Vec3 ab = mesh.vertices[at(j)] - mesh.vertices[at(i)];
    const Vec3 ac = mesh.vertices[at(k)] - mesh.vertices[at(i)];
    const Vec3 bc = ac - ab;
    const double longest = std::max({norm(ab), norm(ac), norm(bc)});
    // Lengths are divided out first: a small mesh must not underflow.
    if (!(longest > 1e-300) || !(norm(cross((1 / longest) * ab, (1 / longest) * ac)) > 1e-14)) {
      refuse(where, fmt::format("triangle {} ({}, {}, {}) has no area", t, i, j, k));
    }
  }
}

/// The first edge that is not in two triangles of opposite directions, described in words, or "".
std::string open_edge(const TriangleMesh& mesh) {
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh);
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first + 1;
    while (last < edges.size() && edges[last].low == edges[first].low &&
           edges[last].high == edges[first].high) {
      ++last;
    }
    const std::string name =
        fmt::format("the edge between vertices {} and {} (triangle {})", edges[first].low,
                    edges[first].high, edges[first].start / 3);
    if (last - first != 2) {
      return fmt::format("{} is in {} triangle{}; expected two", name, last - first,
                         last - first == 1 ? "" : "s");
    }
    if (edges[first].rising == edges[first + 1].rising) {
      return fmt::format("{} runs in the same direction in triangle {}; expected opposite ones",
                         name, edges[first + 1].start / 3);
    }
    first = last;
  }
  return "";
}

/// Joins vertices of equal coordinates.
void join_equal_vertices(TriangleMesh& mesh) {
  std::vector<int> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return mesh.vertices[at(a)] != mesh.vertices[at(b)]
               ? mesh.vertices[at(a)] < mesh.vertices[at(b)]
               : a < b;
  });
  std::vector<int> first_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && mesh.vertices[at(order[i])] == mesh.vertices[at(order[i - 1])];
    first_of[at(order[i])] = same ? first_of[at(order[i - 1])] : order[i];
  }
  for (auto& triangle : mesh.triangles) {
    for (int& v : triangle) v = first_of[at(v)];
  }
}

/// Volume over the product of the box's edges, and area over its squared diagonal; these do not
/// overflow.
std::pair<double, double> relative_volume_and_area(const TriangleMesh& mesh) {
  Vec3 low = mesh.vertices[at(mesh.triangles[0][0])];
  Vec3 high = low;
  for (const auto& triangle : mesh.triangles) {
    for (int v : triangle) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], mesh.vertices[at(v)][k]);
        high[k] = std::max(high[k], mesh.vertices[at(v)][k]);
      }
    }
  }
  const Vec3 middle = 0.5 * (low + high);
  const double scale = 1 / norm(high - low);
  double volume = 0;
  double area = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = scale * (mesh.vertices[at(i)] - middle);
    const Vec3 b = scale * (mesh.vertices[at(j)] - middle);
    const Vec3 c = scale * (mesh.vertices[at(k)] - middle);
    volume += dot(a, cross(b, c)) / 6;
    area += norm(cross(b - a, c - a)) / 2;
  }
  return {volume, area};
}

}  // namespace

std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = mesh.triangles[t][i];
      const int b = mesh.triangles[t][(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b, static_cast<int>(3 * t + i)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.start) < std::tie(b.low, b.high, b.start);
  });
  return edges;
}

TriangleMesh closed_surface(TriangleMesh mesh, const std::string& where) {
  check_numbers(mesh, where);
  check_areas(mesh, where);
  if (!open_edge(mesh).empty()) {
    join_equal_vertices(mesh);
    if (const std::string fault = open_edge(mesh); !fault.empty()) {
      refuse(where, "the surface is not closed: " + fault);
    }
  }
  const auto [volume, area] = relative_volume_and_area(mesh);
  // Rounding of the sum is about 1e-16 of the area times the diagonal, which is 1 here.
  if (!(std::abs(volume) > 1e-13 * area)) refuse(where, "the surface encloses no volume");
  if (volume < 0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  return mesh;
}

}  // namespace supple
