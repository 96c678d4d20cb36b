#pragma once

#include <optional>
#include <string>
#include <vector>

/// Charts as plain values, drawn to SVG and PNG by the same strokes (cairo). Nothing here reads or
/// writes a file.
namespace supple::plot {

struct Series {
  std::string name;          ///< UTF-8; series of one name share colour, marker and legend entry
  std::vector<double> x, y;  ///< of equal length. What has no place on the axes (not finite, or not
                             ///< positive on a logarithmic one) is a gap
  bool dashed = false;
  bool markers = true;  ///< of Kind::lines: a few along the line
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> min, max;  ///< from the data where missing
};

enum class Kind {
  lines,   ///< with a few markers along each, so that they differ by more than colour
  points,  ///< markers alone
  bars,    ///< y of each series beside each other at the categories 0, 1, ...; x is not read
};

struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  Kind kind = Kind::lines;
  std::vector<std::string> categories;  ///< of bars
};

/// Charts in rows, with one legend below.
struct Figure {
  std::string title;
  std::vector<Chart> charts;
  int columns = 1;           ///< >= 1
  double chart_width = 460;  ///< pt, of one chart with its labels
  double chart_height = 320;
};

/// The figure as an SVG document; text is drawn as outlines, so that it looks the same everywhere.
/// Its ids repeat from figure to figure: in a page it belongs into an image of its own. Throws
/// Error{invalid_input} for more than 100 charts and for a size that is not between 50 and 10,000
/// pt.
std::string svg_text(const Figure& figure);

/// The figure as a PNG file of so many pixels a point (0.1 to 10). Throws as svg_text does.
std::vector<unsigned char> png_bytes(const Figure& figure, double scale = 2);

}  // namespace supple::plot
