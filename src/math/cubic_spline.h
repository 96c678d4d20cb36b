#pragma once

#include <utility>
#include <vector>

namespace supple {

/// Natural cubic spline through control points, continued linearly beyond the ends with the end
/// slopes, and its exact integral.
class CubicSpline {
 public:
  struct Sample {
    double integral;  ///< from `origin` to x
    double value;
    double slope;
  };

  /// The zero function.
  CubicSpline() : CubicSpline({}, 0) {}
  /// points: none (the zero function), or two or more with finite values and strictly increasing x;
  /// the caller checks this. The integral vanishes at `origin`.
  CubicSpline(const std::vector<std::pair<double, double>>& points, double origin);

  /// Any x; a NaN gives NaN. At a control point the value is that of the point, exactly.
  Sample evaluate(double x) const {
    const Piece& p = piece(x);
    const double t = x - p.x;
    const double half = 1.0 / 2, third = 1.0 / 3;
    return {p.integral + t * (p.c[0] + t * (half * p.c[1] +
                                            t * (third * p.c[2] + t * (half * half * p.c[3])))),
            p.c[0] + t * (p.c[1] + t * (p.c[2] + t * p.c[3])),
            p.c[1] + t * (2 * p.c[2] + t * (3 * p.c[3]))};
  }
  double integral(double x) const { return evaluate(x).integral; }
  double value(double x) const { return evaluate(x).value; }
  double slope(double x) const { return evaluate(x).slope; }

  /// x of the control points.
  const std::vector<double>& knots() const { return knots_; }

 private:
  /// c[0] + c[1] t + c[2] t^2 + c[3] t^3 with t counted from x.
  struct Piece {
    double x;
    double integral;  ///< at x
    double c[4];
  };

  /// Piece i lies between knots i-1 and i. Halving without branches: which half a stretch falls in
  /// cannot be predicted.
  const Piece& piece(double x) const {
    const double* first = knots_.data();
    std::size_t count = knots_.size();
    std::size_t below = 0;
    while (count > 0) {
      const std::size_t half = (count + 1) / 2;
      below += first[below + half - 1] <= x ? half : 0;
      count -= half;
    }
    return pieces_[below];
  }

  std::vector<double> knots_;
  std::vector<Piece> pieces_;  ///< [num_knots + 1]
};

}  // namespace supple
