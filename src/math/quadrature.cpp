#include "math/quadrature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {

namespace {

/// Finds the roots of the Legendre polynomial by Newton's method from Tricomi's estimate; the
/// weights are 2/((1 - x^2) P'(x)^2).
GaussLegendre16 make_rule() {
  constexpr int n = GaussLegendre16::num_points;
  GaussLegendre16 rule{};
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    double slope = 1;
    // Quadratic convergence from 1e-3: four steps reach rounding, the others confirm it.
    for (int step = 0; step < 6; ++step) {
      double previous = 1, p = x;
      for (int k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
        previous = p;
        p = next;
      }
      slope = n * (x * p - previous) / (x * x - 1);
      x -= p / slope;
    }
    rule.node[i] = x;
    rule.weight[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace

const GaussLegendre16& gauss_legendre_16() {
  static const GaussLegendre16 rule = make_rule();
  return rule;
}

std::vector<double> integration_pieces(double start, double end,
                                       const std::vector<double>& breaks) {
  std::vector<double> cuts{start, end};
  for (double x : breaks) {
    if (x > start && x < end) cuts.push_back(x);
  }
  for (int halvings = 1; halvings <= 60; ++halvings) {
    const double x = std::ldexp(end, -halvings);
    if (x <= start) break;
    cuts.push_back(x);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

}  // namespace supple
