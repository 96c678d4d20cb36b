#include "studies/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple::plot {

namespace {

/// Beyond this, the difference of the ends overflows.
constexpr double largest = 1e300;
constexpr double smallest = 1e-300;
/// Relative difference below which values differ only by rounding; above it, labels of 15 digits
/// can tell them apart.
constexpr double rounding = 1e-12;
/// Numbers in this range are written without a power of ten.
constexpr double least_plain = 1e-3;
constexpr double most_plain = 1e5;

/// The exponent of the last power of ten that is not above a positive value, despite rounding.
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }
int first_decade(const Range& range) {
  return static_cast<int>(std::ceil(std::log10(range.min) - 1e-9));
}
int last_decade(const Range& range) { return exponent_of(range.max); }

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

bool is_plain(double value) {
  return value == 0 || (std::abs(value) >= least_plain && std::abs(value) < most_plain);
}

/// 1, 2 or 5 times a power of ten.
struct Step {
  int factor = 1;
  int exponent = 0;
  double value() const { return factor * power_of_ten(exponent); }
};

/// The smallest step that is at least `size`.
Step round_step(double size) {
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  for (const int factor : {1, 2, 5}) {
    const Step step{factor, exponent};
    if (step.value() >= size * (1 - 1e-9)) return step;
  }
  return {1, exponent + 1};
}

/// The tick at a multiple of a step, on an axis whose ticks reach up to 10^top in size.
Tick linear_tick(double value, int top, const Step& step) {
  constexpr int most_digits = 15;
  constexpr int few_digits = 4;
  const int digits = top - step.exponent + 1;
  const bool plain = top >= exponent_of(least_plain) && top < exponent_of(most_plain);
  // If many digits are needed, a power of ten makes labels no shorter.
  if (plain || (digits > few_digits && std::abs(top) < most_digits)) {
    return {value, fmt::format("{:.{}f}", value, std::clamp(-step.exponent, 0, most_digits)), ""};
  }
  if (value == 0) return {value, "0", ""};
  // In two factors: 10^-top alone overflows for the smallest values.
  const double mantissa = value * power_of_ten(-top / 2) * power_of_ten(-top + top / 2);
  return {value, fmt::format("{:.{}f}×10", mantissa, std::clamp(digits - 1, 0, most_digits)),
          std::to_string(top)};
}

std::vector<Tick> linear_ticks(const Range& range, int most) {
  std::vector<Tick> result;
  const Step step = round_step((range.max - range.min) / most);
  const double size = step.value();
  const double first = std::ceil(range.min / size - 1e-9);
  // + 0.0 turns -0 into 0.
  const auto at = [&](int i) { return (first + i) * size + 0.0; };
  int count = 0;
  while (count <= most + 1 && at(count) <= range.max + 1e-9 * size) ++count;
  double top = 0;
  for (int i = 0; i < count; ++i) top = std::max(top, std::abs(at(i)));
  for (int i = 0; i < count; ++i) {
    Tick tick = linear_tick(at(i), top > 0 ? exponent_of(top) : 0, step);
    if (result.empty() || tick.label != result.back().label) result.push_back(std::move(tick));
  }
  return result;
}

/// The given multiples of each power of ten inside the range.
std::vector<Tick> multiples(const Range& range, const std::vector<int>& factors) {
  std::vector<Tick> result;
  for (int e = first_decade(range) - 1; e <= last_decade(range); ++e) {
    for (const int factor : factors) {
      const double value = factor * power_of_ten(e);
      if (value < range.min * (1 - 1e-9) || value > range.max * (1 + 1e-9)) continue;
      if (is_plain(value)) {
        result.push_back({value, fmt::format("{:.6g}", value), ""});
      } else {
        const std::string label = factor == 1 ? "10" : fmt::format("{}×10", factor);
        result.push_back({value, label, std::to_string(e)});
      }
    }
  }
  return result;
}

