#include "contact/hull_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index.h"
#include "base/refuse.h"
#include "contact/extent.h"
#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr std::size_t most_hull_points = 1 << 24;
/// Share of the points' size: points that stand out by less are left out.
constexpr double hull_rounding = 1e-10;
/// Share of a triangle's longest edge: if the third corner is nearer to it, the triangle is narrow.
constexpr double narrow = 1e-9;
/// Cells of the grid along the longest side of the points' box: products of three differences fit
/// 128 bits.
constexpr int grid_bits = 40;

__extension__ using Wide = __int128;
using GridPoint = std::array<std::int64_t, 3>;

/// A side of the hull.
struct Side {
  std::array<int, 3> corners;
  /// The side across the edge from each corner to the next.
  std::array<int, 3> neighbours{-1, -1, -1};
  Vec3 normal;               ///< unit
  std::vector<int> outside;  ///< points that stand out of this side, the farthest first
  bool is_there = true;
};

/// An edge between the sides that a point sees and those that it does not.
struct HorizonEdge {
  int from, to;
  int beyond;  ///< the side that the point does not see
};

class Quickhull {
 public:
  explicit Quickhull(const std::vector<Vec3>& points, const std::string& where) : points_(points) {
    Extent box;
    for (const Vec3& point : points) box.add(point);
    const Vec3 edges = box.high - box.low;
    const double longest = *std::max_element(edges.begin(), edges.end());
    size_ = norm(edges);
    if (!(longest > 1e-280)) refuse(where, "the points are all in one place");
    const int exponent = std::ilogb(longest) + 1 - grid_bits;
    for (const Vec3& point : points) {
      GridPoint& own = grid_.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        own[k] = std::llround(std::scalbn(point[k] - box.low[k], -exponent));
      }
    }
    start(where);
    while (!waiting_.empty()) {
      const int side = waiting_.back();
      waiting_.pop_back();
      if (sides_[at(side)].is_there && !sides_[at(side)].outside.empty()) add_point(side);
    }
  }

  TriangleMesh mesh() const {
    TriangleMesh mesh;
    std::vector<int> number(points_.size(), -1);
    for (const Side& side : sides_) {
      if (!side.is_there) continue;
      auto& triangle = mesh.triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        int& own = number[at(side.corners[k])];
        if (own < 0) {
          own = static_cast<int>(mesh.vertices.size());
          mesh.vertices.push_back(points_[at(side.corners[k])]);
        }
        triangle[k] = own;
      }
    }
    return mesh;
  }

 private:
  /// Whether a point is in front of the plane of a side, exactly.
  bool sees(int point, const Side& side) const {
    const GridPoint& a = grid_[at(side.corners[0])];
    const GridPoint& b = grid_[at(side.corners[1])];
    const GridPoint& c = grid_[at(side.corners[2])];
    const GridPoint& p = grid_[at(point)];
    Wide u[3], v[3], w[3];
    for (std::size_t k = 0; k < 3; ++k) {
      u[k] = b[k] - a[k];
      v[k] = c[k] - a[k];
      w[k] = p[k] - a[k];
    }
    const Wide volume = w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                        w[2] * (u[0] * v[1] - u[1] * v[0]);
    return volume > 0;
  }

  double height(int point, const Side& side) const {
    return dot(points_[at(point)] - points_[at(side.corners[0])], side.normal);
  }

  int make_side(int a, int b, int c) {
    Side side;
    side.corners = {a, b, c};
    const Vec3 &pa = points_[at(a)], &pb = points_[at(b)], &pc = points_[at(c)];
    side.normal = direction(cross((1 / size_) * (pb - pa), (1 / size_) * (pc - pa)), {0, 0, 0});
    sides_.push_back(std::move(side));
    return static_cast<int>(sides_.size()) - 1;
  }

  /// Gives a point to the first of these sides that it stands out of. Points that stand out of
  /// none, or hardly out of one, are inside.
  void give(int point, const std::vector<int>& sides) {
    for (const int number : sides) {
      Side& side = sides_[at(number)];
      const double own = height(point, side);
      if (!(own > hull_rounding * size_) || !sees(point, side)) continue;
      side.outside.push_back(point);
      if (own > height(side.outside.front(), side)) {
        std::swap(side.outside.front(), side.outside.back());
      }
      return;
    }
  }

  /// The point for which `value` is largest, and its value.
  template <class Value>
  std::pair<int, double> largest(const Value& value) const {
    std::pair<int, double> best{0, value(points_[0])};
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double own = value(points_[i]);
      if (own > best.second) best = {static_cast<int>(i), own};
    }
    return best;
  }

  /// A tetrahedron of points far from each other.
  void start(const std::string& where) {
    const auto a = largest([&](const Vec3& p) { return norm(p - points_[0]); }).first;
    const Vec3 first = points_[at(a)];
    const auto b = largest([&](const Vec3& p) { return norm(p - first); }).first;
    const Vec3 along = direction(points_[at(b)] - first, {0, 0, 0});
    const auto [c, width] = largest([&](const Vec3& p) { return norm(cross(p - first, along)); });
    const Vec3 across = direction(cross(along, points_[at(c)] - first), {0, 0, 0});
    const auto [d, depth] =
        largest([&](const Vec3& p) { return std::abs(dot(p - first, across)); });
    if (!(width > hull_rounding * size_ && depth > hull_rounding * size_)) {
      refuse(where, "the points lie in one plane; expected a hull with a volume");
    }
    const bool is_behind = dot(points_[at(d)] - first, across) < 0;
    const std::array<int, 3> base = is_behind ? std::array{a, b, c} : std::array{a, c, b};
    std::vector<int> sides = {make_side(base[0], base[1], base[2])};
    for (std::size_t k = 0; k < 3; ++k) sides.push_back(make_side(base[(k + 1) % 3], base[k], d));
    for (std::size_t k = 0; k < 3; ++k) {
      sides_[0].neighbours[k] = sides[k + 1];
      sides_[at(sides[k + 1])].neighbours = {0, sides[(k + 2) % 3 + 1], sides[(k + 1) % 3 + 1]};
    }
    for (std::size_t i = 0; i < points_.size(); ++i) give(static_cast<int>(i), sides);
    waiting_ = sides;
  }

  /// Finds the sides that the point sees, starting from one of them, and the horizon around them in
  /// order.
  void find_horizon(int point, int side) {
    seen_.assign(1, side);
    horizon_.clear();
    sides_[at(side)].is_there = false;
    // Each entry is a side and the edges that still have to be looked across, beginning with the
    // one after that by which it was entered: this meets the horizon in order.
    struct Visit {
      int side;
      std::size_t next, left;
    };
    std::vector<Visit> open = {{side, 0, 3}};
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.left == 0) {
        open.pop_back();
        continue;
      }
      const std::size_t edge = visit.next;
      const int own = visit.side;
      visit.next = (visit.next + 1) % 3;
      --visit.left;
      const int beyond = sides_[at(own)].neighbours[edge];
      Side& other = sides_[at(beyond)];
      if (!other.is_there) continue;
      const int from = sides_[at(own)].corners[edge];
      const int to = sides_[at(own)].corners[(edge + 1) % 3];
      if (!sees(point, other)) {
        horizon_.push_back({from, to, beyond});
        continue;
      }
      other.is_there = false;
      seen_.push_back(beyond);
      std::size_t entry = 0;
      while (other.corners[entry] != to) ++entry;
      open.push_back({beyond, (entry + 1) % 3, 2});
    }
  }

  void add_point(int side) {
    const int point = sides_[at(side)].outside.front();
    find_horizon(point, side);
    std::vector<int> sides;
    for (const HorizonEdge& edge : horizon_) sides.push_back(make_side(edge.from, edge.to, point));
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const int next = sides[(k + 1) % sides.size()];
      const int last = sides[(k + sides.size() - 1) % sides.size()];
      sides_[at(sides[k])].neighbours = {horizon_[k].beyond, next, last};
      Side& beyond = sides_[at(horizon_[k].beyond)];
      for (std::size_t e = 0; e < 3; ++e) {
        if (beyond.corners[e] == horizon_[k].to) beyond.neighbours[e] = sides[k];
      }
    }
    for (const int old : seen_) {
      for (const int own : std::exchange(sides_[at(old)].outside, {})) {
        if (own != point) give(own, sides);
      }
    }
    waiting_.insert(waiting_.end(), sides.begin(), sides.end());
  }

  const std::vector<Vec3>& points_;
  std::vector<GridPoint> grid_;
  double size_ = 0;
  std::vector<Side> sides_;
  std::vector<int> waiting_;
  std::vector<int> seen_;
  std::vector<HorizonEdge> horizon_;
};

