#pragma once

#include "descent/direction.h"
#include "descent/hessian_system.h"

namespace supple {

/// Quasi-Newton with the Hessian of the rest shape [Liu et al. 2017, sec. 5, "L-BFGS with different
/// initial Hessian estimates"; thesis sec. 7.3 and Table 7.1]:
///   A = M/a^2 + d2E/dx2(rest) + pins,
/// 3n x 3n, prepared once. It does not turn with the body, so that it serves a body that has turned
/// badly. Contacts are left out.
class RestHessian final : public Direction {
 public:
  /// Throws Error{invalid_input} where A is not positive definite.
  RestHessian(const Model& model, const SolverSettings& settings, double inverse_a2);
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  HessianSystem system_;
};

}  // namespace supple
