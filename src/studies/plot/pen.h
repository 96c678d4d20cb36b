#pragma once

#include <cairo.h>

#include <string>

namespace supple::plot {

struct Color {
  double red = 0, green = 0, blue = 0;
};

/// Where a text stands to its point.
enum class Align { left, center, right };

/// What cairo lacks: text with alignment and raised exponents, markers. Text comes in any bytes and
/// is shown as valid_utf8 has it.
class Pen {
 public:
  /// Sets `cairo` to measure and draw text alike on every surface and machine.
  explicit Pen(cairo_t* cairo);

  cairo_t* cairo() const { return cairo_; }
  void color(const Color& c) const { cairo_set_source_rgb(cairo_, c.red, c.green, c.blue); }
  void font(double size, bool bold = false) const;
  double width(const std::string& text) const;
  /// The text, or as much of its beginning as fits with an ellipsis.
  std::string fitted(const std::string& text, double width) const;
  /// The baseline is at y.
  void text(double x, double y, const std::string& text, Align align) const;
  /// A number and behind it, raised, an exponent, which may be empty; minus signs for hyphens.
  void number(double x, double y, const std::string& number, const std::string& exponent,
              double size, Align align) const;
  double number_width(const std::string& number, const std::string& exponent, double size) const;
  /// Read from bottom to top, centred at (x, y).
  void upright(double x, double y, const std::string& text) const;
  void line(double x0, double y0, double x1, double y1) const;
  /// One of eight shapes in this colour, five full and three hollow, with a thin white edge that
  /// sets it off from what lies below.
  void marker(double x, double y, double radius, int shape, const Color& color) const;

 private:
  /// The path of a marker's outline.
  void outline(double x, double y, double radius, int shape) const;

  cairo_t* cairo_;
};

/// UTF-8 as cairo and XML want it: every byte that is not part of a valid character, and every
/// control character, becomes '?'.
std::string valid_utf8(const std::string& text);

}  // namespace supple::plot
