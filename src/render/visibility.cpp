#include "render/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

/// The half plane a x + b y + c >= 0 on the inner side of an edge. It is computed from the ends in
/// a fixed order, whichever triangle asks, and then negated if needed, so that the two triangles of
/// an edge get exactly opposite numbers.
struct HalfPlane {
  double a, b, c;

  HalfPlane(const Vec3& from, const Vec3& to) {
    const bool swap = from[0] != to[0] ? from[0] > to[0] : from[1] > to[1];
    const Vec3& p = swap ? to : from;
    const Vec3& q = swap ? from : to;
    a = p[1] - q[1];
    b = q[0] - p[0];
    c = p[0] * q[1] - p[1] * q[0];
    if (swap) {
      a = -a;
      b = -b;
      c = -c;
    }
  }
};

/// Samples i with i + 1/2 between x and y, within [0, n).
std::pair<int, int> samples_between(double x, double y, int n) {
  const double first = std::max(std::ceil(x - 0.5), 0.0);
  const double last = std::min(std::floor(y - 0.5), static_cast<double>(n - 1));
  if (!(first <= last)) return {0, -1};
  return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace

Visibility::Visibility(int width, int height, float farthest)
    : width_(width),
      height_(height),
      nearness_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), farthest),
      surface_(nearness_.size(), nothing) {}

void Visibility::draw_row(int j, int first, int last, double base, double dx, float low, float high,
                          std::int32_t surface) {
  float* nearness = &nearness_[index(0, j)];
  std::int32_t* surfaces = &surface_[index(0, j)];
  const auto start = static_cast<float>(base), slope = static_cast<float>(dx);
  for (int i = first; i <= last; ++i) {
    // Slivers have steep planes: values that rounding puts beyond the corners are clamped.
    const float z = std::min(std::max(start + slope * static_cast<float>(i - first), low), high);
    const bool nearer = z > nearness[i];
    nearness[i] = nearer ? z : nearness[i];
    surfaces[i] = nearer ? surface : surfaces[i];
  }
}

void Visibility::draw(const Vec3& a, const Vec3& b, const Vec3& c, std::int32_t surface) {
  if (!finite(a) || !finite(b) || !finite(c)) return;
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (!(std::abs(area) > 0) || !std::isfinite(area)) return;
  const Vec3& second = area > 0 ? b : c;
  const Vec3& third = area > 0 ? c : b;
  const std::array<HalfPlane, 3> edges{HalfPlane(a, second), HalfPlane(second, third),
                                       HalfPlane(third, a)};

  // Nearness over the raster: a[2] + dx (x - a[0]) + dy (y - a[1]).
  const double dx = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / area;
  const double dy = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / area;
  const auto low = static_cast<float>(std::min({a[2], b[2], c[2]}));
  const auto high = static_cast<float>(std::max({a[2], b[2], c[2]}));

  const auto [first_row, last_row] =
      samples_between(std::min({a[1], b[1], c[1]}), std::max({a[1], b[1], c[1]}), height_);
  for (int j = first_row; j <= last_row; ++j) {
    const double y = j + 0.5;
    double left = std::min({a[0], b[0], c[0]}), right = std::max({a[0], b[0], c[0]});
    for (const HalfPlane& e : edges) {
      const double rest = e.b * y + e.c;
      if (e.a > 0) {
        left = std::max(left, -rest / e.a);
      } else if (e.a < 0) {
        right = std::min(right, -rest / e.a);
      } else if (!(rest >= 0)) {
        right = -std::numeric_limits<double>::infinity();
      }
    }
    const auto [first, last] = samples_between(left, right, width_);
    if (first > last) continue;
    draw_row(j, first, last, a[2] + dx * (first + 0.5 - a[0]) + dy * (y - a[1]), dx, low, high,
             surface);
  }
}

void Visibility::draw_plane(double base, double dx, double dy, std::int32_t surface) {
  if (!std::isfinite(base) || !std::isfinite(dx) || !std::isfinite(dy)) return;
  for (int j = 0; j < height_; ++j) {
    draw_row(j, 0, width_ - 1, base + 0.5 * dx + dy * (j + 0.5), dx, 0.0F,
             std::numeric_limits<float>::max(), surface);
  }
}

}  // namespace supple
