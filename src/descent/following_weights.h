#pragma once

#include <vector>

#include "descent/hessian_kernels.h"
#include "descent/objective.h"
#include "descent/pinned_matrix.h"

namespace supple {

/// The weights k_j of the tets in L where they follow the state.
///
/// The fitted k_j is too small for a tet that has become much stiffer than its fit: the steps of
/// the whole body are then cut until that tet can bear them. Its weight becomes
///   max(d2Psi/ds_i^2, (P_i + P_j)/(s_i + s_j), (P_i - P_j)/(s_i - s_j)),
/// at most `most` times k_j, where that is more than twice what it has, and that or k_j where it is
/// less than half. Weights larger than needed shorten steps as well, so that tets below twice
/// their weight keep it.
///
/// A new factor costs as much as some iterations. It is made, where the descent stands, once the
/// lengths that the line search has tried beyond one an iteration would have paid for it, or for
/// two once weights are raised. Raised weights are looked at again when the descent has worked
/// eight times as long. Costs are counted in tets and operations, never measured, so that runs have
/// the same bits.
class FollowingWeights {
 public:
  static constexpr double most = 100;

  explicit FollowingWeights(const Model& model);

  void begin_step();

  /// An iteration has led to z and tried `tries` lengths of its step. columns: of the inverse, that
  /// another matrix makes worthless. True: `matrix` is another one now.
  bool follow(Objective& objective, const VectorField& z, int tries, PinnedMatrix& matrix,
              std::size_t columns);

  /// All that the next steps depend on.
  struct Memory {
    std::vector<double> weights;  ///< [num_tets], Pa; empty: as fitted
    double spent = 0;             ///< on tries beyond the first, s
    double worked = 0;            ///< since weights were looked at, s
  };
  Memory memory() const;
  /// Goes on from there. Throws Error{invalid_input} for weights of another number or not positive
  /// and finite; nothing has changed then.
  void set_memory(const Memory& memory, const Model& model, Threads& threads, PinnedMatrix& matrix);

 private:
  void find_eigenvalues(const Model& model, const VectorField& z, Threads& threads);
  bool choose();
  bool refactor(const Model& model, Threads& threads, PinnedMatrix& matrix);

  const HessianKernels* kernels_;
  std::vector<double> fitted_;   ///< [num_tets], Pa
  std::vector<double> weights_;  ///< [num_tets], Pa
  double spent_ = 0;             ///< on tries beyond the first, s
  double worked_ = 0;            ///< in evaluations since weights were looked at, s
  bool is_raised_ = false;       ///< some weight is not the fitted one
  // Work of one look.
  std::vector<double> of_lane_;  ///< [num_batches * lanes], Pa
  std::vector<double> next_;     ///< [num_tets], Pa
  std::vector<PinnedMatrix::Entry> addition_;
};

}  // namespace supple
