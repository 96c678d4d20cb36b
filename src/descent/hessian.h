#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "descent/objective.h"
#include "linear/spd_solver.h"
#include "materials/principal.h"

namespace supple {

struct HessianKernels;
struct StepStart;

/// The Hessian of the objective, M/a^2 + d2E/dx2, 3n x 3n: as it is, or with the negative
/// eigenvalues of every element and spring mended, so that the whole is positive semi-definite
/// [Teran et al. 2005]. Pins and contacts are positive semi-definite anyway. Pressures are part of
/// the Hessian only if nothing is mended, and without what gas and exact volumes add between all
/// vertices of their surface (pressure_energy.h).
///
/// In the frames of F = U diag(s) V^T, the Hessian of a density has a fixed sparse form
/// (materials/principal.h). It takes one eigen-decomposition per element, done for as many elements
/// at once as a register holds. With g^_a = V^T grad N_a, the 3x3 block of corners a, b is
///   K_ab = V_e U K^_ab U^T,  K^_ab,ik = A_ik g^_a,i g^_b,k + beta_ik g^_a,k g^_b,i   (i != k)
///                            K^_ab,ii = A_ii g^_a,i g^_b,i + sum_j alpha_ij g^_a,j g^_b,j  (j !=
///                            i).
/// The pattern is analysed once; rows are in elimination order, three to a vertex. Blocks of
/// batches sum up their tets in places of their own (hessian_kernels.h), and springs and triangles
/// of membranes write theirs. Then each block of the matrix adds the places that belong to it, in a
/// fixed order. Both run on all threads, with the same bits on any number of them, and allocate
/// nothing.
class HessianAssembly {
 public:
  HessianAssembly(const Model& model, const std::vector<int>& order, const Adjacency& adjacency);

  /// The model's elements are in other places now; the vertices have the same neighbours.
  void places_changed() { sort_sources(place_elements()); }

  /// Whether the pattern holds all that active contacts between bodies add.
  bool has_room_for(const ContactEnergy& contact) const;

  /// Assembles the lower triangle at z. Contacts that are active in the objective are part of it.
  /// Of contacts between bodies, only the blocks within vertices are, or all blocks if there is
  /// room for them.
  void assemble(const Objective& objective, const VectorField& z,
                NegativeEigenvalues mode = NegativeEigenvalues::clamp,
                OfBodies of_bodies = OfBodies::within_vertices);

  /// The same for a step that starts at z, with 1/a^2 = inverse_a2, without contacts and pressures
  /// and, on request, without pins.
  void assemble(const VectorField& z, double inverse_a2, NegativeEigenvalues mode, Threads& threads,
                bool with_pins = true);

  /// Adds a multiple of the identity, N/m.
  void add_identity(double multiple);

  const SpdSolver::Matrix& lower() const { return lower_; }

  /// Where the time of the last `assemble` went.
  struct Milliseconds {
    double elements = 0;  ///< the Hessians of tets, springs and membranes
    double sums = 0;      ///< summing them up into the matrix
  };
  const Milliseconds& last_milliseconds() const { return milliseconds_; }

 private:
  /// A place that is added to a block of the matrix.
  struct Source {
    std::int32_t block;
    std::int32_t place;
  };
  void make_pattern(const std::vector<int>& order, const Adjacency& adjacency);
  int block_of(int vertex_a, int vertex_b) const;
  bool has_block(int vertex_a, int vertex_b) const;
  std::vector<Source> place_elements();
  void place_edges(const ElementBlock& block, int first_sum, std::vector<Source>& list);
  void sort_sources(const std::vector<Source>& list);

  void add_all(const VectorField& z, const VectorField& x_start,
               std::span<const double> bond_lengths, double inverse_a2, NegativeEigenvalues mode,
               Threads& threads, bool with_pins);
  void evaluate_elements(const VectorField& z, const StepStart& start, NegativeEigenvalues mode,
                         Threads& threads);
  void evaluate_springs(const VectorField& z, const StepStart& start, NegativeEigenvalues mode,
                        Threads& threads);
  void damp_membranes(const VectorField& z, const StepStart& start, NegativeEigenvalues mode,
                      Threads& threads);
  void place_membranes(int place, std::vector<Source>& list);
  void place_hinges(int place, std::vector<Source>& list);
  void place_bending();
  void sum_column(int k);
  double& diagonal(int row) { return lower_.valuePtr()[lower_.outerIndexPtr()[row]]; }
  void add_between(int vertex, int other, const double* block);
  void make_exact(const PinnedPoint& point);
  void add_bonds(const VectorField& z, std::span<const double> lengths, NegativeEigenvalues mode);
  void add_block(int vertex, int other, const double* block);
  void keep_rows_solvable();

  const Model* model_;
  const HessianKernels* kernels_;
  RodEnergy rods_;          ///< for `assemble` without an objective
  std::vector<int> place_;  ///< [num_vertices], row/3 of each vertex
  SpdSolver::Matrix lower_;
  /// [num_vertices + 1], first block of each column of blocks, the diagonal one first, then by rows
  std::vector<int> first_block_;
  std::vector<int> row_of_block_;  ///< [num_blocks], row/3
  std::vector<int> first_source_;  ///< [num_blocks + 1], into sources_
  /// Places that a block adds, blocks of batches first; ~place if it adds the transpose.
  std::vector<std::int32_t> sources_;
  std::vector<std::int32_t> edges_;  ///< [num_batches][num_edges][lanes], as HessianWork
  std::vector<int> first_sum_;       ///< [num element blocks + 1]; the last is for the springs
  int first_membrane_sum_ = 0, first_hinge_sum_ = 0;
  std::vector<double> bending_;  ///< [num_blocks], constant diagonal of each block, N/m; or empty
  std::vector<double> sums_;     ///< [num_sums][entries_per_sum], N/m
  Milliseconds milliseconds_;
};

}  // namespace supple
