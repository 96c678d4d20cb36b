#include <cairo.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "studies/plot/chart.h"
#include "studies/plot/pen.h"
#include "supple/error.h"

namespace supple::plot {
namespace {

/// The pixels of a PNG, read by cairo. The tests draw three pixels per point, so that a line of 1.6
/// points covers some pixels completely.
class Pixels {
 public:
  explicit Pixels(const std::vector<unsigned char>& bytes) : bytes_(bytes) {
    surface_ = cairo_image_surface_create_from_png_stream(&read, this);
    EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS);
  }
  ~Pixels() { cairo_surface_destroy(surface_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }
  /// Red, green, blue, 0 to 255.
  std::array<int, 3> at(int x, int y) const {
    std::uint32_t pixel = 0;
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface_));
    std::memcpy(&pixel,
                cairo_image_surface_get_data(surface_) + static_cast<std::size_t>(y) * stride +
                    4 * static_cast<std::size_t>(x),
                4);
    return {static_cast<int>(pixel >> 16U & 255U), static_cast<int>(pixel >> 8U & 255U),
            static_cast<int>(pixel & 255U)};
  }
  /// Number of pixels closer to this colour than an antialiased edge would be.
  int count(std::array<int, 3> color, int x0, int x1) const {
    int found = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = x0; x < x1; ++x) {
        const std::array<int, 3> pixel = at(x, y);
        int distance = 0;
        for (std::size_t k = 0; k < 3; ++k) distance += std::abs(pixel[k] - color[k]);
        if (distance < 12) ++found;
      }
    }
    return found;
  }

 private:
  static cairo_status_t read(void* closure, unsigned char* data, unsigned int length) {
    auto* const self = static_cast<Pixels*>(closure);
    if (self->place_ + length > self->bytes_.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, self->bytes_.data() + self->place_, length);
    self->place_ += length;
    return CAIRO_STATUS_SUCCESS;
  }
  const std::vector<unsigned char>& bytes_;
  std::size_t place_ = 0;
  cairo_surface_t* surface_ = nullptr;
};

constexpr std::array<int, 3> blue{0, 114, 178}, vermilion{213, 94, 0};

Figure falling_line() {
  Figure figure;
  Chart chart;
  chart.title = "errors";
  chart.y.logarithmic = true;
  chart.series = {{"a <&> b", {0, 1, 2}, {1, 1e-3, 1e-6}, false}};
  figure.charts = {chart};
  return figure;
}

TEST(Figure, DrawsALineInTheColourOfItsSeries) {
  Figure figure = falling_line();
  const std::vector<unsigned char> bytes = png_bytes(figure, 3);
  const Pixels pixels(bytes);
  EXPECT_EQ(pixels.width(), 3 * 472);
  EXPECT_GT(pixels.count(blue, 0, pixels.width()), 1000);
  EXPECT_EQ(pixels.count(vermilion, 0, pixels.width()), 0);
  figure.charts[0].series.push_back({"second", {0, 1, 2}, {1e-6, 1e-3, 1}, false});
  const std::vector<unsigned char> both = png_bytes(figure, 3);
  EXPECT_GT(Pixels(both).count(vermilion, 0, 3 * 472), 1000);
}

TEST(Figure, WhatHasNoPlaceOnALogarithmicAxisIsAGap) {
  Figure figure = falling_line();
  figure.charts[0].series[0] = {"", {0, 1, 2, 3, 4}, {1, 1, 0, 1, 1}, false};
  const std::vector<unsigned char> bytes = png_bytes(figure, 3);
  const Pixels pixels(bytes);
  // The middle of the chart, from a quarter to three quarters of the axis, contains no line, only
  // the markers of the neighbouring points.
  EXPECT_EQ(pixels.count(blue, 3 * 215, 3 * 285), 0);
  EXPECT_GT(pixels.count(blue, 3 * 80, 3 * 150), 300);
  figure.charts[0].series[0].y[2] = 1;
  const std::vector<unsigned char> whole = png_bytes(figure, 3);
  EXPECT_GT(Pixels(whole).count(blue, 3 * 215, 3 * 285), 300);
}

