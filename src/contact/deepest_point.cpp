#include "contact/deepest_point.h"

#include <algorithm>
#include <limits>

#include "contact/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr int most_tangents = 30;
constexpr int cuts_of_triangle = 20;  // 0.618^20 = 7e-5

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

DeepestPoint deepest_on_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                             const Depth& wanted) {
  const Vec3 edge = b - a;
  /// The distance at a place on the edge and what it grows by along all of the edge.
  struct Tangent {
    double s, distance, slope;
  };
  const auto at = [&](double s) {
    const SurfacePoint there = collider.surface(a + s * edge);
    return Tangent{s, there.distance, dot(there.normal, edge)};
  };
  Tangent low = at(0), high = at(1), best = low.distance <= high.distance ? low : high;
  if (!collider.is_convex()) {
    Tangent places[parts_of_edge + 1];
    int lowest = 0;
    for (int i = 0; i <= parts_of_edge; ++i) {
      const bool is_end = i == 0 || i == parts_of_edge;
      places[i] = is_end ? (i == 0 ? low : high) : at(static_cast<double>(i) / parts_of_edge);
      if (places[i].distance < places[lowest].distance) lowest = i;
    }
    best = places[lowest];
    low = best.slope < 0 ? best : places[std::max(0, lowest - 1)];
    high = best.slope < 0 ? places[std::min(parts_of_edge, lowest + 1)] : best;
  }
  for (int i = 0; i < most_tangents && low.slope < 0 && high.slope > 0; ++i) {
    // Where both tangents meet is below all that is between them.
    const double rise = high.distance - low.distance - high.slope * (high.s - low.s);
    const double step = rise / (low.slope - high.slope);
    const double least = low.distance + low.slope * step;
    if (!(least < best.distance - wanted.tolerance) || least >= wanted.level) break;
    const bool is_between = step > 0 && step < high.s - low.s;
    const Tangent middle = at(is_between ? low.s + step : 0.5 * (low.s + high.s));
    if (middle.distance < best.distance) best = middle;
    (middle.slope < 0 ? low : high) = middle;
  }
  return {best.distance, {1 - best.s, best.s, 0}, normal_across(collider, a, edge, best.s)};
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
