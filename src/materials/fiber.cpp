#include "materials/fiber.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/refuse.h"
#include "materials/spline.h"
#include "math/quadrature.h"

namespace supple {

std::shared_ptr<const CubicSpline> make_fiber_curve(const SplineCurve& curve,
                                                    const std::string& where) {
  const auto& points = curve.points;
  if (points.empty()) return nullptr;
  check_control_points(curve, where);
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].second >= points[i - 1].second) continue;
    refuse(fmt::format("{}/{}", where, i),
           fmt::format("the stress falls from {} to {} Pa; expected one that never falls as the "
                       "fibers stretch",
                       points[i - 1].second, points[i].second));
  }
  if (std::find(points.begin(), points.end(), std::pair(1.0, 0.0)) == points.end()) {
    refuse(where, "expected the control point [1, 0]: fibers at rest have no stress");
  }
  auto spline = std::make_shared<const CubicSpline>(CubicSpline::monotone(points, 1.0));
  for (const double stretch : {points.front().first, 1.0, points.back().first}) {
    const auto at = spline->evaluate(stretch);
    if (std::isfinite(at.integral) && std::isfinite(at.value) && std::isfinite(at.slope)) continue;
    refuse(where, fmt::format("the control points are too large or too close: the curve is not "
                              "finite at {}",
                              stretch));
  }
  return spline;
}

double fit_curve_stiffness(const CubicSpline& curve, std::pair<double, double> range) {
  std::vector<double> breaks = curve.knots();
  breaks.push_back(1);
  const std::vector<double> pieces = integration_pieces(range.first, range.second, breaks);
  const double norm = integrate(pieces, [](double s) { return (s - 1) * (s - 1); });
  return integrate(pieces, [&](double s) { return (s - 1) * curve.value(s); }) / norm;
}

}  // namespace supple
