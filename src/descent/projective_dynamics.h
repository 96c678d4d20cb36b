#pragma once

#include <vector>

#include "descent/direction.h"
#include "descent/prefactored_system.h"
#include "elements/element_kernels.h"

namespace supple {

/// Projective Dynamics [Bouaziz et al. 2014, Alg. 1; thesis secs. 5.2 and 6.2], with springs fast
/// mass-springs [Liu et al. 2013]. For energies that are squared distances to sets, E = sum k/2
/// |S x - p|^2 minimised over p in the set, two steps alternate, and each lowers the objective:
///   local:   p_j = the member of its set nearest to S_j x, for each element and spring alone;
///   global:  (M/a^2 + L) x' = M y/a^2 + M w + sum_j k_j V_j G_j p_j^T
///            + sum_s k_s (e_a - e_b) d_s^T + sum_pins k x_a - dC/dx   [thesis eqs. 5.8 and 6.7],
///   L = sum_j k_j V_j G_j G_j^T + sum_fibers kappa V (G d)(G d)^T
///       + sum_s k_s (e_a - e_b)(e_a - e_b)^T + pins,
/// with k_j = 2 mu, summed over an element's layers, and the objective's weight w. The matrix is
/// n x n and factorised once. The direction is p = x' - x, and the whole step is taken: neither
/// half can increase g, so no line search is needed. This is quasi-Newton with step 1 [Liu et al.
/// 2017, sec. 3; thesis sec. 7.1], here without the gradient.
///
/// Contacts C have no projection that is the same in every step. As in quasi-Newton they are left
/// out of the matrix [thesis sec. 8.5], and their gradient at x is on the right-hand side. Then x'
/// no longer minimises a bound of g. In scenes with colliders the step is therefore shortened until
/// g decreases; some length decreases it, since p is still -(M/a^2 + L)^-1 grad g. The same is done
/// in the steps between a change of many pins and the factor with them (prefactored_system.h), in
/// which p = -H grad g, and if materials or rest shapes may differ from those of the matrix.
class ProjectiveDynamics final : public Direction {
 public:
  /// Throws Error{invalid_input} at /solver/method for a material without a projection, and names
  /// those that have one.
  ProjectiveDynamics(const Model& model, double inverse_a2);

  StepRule step_rule() const override {
    return has_contacts_ || !is_exact() ? StepRule::decrease : StepRule::whole;
  }
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override;
  void begin_step(Objective& objective) override {
    has_contacts_ = objective.contact() != nullptr;
    matrix_.begin_step();
  }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  /// Whether the matrix belongs to the current materials, rest shapes and pins.
  bool is_exact() const {
    return has_its_stiffness_ && model_->inverse_change.empty() && matrix_.is_exact();
  }
  void project_elements(const VectorField& x, Threads& threads);
  void project_springs(const VectorField& x, Threads& threads);
  void add_membrane_targets(const VectorField& x, Threads& threads);
  void add_target_of_vertex(std::size_t vertex, PaddedVector& sum) const;

  const Model* model_;
  double inverse_a2_;  ///< 1/a^2 in the matrix, 1/s^2
  PrefactoredSystem matrix_;
  TetNumbers stiffness_;           ///< k_j in the matrix, Pa
  bool has_its_stiffness_ = true;  ///< the materials have the same k_j
  const ElementKernels* kernels_;
  std::vector<bool> is_idle_;  ///< [num_vertices], nothing acts on it
  bool has_contacts_ = false;
  VectorField slots_;           ///< [num_slots], k V G p^T, N
  VectorField spring_targets_;  ///< [num_springs], k d, N
  MembraneEnergy membranes_;
  VectorField right_;  ///< [num_vertices], right-hand side, N
};

}  // namespace supple
