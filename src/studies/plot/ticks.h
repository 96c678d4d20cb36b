#pragma once

#include <string>
#include <vector>

#include "studies/plot/chart.h"

namespace supple::plot {

/// Where an axis lies: its two ends, both finite, min < max, positive where logarithmic.
struct Range {
  double min = 0;
  double max = 1;
  bool logarithmic = false;

  /// 0 at min, 1 at max. May be infinite for a value far outside, never NaN for one that the axis
  /// shows.
  double share(double value) const;
  /// Whether a value has a place on an axis of this kind.
  bool shows(double value) const;
};

/// The ends of an axis for these values: those asked for, else those of the data with a margin;
/// 0 to 1 (1 to 10) without data. Values that differ by rounding alone count as one. Ends beyond
/// 1e300, and below 1e-300 on a logarithmic axis, are not taken.
Range range_of(const Axis& axis, const std::vector<double>& values);

struct Tick {
  double value = 0;
  std::string label;     ///< "0.5", "10", or "2×10"
  std::string exponent;  ///< of the ten, raised; empty where there is none
};

/// Labelled ticks inside a range, at most about `most` (>= 2): multiples of 1, 2 or 5 times a power
/// of ten. On a logarithmic axis powers of ten, every 1st, 2nd, 3rd, 5th, 10th ... of them; over
/// less than about two decades their multiples too; over a small part of one as on a linear axis.
/// No two have the same label.
std::vector<Tick> ticks(const Range& range, int most);

/// Unlabelled ticks between those: on a logarithmic axis 2 to 9 times each power of ten or, where
/// `ticks` leaves powers out, the powers; none on a linear one.
std::vector<double> minor_ticks(const Range& range, int most);

}  // namespace supple::plot
