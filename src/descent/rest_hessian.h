#pragma once

#include <optional>

#include "descent/direction.h"
#include "descent/hessian_system.h"
#include "descent/prefactored_system.h"

namespace supple {

/// Factorises M/a^2 + d2E/dx2(rest) + pins, with the eigenvalues of each element clamped. Throws
/// Error{invalid_input} if it is not positive definite.
PrefactoredSystem factorise_at_rest(const Model& model, double inverse_a2);

/// Quasi-Newton with the Hessian of the rest shape [Liu et al. 2017, sec. 5, "L-BFGS with different
/// initial Hessian estimates"; thesis sec. 7.3 and Table 7.1]:
///   A = M/a^2 + d2E/dx2(rest) + pins,
/// 3n x 3n, prepared once. It does not rotate with the body and suits a rotated body badly. It has
/// no contacts.
class RestHessian final : public Direction {
 public:
  /// Throws Error{invalid_input} if A is not positive definite.
  RestHessian(const Model& model, const SolverSettings& settings, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override {
    if (system_ && !change.same_places) system_->places_changed();
  }
  void begin_step(Objective&) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  // /solver/linear_solver decides which of them exists.
  std::optional<PrefactoredSystem> matrix_;
  std::optional<HessianSystem> system_;
};

}  // namespace supple
