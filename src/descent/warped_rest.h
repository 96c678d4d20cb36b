#pragma once

#include <vector>

#include "descent/direction.h"
#include "descent/prefactored_system.h"
#include "elements/corner_kernels.h"
#include "math/mat3.h"

namespace supple {

/// Quasi-Newton with the Hessian of the rest shape, rotated with the body vertex by vertex [Mueller
/// et al. 2002, "Stable real-time deformations"; Liu et al. 2017, sec. 5]:
///   p = -R A_rest^-1 R^T grad g,  R = diag(R_i).
/// R_i is the rotation in the polar decomposition of a sum over what meets at vertex i: V_t F_t of
/// its tets, (x_a - x_b) n_s^T of its springs, with their directions n_s at rest, and
/// k V F [e_1 e_2]^T of its membrane's triangles, with their axes e_1 and e_2 at rest. If all of
/// these lie along one line, R_i is the least rotation; if there are none, R_i = I. Mueller et al.
/// warp forces like this, which then no longer sum to zero; here it only shapes the descent.
/// R A_rest R^T is symmetric positive definite, so p descends.
class WarpedRest final : public Direction {
 public:
  /// Throws Error{invalid_input} if the rest Hessian is not positive definite.
  WarpedRest(const Model& model, double inverse_a2);
  void pins_changed(const PinChange& change) override {
    matrix_.pins_changed(change.model, change.h);
  }
  void begin_step(Objective&) override { matrix_.begin_step(); }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

  /// R_i at x: [num_vertices].
  const std::vector<Mat3<double>>& rotations(const VectorField& x, Threads& threads);

 private:
  /// The sum that R_i is the rotation of.
  Mat3<double> moment(std::size_t i, const VectorField& x) const;

  const Model* model_;
  PrefactoredSystem matrix_;
  const CornerKernels* kernels_;
  std::vector<int> start_;               ///< [num_vertices + 1], into incident_
  std::vector<int> incident_;            ///< [4 num_tets], tets at each vertex, ascending
  std::vector<Mat3<double>> gradients_;  ///< [num_tets], V F, m^3
  std::vector<std::array<Vec3, 4>> shape_gradient_;  ///< [num_tets], 1/m
  std::vector<Mat3<double>> rotation_;               ///< [num_vertices]
  VectorField turned_;                               ///< R^T grad g, N
};

}  // namespace supple
