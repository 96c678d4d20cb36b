#include "studies/plot/draw_chart.h"

#include <algorithm>
#include <cmath>

#include "studies/plot/clip.h"
#include "studies/plot/ticks.h"

namespace supple::plot {

namespace {

constexpr Color ink{0.15, 0.15, 0.17}, frame_gray{0.45, 0.45, 0.48}, grid_gray{0.88, 0.88, 0.9},
    fine_grid_gray{0.95, 0.95, 0.96};
constexpr double title_size = 11, label_size = 10, tick_size = 9;
constexpr double marker_radius = 2.6;
/// Points this close to the frame, as a share of its size, count as inside despite rounding.
constexpr double edge = 1e-9;

/// Where the axes are: a rectangle in points, and the range of values along each side.
struct Box {
  double left = 0, top = 0, width = 1, height = 1;
  Range x, y;

  double at_x(double share) const { return left + share * width; }
  double at_y(double share) const { return top + (1 - share) * height; }
  double bottom() const { return top + height; }
};

std::vector<double> values_along_x(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    values.insert(values.end(), series.x.begin(), series.x.end());
  }
  return values;
}

std::vector<double> values_along_y(const Chart& chart) {
  std::vector<double> values;
  // Bars start at zero.
  if (chart.kind == Kind::bars && !chart.y.logarithmic) values.push_back(0);
  for (const Series& series : chart.series) {
    values.insert(values.end(), series.y.begin(), series.y.end());
  }
  return values;
}

std::size_t num_groups(const Chart& chart) {
  std::size_t count = chart.categories.size();
  for (const Series& series : chart.series) count = std::max(count, series.y.size());
  return std::max<std::size_t>(count, 1);
}

/// How many labels of this extent fit on a side.
int room_for(double length, double extent) {
  return std::clamp(static_cast<int>(length / extent), 2, 12);
}

class Drawing {
 public:
  Drawing(const Pen& pen, const Chart& chart, const Styles& styles, double x, double y,
          double width, double height)
      : pen_(pen), chart_(chart), styles_(styles) {
    constexpr double least = 10;
    box_.y = range_of(chart.y, values_along_y(chart));
    if (chart.kind == Kind::bars) {
      box_.x = {0, static_cast<double>(num_groups(chart)), false};
      // The bars stand on the frame.
      if (!chart.y.logarithmic && !chart.y.min && all_at_least_zero()) box_.y.min = 0;
    } else {
      box_.x = range_of(chart.x, values_along_x(chart));
    }
    const double above = chart.title.empty() ? 10 : 26;
    const double below = (chart.x.label.empty() ? 8 : 22) + 16;
    box_.top = y + above;
    box_.height = std::max(height - above - below, least);
    num_y_ = room_for(box_.height, 34);
    const double beside = widest_label() + (chart.y.label.empty() ? 10 : 26);
    constexpr double right = 14;
    box_.left = x + std::min(beside, 0.6 * width);
    box_.width = std::max(width - (box_.left - x) - right, least);
    num_x_ = room_for(box_.width, 56);
    title_x_ = x + 0.5 * width;
    title_width_ = width - 8;
    label_x_ = x + 13;
  }

  void draw() const {
    grid();
    cairo_t* const cairo = pen_.cairo();
    cairo_save(cairo);
    for (const Series& series : chart_.series) {
      if (chart_.kind == Kind::lines) line(series);
    }
    if (chart_.kind == Kind::bars) bars();
    cairo_restore(cairo);
    frame();
    for (const Series& series : chart_.series) markers(series);
    labels();
  }

 private:
  bool all_at_least_zero() const {
    return std::all_of(chart_.series.begin(), chart_.series.end(), [](const Series& series) {
      return std::none_of(series.y.begin(), series.y.end(), [](double v) { return v < 0; });
    });
  }

  double widest_label() const {
    double widest = 0;
    for (const Tick& tick : ticks(box_.y, num_y_)) {
      widest = std::max(widest, pen_.number_width(tick.label, tick.exponent, tick_size));
    }
    return widest;
  }

  bool has_x_ticks() const { return chart_.kind != Kind::bars; }

  void upright_line(double share) const {
    const double at = box_.at_x(share);
    pen_.line(at, box_.top, at, box_.bottom());
  }
  void level_line(double share) const {
    const double at = box_.at_y(share);
    pen_.line(box_.left, at, box_.left + box_.width, at);
  }

  void grid() const {
    cairo_set_line_width(pen_.cairo(), 0.7);
    pen_.color(fine_grid_gray);
    if (has_x_ticks()) {
      for (const double value : minor_ticks(box_.x, num_x_)) upright_line(box_.x.share(value));
    }
    for (const double value : minor_ticks(box_.y, num_y_)) level_line(box_.y.share(value));
    pen_.color(grid_gray);
    if (has_x_ticks()) {
      for (const Tick& tick : ticks(box_.x, num_x_)) upright_line(box_.x.share(tick.value));
    }
    for (const Tick& tick : ticks(box_.y, num_y_)) level_line(box_.y.share(tick.value));
  }

  void frame() const {
    pen_.color(frame_gray);
    cairo_set_dash(pen_.cairo(), nullptr, 0, 0);
    cairo_set_line_width(pen_.cairo(), 0.8);
    cairo_rectangle(pen_.cairo(), box_.left, box_.top, box_.width, box_.height);
    cairo_stroke(pen_.cairo());
  }

  bool shows(const Series& series, std::size_t i) const {
    return i < series.x.size() && i < series.y.size() && box_.x.shows(series.x[i]) &&
           box_.y.shows(series.y[i]);
  }
  Point place(const Series& series, std::size_t i) const {
    return {box_.x.share(series.x[i]), box_.y.share(series.y[i])};
  }

