#include "supple/compare_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace supple::cli {

namespace {

/// Iterations to show: 1, 5, 10, 20, 50, ... and the last.
std::vector<int> shown_iterations(int last) {
  std::vector<int> shown;
  for (const int k : {1, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    if (k < last) shown.push_back(k);
  }
  shown.push_back(last);
  // More columns do not fit in a terminal.
  constexpr std::size_t max_columns = 5;
  while (shown.size() > max_columns) shown.erase(shown.begin());
  return shown;
}

/// The iterate after k iterations, or the last one if the solver ended earlier.
const ConvergencePoint& point_at(const ConvergenceCurve& curve, int k) {
  const auto last = curve.points.size() - 1;
  return curve.points[std::min(static_cast<std::size_t>(k), last)];
}

/// A relative error; 0 if it is within the rounding of g.
std::string error_text(double error, double rounding) {
  if (std::abs(error) <= rounding) return "0";
  return fmt::format("{:.1e}", error);
}

double median_milliseconds(const ConvergenceCurve& curve) {
  std::vector<double> times;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    times.push_back(curve.points[i].milliseconds - curve.points[i - 1].milliseconds);
  }
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

std::string compare_table(const std::string& scene_name, const CompareSceneOptions& options,
                          const CompareSceneResult& result) {
  const Comparison& comparison = result.comparison;
  const ConvergedStep& reference = comparison.reference;
  std::string text = fmt::format("{}: frame {}, relative error (g - g*)/(g(x_0) - g*) after\n\n",
                                 scene_name, options.frame);
  const std::vector<int> shown = shown_iterations(options.iterations);
  std::size_t width = 6;
  for (const ConvergenceCurve& curve : comparison.curves) {
    width = std::max(width, curve.label.size());
  }
  text += fmt::format("  {:<{}}", "solver", width);
  for (const int k : shown) text += fmt::format(" {:>8}", k);
  text += fmt::format(" {:>10} {:>9} {:>8}\n", "position", "ms/iter", "build ms");
  const double range = reference.start_objective - reference.objective;
  for (const ConvergenceCurve& curve : comparison.curves) {
    const double rounding =
        range > 0 ? 1e-15 * (std::abs(reference.objective) + curve.energy_scale) / range : 0;
    text += fmt::format("  {:<{}}", curve.label, width);
    for (const int k : shown) {
      text += fmt::format(" {:>8}", error_text(point_at(curve, k).relative_error, rounding));
    }
    text += fmt::format(" {:>10.1e} {:>9.2f} {:>8.1f}", curve.points.back().position_error,
                        median_milliseconds(curve), curve.build_milliseconds);
    if (curve.status == StepStatus::non_finite) text += "  non-finite";
    text += '\n';
  }
  text += fmt::format(
      "\n  g* = {:.9g} J from {} iterations of Newton's method, |grad g| = {:.1e} N{}\n",
      reference.objective, reference.iterations, reference.gradient_norm,
      reference.converged ? "" : " (not converged to rounding: errors are of that size)");
  text += "  position: rms distance to the converged positions at the end, over the body's size\n";
  text += fmt::format("  {:.1f} s; written to {}:", result.wall_seconds, options.folder.string());
  for (const std::string& file : result.files) text += " " + file;
  return text + "\n";
}

}  // namespace supple::cli
