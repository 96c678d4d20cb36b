#pragma once

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "math/interleaved_batch.h"
#include "math/transpose.h"

namespace supple {

/// Cubic spline through control points, natural or monotone, with its exact integral. Beyond the
/// ends it continues linearly with the end slopes.
class CubicSpline {
 public:
  template <class S>
  struct Sample {
    S integral;  ///< from `origin` to x
    S value;
    S slope;
  };

  /// The zero function.
  CubicSpline() : CubicSpline({}, 0) {}
  /// points: none (the zero function), or two or more with finite values and strictly increasing x;
  /// the caller checks this. The integral vanishes at `origin`.
  CubicSpline(const std::vector<std::pair<double, double>>& points, double origin);
  /// A spline with one continuous derivative instead of two, but monotone between any two points:
  /// where the points do not fall, the curve does not; where two points are level, it is level
  /// [Steffen 1990, "A simple method for monotonic interpolation in one dimension"].
  static CubicSpline monotone(const std::vector<std::pair<double, double>>& points, double origin);

  /// Any x; a NaN gives NaN. At a control point the value is exactly that of the point. A lane has
  /// the bits of the scalar.
  SUPPLE_INLINE Sample<double> evaluate(double x) const {
    const int bin = static_cast<int>(bin_of(x));
    const Piece* piece = nullptr;
    find_pieces<1>(&bin, &x, &piece);
    return sample(piece->c, piece->integral, x - piece->x);
  }
  template <int W>
  SUPPLE_INLINE Sample<Batch<double, W>> evaluate(const Batch<double, W>& x) const {
    using B = Batch<double, W>;
    using Whole = typename detail::VectorOf<int, W>::type;
    const Whole whole_bins = __builtin_convertvector(bin_of(x).v, Whole);
    int bins[W];
    double stretches[W];
    std::memcpy(bins, &whole_bins, sizeof(bins));
    x.store(stretches);
    const Piece* pieces[W];
    find_pieces<W>(bins, stretches, pieces);
    B c[4], ends[4];
    detail::columns_at<W>([&](int lane) { return pieces[lane]->c; }, c);
    detail::columns_at<W>([&](int lane) { return &pieces[lane]->x; }, ends);
    return sample(c, ends[1], x - ends[0]);
  }
  template <class B>
  SUPPLE_INLINE Sample<InterleavedBatch<B>> evaluate(const InterleavedBatch<B>& x) const {
    const Sample<B> lo = evaluate(x.lo), hi = evaluate(x.hi);
    return {{lo.integral, hi.integral}, {lo.value, hi.value}, {lo.slope, hi.slope}};
  }
  double integral(double x) const { return evaluate(x).integral; }
  double value(double x) const { return evaluate(x).value; }
  double slope(double x) const { return evaluate(x).slope; }

  bool is_zero() const { return knots_.empty(); }
  /// x of the control points.
  const std::vector<double>& knots() const { return knots_; }

 private:
  /// c[0] + c[1] t + c[2] t^2 + c[3] t^3, where t is counted from x. One cache line, so one read
  /// fetches it.
  struct alignas(64) Piece {
    double c[4];
    double x;
    double integral;  ///< at x
    double unused[2];
  };

  template <class S>
  SUPPLE_INLINE static Sample<S> sample(const S (&c)[4], const S& integral, const S& t) {
    const S half = S(1.0 / 2), third = S(1.0 / 3), quarter = S(1.0 / 4);
    return {
        S(integral + t * (c[0] + t * (half * c[1] + t * (third * c[2] + t * (quarter * c[3]))))),
        S(c[0] + t * (c[1] + t * (c[2] + t * c[3]))),
        S(c[1] + t * (S(2.0) * c[2] + t * (S(3.0) * c[3])))};
  }

  /// The bin that x falls in, among bins of equal length between the ends, not rounded down; the
  /// first one for a NaN. It never decreases as x grows, even with rounding.
  template <class S>
  SUPPLE_INLINE S bin_of(const S& x) const {
    const S place = (x - S(first_knot_)) * S(bins_per_unit_), last = S(last_bin_);
    const S from_first = select(place > S(0.0), place, S(0.0));
    return select(from_first < last, from_first, last);
  }

  /// The pieces for W numbers. Piece i lies between knots i-1 and i. Within a bin it is found by
  /// bisection without branches, since which half a number falls in cannot be predicted.
  template <int W>
  SUPPLE_INLINE void find_pieces(const int* bin, const double* x, const Piece** piece) const {
    const double* const knots = searched_.data();
    std::ptrdiff_t below[W];
    for (int lane = 0; lane < W; ++lane) {
      below[lane] = below_bin_[static_cast<std::size_t>(bin[lane])];
    }
    for (std::ptrdiff_t count = most_in_bin_; count > 0;) {
      const std::ptrdiff_t half = (count + 1) / 2;
      for (int lane = 0; lane < W; ++lane) {
        below[lane] += knots[below[lane] + half - 1] <= x[lane] ? half : 0;
      }
      count -= half;
    }
    for (int lane = 0; lane < W; ++lane) piece[lane] = pieces_.data() + below[lane];
  }

  void begin(const std::vector<std::pair<double, double>>& points);
  void add(double x, double integral, double c0, double c1, double c2, double c3);
  void find_bins();
  void set_origin(double origin);

  std::vector<double> knots_;
  std::vector<Piece> pieces_;  ///< [num_knots + 1]
  double first_knot_ = 0, bins_per_unit_ = 0, last_bin_ = 0;
  std::ptrdiff_t most_in_bin_ = 0;
  std::vector<int> below_bin_;    ///< [bins], number of knots before each
  std::vector<double> searched_;  ///< the knots, followed by most_in_bin_ times infinity
};

}  // namespace supple
