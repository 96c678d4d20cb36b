#include "io/meshes/triangulate.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

using Point = std::array<double, 2>;

/// Newell's normal: twice the area in each coordinate plane. It is computed relative to the first
/// corner, so that a small polygon far from the origin keeps its digits.
Vec3 polygon_normal(const std::vector<Vec3>& vertices, std::span<const int> corners) {
  const Vec3& origin = vertices[static_cast<std::size_t>(corners[0])];
  Vec3 normal{0, 0, 0};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3& p = vertices[static_cast<std::size_t>(corners[i])];
    const Vec3& q = vertices[static_cast<std::size_t>(corners[(i + 1) % corners.size()])];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
      normal[d] +=
          (p[e] - origin[e]) * (q[f] - origin[f]) - (p[f] - origin[f]) * (q[e] - origin[e]);
    }
  }
  return normal;
}

/// The polygon seen along the axis nearest to its normal, counter-clockwise.
std::vector<Point> projected(const std::vector<Vec3>& vertices, std::span<const int> corners) {
  const Vec3 normal = polygon_normal(vertices, corners);
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d) {
    if (std::abs(normal[d]) > std::abs(normal[axis])) axis = d;
  }
  std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(u, v);
  std::vector<Point> points;
  points.reserve(corners.size());
  for (const int corner : corners) {
    const Vec3& x = vertices[static_cast<std::size_t>(corner)];
    points.push_back({x[u], x[v]});
  }
  return points;
}

/// Twice the signed area of a triangle.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool is_convex(const std::vector<Point>& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (turn(p[i], p[(i + 1) % n], p[(i + 2) % n]) < 0) return false;
  }
  return true;
}

/// Cuts ears off `left_`, the remaining corners in order.
class EarCutter {
 public:
  explicit EarCutter(const std::vector<Point>& points) : points_(points) {
    for (std::size_t i = 0; i < points.size(); ++i) left_.push_back(i);
  }

  template <typename Emit>
  void cut(Emit emit) {
    while (left_.size() > 3) {
      const std::size_t ear = next_ear();
      emit(before(ear), left_[ear], after(ear));
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    emit(left_[0], left_[1], left_[2]);
  }

 private:
  std::size_t before(std::size_t i) const { return left_[(i + left_.size() - 1) % left_.size()]; }
  std::size_t after(std::size_t i) const { return left_[(i + 1) % left_.size()]; }

  /// A polygon that crosses itself may have no ear. Then the first corner is cut off, which keeps
  /// the number of triangles right.
  std::size_t next_ear() const {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (is_ear(i)) return i;
    }
    return 0;
  }

  bool is_ear(std::size_t i) const {
    const Point& a = points_[before(i)];
    const Point& b = points_[left_[i]];
    const Point& c = points_[after(i)];
    if (!(turn(a, b, c) > 0)) return false;
    return std::none_of(left_.begin(), left_.end(), [&](std::size_t k) {
      const Point& p = points_[k];
      if (p == a || p == b || p == c) return false;
      return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
    });
  }

  const std::vector<Point>& points_;
  std::vector<std::size_t> left_;
};

}  // namespace

bool append_triangles(const std::vector<Vec3>& vertices, std::span<const int> corners,
                      std::vector<std::array<int, 3>>& triangles) {
  const auto append = [&](std::size_t a, std::size_t b, std::size_t c) {
    const std::array<int, 3> triangle{corners[a], corners[b], corners[c]};
    const bool distinct =
        triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0];
    if (distinct) triangles.push_back(triangle);
  };
  if (corners.size() == 3) {
    append(0, 1, 2);
    return true;
  }
  const std::vector<Point> points = projected(vertices, corners);
  if (is_convex(points)) {
    for (std::size_t i = 2; i < corners.size(); ++i) append(0, i - 1, i);
    return true;
  }
  if (corners.size() > largest_concave_polygon) return false;
  EarCutter(points).cut(append);
  return true;
}

}  // namespace supple
