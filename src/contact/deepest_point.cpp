#include "contact/deepest_point.h"

#include <algorithm>
#include <limits>

#include "contact/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr int cuts_of_edge = 24;      // 0.618^24 = 1e-5
constexpr int cuts_of_triangle = 20;  // 7e-5

/// Where a function with one minimum has it, in [low, high].
template <class Value>
double minimum_between(double low, double high, int cuts, const Value& value) {
  constexpr double part = 0.6180339887498949;
  double a = high - part * (high - low), b = low + part * (high - low);
  double at_a = value(a), at_b = value(b);
  for (int i = 0; i < cuts; ++i) {
    if (at_a <= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - part * (high - low);
      at_a = value(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + part * (high - low);
      at_b = value(b);
    }
  }
  return at_a <= at_b ? a : b;
}

/// The part of [0, 1] around a place that is looked at further.
struct Window {
  double low = 0, high = 1;
  static Window around(double middle, double half) {
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
  }
};

/// Of an edge: beside a kink of the distance.
constexpr double beside = 1e-3;

Vec3 normal_across(const ColliderObject& collider, const Vec3& a, const Vec3& edge, double s) {
  const Vec3 before = collider.surface(a + std::max(0.0, s - beside) * edge).normal;
  const Vec3 after = collider.surface(a + std::min(1.0, s + beside) * edge).normal;
  const double falls = -dot(before, edge), rises = dot(after, edge);
  const double part = falls > 0 && rises > 0 ? falls / (falls + rises) : 0.5;
  const Vec3 between = (1 - part) * before + part * after;
  const Vec3 along = direction(edge, {0, 0, 0});
  return direction(between - dot(between, along) * along, before);
}

}  // namespace

DeepestPoint deepest_on_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b) {
  const Vec3 edge = b - a;
  const auto distance = [&](double s) { return collider.surface(a + s * edge).distance; };
  Window window;
  if (!collider.is_convex()) {
    double least = std::numeric_limits<double>::infinity(), best = 0;
    for (int i = 0; i <= parts_of_edge; ++i) {
      const double s = static_cast<double>(i) / parts_of_edge;
      const double here = distance(s);
      if (!(here < least)) continue;
      least = here;
      best = s;
    }
    window = Window::around(best, 1.0 / parts_of_edge);
  }
  const double s = minimum_between(window.low, window.high, cuts_of_edge, distance);
  return {distance(s), {1 - s, s, 0}, normal_across(collider, a, edge, s)};
}

DeepestPoint deepest_on_triangle(const ColliderObject& collider, const Vec3 (&corners)[3]) {
  const Vec3 first = corners[1] - corners[0], second = corners[2] - corners[0];
  const auto distance = [&](double u, double v) {
    return collider.surface(corners[0] + u * first + v * second).distance;
  };
  Window of_u, of_v;
  if (!collider.is_convex()) {
    double least = std::numeric_limits<double>::infinity(), best_u = 0, best_v = 0;
    for (int i = 0; i <= parts_of_side; ++i) {
      for (int j = 0; i + j <= parts_of_side; ++j) {
        const double u = static_cast<double>(i) / parts_of_side;
        const double v = static_cast<double>(j) / parts_of_side;
        const double here = distance(u, v);
        if (!(here < least)) continue;
        least = here;
        best_u = u;
        best_v = v;
      }
    }
    of_u = Window::around(best_u, 1.0 / parts_of_side);
    of_v = Window::around(best_v, 1.0 / parts_of_side);
  }
  const auto best_v = [&](double u) {
    const double high = std::min(of_v.high, 1 - u);
    return minimum_between(std::min(of_v.low, high), high, cuts_of_triangle,
                           [&](double v) { return distance(u, v); });
  };
  const double u = minimum_between(of_u.low, of_u.high, cuts_of_triangle,
                                   [&](double s) { return distance(s, best_v(s)); });
  const double v = best_v(u);
  const SurfacePoint there = collider.surface(corners[0] + u * first + v * second);
  const Vec3 across = direction(cross(first, second), there.normal);
  const double side = dot(across, there.normal) < 0 ? -1 : 1;
  return {there.distance, {1 - u - v, u, v}, side * across};
}

}  // namespace supple
