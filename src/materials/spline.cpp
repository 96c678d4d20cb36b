#include "materials/spline.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/refuse.h"
#include "materials/neo_hookean.h"
#include "supple/error.h"

namespace supple {

namespace {

double cube(double x) { return x * x * x; }

/// a'(s)/mu of the presets.
double preset_slope(char which, double s) {
  if (which == 'A') return s < 1 ? s - 20 * cube(1 - s) : s;
  if (s > 1) return s + 10 * cube(s - 1);
  return s < 0.4 ? s - 25 * cube(0.4 - s) : s;
}

}  // namespace

void check_control_points(const SplineCurve& curve, const std::string& where) {
  const auto& points = curve.points;
  if (points.size() == 1) refuse(where, "expected at least two control points, or none");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string at = fmt::format("{}/{}", where, i);
    if (!(std::isfinite(points[i].first) && std::isfinite(points[i].second))) {
      refuse(at, "a control point must be finite");
    }
    if (i > 0 && !(points[i].first > points[i - 1].first)) {
      refuse(at, fmt::format("control points must increase strictly: {} follows {}",
                             points[i].first, points[i - 1].first));
    }
  }
}

MaterialSettings spline_preset(char which, double mu, double lambda) {
  if (which != 'A' && which != 'B') {
    throw Error(ErrorKind::invalid_input, "spline_preset",
                std::string("there is no preset '") + which + "'; known: A, B");
  }
  if (!(std::isfinite(mu) && mu > 0 && std::isfinite(lambda) && lambda >= 0)) {
    throw Error(ErrorKind::invalid_input, "spline_preset",
                "expected mu > 0 and lambda >= 0, both finite, in Pa");
  }
  MaterialSettings settings;
  settings.model = "spline";
  const auto add_a = [&](double s) {
    settings.spline_a.points.emplace_back(s, mu * preset_slope(which, s));
  };
  for (int i = 0; i <= 20; ++i) add_a(i / 10.0);
  add_a(3);
  const NeoHookean<double> source{mu, lambda};
  const auto add_c = [&](double J) { settings.spline_c.points.emplace_back(J, source.dc(J)); };
  for (double J : {-0.1, -0.05, 0.0, 0.05}) add_c(J);
  for (int k = 0; k <= 22; ++k) add_c(std::pow(10.0, (k - 16) / 16.0));
  return settings;
}

}  // namespace supple
