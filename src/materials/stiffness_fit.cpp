#include <fmt/format.h>

#include <cmath>
#include <string>

#include "materials/material.h"
#include "math/quadrature.h"
#include "supple/error.h"

namespace supple {

namespace {

/// The points where the terms are not analytic: the start of the logarithm's extension and the
/// control points of splines.
std::vector<double> break_points(const MaterialModel& model) {
  std::vector<double> breaks{log_extension_start};
  if (const auto* spline = std::get_if<SplineModel>(&model)) {
    for (const CubicSpline* curve : {&spline->curves->a, &spline->curves->b, &spline->curves->c}) {
      breaks.insert(breaks.end(), curve->knots().begin(), curve->knots().end());
    }
  }
  return breaks;
}

}  // namespace

double fit_stiffness(const MaterialModel& model, const double* parameters,
                     std::pair<double, double> range) {
  const auto [start, end] = range;
  const std::string interval = fmt::format("[{:.6g}, {:.6g}]", start, end);
  if (!(std::isfinite(end) && start > 0 && start < end)) {
    throw Error(ErrorKind::invalid_input, "stiffness_range",
                "expected two stretches 0 < start < end, there is " + interval);
  }
  const std::vector<double> pieces = integration_pieces(start, end, break_points(model));
  const double norm = integrate(pieces, [](double x) { return (x - 1) * (x - 1); });
  const double k = std::visit(
      [&](const auto& family) {
        const auto material = family.template at<double>(parameters);
        if constexpr (is_own<decltype(family)>) {
          return fit_own_stiffness(family, pieces, norm);
        } else if constexpr (Projective<decltype(material)>) {
          return material.projection_weight();
        } else {
          const double moment = integrate(pieces, [&](double x) {
            return (x - 1) * (material.da(x) + 2 * material.db(x) + material.dc(x));
          });
          return moment / norm;
        }
      },
      model);
  if (!(std::isfinite(k) && k > 0)) {
    throw Error(
        ErrorKind::invalid_input, "stiffness_range",
        fmt::format("the fit of the constant stiffness over stretches in {} gives {:.6g} Pa, "
                    "expected a positive one: check the material's derivatives and the range",
                    interval, k));
  }
  return k;
}

}  // namespace supple
