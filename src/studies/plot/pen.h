#pragma once

#include <cairo.h>

#include <string>

namespace supple::plot {

struct Color {
  double red = 0, green = 0, blue = 0;
};

/// How a text is aligned to its point.
enum class Align { left, center, right };

/// What cairo lacks: aligned text, raised exponents, markers. A text can have any bytes and is
/// shown as valid_utf8 returns it.
class Pen {
 public:
  /// Sets up `cairo` so that it measures and draws text alike on every surface and machine.
  explicit Pen(cairo_t* cairo);

  cairo_t* cairo() const { return cairo_; }
  void color(const Color& c) const { cairo_set_source_rgb(cairo_, c.red, c.green, c.blue); }
  void font(double size, bool bold = false) const;
  double width(const std::string& text) const;
  /// The text, or as much of its beginning as fits together with an ellipsis.
  std::string fitted(const std::string& text, double width) const;
  /// Draws a text with its baseline at y.
  void text(double x, double y, const std::string& text, Align align) const;
  /// Draws a number followed by a raised exponent, which can be empty; hyphens become minus signs.
  void number(double x, double y, const std::string& number, const std::string& exponent,
              double size, Align align) const;
  double number_width(const std::string& number, const std::string& exponent, double size) const;
  /// Draws a text that reads from bottom to top, centred at (x, y).
  void upright(double x, double y, const std::string& text) const;
  void line(double x0, double y0, double x1, double y1) const;
  /// Draws one of eight shapes, five filled and three hollow, in this colour, with a thin white
  /// edge that sets it off from what is below.
  void marker(double x, double y, double radius, int shape, const Color& color) const;

 private:
  /// The path of a marker's outline.
  void outline(double x, double y, double radius, int shape) const;

  cairo_t* cairo_;
};

/// UTF-8 as cairo and XML need it: every byte that is not part of a valid character, and every
/// control character, becomes '?'.
std::string valid_utf8(const std::string& text);

}  // namespace supple::plot
