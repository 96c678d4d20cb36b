#include "math/cubic_spline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

namespace {

/// Bins are increased beyond two per knot only up to this number: 16 kB.
constexpr std::size_t most_bins = 4096;

/// Second derivatives of the natural spline at the knots: the tridiagonal system
///   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (d_i - d_{i-1}),  m_0 = m_{n-1} = 0,
/// where d_i are the slopes of the chords, eliminated from the first row to the last (Thomas).
std::vector<double> second_derivatives(const std::vector<std::pair<double, double>>& points) {
  const std::size_t n = points.size();
  std::vector<double> m(n, 0.0), factor(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = points[i].first - points[i - 1].first;
    const double after = points[i + 1].first - points[i].first;
    const double jump = (points[i + 1].second - points[i].second) / after -
                        (points[i].second - points[i - 1].second) / before;
    const double pivot = 2 * (before + after) - before * factor[i - 1];
    factor[i] = after / pivot;
    m[i] = (6 * jump - before * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= factor[i] * m[i + 1];
  return m;
}

double limited(double slope, double chord) {
  if (!(slope * chord > 0)) return 0;
  return std::abs(slope) > 2 * std::abs(chord) ? 2 * chord : slope;
}

/// Slopes of Steffen's interpolation: those of the parabolas through three neighbours, limited by
/// the chords on both sides.
std::vector<double> monotone_slopes(const std::vector<std::pair<double, double>>& points) {
  const std::size_t n = points.size();
  std::vector<double> step, chord, slope(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    step.push_back(points[i + 1].first - points[i].first);
    chord.push_back((points[i + 1].second - points[i].second) / step[i]);
  }
  if (n == 2) return {chord[0], chord[0]};
  const auto at_end = [&](std::size_t end, std::size_t next) {
    const double share = step[end] / (step[end] + step[next]);
    return limited(chord[end] + share * (chord[end] - chord[next]), chord[end]);
  };
  slope[0] = at_end(0, 1);
  slope[n - 1] = at_end(n - 2, n - 3);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double parabola =
        (chord[i - 1] * step[i] + chord[i] * step[i - 1]) / (step[i - 1] + step[i]);
    slope[i] = chord[i - 1] * chord[i] > 0 ? limited(limited(parabola, chord[i - 1]), chord[i]) : 0;
  }
  return slope;
}

}  // namespace

void CubicSpline::begin(const std::vector<std::pair<double, double>>& points) {
  knots_.clear();
  pieces_.clear();
  for (const auto& point : points) knots_.push_back(point.first);
  find_bins();
}

void CubicSpline::add(double x, double integral, double c0, double c1, double c2, double c3) {
  pieces_.push_back({{c0, c1, c2, c3}, x, integral, {}});
}

void CubicSpline::set_origin(double origin) {
  const double shift = evaluate(origin).integral;
  for (Piece& p : pieces_) p.integral -= shift;
}

CubicSpline CubicSpline::monotone(const std::vector<std::pair<double, double>>& points,
                                  double origin) {
  CubicSpline spline;
  if (points.size() < 2) return spline;
  spline.begin(points);
  const std::vector<double> slope = monotone_slopes(points);
  double integral = 0;
  spline.add(points[0].first, 0, points[0].second, slope[0], 0, 0);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto [x, y] = points[i];
    const double h = points[i + 1].first - x;
    const double chord = (points[i + 1].second - y) / h;
    spline.add(x, integral, y, slope[i], (3 * chord - 2 * slope[i] - slope[i + 1]) / h,
               (slope[i] + slope[i + 1] - 2 * chord) / (h * h));
    integral += h * (y + points[i + 1].second) / 2 + h * h * (slope[i] - slope[i + 1]) / 12;
  }
  spline.add(points.back().first, integral, points.back().second, slope.back(), 0, 0);
  spline.set_origin(origin);
  return spline;
}

CubicSpline::CubicSpline(const std::vector<std::pair<double, double>>& points, double origin) {
  begin(points);
  if (points.size() < 2) {
    add(0, 0, 0, 0, 0, 0);
    return;
  }
  const std::vector<double> m = second_derivatives(points);
  const std::size_t n = points.size();
  double integral = 0;
  add(points[0].first, 0, points[0].second, 0, 0, 0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const auto [x, y] = points[i];
    const double h = points[i + 1].first - x;
    const double chord = (points[i + 1].second - y) / h;
    const double slope = chord - h * (2 * m[i] + m[i + 1]) / 6;
    add(x, integral, y, slope, m[i] / 2, (m[i + 1] - m[i]) / (6 * h));
    // The integral of the cubic over its piece.
    integral += h * (y + points[i + 1].second) / 2 - h * h * h * (m[i] + m[i + 1]) / 24;
    if (i == 0) pieces_[0].c[1] = slope;
    if (i + 2 == n) {
      const double end_slope = chord + h * (m[i] + 2 * m[i + 1]) / 6;
      add(points[n - 1].first, integral, points[n - 1].second, end_slope, 0, 0);
    }
  }
  set_origin(origin);
}

/// Chooses the number of bins such that one knot, or few, remain to be searched in each. If the
/// distances of knots are very different, some bins have more.
void CubicSpline::find_bins() {
  const std::size_t n = knots_.size();
  searched_ = knots_;
  below_bin_.assign(1, 0);
  if (n == 0) return;
  first_knot_ = knots_.front();
  for (std::size_t bins = 2 * n; bins == 2 * n || bins <= most_bins; bins *= 2) {
    last_bin_ = static_cast<double>(bins - 1);
    bins_per_unit_ = last_bin_ / (knots_.back() - first_knot_);
    if (!std::isfinite(bins_per_unit_)) bins_per_unit_ = 0;  // all in the first bin
    std::vector<int> count(bins);
    for (const double x : knots_) ++count[static_cast<std::size_t>(bin_of(x))];
    below_bin_.assign(bins, 0);
    for (std::size_t k = 1; k < bins; ++k) below_bin_[k] = below_bin_[k - 1] + count[k - 1];
    most_in_bin_ = *std::max_element(count.begin(), count.end());
    if (most_in_bin_ == 1) break;
  }
  searched_.insert(searched_.end(), static_cast<std::size_t>(most_in_bin_),
                   std::numeric_limits<double>::infinity());
}

}  // namespace supple
