#pragma once

#include <limits>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/objective.h"
#include "elements/hessian_kernels.h"

namespace supple {

/// Weights k_j of the tets in L that follow the state.
///
/// The fitted k_j is too small for a tet that has become much stiffer than its fit: the line search
/// then shortens the steps of the whole body until that tet can bear them. Its weight becomes
///   max(d2Psi/ds_i^2, (P_i + P_j)/(s_i + s_j), (P_i - P_j)/(s_i - s_j))/2,
/// but at least the fitted k_j and at most `most` times that. With half of the largest eigenvalue
/// of its Hessian, a full step still decreases g; larger weights slow the descent.
///
/// A new factor costs as much as some iterations. It is made at the beginning of a step, where
/// L-BFGS starts afresh anyway. It is due when the lengths that the line search tried beyond one
/// per iteration have cost as much as the factor, and a third of all evaluations. With raised
/// weights, it is also due when evaluations have cost three times as much as the factor. If steps
/// stay short with raised weights, the next factor waits for ten times as much work. A factor that
/// costs more than thirty evaluations is never made: one step would take too long. All costs are
/// estimated from numbers of tets and operations, not measured, so that runs have the same bits.
///
/// With colliders the weights are the fitted ones: contacts in the matrix keep columns of its
/// inverse (contact_matrix.h), which a new matrix makes worthless.
class FollowingWeights {
 public:
  static constexpr double most = 100;

  explicit FollowingWeights(const Model& model);

  /// A step begins. Throws nothing: without memory for a new factor, the matrix stays as it is.
  void begin_step(Objective& objective, BodyMatrices& matrix);

  /// A direction is computed: counts the evaluations of the objective since the last one.
  void count(const Objective& objective);

  /// Makes no factor that takes longer than this, s.
  void set_longest_factor(double seconds) { longest_factor_ = seconds; }

  /// All that the next steps depend on.
  struct Memory {
    std::vector<double> weights;  ///< [num_tets], Pa; empty: as fitted
    double spent = 0;             ///< on tries beyond the first of an iteration, less the wait
                                  ///< after a futile look, s
    double worked = 0;            ///< since weights were looked at, s
  };
  Memory memory() const;
  /// Continues from `memory`. Throws Error{invalid_input}, with nothing changed, if the weights are
  /// not one positive finite number per tet.
  void set_memory(const Memory& memory, const Model& model, Threads& threads, BodyMatrices& matrix);

 private:
  std::vector<double> find_eigenvalues(const Model& model, const VectorField& z,
                                       Threads& threads) const;
  bool choose(std::vector<double>& next) const;
  bool refactor(const Model& model, Threads& threads, BodyMatrices& matrix,
                std::vector<double> next);
  double weight(std::size_t tet) const { return is_raised_ ? raised_[tet] : fitted_[tet]; }

  const HessianKernels* kernels_;
  TetNumbers fitted_;           ///< Pa
  std::vector<double> raised_;  ///< [num_tets], Pa; empty if all weights are the fitted ones
  double longest_factor_ = std::numeric_limits<double>::infinity();
  double spent_ = 0;        ///< on tries beyond the first of an iteration, s
  double worked_ = 0;       ///< on all evaluations, s
  int evaluations_ = -1;    ///< at the last direction of this step; -1: there is none
  bool is_raised_ = false;  ///< some weight is not the fitted one
};

}  // namespace supple