/// A label stands at every n-th power of ten. Returns this n.
int decade_stride(int decades, int most) {
  for (int power = 1;; power *= 10) {
    for (const int factor : {1, 2, 3, 5}) {
      if ((decades - 1) / (factor * power) + 1 <= most) return factor * power;
    }
  }
}

int num_decades(const Range& range) {
  return std::max(last_decade(range) - first_decade(range) + 1, 0);
}

}  // namespace

double Range::share(double value) const {
  if (logarithmic) {
    return (std::log(value) - std::log(min)) / (std::log(max) - std::log(min));
  }
  return (value - min) / (max - min);
}

bool Range::shows(double value) const {
  return std::isfinite(value) && (!logarithmic || value > 0);
}

Range range_of(const Axis& axis, const std::vector<double>& values) {
  Range range{.logarithmic = axis.logarithmic};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!range.shows(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) {
    range.min = axis.logarithmic ? 1 : 0;
    range.max = axis.logarithmic ? 10 : 1;
  } else if (axis.logarithmic) {
    low = std::clamp(low, smallest, largest);
    high = std::clamp(high, smallest, largest);
    const double span = std::log(high) - std::log(low);
    const double margin = span < rounding ? 2 : std::exp(0.03 * span);
    range.min = std::max(low / margin, smallest / 10);
    range.max = std::min(high * margin, largest * 10);
  } else {
    low = std::clamp(low, -largest, largest);
    high = std::clamp(high, -largest, largest);
    const double size = std::max(std::abs(low), std::abs(high));
    double margin = 0.08 * (high / 2 - low / 2);
    if (!(high / 2 - low / 2 > rounding * size)) margin = size / 2;
    if (!(margin > smallest)) margin = 1;
    range.min = low - margin;
    range.max = high + margin;
  }
  const auto usable = [&](const std::optional<double>& end) {
    return end && range.shows(*end) && std::abs(*end) <= largest &&
           (!axis.logarithmic || *end >= smallest);
  };
  const Range automatic = range;
  if (usable(axis.min)) range.min = *axis.min;
  if (usable(axis.max)) range.max = *axis.max;
  const double least = std::max(smallest, 1e-15 * std::max(std::abs(range.min), range.max));
  if (axis.logarithmic) return range.max > range.min * (1 + 1e-15) ? range : automatic;
  return range.max / 2 - range.min / 2 > least ? range : automatic;
}

std::vector<Tick> ticks(const Range& range, int most) {
  most = std::max(most, 2);
  if (!range.logarithmic) return linear_ticks(range, most);
  const int decades = num_decades(range);
  const bool plain = is_plain(range.min) && is_plain(range.max);
  if (decades < 2 || (decades == 2 && plain)) {
    std::vector<std::vector<int>> sets = {{1, 2, 5}};
    if (decades < 2) sets.insert(sets.begin(), {1, 2, 3, 4, 5, 6, 7, 8, 9});
    for (const std::vector<int>& factors : sets) {
      std::vector<Tick> result = multiples(range, factors);
      if (result.size() > static_cast<std::size_t>(most)) continue;
      return result.size() >= 2 ? result : linear_ticks(range, most);
    }
    if (decades < 2) return linear_ticks(range, most);
  }
  const int stride = decade_stride(decades, most);
  std::vector<Tick> result;
  for (int e = first_decade(range); e <= last_decade(range); ++e) {
    if (e % stride == 0) result.push_back({power_of_ten(e), "10", std::to_string(e)});
  }
  return result;
}

std::vector<double> minor_ticks(const Range& range, int most) {
  std::vector<double> result;
  if (!range.logarithmic) return result;
  const int stride = decade_stride(std::max(num_decades(range), 1), std::max(most, 2));
  if (stride > 10) return result;
  const bool between = stride == 1;
  for (const Tick& tick :
       multiples(range, between ? std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9} : std::vector<int>{1})) {
    result.push_back(tick.value);
  }
  return result;
}

}  // namespace supple::plot
