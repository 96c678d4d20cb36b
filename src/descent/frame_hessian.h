#pragma once

#include "descent/direction.h"
#include "descent/hessian_system.h"

namespace supple {

/// Quasi-Newton with the Hessian at the beginning of each step [Liu et al. 2017, sec. 5; thesis
/// sec. 7.3 and Fig. 7.8]:
///   A = M/a^2 + d2E/dx2(x_0),
/// with each element's part clamped [Teran et al. 2005] and with the contacts and pins at x_0. The
/// first `compute` of a step prepares it; a direct linear solver factorises it there.
class FrameHessian final : public Direction {
 public:
  FrameHessian(const Model& model, const SolverSettings& settings, double inverse_a2);
  void pins_changed(const PinChange& change) override { system_.pins_changed(change.inverse_a2); }
  void materials_changed(const MaterialChange& change) override {
    if (!change.same_places) system_.places_changed();
  }
  void begin_step(Objective&) override {
    system_.begin_step();
    prepared_ = false;
  }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  HessianSystem system_;
  bool prepared_ = false;
};

}  // namespace supple
