#pragma once

#include "descent/direction.h"

namespace supple {

/// Gradient descent: A = I / s [GAMES103]. The scale s, m/N, starts at the smallest inverse
/// diagonal entry of M/a^2 + L, so that the first step has the right size in any units. It doubles
/// after a full step and shrinks with the line search, so that an iteration does not have to halve
/// from 1 again.
class GradientDescent final : public Direction {
 public:
  GradientDescent(const Model& model, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override {
    pins_changed({change.model, change.inverse_a2, 0});
  }
  void begin_step(Objective&) override { scale_ = first_scale_; }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective&, const Iterate& from, const Iterate& to, double alpha) override;

 private:
  double first_scale_ = 1;
  double scale_ = 1;
};

}  // namespace supple
