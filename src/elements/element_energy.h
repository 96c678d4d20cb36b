#pragma once

#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "elements/element_kernels.h"
#include "model/model.h"

namespace supple {

/// Elastic energy of the tets and its gradient: the local step.
///
/// A block of batches is one piece of work: gather eight pairs of tets, compute F = Ds Dm^-1, the
/// energy density and the stress P(F), and scatter V P Dm^-T lane after lane into the block's slots
/// [thesis eqs. 6.3 and 8.4; Sifakis & Barbic 2012]. The columns of that matrix belong to corners 1
/// to 3; corner 0 receives minus their sum. F and P are in a frame of each pair
/// (face_pair_batches.h). The model fixes the order of all sums.
class ElementEnergy {
 public:
  /// Throws what simd_level_in_use() throws.
  explicit ElementEnergy(const Model& model);

  /// Call this when the model's elements or materials have changed.
  void elements_changed();

  /// Call this when only the fibers of muscles or the rest shapes have changed. Allocates nothing.
  /// all: as in FacePairBatches.
  void shapes_changed(bool all) { packed_.shapes_changed(*model_, all); }

  /// From now on `evaluate` works only on these bodies, in ascending order. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// Elastic energy, J. The corner forces stay in the slots until `gradient_of_vertex` reads them.
  double evaluate(const VectorField& x, Threads& threads);

  /// Energy of one body in its last `evaluate`, J.
  double energy_of(int body) const;

  /// Number of tets with J < 0 in the last `evaluate` of each selected body. A tet with several
  /// layers of materials counts once.
  int num_inverted() const;

  /// dE/dx of a vertex after `evaluate`, N.
  PaddedVector gradient_of_vertex(int vertex) const {
    PaddedVector sum;
    for (int s = model_->slot_start[static_cast<std::size_t>(vertex)];
         s < model_->slot_start[static_cast<std::size_t>(vertex) + 1]; ++s) {
      const PaddedVector& slot =
          slots_[static_cast<std::size_t>(model_->slot_list[static_cast<std::size_t>(s)])];
      for (int k = 0; k < 4; ++k) sum[k] += slot[k];
    }
    return sum;
  }

  /// Corner forces of the last `evaluate`, as the model's `slot_list` names them, N.
  const VectorField& slots() const { return slots_; }
  VectorField& slots() { return slots_; }

 private:
  void prepare();
  PackedWork work_of(std::size_t block, const VectorField& x);

  const Model* model_;
  const ElementKernels* kernels_;
  FacePairBatches packed_;
  VectorField slots_;                  ///< [num_slots]
  BodyPieces pieces_;                  ///< places in turn_
  std::vector<int> turn_;              ///< [num_blocks], the order in which blocks are started
  std::vector<BlockSums> block_sums_;  ///< [num_blocks]
};

/// The blocks of the model as pieces of work.
BodyPieces blocks_of_bodies(const Model& model);

/// Deformation gradients of all tets, row-major in scene order: [num_tets].
std::vector<Mat3<double>> deformation_gradients(const Model& model, const VectorField& x);

}  // namespace supple
