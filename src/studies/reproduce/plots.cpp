#include "studies/reproduce/plots.h"

#include <algorithm>
#include <cmath>

#include "studies/plot/chart.h"

namespace supple::reproduce {

namespace {

constexpr double chart_width = 430, chart_height = 300;  // pt
constexpr double pixels_a_point = 96.0 / 72;

Figure drawn(const std::string& caption, const plot::Figure& figure) {
  const double width = figure.columns * figure.chart_width * pixels_a_point;
  return {.caption = caption,
          .svg = plot::svg_text(figure),
          .png = {},
          .width = static_cast<int>(std::lround(width))};
}

/// The smallest error that is shown.
double lowest_error(const std::vector<Descent>& descents) {
  double lowest = 1;
  for (const Descent& descent : descents) {
    for (const ConvergencePoint& point : descent.curve.points) {
      lowest = std::min(lowest, std::max(point.relative_error, smallest_error));
    }
  }
  return lowest;
}

plot::Chart error_chart(const std::vector<Descent>& descents, bool against_time,
                        int last_iteration) {
  plot::Chart chart;
  chart.title = against_time ? "against time" : "against iterations";
  chart.x.label = against_time ? "milliseconds since the step began" : "iteration";
  chart.y = {.label = "relative error", .logarithmic = true, .min = lowest_error(descents)};
  chart.x.logarithmic = against_time;
  if (!against_time) {
    chart.x.min = 0;
    chart.x.max = last_iteration;
  }
  for (const Descent& descent : descents) {
    if (!descent.ran()) continue;
    plot::Series series{.name = descent.label, .x = {}, .y = {}};
    for (const ConvergencePoint& point : descent.curve.points) {
      series.x.push_back(against_time ? point.milliseconds : point.iteration);
      series.y.push_back(std::max(point.relative_error, smallest_error));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Figure error_plot(const std::string& subject, const std::vector<Descent>& descents,
                  int last_iteration) {
  plot::Figure figure{.title = "",
                      .charts = {error_chart(descents, false, last_iteration),
                                 error_chart(descents, true, last_iteration)},
                      .columns = 2,
                      .chart_width = chart_width,
                      .chart_height = chart_height};
  return drawn(subject, figure);
}

Figure iterations_plot(const std::string& subject, const std::vector<Descent>& descents,
                       int last_iteration) {
  plot::Figure figure{.title = "",
                      .charts = {error_chart(descents, false, last_iteration)},
                      .columns = 1,
                      .chart_width = chart_width,
                      .chart_height = chart_height};
  figure.charts[0].title.clear();
  return drawn(subject, figure);
}

Figure line_plot(const std::string& caption, const Axes& axes, const std::vector<Line>& lines) {
  plot::Chart chart;
  chart.x.label = axes.x;
  chart.y = {.label = axes.y, .logarithmic = axes.log_y};
  for (const Line& line : lines)
    chart.series.push_back({.name = line.label, .x = line.x, .y = line.y});
  return drawn(caption, {.title = "",
                         .charts = {std::move(chart)},
                         .columns = 1,
                         .chart_width = chart_width,
                         .chart_height = chart_height});
}

}  // namespace supple::reproduce
