#include "plot/clip.h"

#include <algorithm>
#include <array>

namespace supple::plot {

namespace {

/// Differences of such coordinates do not overflow.
Point bounded(const Point& p) {
  constexpr double most = 1e300;
  return {std::clamp(p.x, -most, most), std::clamp(p.y, -most, most)};
}

/// Far ends lose the digits that say where the line crosses the square; it stays inside anyway.
Point inside(const Point& p) { return {std::clamp(p.x, 0.0, 1.0), std::clamp(p.y, 0.0, 1.0)}; }

}  // namespace

bool clip_to_unit_square(Point& a, Point& b) {
  const Point start = bounded(a), end = bounded(b);
  const Point d{end.x - start.x, end.y - start.y};
  double from = 0, to = 1;
  const std::array<std::array<double, 2>, 4> sides{
      {{-d.x, start.x}, {d.x, 1 - start.x}, {-d.y, start.y}, {d.y, 1 - start.y}}};
  for (const auto& [slope, room] : sides) {
    if (slope == 0) {
      if (room < 0) return false;
      continue;
    }
    const double at = room / slope;
    if (slope < 0) {
      from = std::max(from, at);
    } else {
      to = std::min(to, at);
    }
  }
  if (!(from <= to)) return false;
  if (from > 0) a = inside({start.x + from * d.x, start.y + from * d.y});
  if (to < 1) b = inside({start.x + to * d.x, start.y + to * d.y});
  return true;
}

}  // namespace supple::plot