  /// Each run without a gap is one path, so that dashes continue across its points.
  void line(const Series& series) const {
    const Style& style = styles_.of(series.name);
    Styles::set_line(pen_, style.place, series.dashed);
    cairo_t* const cairo = pen_.cairo();
    bool drawing = false;
    for (std::size_t i = 0; i + 1 < std::min(series.x.size(), series.y.size()); ++i) {
      if (!shows(series, i) || !shows(series, i + 1)) {
        drawing = false;
        continue;
      }
      const Point end = place(series, i + 1);
      Point a = place(series, i), b = end;
      if (!clip_to_unit_square(a, b)) {
        drawing = false;
        continue;
      }
      if (!drawing) cairo_move_to(cairo, box_.at_x(a.x), box_.at_y(a.y));
      cairo_line_to(cairo, box_.at_x(b.x), box_.at_y(b.y));
      drawing = b.x == end.x && b.y == end.y;
    }
    cairo_stroke(cairo);
  }

  /// Every point of Kind::points has a marker; a line has a few, and one at its start after each
  /// gap, so that a single point is visible.
  void markers(const Series& series) const {
    if (chart_.kind == Kind::bars) return;
    const bool all = chart_.kind == Kind::points;
    if (!all && !series.markers) return;
    const int shape = styles_.of(series.name).place;
    constexpr double apart = 32;  // pt, along the line
    double way = 0;
    bool first = true;
    Point last;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!shows(series, i)) {
        first = true;
        continue;
      }
      const Point p = place(series, i);
      const bool inside = p.x >= -edge && p.x <= 1 + edge && p.y >= -edge && p.y <= 1 + edge;
      if (!inside) continue;
      const double x = box_.at_x(p.x), y = box_.at_y(p.y);
      if (!first) way += std::hypot(x - last.x, y - last.y);
      last = {x, y};
      if (!all && !first && way < apart) continue;
      way = 0;
      first = false;
      pen_.marker(x, y, marker_radius, shape, Styles::color(shape));
    }
  }

  void bars() const {
    const std::size_t groups = num_groups(chart_);
    const double group = box_.width / static_cast<double>(groups);
    const double wide =
        0.8 * group / static_cast<double>(std::max<std::size_t>(chart_.series.size(), 1));
    const double foot = box_.y.logarithmic ? 0 : std::clamp(box_.y.share(0), 0.0, 1.0);
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const Series& series = chart_.series[s];
      pen_.color(Styles::color(styles_.of(series.name).place));
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        if (!box_.y.shows(series.y[i])) continue;
        const double head = std::clamp(box_.y.share(series.y[i]), 0.0, 1.0);
        const double left =
            box_.left + (static_cast<double>(i) + 0.1) * group + static_cast<double>(s) * wide;
        const double high = std::max(head, foot), low = std::min(head, foot);
        cairo_rectangle(pen_.cairo(), left, box_.at_y(high), 0.94 * wide,
                        (high - low) * box_.height);
        cairo_fill(pen_.cairo());
      }
    }
  }

  void labels() const {
    pen_.color(ink);
    pen_.font(title_size, true);
    pen_.text(title_x_, box_.top - 10, pen_.fitted(chart_.title, title_width_), Align::center);
    const double below = box_.bottom() + 13;
    if (has_x_ticks()) {
      for (const Tick& tick : ticks(box_.x, num_x_)) {
        pen_.number(box_.at_x(box_.x.share(tick.value)), below, tick.label, tick.exponent,
                    tick_size, Align::center);
      }
    } else {
      const double group = box_.width / static_cast<double>(num_groups(chart_));
      pen_.font(tick_size);
      for (std::size_t i = 0; i < chart_.categories.size(); ++i) {
        pen_.text(box_.left + (static_cast<double>(i) + 0.5) * group, below,
                  pen_.fitted(chart_.categories[i], 0.96 * group), Align::center);
      }
    }
    for (const Tick& tick : ticks(box_.y, num_y_)) {
      pen_.number(box_.left - 5, box_.at_y(box_.y.share(tick.value)) + 3.2, tick.label,
                  tick.exponent, tick_size, Align::right);
    }
    pen_.font(label_size);
    pen_.text(box_.left + 0.5 * box_.width, box_.bottom() + 29,
              pen_.fitted(chart_.x.label, box_.width), Align::center);
    pen_.upright(label_x_, box_.top + 0.5 * box_.height,
                 pen_.fitted(chart_.y.label, box_.height + 20));
  }

  const Pen& pen_;
  const Chart& chart_;
  const Styles& styles_;
  Box box_;
  int num_x_ = 2, num_y_ = 2;
  double title_x_ = 0, title_width_ = 0, label_x_ = 0;
};

}  // namespace

void draw_chart(const Pen& pen, const Chart& chart, const Styles& styles, double x, double y,
                double width, double height) {
  Drawing(pen, chart, styles, x, y, width, height).draw();
}

void draw_sign(const Pen& pen, const Style& style, double x, double y, double width) {
  cairo_t* const cairo = pen.cairo();
  if (style.kind == Kind::bars) {
    pen.color(Styles::color(style.place));
    cairo_rectangle(cairo, x + 0.2 * width, y - 4.5, 0.6 * width, 9);
    cairo_fill(cairo);
    return;
  }
  if (style.kind == Kind::lines) {
    Styles::set_line(pen, style.place, style.dashed);
    pen.line(x, y, x + width, y);
    cairo_set_dash(cairo, nullptr, 0, 0);
  }
  if (style.kind == Kind::points || style.markers) {
    pen.marker(x + 0.5 * width, y, marker_radius, style.place, Styles::color(style.place));
  }
}

}  // namespace supple::plot
