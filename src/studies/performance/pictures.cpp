#include "studies/performance/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace supple::bench {

namespace {

/// The series with this name; added if it is missing.
plot::Series& series_of(plot::Chart& chart, const std::string& name) {
  for (plot::Series& series : chart.series) {
    if (series.name == name) return series;
  }
  chart.series.push_back({.name = name, .x = {}, .y = {}});
  return chart.series.back();
}

void add_point(plot::Chart& chart, const std::string& name, double x, double y) {
  plot::Series& series = series_of(chart, name);
  series.x.push_back(x);
  series.y.push_back(y);
}

/// Rows of the table of frames as categories: names are too wide for bars.
std::vector<std::string> categories(const Results& results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.scenes.size(); ++i) {
    names.push_back(fmt::format("{}", i + 1));
  }
  return names;
}

}  // namespace

plot::Figure frame_figure(const Results& results) {
  plot::Chart frame{.title = "ms a frame, ten iterations of L-BFGS(5)"};
  frame.kind = plot::Kind::bars;
  frame.y = {.label = "ms", .logarithmic = true};
  frame.x.label = "scene, by its number in the table";
  frame.categories = categories(results);
  plot::Chart ratio = frame;
  ratio.title = "times faster than plain Eigen";
  ratio.y = {.label = "ratio"};
  for (std::size_t i = 0; i < results.scenes.size(); ++i) {
    const SceneResult& scene = results.scenes[i];
    const auto place = static_cast<double>(i);
    add_point(frame, "plain Eigen", place, scene.yardstick);
    for (const Timing& timing : scene.timings) {
      const std::string name = "supple, " + threads_text(timing.threads);
      add_point(frame, name, place, timing.frame);
      add_point(ratio, name, place, timing.ratio);
    }
  }
  return {
      .title = "", .charts = {frame, ratio}, .columns = 1, .chart_width = 760, .chart_height = 260};
}

plot::Figure growth_figure(const Results& results) {
  plot::Chart frame{.title = "ms a frame"}, setup{.title = "set-up, ms"},
      memory{.title = "memory, kB a tet"};
  for (plot::Chart* const chart : {&frame, &setup, &memory}) {
    chart->x = {.label = "tets", .logarithmic = true};
    chart->y = {.label = "", .logarithmic = chart != &memory};
  }
  memory.y.min = 0;
  for (const GrowthResult& body : results.growth) {
    const std::string name = body.material + ", " + threads_text(body.threads);
    add_point(frame, name, body.tets, body.frame);
    add_point(setup, name, body.tets, body.setup);
    if (body.threads == 1) {
      add_point(memory, name, body.tets, body.memory.held / body.tets / 1000);
    }
  }
  return {.title = "",
          .charts = {frame, setup, memory},
          .columns = 3,
          .chart_width = 330,
          .chart_height = 280};
}

}  // namespace supple::bench
