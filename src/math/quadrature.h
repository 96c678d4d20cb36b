#pragma once

#include <vector>

namespace supple {

/// Gauss-Legendre rule of 16 points on [-1, 1]: exact for polynomials of degree 31.
struct GaussLegendre16 {
  static constexpr int num_points = 16;
  double node[num_points];
  double weight[num_points];
};
const GaussLegendre16& gauss_legendre_16();

/// Where to cut [start, end], start > 0, so that the rule is exact to rounding for any function
/// that is analytic except at zero and at `breaks`: at the breaks inside, and so that no piece is
/// longer than its distance from zero. Seen from such a piece, a singularity at zero is outside the
/// Bernstein ellipse of radius 3 + sqrt 8, so the rule's error is of order (3 + sqrt 8)^-32 = 3e-25
/// of the function. Pieces below end * 2^-60 are not cut further, since they do not affect the sum.
/// Ascending, from `start` to `end`.
std::vector<double> integration_pieces(double start, double end, const std::vector<double>& breaks);

/// Integral of f over consecutive pieces [pieces[i], pieces[i + 1]].
template <class F>
double integrate(const std::vector<double>& pieces, const F& f) {
  const GaussLegendre16& rule = gauss_legendre_16();
  double total = 0;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const double middle = pieces[i] + (pieces[i + 1] - pieces[i]) / 2;
    const double half = (pieces[i + 1] - pieces[i]) / 2;
    double sum = 0;
    for (int k = 0; k < GaussLegendre16::num_points; ++k) {
      sum += rule.weight[k] * f(middle + half * rule.node[k]);
    }
    total += half * sum;
  }
  return total;
}

}  // namespace supple
