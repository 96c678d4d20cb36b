#include "studies/plot/clip.h"

#include <algorithm>
#include <array>

namespace supple::plot {

namespace {

/// Limits coordinates so that their differences do not overflow.
Point bounded(const Point& p) {
  constexpr double most = 1e300;
  return {std::clamp(p.x, -most, most), std::clamp(p.y, -most, most)};
}

/// One side of the square: how fast the segment crosses it outwards, and how far inside it starts.
struct Side {
  double slope = 0, room = 0;
  double Point::*coordinate = nullptr;
  double value = 0;
};

/// The point at `share` of the segment, placed exactly on the side that is crossed there: with
/// distant ends, rounding alone would miss it.
Point crossing(const Point& start, const Point& d, double share, const Side& side) {
  Point p{std::clamp(start.x + share * d.x, 0.0, 1.0), std::clamp(start.y + share * d.y, 0.0, 1.0)};
  p.*side.coordinate = side.value;
  return p;
}

}  // namespace

bool clip_to_unit_square(Point& a, Point& b) {
  const Point start = bounded(a), end = bounded(b);
  const Point d{end.x - start.x, end.y - start.y};
  double from = 0, to = 1;
  const std::array<Side, 4> sides{{{-d.x, start.x, &Point::x, 0},
                                   {d.x, 1 - start.x, &Point::x, 1},
                                   {-d.y, start.y, &Point::y, 0},
                                   {d.y, 1 - start.y, &Point::y, 1}}};
  Side entered, left;
  for (const Side& side : sides) {
    if (side.slope == 0) {
      if (side.room < 0) return false;
      continue;
    }
    const double at = side.room / side.slope;
    if (side.slope < 0 && at > from) {
      from = at;
      entered = side;
    } else if (side.slope > 0 && at < to) {
      to = at;
      left = side;
    }
  }
  if (!(from <= to)) return false;
  if (entered.coordinate != nullptr) a = crossing(start, d, from, entered);
  if (left.coordinate != nullptr) b = crossing(start, d, to, left);
  return true;
}

}  // namespace supple::plot
