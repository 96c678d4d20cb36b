#pragma once

#include "descent/direction.h"

namespace supple {

/// A = I / gamma with
///   gamma = s . t / t . t,  s = x_k - x_{k-1},  t = grad g(x_k) - grad g(x_{k-1}),
/// of the newest step, m/N: the usual initial matrix of L-BFGS [Nocedal & Wright 2006, eq. 7.20;
/// Liu et al. 2017, eq. 12, prints its inverse]. A step without positive curvature leaves gamma
/// unchanged. Before the first step gamma is the smallest inverse diagonal entry of M/a^2 + L. On
/// its own, this is gradient descent with the second step length of Barzilai & Borwein [1988].
class ScaledIdentity final : public Direction {
 public:
  ScaledIdentity(const Model& model, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override {
    pins_changed({change.model, change.inverse_a2, 0});
  }
  void begin_step(Objective&) override { scale_ = first_scale_; }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override;

 private:
  double first_scale_ = 1;
  double scale_ = 1;  ///< gamma
};

}  // namespace supple
