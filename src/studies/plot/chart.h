#pragma once

#include <optional>
#include <string>
#include <vector>

/// Charts as plain values, drawn as SVG and PNG by the same cairo commands. Nothing here reads or
/// writes a file.
namespace supple::plot {

struct Series {
  std::string name;  ///< UTF-8; series with the same name share colour, marker and legend entry
  std::vector<double> x, y;  ///< of equal length. Points without a place on the axes (not finite,
                             ///< or not positive on a logarithmic one) are gaps
  bool dashed = false;
  bool markers = true;  ///< a few along the line, if Kind::lines
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> min, max;  ///< if missing, chosen from the data
};

enum class Kind {
  lines,   ///< with a few markers along each, so that not only colour tells them apart
  points,  ///< markers only
  bars,    ///< y of each series side by side at the categories 0, 1, ...; x is not read
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

/// The figure as an SVG document. Text is drawn as outlines, so that it looks the same everywhere.
/// All figures use the same ids, so a page must embed each one as an image of its own. Throws
/// Error{invalid_input} for more than 100 charts and for a size outside 50 to 10,000 pt.
std::string svg_text(const Figure& figure);

/// The figure as a PNG file, `scale` pixels per point (0.1 to 10). Throws as svg_text does.
std::vector<unsigned char> png_bytes(const Figure& figure, double scale = 2);

}  // namespace supple::plot
