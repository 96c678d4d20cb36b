#pragma once

#include <vector>

#include "descent/direction.h"
#include "descent/prefactored_system.h"
#include "elements/corner_kernels.h"
#include "math/mat3.h"

namespace supple {

/// Quasi-Newton with the Hessian of the rest shape turned with the body, vertex by vertex [Mueller
/// et al. 2002, "Stable real-time deformations"; Liu et al. 2017, sec. 5]:
///   p = -R A_rest^-1 R^T grad g,  R = diag(R_i).
/// R_i is the rotation of the polar decomposition of sum_t V_t F_t over the tets at vertex i, and
/// of sum_s (x_a - x_b) n_s^T over its springs, n_s being their directions at rest, and of
/// sum k V F [e_1 e_2]^T over its membrane's triangles, e_1 and e_2 being their axes at rest; the
/// least rotation where all of them lie along one line; I where there are none. Mueller et al. warp
/// forces in this way and pay with forces that do not sum to zero; here it only shapes the descent.
/// R A_rest R^T is symmetric positive definite, so p descends.
class WarpedRest final : public Direction {
 public:
  /// Throws Error{invalid_input} where the rest Hessian is not positive definite.
  WarpedRest(const Model& model, double inverse_a2);
  void pins_changed(const PinChange& change) override {
    matrix_.pins_changed(change.model, change.h);
  }
  void begin_step(Objective&) override { matrix_.begin_step(); }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

  /// R_i at x: [num_vertices].
  const std::vector<Mat3<double>>& rotations(const VectorField& x, Threads& threads);

 private:
  /// The sum whose rotation R_i is.
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
