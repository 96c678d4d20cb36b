#include "contact/deepest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr int most_tangents = 40;
/// Relative rounding of the values of a tangent plane.
constexpr double rounding = 1e-13;
/// Number of steps in the search around the deepest place of a grid.
constexpr int most_moves = 60;

/// Share of an edge: how far beside a kink of the distance to look.
constexpr double beside = 1e-3;

/// The normal of a triangle, to one side of it.
Vec3 across_triangle(const Vec3 (&corners)[3], const Vec3& side) {
  const Vec3 across = direction(cross(corners[1] - corners[0], corners[2] - corners[0]), side);
  return (dot(across, side) < 0 ? -1 : 1) * across;
}

/// How far it is from a place in a collider to the outside in one direction, m. Beyond `most` it
/// need not be known.
double way_out(const ColliderObject& collider, const Vec3& place, const Vec3& along, double most) {
  constexpr int most_steps = 50;
  double way = 0;
  for (int i = 0; i < most_steps && way < most; ++i) {
    const double distance = collider.surface(place + way * along).distance;
    if (!(distance < 0)) return way;
    // The last steps towards a surface at a flat angle are short.
    way += std::max(-distance, 0.01 * way);
  }
  return way;
}

/// A part of a triangle, in weights of its corners.
class Part {
 public:
  Part() : corners_{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {}
  /// Keeps what is on one side of a line: the part in which the values, linear between the corners,
  /// are not above zero.
  void cut(const Vec3& values) {
    Vec3 before[room];
    double heights[room];
    const int num_before = count_;
    bool is_whole = true;
    for (int i = 0; i < num_before; ++i) {
      heights[i] = dot(values, corners_[i]);
      is_whole = is_whole && heights[i] <= 0;
    }
    if (is_whole) return;
    std::copy(corners_, corners_ + num_before, before);
    count_ = 0;
    for (int i = 0; i < num_before; ++i) {
      const int next = i + 1 < num_before ? i + 1 : 0;
      const double here = heights[i], there = heights[next];
      if (here <= 0) add(before[i]);
      if ((here <= 0) != (there <= 0)) {
        add(before[i] + here / (here - there) * (before[next] - before[i]));
      }
    }
  }
  const Vec3* begin() const { return corners_; }
  const Vec3* end() const { return corners_ + count_; }

 private:
  static constexpr int room = 2 * most_tangents;  // each cut adds one, and rounding a few
  void add(const Vec3& corner) {
    if (count_ < room) corners_[count_++] = corner;
  }

  Vec3 corners_[room];
  int count_ = 3;
};

/// Tangent planes of a distance, each with its values at the corners of a triangle and its normal.
class Tangents {
 public:
  int count() const { return count_; }
  /// Where the highest of them is lowest, in weights of the corners; lowest() is its value there.
  const Vec3& lowest_place() const { return lowest_place_; }
  double lowest() const { return lowest_; }

  /// Returns whether that changed the lowest place, by more than rounding.
  bool add(const Vec3& values, const Vec3& normal) {
    const double size = std::max({std::abs(values[0]), std::abs(values[1]), std::abs(values[2])});
    const bool is_higher = dot(values, lowest_place_) > lowest_ + rounding * size;
    if (is_higher) {
      // The lowest place is on the new plane, in the part where it is the highest.
      Part part;
      for (int i = 0; i < count_; ++i) part.cut(values_[i] - values);
      double least = std::numeric_limits<double>::infinity();
      for (const Vec3& place : part) {
        const double own = dot(values, place);
        if (!(own < least)) continue;
        least = own;
        lowest_place_ = place;
      }
      lowest_ = least;
      newest_ = count_;
    }
    normals_[count_] = normal;
    values_[count_++] = values;
    return is_higher;
  }

