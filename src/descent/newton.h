#pragma once

#include "descent/direction.h"
#include "descent/hessian_system.h"

namespace supple {

/// Newton's method, A = the Hessian at the iterate [GAMES103], 3n x 3n. What makes A positive
/// definite and what solves with it are /solver/definiteness and /solver/linear_solver
/// (hessian_system.h). The order and the pattern are analysed once, the values computed in every
/// iteration. Where definiteness is none, p may be no descent direction far from the minimum: the
/// descent then ends there.
///
/// What gas in a body, or a volume of one that stays, adds between all vertices of its surface, B,
/// is no part of the sparse matrix. Conjugate gradients for A + B with A as preconditioner then
/// make the direction: each iteration solves with A once, and A^-1 B has few eigenvalues that are
/// far from zero.
class Newton final : public Direction {
 public:
  /// Each element's Hessian clamped [Teran et al. 2005], sparse Cholesky.
  explicit Newton(const Model& model);
  Newton(const Model& model, const SolverSettings& settings, double inverse_a2);
  void pins_changed(const PinChange& change) override { system_.pins_changed(change.inverse_a2); }
  void materials_changed(const MaterialChange& change) override {
    if (!change.same_places) system_.places_changed();
  }
  void begin_step(Objective& objective) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  void solve_stiffened(Objective& objective, const Iterate& at, VectorField& p);

  HessianSystem system_;
  VectorField residual_, solved_, d_, minus_product_, of_pressure_;  ///< where there is a B
};

}  // namespace supple
