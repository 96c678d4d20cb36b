#include "render/tubes.h"

#include <cmath>
#include <numbers>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

/// Neighbouring sides meet at 36 degrees, which is less than a crease.
constexpr int sides = 10;

}  // namespace

std::vector<std::array<int, 3>> tube_triangles(std::size_t num_segments) {
  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(num_segments * 2 * sides);
  for (int s = 0; s < static_cast<int>(num_segments); ++s) {
    const int first = s * 2 * sides;
    for (int k = 0; k < sides; ++k) {
      const int a = first + k, b = first + (k + 1) % sides;
      triangles.push_back({a, b, b + sides});
      triangles.push_back({a, b + sides, a + sides});
    }
  }
  return triangles;
}

std::vector<Vec3> tube_points(std::span<const Vec3> vertices,
                              std::span<const std::array<int, 2>> segments, double radius) {
  std::vector<Vec3> points;
  points.reserve(segments.size() * 2 * sides);
  for (const auto& segment : segments) {
    const Vec3& a = vertices[static_cast<std::size_t>(segment[0])];
    const Vec3& b = vertices[static_cast<std::size_t>(segment[1])];
    const Vec3 axis = unit(b - a, {0, 1, 0});
    const Vec3 u = across(axis);
    const Vec3 v = cross(axis, u);
    for (const Vec3& end : {a, b}) {
      for (int k = 0; k < sides; ++k) {
        const double angle = 2 * std::numbers::pi * k / sides;
        points.push_back(end + (radius * std::cos(angle)) * u + (radius * std::sin(angle)) * v);
      }
    }
  }
  return points;
}

}  // namespace supple
