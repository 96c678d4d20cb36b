#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/descent.h"
#include "studies/reproduce/finding.h"

namespace supple::reproduce {

/// Two logarithmic plots of the relative error, side by side: against iterations up to
/// `last_iteration`, and against milliseconds, logarithmic too. Trials that did not run are left
/// out.
Figure error_plot(const std::string& subject, const std::vector<Descent>& descents,
                  int last_iteration);

/// The left half of error_plot alone.
Figure iterations_plot(const std::string& subject, const std::vector<Descent>& descents,
                       int last_iteration);

/// A line of a plot. Values that are not finite are gaps.
struct Line {
  std::string label;
  std::vector<double> x, y;
};

struct Axes {
  std::string x, y;  ///< names with units
  bool log_y = false;
};

Figure line_plot(const std::string& caption, const Axes& axes, const std::vector<Line>& lines);

}  // namespace supple::reproduce
