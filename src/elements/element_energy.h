#pragma once

#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "elements/element_kernels.h"
#include "model/model.h"

namespace supple {

/// Elastic energy of the tets and its gradient: the local step.
///
/// A block of batches is one piece of work: gather eight pairs of tets, F = Ds Dm^-1, energy
/// density and stress P(F), and scatter V P Dm^-T (columns: corners 1 to 3; corner 0 takes minus
/// their sum) lane after lane into the block's slots [thesis eqs. 6.3 and 8.4; Sifakis & Barbic
/// 2012], F and P in a frame of each pair's own (face_pair_batches.h). All sums have an order that
/// the model fixes.
class ElementEnergy {
 public:
  /// Throws what simd_level_in_use() throws.
  explicit ElementEnergy(const Model& model);

  /// The model has other elements now, or other materials.
  void elements_changed();

  /// Only the fibers of its muscles or rest shapes are others. Allocates nothing.
  /// all: as in FacePairBatches.
  void shapes_changed(bool all) { packed_.shapes_changed(*model_, all); }

  /// From now on `evaluate` works on these bodies alone, ascending. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// Elastic energy, J; the corner forces stay in the slots until `gradient_of_vertex` reads them.
  double evaluate(const VectorField& x, Threads& threads);

  /// Of one body in its last `evaluate`, J.
  double energy_of(int body) const;

  /// Tets with J < 0 in the last `evaluate` of each body that is selected; one with several layers
  /// of materials counts once.
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
  std::vector<int> turn_;              ///< [num_blocks], the order in which blocks are begun
  std::vector<BlockSums> block_sums_;  ///< [num_blocks]
};

/// The blocks of the model as pieces of work.
BodyPieces blocks_of_bodies(const Model& model);

/// Deformation gradients of all tets, row-major in scene order: [num_tets].
std::vector<Mat3<double>> deformation_gradients(const Model& model, const VectorField& x);

}  // namespace supple
