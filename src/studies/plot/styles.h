#pragma once

#include <map>
#include <string>
#include <vector>

#include "studies/plot/chart.h"
#include "studies/plot/pen.h"

namespace supple::plot {

/// How the series with one name look.
struct Style {
  int place = 0;            ///< of the name among all names: determines colour and marker
  Kind kind = Kind::lines;  ///< of the chart in which it first appears
  bool dashed = false;
  bool markers = true;
};

/// How series look, by name: the same in all charts of a figure.
class Styles {
 public:
  explicit Styles(const Figure& figure);

  /// The names in the order in which they first appear.
  const std::vector<std::string>& names() const { return names_; }
  const Style& of(const std::string& name) const { return styles_.at(name); }

  static Color color(int place);
  /// Sets colour and strokes for the line of a series.
  static void set_line(const Pen& pen, int place, bool dashed);

 private:
  std::vector<std::string> names_;
  std::map<std::string, Style> styles_;
};

}  // namespace supple::plot
