#include "render/smoothing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

/// Unit normal, or zero if there is none.
Vec3 face_normal(std::span<const Vec3> vertices, const std::array<int, 3>& t) {
  const Vec3& a = vertices[static_cast<std::size_t>(t[0])];
  const Vec3& b = vertices[static_cast<std::size_t>(t[1])];
  const Vec3& c = vertices[static_cast<std::size_t>(t[2])];
  return unit(cross(b - a, c - a), {0, 0, 0});
}

struct Edge {
  int low, high;                ///< vertices
  int corner_low, corner_high;  ///< corners (3 triangle + corner) at them
  bool forward;                 ///< the triangle runs from low to high
};

std::vector<Edge> sorted_edges(std::span<const std::array<int, 3>> triangles) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      const int from = triangles[t][k], to = triangles[t][next];
      const int corner_from = static_cast<int>(3 * t + k),
                corner_to = static_cast<int>(3 * t + next);
      if (from < to) {
        edges.push_back({from, to, corner_from, corner_to, true});
      } else {
        edges.push_back({to, from, corner_to, corner_from, false});
      }
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    return a.corner_low < b.corner_low;
  });
  return edges;
}

/// Disjoint sets of corners.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  int root(int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      int& p = parent_[static_cast<std::size_t>(i)];
      p = parent_[static_cast<std::size_t>(p)];
      i = p;
    }
    return i;
  }
  /// The smaller root is kept, so that the result does not depend on the order.
  void join(int a, int b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent_[static_cast<std::size_t>(high)] = low;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace

Smoothing find_smoothing(std::span<const Vec3> vertices,
                         std::span<const std::array<int, 3>> triangles, double crease_degrees) {
  const double smallest_cosine = std::cos(crease_degrees * std::numbers::pi / 180);
  const std::vector<Edge> edges = sorted_edges(triangles);
  Sets sets(3 * triangles.size());
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low &&
           edges[end].high == edges[i].high) {
      ++end;
    }
    if (end - i == 2 && edges[i].forward != edges[i + 1].forward) {
      const Edge &e = edges[i], &f = edges[i + 1];
      const Vec3 n = face_normal(vertices, triangles[static_cast<std::size_t>(e.corner_low / 3)]);
      const Vec3 m = face_normal(vertices, triangles[static_cast<std::size_t>(f.corner_low / 3)]);
      const bool flat = dot(n, n) == 0 || dot(m, m) == 0;
      if (flat || dot(n, m) >= smallest_cosine) {
        sets.join(e.corner_low, f.corner_low);
        sets.join(e.corner_high, f.corner_high);
      }
    }
    i = end;
  }
  Smoothing smoothing;
  smoothing.normal_of_corner.resize(triangles.size());
  std::vector<int> number(3 * triangles.size(), -1);
  for (std::size_t c = 0; c < number.size(); ++c) {
    // The root is the set's smallest corner, so it is numbered before the others.
    const auto root = static_cast<std::size_t>(sets.root(static_cast<int>(c)));
    if (root == c) number[c] = smoothing.num_normals++;
    smoothing.normal_of_corner[c / 3][c % 3] = number[root];
  }
  return smoothing;
}

std::vector<Vec3> smooth_normals(std::span<const Vec3> vertices,
                                 std::span<const std::array<int, 3>> triangles,
                                 const Smoothing& smoothing) {
  std::vector<Vec3> normals(static_cast<std::size_t>(smoothing.num_normals), Vec3{0, 0, 0});
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Vec3 n = face_normal(vertices, triangles[t]);
    if (dot(n, n) == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = vertices[static_cast<std::size_t>(triangles[t][k])];
      const Vec3 a = vertices[static_cast<std::size_t>(triangles[t][(k + 1) % 3])] - p;
      const Vec3 b = vertices[static_cast<std::size_t>(triangles[t][(k + 2) % 3])] - p;
      const double angle = std::atan2(length(cross(a, b)), dot(a, b));
      Vec3& sum = normals[static_cast<std::size_t>(smoothing.normal_of_corner[t][k])];
      sum = sum + angle * n;
    }
  }
  for (Vec3& n : normals) n = unit(n, {0, 0, 0});
  return normals;
}

}  // namespace supple
