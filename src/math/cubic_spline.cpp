#include "math/cubic_spline.h"

namespace supple {

namespace {

/// Second derivatives at the knots of the natural spline: the tridiagonal system
///   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (d_i - d_{i-1}),  m_0 = m_{n-1} = 0,
/// d_i being the slopes of the chords, eliminated from the first row to the last (Thomas).
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

}  // namespace

CubicSpline::CubicSpline(const std::vector<std::pair<double, double>>& points, double origin) {
  if (points.size() < 2) {
    pieces_.push_back({0, 0, {0, 0, 0, 0}});
    return;
  }
  const std::vector<double> m = second_derivatives(points);
  const std::size_t n = points.size();
  double integral = 0;
  pieces_.push_back({points[0].first, 0, {points[0].second, 0, 0, 0}});
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const auto [x, y] = points[i];
    const double h = points[i + 1].first - x;
    const double chord = (points[i + 1].second - y) / h;
    const double slope = chord - h * (2 * m[i] + m[i + 1]) / 6;
    pieces_.push_back({x, integral, {y, slope, m[i] / 2, (m[i + 1] - m[i]) / (6 * h)}});
    // The integral of the cubic over its piece.
    integral += h * (y + points[i + 1].second) / 2 - h * h * h * (m[i] + m[i + 1]) / 24;
    if (i == 0) pieces_[0].c[1] = slope;
    if (i + 2 == n) {
      const double end_slope = chord + h * (m[i] + 2 * m[i + 1]) / 6;
      pieces_.push_back({points[n - 1].first, integral, {points[n - 1].second, end_slope, 0, 0}});
    }
  }
  for (const auto& point : points) knots_.push_back(point.first);
  const double shift = evaluate(origin).integral;
  for (Piece& p : pieces_) p.integral -= shift;
}

}  // namespace supple