TEST(Figure, ALineThatLeavesTheBoxIsCutThere) {
  Figure figure = falling_line();
  Chart& chart = figure.charts[0];
  chart.y = {.label = "", .logarithmic = false, .min = 0, .max = 1};
  chart.series[0] = {"", {0, 1, 2}, {0.5, 1e200, 0.5}, false};
  const std::vector<unsigned char> bytes = png_bytes(figure, 3);
  const Pixels pixels(bytes);
  int above = 0;
  for (int x = 0; x < pixels.width(); ++x) {
    for (int y = 0; y < 3 * 24; ++y) {
      if (pixels.at(x, y) == blue) ++above;
    }
  }
  EXPECT_EQ(above, 0);
  EXPECT_GT(pixels.count(blue, 0, pixels.width()), 100);
}

TEST(Figure, TheSameFigureGivesTheSameBytes) {
  EXPECT_EQ(png_bytes(falling_line()), png_bytes(falling_line()));
  EXPECT_EQ(svg_text(falling_line()), svg_text(falling_line()));
}

TEST(Figure, TheSvgIsADocumentOfItsSize) {
  const std::string text = svg_text(falling_line());
  EXPECT_EQ(text.rfind("<?xml", 0), 0U);
  EXPECT_NE(text.find("width=\"472"), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 7), "</svg>\n");
  // Cairo writes colours as percentages: the first series' colour is there.
  EXPECT_NE(text.find("rgb(0%,44.7%,69.8%)"), std::string::npos) << text.substr(0, 2000);
}

TEST(Figure, SurvivesAnyData) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> data = {
      {}, {1}, {nan, nan}, {infinity, -infinity, 2}, {1e308, -1e308, 0}, {5e-324, 1}, {3, 3, 3}};
  for (const auto& x : data) {
    for (const auto& y : data) {
      for (const bool logarithmic : {false, true}) {
        for (const Kind kind : {Kind::lines, Kind::points, Kind::bars}) {
          Figure figure;
          Chart chart;
          chart.kind = kind;
          chart.x.logarithmic = chart.y.logarithmic = logarithmic;
          chart.categories = {"one", "two"};
          chart.series = {{"\xff bad bytes \xe2\x82", x, y, true}, {"", y, x, false}};
          figure.charts = {chart};
          figure.chart_width = 60;
          figure.chart_height = 50;
          EXPECT_GT(png_bytes(figure, 0.5).size(), 50U);
        }
      }
    }
  }
}

TEST(Figure, AnEmptyOneIsAnEmptyPicture) { EXPECT_GT(png_bytes({}, 1).size(), 50U); }

TEST(Figure, SizesThatAreNoneAreRefused) {
  Figure figure = falling_line();
  EXPECT_THROW(png_bytes(figure, 1000), Error);
  figure.chart_width = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(svg_text(figure), Error);
  figure = falling_line();
  figure.columns = 0;
  EXPECT_THROW(svg_text(figure), Error);
  figure.columns = 1;
  figure.charts.resize(101);
  EXPECT_THROW(svg_text(figure), Error);
}

TEST(ValidUtf8, KeepsCharactersAndReplacesWhatIsNone) {
  EXPECT_EQ(valid_utf8("abc \xc3\xa9 \xe2\x82\xac"), "abc \xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(valid_utf8("\xff\xc3"), "??");
  EXPECT_EQ(valid_utf8("\xc0\x80"), "??");              // two bytes for a character that needs one
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "???");         // half of a surrogate pair
  EXPECT_EQ(valid_utf8(std::string("\0\n", 2)), "??");  // no glyphs
}

}  // namespace
}  // namespace supple::plot
