#include "studies/compare/convergence_plot.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace supple {

namespace {

using Value = double ConvergencePoint::*;

/// Relative errors below this are the rounding of g.
double rounding_of(const ConvergedStep& reference, const ConvergenceCurve& curve) {
  const double range = reference.start_objective - reference.objective;
  if (!(range > 0)) return 0;
  return 4 * std::numeric_limits<double>::epsilon() *
         (std::abs(reference.objective) + curve.energy_scale) / range;
}

plot::Chart chart(const Comparison& comparison, Value error, const std::string& error_name,
                  bool against_time) {
  plot::Chart result;
  result.title = error_name + (against_time ? " against time" : " against iterations");
  result.x.label = against_time ? "time, ms" : "iterations";
  result.y = {.label = error_name, .logarithmic = true, .min = {}, .max = {}};
  // A Newton iteration can take a thousand times as long as one of a cheap method.
  result.x.logarithmic = against_time;
  if (!against_time) result.x.min = 0;
  for (const ConvergenceCurve& curve : comparison.curves) {
    const double least =
        error == &ConvergencePoint::relative_error ? rounding_of(comparison.reference, curve) : 0;
    plot::Series series;
    series.name = curve.label;
    for (const ConvergencePoint& point : curve.points) {
      if (!(point.*error > least)) continue;
      series.x.push_back(against_time ? point.milliseconds : point.iteration);
      series.y.push_back(point.*error);
    }
    result.series.push_back(std::move(series));
  }
  return result;
}

}  // namespace

plot::Figure convergence_figure(const std::string& scene_name, int frame,
                                const Comparison& comparison) {
  plot::Figure figure;
  figure.title = fmt::format("{}, frame {}", scene_name, frame);
  figure.columns = 2;
  for (const bool against_time : {false, true}) {
    figure.charts.push_back(
        chart(comparison, &ConvergencePoint::relative_error, "relative error", against_time));
  }
  for (const bool against_time : {false, true}) {
    figure.charts.push_back(
        chart(comparison, &ConvergencePoint::position_error, "position error", against_time));
  }
  return figure;
}

}  // namespace supple
