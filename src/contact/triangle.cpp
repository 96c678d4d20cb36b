#include "contact/triangle.h"

#include <cmath>
#include <limits>

#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

TrianglePoint nearest_on_edge(const Triangle& triangle, int i, const Vec3& x) {
  const int j = (i + 1) % 3;
  const Vec3& a = triangle.corner[i];
  const Vec3& b = triangle.corner[j];
  const Vec3 edge = b - a;
  const double along = dot(x - a, edge);
  const double whole = dot(edge, edge);
  TrianglePoint result{a, 0, 4 + i};
  if (along >= whole) {
    result = {b, 0, 4 + j};
  } else if (along > 0) {
    result = {a + (along / whole) * edge, 0, 1 + i};
  }
  const Vec3 d = x - result.point;
  result.squared_distance = dot(d, d);
  return result;
}

}  // namespace

Triangle triangle_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  constexpr double rounding = 1e-14;
  Triangle triangle{{a, b, c}, {0, 0, 0}};
  // Both edges are normalised first, so that neither a small nor a large mesh leaves the range.
  const Vec3 normal = cross(direction(b - a, {0, 0, 0}), direction(c - a, {0, 0, 0}));
  if (norm(normal) > rounding) triangle.normal = direction(normal, {0, 0, 0});
  return triangle;
}

double angle_at(const Triangle& triangle, std::size_t i) {
  const Vec3 a = direction(triangle.corner[(i + 1) % 3] - triangle.corner[i], {1, 0, 0});
  const Vec3 b = direction(triangle.corner[(i + 2) % 3] - triangle.corner[i], {1, 0, 0});
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

TrianglePoint nearest_point(const Triangle& triangle, const Vec3& x) {
  TrianglePoint best{triangle.corner[0], std::numeric_limits<double>::infinity(), 0};
  const bool has_area = triangle.normal != Vec3{0, 0, 0};
  bool inside = has_area;
  for (int i = 0; i < 3; ++i) {
    const Vec3 edge = triangle.corner[(i + 1) % 3] - triangle.corner[i];
    if (has_area && dot(cross(triangle.normal, edge), x - triangle.corner[i]) >= 0) continue;
    inside = false;
    const TrianglePoint candidate = nearest_on_edge(triangle, i, x);
    if (candidate.squared_distance < best.squared_distance) best = candidate;
  }
  if (inside) {
    const double height = dot(triangle.normal, x - triangle.corner[0]);
    best = {x - height * triangle.normal, height * height, 0};
  }
  return best;
}

}  // namespace supple
