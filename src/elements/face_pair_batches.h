#pragma once

#include <array>
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
/// first. Corners 0 to 2 are the face's, 3 belongs to one tet and 4 to the other. In a frame Q of
/// the face, its first two axes in its plane, Dm^-1 = T Q^T of each tet has an upper triangular T
/// (the edges from corner 0, that to the lone corner last), whose part of the face both have in
/// common. With it
///   Ds T = F Q,
/// the first two columns of which are again common to both, and Psi(F Q) = Psi(F) for everything
/// isotropic, whose stress there is P(F) Q, so that the forces V P Dm^-T = V (P Q) T^T are the
/// same. (T_33 of one is negative, as is its det Ds.) A fiber's direction d stands as Q^T d, as
/// F d is (F Q)(Q^T d).
///
/// Where rest shapes change (growth, plastic flow), those of two tets no longer share a face: each
/// tet then stands alone, with no other one.
struct alignas(64) FacePairBatch {
  double face[3][lanes];     ///< T_11, T_12, T_22, 1/m
  double apex[2][3][lanes];  ///< T_13, T_23, T_33 of each tet, 1/m
  double volume[2][lanes];   ///< m^3; 0 where there is no tet
  SlotPlace slot[5][lanes];  ///< corner, lane -> slot, counted from the block's first
};

/// The elements of a model as the local step reads them: the tets of each block two by two.
struct FacePairBatches {
  struct Range {
    /// [2 num_pairs][num_parameters][lanes], or those of one tet of each lane where all are the
    /// same.
    std::vector<double> parameters;
    int parameter_stride = 0;  ///< from the one tets to the other ones, 0: the same for all
    /// [2 num_pairs][num_fibers][4][lanes], Q^T d and kappa, as ElementRange::fibers.
    std::vector<double> fibers;
    /// The same at activation 0 where a scene has muscles and rest shapes do not change; or empty.
    std::vector<double> resting_fibers;
    /// Where rest shapes change, of the one tet of each pair, batch * lanes + lane of the model:
    /// [num_pairs][lanes]; else empty.
    std::vector<int> place;
    int first_pair = 0;
  };
  std::vector<FacePairBatch> pairs;  ///< none of energies that need not be isotropic: OwnModel
  std::vector<int> block_start;      ///< [num_blocks + 1], into `pairs`
  std::vector<Range> ranges;         ///< as the model's
  std::vector<int> vertex_of_slot;   ///< [num_slots]

  explicit FacePairBatches(const Model& model);

  /// Fibers of muscles have contracted or stretched, or rest shapes are others. Allocates nothing.
  /// all: of all rest shapes, not of those alone that are others since the solvers were told.
  void shapes_changed(const Model& model, bool all);
};

/// The rest shape of a triangle in its plane, and the frame there, det Q = 1.
struct RestFace {
  double T[3];     ///< T_11, T_12, T_22, 1/m
  double Q[3][3];  ///< columns are the frame's axes
};

/// E1, E2: its edges from corner 0, m, not parallel.
RestFace rest_face(const Vec3& E1, const Vec3& E2);

/// T_13, T_23, T_33 of a tet on this face, 1/m. E3: the edge from corner 0 to its lone corner, m;
/// det: of Dm = [E1, E2, E3], m^3, not zero. (Of nearly flat tets the product of E3 with the face's
/// normal could have the wrong sign.)
std::array<double, 3> rest_apex(const RestFace& face, const Vec3& E3, double det);

}  // namespace supple
