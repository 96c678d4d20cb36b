#pragma once

#include <cmath>

namespace supple {

/// Weights of the Chebyshev semi-iterative method [Golub & Varga 1961; Wang 2015, eq. 8; Liu et al.
/// 2017, Alg. 3],
///   omega_1 = 1,  omega_2 = 2/(2 - rho^2),  omega_{p+1} = 4/(4 - rho^2 omega_p):
///   x_{k+1} = omega (x_k + q_k - x_{k-1}) + x_{k-1}.
/// If a plain step turns q into G q, with G symmetric and its eigenvalues in [-rho, rho], then p
/// such steps turn q into T_p(G/rho)/T_p(1/rho) q: every part of it shrinks to 1/T_p(1/rho) or
/// less.
class ChebyshevWeights {
 public:
  /// The next weight is that of a plain step, 1.
  void restart() { steps_ = 0; }

  double next(double rho) {
    ++steps_;
    if (steps_ == 1) return omega_ = 1;
    if (steps_ == 2) return omega_ = 2 / (2 - rho * rho);
    return omega_ = 4 / (4 - rho * rho * omega_);
  }

  /// Weights given since the restart, p.
  int steps() const { return steps_; }

  /// T_p(x) for x >= 1: cosh(p arcosh x).
  static double polynomial(int p, double x) { return std::cosh(p * std::acosh(x)); }

 private:
  int steps_ = 0;
  double omega_ = 1;
};

}  // namespace supple
