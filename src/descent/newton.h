#pragma once

#include "descent/direction.h"
#include "descent/hessian_system.h"

namespace supple {

/// Newton's method: A is the Hessian at the iterate [GAMES103], 3n x 3n. /solver/definiteness says
/// how it is made positive definite, and /solver/linear_solver what solves with it
/// (hessian_system.h). Order and pattern are analysed once; the values are computed in every
/// iteration. With definiteness none, p may not be a descent direction far from the minimum, and
/// the descent then ends.
///
/// Gas in a body, or a volume that it keeps exactly, couples all vertices of its surface by a term
/// B that is not in the sparse matrix. Then p comes from conjugate gradients for A + B with A as
/// preconditioner: each iteration solves with A once, and A^-1 B has few eigenvalues far from zero.
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
  VectorField residual_, solved_, d_, minus_product_, of_pressure_;  ///< used if there is a B
};

}  // namespace supple
