#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "studies/plot/chart.h"
#include "studies/plot/draw_chart.h"
#include "studies/plot/pen.h"
#include "studies/plot/styles.h"
#include "supple/error.h"

namespace supple::plot {

namespace {

constexpr double legend_size = 10;
constexpr double legend_row = 16;
constexpr double margin = 6;

struct FreeSurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct FreeCairo {
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using Surface = std::unique_ptr<cairo_surface_t, FreeSurface>;
using Cairo = std::unique_ptr<cairo_t, FreeCairo>;

void require(bool condition, const char* where, const char* message) {
  if (!condition) throw Error(ErrorKind::invalid_input, where, message);
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorKind::invalid_input, "figure", cairo_status_to_string(status));
}

struct Entry {
  double x = 0;
  int row = 0;
};

/// The positions of the charts and of the legend's entries.
class Layout {
 public:
  explicit Layout(const Figure& figure) : figure_(figure), styles_(figure) {
    constexpr std::size_t most_charts = 100;
    require(figure.charts.size() <= most_charts, "figure", "expected at most 100 charts");
    require(figure.columns >= 1, "columns", "expected at least one column");
    for (const double size : {figure.chart_width, figure.chart_height}) {
      require(size >= 50 && size <= 10000, "size of a chart", "expected 50 to 10000 pt");
    }
    const int count = static_cast<int>(figure.charts.size());
    columns_ = std::clamp(figure.columns, 1, std::max(1, count));
    rows_ = (count + columns_ - 1) / columns_;
    title_ = figure.title.empty() ? 0 : 24;
    place_legend();
  }

  double width() const { return 2 * margin + columns_ * figure_.chart_width; }
  double height() const {
    return 2 * margin + title_ + rows_ * figure_.chart_height + legend_rows_ * legend_row;
  }

  void draw(cairo_t* cairo) const {
    const Pen pen(cairo);
    pen.color({1, 1, 1});
    cairo_paint(cairo);
    if (title_ > 0) {
      pen.color({0.1, 0.1, 0.12});
      pen.font(13, true);
      pen.text(0.5 * width(), margin + 15, pen.fitted(figure_.title, width() - 2 * margin),
               Align::center);
    }
    for (std::size_t i = 0; i < figure_.charts.size(); ++i) {
      const int place = static_cast<int>(i);
      const int row = place / columns_, column = place % columns_;
      draw_chart(pen, figure_.charts[i], styles_, margin + column * figure_.chart_width,
                 margin + title_ + row * figure_.chart_height, figure_.chart_width,
                 figure_.chart_height);
    }
    draw_legend(pen);
  }

 private:
  /// A figure whose series all have no name needs no legend.
  bool has_legend() const {
    return std::any_of(styles_.names().begin(), styles_.names().end(),
                       [](const std::string& name) { return !name.empty(); });
  }

  double widest_entry() const { return std::max(width() - 4 * margin - 31, 20.0); }

  void place_legend() {
    if (!has_legend()) return;
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
    const Cairo cairo(cairo_create(surface.get()));
    const Pen pen(cairo.get());
    pen.font(legend_size);
    double x = 2 * margin;
    legend_rows_ = 1;
    for (const std::string& name : styles_.names()) {
      const double wide = pen.width(pen.fitted(name, widest_entry())) + 44;
      if (x > 2 * margin && x + wide > width()) {
        x = 2 * margin;
        ++legend_rows_;
      }
      entries_.push_back({x, legend_rows_ - 1});
      x += wide;
    }
  }

  void draw_legend(const Pen& pen) const {
    const double top = margin + title_ + rows_ * figure_.chart_height;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const double x = entries_[i].x;
      const double y = top + (entries_[i].row + 0.5) * legend_row;
      draw_sign(pen, styles_.of(styles_.names()[i]), x, y, 26);
      pen.color({0.15, 0.15, 0.17});
      pen.font(legend_size);
      pen.text(x + 31, y + 3.5, pen.fitted(styles_.names()[i], widest_entry()), Align::left);
    }
  }

  const Figure& figure_;
  Styles styles_;
  int columns_ = 1;
  int rows_ = 0;
  double title_ = 0;
  int legend_rows_ = 0;
  std::vector<Entry> entries_;
};

template <class Bytes>
cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  auto* const bytes = static_cast<Bytes*>(closure);
  try {
    bytes->insert(bytes->end(), data, data + length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

/// Removes cairo's counter of surfaces, which names the drawing: with it, the same figure would
/// differ from one call to the next.
std::string without_counter(std::string text) {
  const std::string name = "id=\"surface";
  const std::size_t start = text.find(name);
  if (start == std::string::npos) return text;
  const std::size_t digits = start + name.size();
  const std::size_t end = text.find('"', digits);
  return end == std::string::npos ? text : text.erase(digits, end - digits);
}

}  // namespace

std::string svg_text(const Figure& figure) {
  const Layout layout(figure);
  std::string text;
  {
    const Surface surface(cairo_svg_surface_create_for_stream(&append<std::string>, &text,
                                                              layout.width(), layout.height()));
    check(cairo_surface_status(surface.get()));
    const Cairo cairo(cairo_create(surface.get()));
    layout.draw(cairo.get());
    check(cairo_status(cairo.get()));
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()));
  }
  return without_counter(std::move(text));
}

std::vector<unsigned char> png_bytes(const Figure& figure, double scale) {
  require(scale >= 0.1 && scale <= 10, "scale", "expected 0.1 to 10 pixels a point");
  const Layout layout(figure);
  const int width = static_cast<int>(std::ceil(scale * layout.width()));
  const int height = static_cast<int>(std::ceil(scale * layout.height()));
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  check(cairo_surface_status(surface.get()));
  const Cairo cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  layout.draw(cairo.get());
  check(cairo_status(cairo.get()));
  std::vector<unsigned char> bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), &append<std::vector<unsigned char>>,
                                          &bytes));
  return bytes;
}

}  // namespace supple::plot