  /// A mean of two of them, which also bounds the distance. It is used if the highest of them is
  /// lowest on the border of the triangle: nothing of the mean is below that.
  struct Mean {
    double least;  ///< at the corners
    Vec3 normal;
  };
  Mean highest_mean() const {
    Mean highest{-std::numeric_limits<double>::infinity(), {}};
    const Vec3& one = values_[newest_];
    const auto look_at = [&](int i, double part) {
      const Vec3 values = one + part * (values_[i] - one);
      const double least = std::min({values[0], values[1], values[2]});
      if (!(least > highest.least)) return;
      highest = {least, (1 - part) * normals_[newest_] + part * normals_[i]};
    };
    for (int i = 0; i < count_; ++i) {
      look_at(i, 0);
      for (std::size_t k = 0; k < 3; ++k) {
        // Where it is equally high at two corners.
        const Vec3 more = values_[i] - one;
        const std::size_t next = (k + 1) % 3;
        const double part = (one[next] - one[k]) / (more[k] - more[next]);
        if (part > 0 && part <= 1) look_at(i, part);
      }
    }
    return highest;
  }

 private:
  Vec3 values_[most_tangents], normals_[most_tangents];
  int count_ = 0, newest_ = 0;  ///< the last one that was above the others at their lowest place
  Vec3 lowest_place_{1, 0, 0};
  double lowest_ = -std::numeric_limits<double>::infinity();
};

/// Finds the least of a convex distance.
DeepestPoint least_on_triangle(const NearSurface& collider, const AskedCorner (&corners)[3],
                               const Depth& wanted) {
  const Vec3 places[3] = {corners[0].place, corners[1].place, corners[2].place};
  Tangents tangents;
  double least = std::numeric_limits<double>::infinity();
  Vec3 deepest{1, 0, 0}, out{0, 1, 0};
  /// Returns whether there is more to be found.
  const auto look_at = [&](const Vec3& weights, const Vec3& place, const SurfacePoint& there) {
    if (there.distance < least) {
      least = there.distance;
      deepest = weights;
      out = there.normal;
    }
    Vec3 values;
    for (std::size_t k = 0; k < 3; ++k) {
      values[k] = there.distance + dot(there.normal, places[k] - place);
    }
    return tangents.add(values, there.normal);
  };
  look_at({1, 0, 0}, corners[0].place, corners[0].surface);
  look_at({0, 1, 0}, corners[1].place, corners[1].surface);
  look_at({0, 0, 1}, corners[2].place, corners[2].surface);
  while (tangents.count() < most_tangents && !wanted.is_met_by(least, tangents.lowest())) {
    const Vec3 weights = tangents.lowest_place();
    const Vec3 place = mean_of(weights, places);
    if (!look_at(weights, place, collider.surface(place))) break;
  }
  DeepestPoint found{
      least, std::min(least, tangents.lowest()), {deepest[0], deepest[1], deepest[2]}};
  if (!(found.at_least > wanted.near)) return found;
  const Vec3& lowest = tangents.lowest_place();
  if (std::min({lowest[0], lowest[1], lowest[2]}) > 0) {
    // The whole collider is beyond a plane along the triangle.
    found.rise = across_triangle(places, out);
  } else {
    const Tangents::Mean mean = tangents.highest_mean();
    found.at_least = std::min(found.at_least, mean.least);
    found.rise = mean.normal;
  }
  return found;
}

}  // namespace

DeepestPoint deepest_on_edge(const NearSurface& collider, const AskedCorner& a,
                             const AskedCorner& b, const Depth& wanted) {
  const Vec3 edge = b.place - a.place;
  /// The distance at a place on the edge, and by how much it grows over the whole edge.
  struct Tangent {
    double s, distance, slope;
    Vec3 normal;
  };
  const auto tangent = [&](double s, const SurfacePoint& there) {
    return Tangent{s, there.distance, dot(there.normal, edge), there.normal};
  };
  const auto at = [&](double s) { return tangent(s, collider.surface(a.place + s * edge)); };
  Tangent low = tangent(0, a.surface), high = tangent(1, b.surface);
  Tangent best = low.distance <= high.distance ? low : high;
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
  double least = best.distance;
  for (int i = 0; i < most_tangents && low.slope < 0 && high.slope > 0; ++i) {
    // The place where both tangents meet is below everything between them.
    const double rise = high.distance - low.distance - high.slope * (high.s - low.s);
    const double step = rise / (low.slope - high.slope);
    least = low.distance + low.slope * step;
    if (wanted.is_met_by(best.distance, least)) break;
    const bool is_between = step > 0 && step < high.s - low.s;
    const Tangent middle = at(is_between ? low.s + step : 0.5 * (low.s + high.s));
    if (middle.distance < best.distance) best = middle;
    (middle.slope < 0 ? low : high) = middle;
  }
  DeepestPoint found{best.distance, std::min(least, best.distance), {1 - best.s, best.s, 0}};
  const bool is_between = low.slope < 0 && high.slope > 0;
  const double part = is_between ? low.slope / (low.slope - high.slope) : low.slope < 0 ? 1 : 0;
  found.rise = (1 - part) * low.normal + part * high.normal;
  return found;
}

