#include "studies/plot/styles.h"

#include <array>

namespace supple::plot {

namespace {

// Okabe & Ito 2008, "Color universal design", with grey in place of their yellow, which is hard to
// see on white.
constexpr std::array<Color, 8> colors{{{0.0, 0.447, 0.698},
                                       {0.835, 0.369, 0.0},
                                       {0.0, 0.62, 0.451},
                                       {0.8, 0.475, 0.655},
                                       {0.902, 0.624, 0.0},
                                       {0.337, 0.706, 0.914},
                                       {0.1, 0.1, 0.1},
                                       {0.5, 0.5, 0.5}}};

}  // namespace

Styles::Styles(const Figure& figure) {
  for (const Chart& chart : figure.charts) {
    for (const Series& series : chart.series) {
      const Style style{.place = static_cast<int>(names_.size()),
                        .kind = chart.kind,
                        .dashed = series.dashed,
                        .markers = series.markers};
      if (styles_.emplace(series.name, style).second) names_.push_back(series.name);
    }
  }
}

Color Styles::color(int place) { return colors[static_cast<std::size_t>(place) % colors.size()]; }

void Styles::set_line(const Pen& pen, int place, bool dashed) {
  // After the eight colours, the dashes differ.
  static constexpr std::array<std::array<double, 2>, 3> patterns{{{6, 3}, {2, 2}, {10, 2}}};
  cairo_t* const cairo = pen.cairo();
  pen.color(color(place));
  cairo_set_line_width(cairo, 1.6);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  const std::size_t round = static_cast<std::size_t>(place) / colors.size() + (dashed ? 1 : 0);
  const auto& pattern = patterns[(round + patterns.size() - 1) % patterns.size()];
  cairo_set_dash(cairo, pattern.data(), round == 0 ? 0 : 2, 0);
}

}  // namespace supple::plot
