#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/model.h"

namespace supple {

/// The maximum number of vertices of a block.
inline constexpr int most_slots = 4 * lanes * batches_per_block;

/// A slot of a block, given as the index of its first number: four times the slot's index.
struct SlotPlace {
  std::uint16_t number;
};
static_assert(4 * most_slots <= 65536);

/// Eight times two tets that share a face, in as few bytes as the local step needs: on large bodies
/// its time is the time to read them. Two such tets have five corners. Their positions are gathered
/// once and their forces go to the slots once, five of each instead of eight.
///
/// Corners are named by the block's slots, which fit into 16 bits; positions are first gathered
/// there. Corners 0 to 2 are the face's, 3 belongs to one tet and 4 to the other. Let Q be a frame
/// of the face with its first two axes in the plane of the face. In it Dm^-1 = T Q^T of each tet
/// has an upper triangular T (edges from corner 0, the edge to the lone corner last), and both tets
/// share the part of T that belongs to the face. With it
///   Ds T = F Q,
/// and the first two columns of F Q are again common to both. Psi(F Q) = Psi(F) for everything
/// isotropic, and the stress at F Q is P(F) Q, so the forces V P Dm^-T = V (P Q) T^T are the same.
/// (One tet has a negative T_33, as it has a negative det Ds.) A fiber's direction d is stored as
/// Q^T d, since F d = (F Q)(Q^T d).
///
/// If rest shapes change (growth, plastic flow), the rest shapes of two tets no longer share a
/// face: each tet is then stored alone, without a second one.
struct alignas(64) FacePairBatch {
  double face[3][lanes];     ///< T_11, T_12, T_22, 1/m
  double apex[2][3][lanes];  ///< T_13, T_23, T_33 of each tet, 1/m
  double volume[2][lanes];   ///< m^3; 0 if there is no tet
  SlotPlace slot[5][lanes];  ///< corner, lane -> slot, counted from the block's first
};

/// The elements of a model as the local step reads them: the tets of each block in pairs.
struct FacePairBatches {
  struct Range {
    /// [2 num_pairs][num_parameters][lanes], or one tet's parameters in each lane if all tets have
    /// the same.
    std::vector<double> parameters;
    int parameter_stride = 0;  ///< from the first tets to the second ones; 0: the same for all
    /// [2 num_pairs][num_fibers][4][lanes], Q^T d and kappa, as ElementRange::fibers.
    std::vector<double> fibers;
    /// The same at activation 0 if the scene has muscles and rest shapes do not change; else empty.
    std::vector<double> resting_fibers;
    /// If rest shapes change: batch * lanes + lane of the model for the one tet of each pair,
    /// [num_pairs][lanes]; else empty.
    std::vector<int> place;
    int first_pair = 0;
  };
  std::vector<FacePairBatch> pairs;  ///< none for energies that need not be isotropic: OwnModel
  std::vector<int> block_start;      ///< [num_blocks + 1], into `pairs`
  std::vector<Range> ranges;         ///< as the model's
  std::vector<int> vertex_of_slot;   ///< [num_slots]

  explicit FacePairBatches(const Model& model);

  /// Call this when fibers of muscles have contracted or stretched, or rest shapes have changed.
  /// Allocates nothing. all: update all rest shapes, not only those that have changed since the
  /// solvers were last told.
  void shapes_changed(const Model& model, bool all);
};

/// The rest shape of a triangle in its plane, and the frame of that plane, det Q = 1.
struct RestFace {
  double T[3];     ///< T_11, T_12, T_22, 1/m
  double Q[3][3];  ///< columns are the frame's axes
};

/// E1, E2: the edges from corner 0, m, not parallel.
RestFace rest_face(const Vec3& E1, const Vec3& E2);

/// T_13, T_23, T_33 of a tet on this face, 1/m. E3: the edge from corner 0 to the lone corner, m;
/// det: of Dm = [E1, E2, E3], m^3, not zero. (In nearly flat tets the product of E3 with the face's
/// normal could have the wrong sign.)
std::array<double, 3> rest_apex(const RestFace& face, const Vec3& E3, double det);

}  // namespace supple