DeepestPoint deepest_on_triangle(const NearSurface& collider, const AskedCorner (&corners)[3],
                                 const Depth& wanted) {
  if (collider.is_convex()) return least_on_triangle(collider, corners, wanted);
  const Vec3 places[3] = {corners[0].place, corners[1].place, corners[2].place};
  double least = std::numeric_limits<double>::infinity();
  Vec3 deepest{};
  any_on_grid([&](const Vec3& weights) {
    const double here = collider.surface(mean_of(weights, places)).distance;
    if (here < least) {
      least = here;
      deepest = weights;
    }
    return false;
  });
  const double side = std::max(
      {norm(places[1] - places[0]), norm(places[2] - places[1]), norm(places[0] - places[2])});
  // A triangle around the deepest place is searched and moved with it, or made smaller.
  double reach = 1.0 / parts_of_side;
  for (int i = 0; i < most_moves && reach * side > wanted.tolerance; ++i) {
    Vec3 low;
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::max(0.0, deepest[k] - reach);
    const double left = 1 - low[0] - low[1] - low[2];
    AskedCorner around[3];
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 weights = low;
      weights[k] += left;
      around[k] = AskedCorner::at(collider, mean_of(weights, places));
    }
    const DeepestPoint found = least_on_triangle(collider, around, {.tolerance = wanted.tolerance});
    const double before = least;
    if (found.distance < least) {
      least = found.distance;
      for (std::size_t k = 0; k < 3; ++k) deepest[k] = low[k] + left * found.weights[k];
    }
    if (!(least < before - wanted.tolerance)) reach *= 0.5;
  }
  return {least, least, {deepest[0], deepest[1], deepest[2]}};
}

Vec3 normal_across_edge(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                        const DeepestPoint& point) {
  const Vec3 edge = b - a;
  const double s = point.weights[1];
  const Vec3 before = collider.surface(a + std::max(0.0, s - beside) * edge).normal;
  const Vec3 after = collider.surface(a + std::min(1.0, s + beside) * edge).normal;
  const double falls = -dot(before, edge), rises = dot(after, edge);
  const double part = falls > 0 && rises > 0 ? falls / (falls + rises) : 0.5;
  const Vec3 between = (1 - part) * before + part * after;
  const Vec3 along = direction(edge, {0, 0, 0});
  return direction(between - dot(between, along) * along, before);
}

Vec3 normal_across_triangle(const ColliderObject& collider, const AskedCorner (&corners)[3],
                            const DeepestPoint& point) {
  constexpr double clearly_across = 0.7;
  const Vec3 places[3] = {corners[0].place, corners[1].place, corners[2].place};
  const Vec3 weights{point.weights[0], point.weights[1], point.weights[2]};
  const Vec3 place = mean_of(weights, places);
  const SurfacePoint nearest = collider.surface(place);
  const Vec3 normal = across_triangle(places, nearest.normal);
  if (!(nearest.distance < 0) || dot(normal, nearest.normal) > clearly_across) return normal;
  // Under the tip of a collider the nearest surface is that of a side, and does not say on which
  // side of the triangle most of the collider is.
  const double front = way_out(collider, place, normal, Depth::infinity);
  return way_out(collider, place, -1.0 * normal, front) < front ? -1.0 * normal : normal;
}

}  // namespace supple
