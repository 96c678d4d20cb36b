#pragma once

#include <vector>

#include "descent/objective.h"
#include "linear/spd_solver.h"
#include "materials/principal.h"

namespace supple {

/// The Hessian of the objective, M/a^2 + d2E/dx2, 3n x 3n: as it is, or with the negative
/// eigenvalues of every element and spring mended, so that the whole is positive semi-definite
/// [Teran et al. 2005]. Pins and contacts are that anyway.
///
/// In the frames of F = U diag(s) V^T the Hessian of a density has a fixed sparse form
/// (materials/principal.h): one eigen-decomposition an element, eight elements at once. With
/// g^_a = V^T grad N_a the 3x3 block of corners a, b is
///   K_ab = V_e U K^_ab U^T,  K^_ab,ik = A_ik g^_a,i g^_b,k + beta_ik g^_a,k g^_b,i   (i != k)
///                            K^_ab,ii = A_ii g^_a,i g^_b,i + sum_j alpha_ij g^_a,j g^_b,j  (j !=
///                            i).
/// The pattern is analysed once; rows stand in elimination order, three to a vertex.
class HessianAssembly {
 public:
  HessianAssembly(const Model& model, const std::vector<int>& order, const Adjacency& adjacency);

  /// Lower triangle at z. Contacts active in the objective are part of it.
  void assemble(const Objective& objective, const VectorField& z,
                NegativeEigenvalues mode = NegativeEigenvalues::clamp);

  /// The same without contacts, 1/a^2 = inverse_a2.
  void assemble(const VectorField& z, double inverse_a2, NegativeEigenvalues mode,
                Threads& threads);

  /// Adds a multiple of the identity, N/m.
  void add_identity(double multiple);

  const SpdSolver::Matrix& lower() const { return lower_; }

 private:
  void add_all(const VectorField& z, double inverse_a2, NegativeEigenvalues mode, Threads& threads);
  void add_elements(const VectorField& z, NegativeEigenvalues mode, Threads& threads);
  void add_springs(const VectorField& z, NegativeEigenvalues mode);
  void keep_rows_solvable();
  void add_diagonal(int vertex, double value);
  void add_block(int place_a, int place_b, std::size_t block, const double* k);

  const Model* model_;
  std::vector<int> place_;  ///< [num_vertices], row/3 of each vertex
  SpdSolver::Matrix lower_;
  std::vector<int>
      block_of_corners_;  ///< [num_batches * lanes * 6], k-th off-diagonal block of its column
  std::vector<int> block_of_springs_;  ///< [num_springs], k-th off-diagonal block of its column
  std::vector<double> element_;        ///< scratch: [chunk][10 blocks][9][lanes]
};

}  // namespace supple
