#include "contact/nearest_features.h"

#include <algorithm>
#include <cmath>

#include "contact/triangle.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

NearestPoints between(const std::array<double, 4>& weights, const std::array<Vec3, 4>& corners) {
  NearestPoints found{weights, {0, 0, 0}, 0};
  // Computed from differences with one corner, whose rounding does not depend on the coordinates'
  // size.
  for (std::size_t i = 1; i < 4; ++i) {
    found.between = found.between + weights[i] * (corners[i] - corners[0]);
  }
  found.distance = norm(found.between);
  return found;
}

}  // namespace

NearestPoints nearest_of_face(const std::array<Vec3, 4>& corners) {
  const Triangle triangle = triangle_of(corners[1], corners[2], corners[3]);
  const TrianglePoint nearest = nearest_point(triangle, corners[0]);
  std::array<double, 4> weights{1, 0, 0, 0};
  if (nearest.feature >= 4) {
    weights[static_cast<std::size_t>(nearest.feature - 3)] = -1;
  } else if (nearest.feature >= 1) {
    const auto i = static_cast<std::size_t>(nearest.feature - 1), j = (i + 1) % 3;
    const Vec3 edge = triangle.corner[j] - triangle.corner[i];
    const double along =
        std::clamp(dot(corners[0] - triangle.corner[i], edge) / dot(edge, edge), 0.0, 1.0);
    weights[1 + i] = along - 1;
    weights[1 + j] = -along;
  } else {
    double parts[3], sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& a = triangle.corner[(i + 1) % 3];
      const Vec3 edge = triangle.corner[(i + 2) % 3] - a;
      parts[i] = std::max(0.0, dot(cross(edge, nearest.point - a), triangle.normal));
      sum += parts[i];
    }
    for (std::size_t i = 0; i < 3; ++i) weights[1 + i] = -parts[i] / sum;
  }
  return between(weights, corners);
}

NearestPoints nearest_of_edges(const std::array<Vec3, 4>& corners) {
  const Vec3 first = corners[1] - corners[0], second = corners[3] - corners[2];
  const Vec3 apart = corners[0] - corners[2];
  const double aa = dot(first, first), bb = dot(second, second), ab = dot(first, second);
  const double a = dot(first, apart), b = dot(second, apart);
  // [Ericson 2005, sec. 5.1.9]
  const auto share = [](double part, double whole) {
    return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
  };
  const double determinant = aa * bb - ab * ab;
  double s = determinant > 1e-14 * aa * bb ? share(ab * b - a * bb, determinant) : 0.5;
  double t = bb > 0 ? (ab * s + b) / bb : 0.0;
  if (t < 0 || t > 1 || determinant <= 1e-14 * aa * bb) {
    t = std::clamp(t, 0.0, 1.0);
    s = share(ab * t - a, aa);
    // For parallel edges the middle of one may be opposite a place outside the other.
    t = share(ab * s + b, bb);
    s = share(ab * t - a, aa);
  }
  return between({1 - s, s, t - 1, -t}, corners);
}

}  // namespace supple
