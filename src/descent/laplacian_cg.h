#pragma once

#include <memory>
#include <vector>

#include "descent/direction.h"
#include "linear/cg.h"
#include "supple/scene.h"

namespace supple {

/// Quasi-Newton with the constant matrix M/a^2 + L (laplacian.h) and conjugate gradients instead of
/// the direct solver [Liu et al. 2017, sec. 5, Fig. 11; thesis Fig. 7.7]: three systems of n
/// unknowns side by side, linear_iterations each, always starting from zero, with the
/// preconditioner none, jacobi or incomplete_cholesky. The result is not linear in the gradient,
/// but -p . grad g > 0 holds after any number of iterations, alone and inside L-BFGS, whose two
/// loops add squares to it.
class LaplacianCg final : public Direction {
 public:
  /// Throws Error{invalid_input} if the matrix has no preconditioner because it is not finite.
  LaplacianCg(const Model& model, const SolverSettings& settings, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  void use(const SpdSolver::Matrix& lower);

  std::vector<int> order_;  ///< [num_vertices], row k of the matrix is vertex order_[k]
  SymmetricMatrix matrix_;
  std::unique_ptr<Preconditioner> preconditioner_;
  CgSettings cg_settings_;
  ConjugateGradients cg_;
  VectorField work_;
};

}  // namespace supple
