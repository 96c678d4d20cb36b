#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace supple {

/// Vertices of a block, at most.
inline constexpr int most_slots = 4 * lanes * batches_per_block;

/// A slot of a block by the place of its first number, four times its own number.
struct SlotPlace {
  std::uint16_t number;
};
static_assert(4 * most_slots <= 65536);

/// Eight tets in as few bytes as the local step can do with, 64 a tet: what it takes on large
/// bodies is the time of reading them.
///
/// Corners are named by the block's slots, which fit into 16 bits; positions are brought there
/// first. Of Dm^-1 = T Q^T with a lower triangular T and a rotation Q there is T alone: with it
///   Ds T = F Q,
/// and Psi(F Q) = Psi(F) for everything isotropic, whose stress there is P(F) Q, so that the forces
/// V P Dm^-T = V (P Q) T^T are the same. A fiber's direction d stands as Q^T d: F d = (F Q)(Q^T d).
struct PackedBatch {
  double rest[6][lanes];     ///< T, row by row: T_11, T_21, T_22, T_31, T_32, T_33, 1/m
  double volume[lanes];      ///< m^3; 0 in an empty lane
  SlotPlace slot[4][lanes];  ///< corner, lane -> slot, counted from the block's first
};

/// The elements of a model as the local step reads them.
struct PackedElements {
  struct Range {
    /// [num_batches][num_parameters][lanes], or those of one batch where all are the same.
    std::vector<double> parameters;
    int parameter_stride = 0;    ///< from batch to batch, 0: the same for all
    std::vector<double> fibers;  ///< [num_batches][4][lanes], Q^T d and kappa in Pa; or none
  };
  std::vector<PackedBatch> batches;  ///< as the model's
  std::vector<Range> ranges;         ///< as the model's
  std::vector<int> vertex_of_slot;   ///< [num_slots]

  explicit PackedElements(const Model& model);
};

/// Dm^-1 = T Q^T, det Q = 1.
struct RestFrame {
  double T[6];     ///< row by row
  double Q[3][3];  ///< columns are the frame's axes
};

/// Rows of Dm^-1: the gradients of the corners 1 to 3, 1/m, independent of each other.
RestFrame rest_frame(const Vec3& g1, const Vec3& g2, const Vec3& g3);

}  // namespace supple
