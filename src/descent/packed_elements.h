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

/// Eight times two tets that share a face, in as few bytes as the local step can do with: what it
/// takes on large bodies is the time of reading them. Two such tets have five corners, whose
/// positions are brought together once and whose forces go to the slots once, instead of eight.
///
/// Corners are named by the block's slots, which fit into 16 bits; positions are brought there
/// first. Corners 0 to 2 are the face's, 3 belongs to one tet and 4 to the other. Of Dm^-1 = T Q^T
/// of a tet, corner 0 being its first and the lone corner its last, with a lower triangular T and a
/// rotation Q, there is T alone: with it
///   Ds T = F Q,
/// and Psi(F Q) = Psi(F) for everything isotropic, whose stress there is P(F) Q, so that the forces
/// V P Dm^-T = V (P Q) T^T are the same. (One of the two has its corners in left-handed order: the
/// determinants of Ds and T are both negative there.) A fiber's direction d stands as Q^T d:
/// F d = (F Q)(Q^T d).
struct alignas(64) PackedPair {
  double rest[2][6][lanes];  ///< T, row by row: T_11, T_21, T_22, T_31, T_32, T_33, 1/m
  double volume[2][lanes];   ///< m^3; 0 where there is no tet
  SlotPlace slot[5][lanes];  ///< corner, lane -> slot, counted from the block's first
};

/// The elements of a model as the local step reads them: the tets of each block two by two.
struct PackedElements {
  struct Range {
    /// [2 num_pairs][num_parameters][lanes], or those of one tet of each lane where all are the
    /// same.
    std::vector<double> parameters;
    int parameter_stride = 0;    ///< from the one tets to the other ones, 0: the same for all
    std::vector<double> fibers;  ///< [2 num_pairs][4][lanes], Q^T d and kappa in Pa; or none
    int first_pair = 0;
  };
  std::vector<PackedPair> pairs;
  std::vector<int> block_start;     ///< [num_blocks + 1], into `pairs`
  std::vector<Range> ranges;        ///< as the model's
  std::vector<int> vertex_of_slot;  ///< [num_slots]

  explicit PackedElements(const Model& model);
};

/// Dm^-1 = T Q^T, det Q = 1.
struct RestFrame {
  double T[6];     ///< row by row; the last has the sign of det Dm
  double Q[3][3];  ///< columns are the frame's axes
};

/// Rows of Dm^-1: the gradients of the corners 1 to 3, 1/m, independent of each other.
RestFrame rest_frame(const Vec3& g1, const Vec3& g2, const Vec3& g3);

}  // namespace supple
