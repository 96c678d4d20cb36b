#include "studies/plot/pen.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace supple::plot {

namespace {

constexpr const char* ellipsis = "…";
/// Size of an exponent relative to its base.
constexpr double raised_size = 0.75;

/// Length of the valid character at i, 0 if there is none [RFC 3629].
std::size_t character_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(i);
  if (first < 0x80) return first < 0x20 ? 0 : 1;
  std::size_t length = 0;
  std::uint32_t code = 0, least = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, code = first & 0x1FU, least = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, code = first & 0x0FU, least = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, code = first & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  for (std::size_t k = 1; k < length; ++k) {
    const unsigned next = byte(i + k);
    if ((next & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (next & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  // XML 1.0, production 2: neither surrogates nor these two are characters.
  const bool no_character = surrogate || code == 0xFFFE || code == 0xFFFF;
  return code < least || code > 0x10FFFF || no_character ? 0 : length;
}

std::string with_minus(const std::string& text) {
  return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
}

double shift(double width, Align align) {
  if (align == Align::left) return 0;
  return align == Align::center ? -0.5 * width : -width;
}

}  // namespace

std::string valid_utf8(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    result += length == 0 ? "?" : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return result;
}

Pen::Pen(cairo_t* cairo) : cairo_(cairo) {
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo_, options);
  cairo_font_options_destroy(options);
}

void Pen::font(double size, bool bold) const {
  cairo_select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_, size);
}

double Pen::width(const std::string& text) const {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_, valid_utf8(text).c_str(), &extents);
  return extents.x_advance;
}

std::string Pen::fitted(const std::string& text, double most) const {
  // Bytes. A longer text does not fit anyway, so measuring the rest of it would be wasted.
  constexpr std::size_t longest = 2000;
  std::string shown = valid_utf8(text.substr(0, longest));
  if (text.size() <= longest && width(shown) <= most) return shown;
  std::vector<std::size_t> ends{0};  // ends of the characters
  for (std::size_t i = 0; i < shown.size(); ends.push_back(i)) i += character_length(shown, i);
  std::size_t fits = 0, too_long = ends.size();
  while (fits + 1 < too_long) {
    const std::size_t middle = (fits + too_long) / 2;
    (width(shown.substr(0, ends[middle]) + ellipsis) <= most ? fits : too_long) = middle;
  }
  return shown.substr(0, ends[fits]) + ellipsis;
}

void Pen::text(double x, double y, const std::string& text, Align align) const {
  cairo_move_to(cairo_, x + shift(width(text), align), y);
  cairo_show_text(cairo_, valid_utf8(text).c_str());
}

void Pen::number(double x, double y, const std::string& number, const std::string& exponent,
                 double size, Align align) const {
  const double left = x + shift(number_width(number, exponent, size), align);
  font(size);
  const std::string base = with_minus(number);
  text(left, y, base, Align::left);
  const double base_width = width(base);
  font(raised_size * size);
  text(left + base_width, y - 0.42 * size, with_minus(exponent), Align::left);
  font(size);
}

double Pen::number_width(const std::string& number, const std::string& exponent,
                         double size) const {
  font(raised_size * size);
  const double raised = width(with_minus(exponent));
  font(size);
  return width(with_minus(number)) + raised;
}

void Pen::upright(double x, double y, const std::string& upright_text) const {
  cairo_save(cairo_);
  cairo_translate(cairo_, x, y);
  cairo_rotate(cairo_, -0.5 * std::numbers::pi);
  text(0, 0, upright_text, Align::center);
  cairo_restore(cairo_);
}

void Pen::line(double x0, double y0, double x1, double y1) const {
  cairo_move_to(cairo_, x0, y0);
  cairo_line_to(cairo_, x1, y1);
  cairo_stroke(cairo_);
}

void Pen::outline(double x, double y, double radius, int shape) const {
  const auto polygon = [&](int corners, double turn, double size) {
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * (i + turn) / corners;
      cairo_line_to(cairo_, x + size * std::sin(angle), y - size * std::cos(angle));
    }
    cairo_close_path(cairo_);
  };
  cairo_new_path(cairo_);
  switch (shape) {
    case 0:
    case 5:
      cairo_arc(cairo_, x, y, radius, 0, 2 * std::numbers::pi);
      cairo_close_path(cairo_);
      break;
    case 1:
    case 6:
      polygon(4, 0.5, 1.25 * radius);  // square
      break;
    case 2:
    case 7:
      polygon(3, 0, 1.4 * radius);  // triangle
      break;
    case 3:
      polygon(4, 0, 1.4 * radius);  // diamond
      break;
    default:
      polygon(3, 0.5, 1.4 * radius);  // triangle on its tip
      break;
  }
}

void Pen::marker(double x, double y, double radius, int shape, const Color& marker_color) const {
  constexpr int num_shapes = 8;
  constexpr int first_hollow = 5;
  shape %= num_shapes;
  const Color white{1, 1, 1};
  const bool hollow = shape >= first_hollow;
  cairo_set_dash(cairo_, nullptr, 0, 0);
  cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_MITER);
  outline(x, y, radius, shape);
  color(white);
  cairo_set_line_width(cairo_, hollow ? 2.4 : 1.2);
  cairo_stroke_preserve(cairo_);
  color(hollow ? white : marker_color);
  cairo_fill_preserve(cairo_);
  if (hollow) {
    color(marker_color);
    cairo_set_line_width(cairo_, 1.2);
    cairo_stroke_preserve(cairo_);
  }
  cairo_new_path(cairo_);
}

}  // namespace supple::plot