/// Rounding can put points of a flat side or of a straight edge in front of each other, which makes
/// narrow triangles. Drops the middle corner of each narrow triangle; `points` become the other
/// corners of the hull. False: there are no such triangles, and nothing has changed.
bool drop_middles(const TriangleMesh& mesh, std::vector<Vec3>& points) {
  enum class Fate : std::uint8_t { open, kept, dropped };
  std::vector<Fate> fate(mesh.vertices.size(), Fate::open);
  bool any = false;
  for (const auto& triangle : mesh.triangles) {
    Vec3 edges[3];  // edge opposite each corner
    std::size_t longest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      edges[k] =
          mesh.vertices[at(triangle[(k + 2) % 3])] - mesh.vertices[at(triangle[(k + 1) % 3])];
      if (norm(edges[k]) > norm(edges[longest])) longest = k;
    }
    const double length = norm(edges[longest]);
    const Vec3 along = (1 / length) * edges[longest];
    const double width = norm(cross(along, (1 / length) * edges[(longest + 1) % 3]));
    if (width > narrow) continue;
    const std::size_t middle = at(triangle[longest]);
    const std::size_t ends[2] = {at(triangle[(longest + 1) % 3]), at(triangle[(longest + 2) % 3])};
    // The two corners on either side of a dropped one stay.
    if (fate[middle] != Fate::open || fate[ends[0]] == Fate::dropped ||
        fate[ends[1]] == Fate::dropped) {
      continue;
    }
    fate[middle] = Fate::dropped;
    fate[ends[0]] = fate[ends[1]] = Fate::kept;
    any = true;
  }
  if (!any) return false;
  points.clear();
  for (std::size_t v = 0; v < fate.size(); ++v) {
    if (fate[v] != Fate::dropped) points.push_back(mesh.vertices[v]);
  }
  return true;
}

}  // namespace

TriangleMesh hull_surface(const ConvexHullShape& shape, const std::string& where) {
  const std::string place = where + "/points";
  if (shape.points.size() < 4 || shape.points.size() > most_hull_points) {
    refuse(place, fmt::format("there are {} points; expected 4 to {}", shape.points.size(),
                              most_hull_points));
  }
  for (std::size_t i = 0; i < shape.points.size(); ++i) {
    shape_checks::finite(shape.points[i], fmt::format("{}/{}", place, i));
  }
  std::vector<Vec3> points = shape.points;
  TriangleMesh mesh = Quickhull(points, place).mesh();
  while (drop_middles(mesh, points)) mesh = Quickhull(points, place).mesh();
  return mesh;
}

}  // namespace supple
