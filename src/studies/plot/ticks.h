#pragma once

#include <string>
#include <vector>

#include "studies/plot/chart.h"

namespace supple::plot {

/// The range of an axis: two finite ends, min < max, both positive if logarithmic.
struct Range {
  double min = 0;
  double max = 1;
  bool logarithmic = false;

  /// 0 at min, 1 at max. Can be infinite for a value far outside, but is never NaN for one that the
  /// axis shows.
  double share(double value) const;
  /// True if a value has a place on an axis of this kind.
  bool shows(double value) const;
};

/// The ends of an axis for these values: those that `axis` sets, otherwise those of the data with a
/// margin; 0 to 1 (1 to 10 if logarithmic) without data. Values that differ only by rounding count
/// as one. Ends beyond 1e300, and below 1e-300 on a logarithmic axis, are ignored.
Range range_of(const Axis& axis, const std::vector<double>& values);

struct Tick {
  double value = 0;
  std::string label;     ///< "0.5", "10", or "2×10"
  std::string exponent;  ///< of the ten, raised; empty if there is none
};

/// Labelled ticks inside a range, about `most` (>= 2) of them or fewer: multiples of 1, 2 or 5
/// times a power of ten. A logarithmic axis has powers of ten, every 1st, 2nd, 3rd, 5th, 10th ...
/// of them; if it covers less than about two decades, their multiples too; if it covers a small
/// part of one decade, the ticks of a linear axis. No two ticks have the same label.
std::vector<Tick> ticks(const Range& range, int most);

/// Unlabelled ticks between those. On a logarithmic axis: 2 to 9 times each power of ten or, if
/// `ticks` skips powers, the powers. None on a linear axis.
std::vector<double> minor_ticks(const Range& range, int most);

}  // namespace supple::plot
