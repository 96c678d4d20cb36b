#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "descent/body_matrices.h"
#include "descent/compliance.h"
#include "descent/constant_direction.h"
#include "descent/crushed_patches.h"
#include "descent/following_weights.h"
#include "descent/rigid_matrix.h"
#include "linear/spd_solver.h"
#include "supple/choices.h"
#include "supple/error.h"

namespace supple {

/// The k_j of L: as fitted, or raised if a tet has become stiffer and the line search suffers
/// (following_weights.h).
using Weights = LaplacianWeights;

/// Quasi-Newton with the constant matrix of Projective Dynamics [Liu et al. 2017, sec. 4; thesis
/// eqs. 7.11 and 8.1 to 8.6]:
///   A = M/a^2 + L,  L = sum_j k_j V_j G_j^T G_j + sum_s k_s (e_a - e_b)(e_a - e_b)^T + pins,
/// where the second sum also runs over the bonds (bonds.h), the first one also over the triangles
/// of membranes, with their constant bending, and damped bodies have every k but that of bending
/// times 1 + tau/a (materials/step_damping.h). A is n x n, the same for x, y and z: factorised once
/// and solved for three right-hand sides at once. k_j is the slope of the best linear fit of the
/// element's stress [thesis eq. 7.14]. Contacts are left out [thesis sec. 8.5]. Rigid bodies have a
/// smaller matrix in place of theirs (rigid_matrix.h).
class Laplacian final : public ConstantDirection {
 public:
  /// In mixed precision p has six to seven digits. For large bodies it is off by some tenths: p is
  /// then -H grad g with a symmetric positive definite H near A^-1 (linear/multigrid.h). Its mean
  /// over each connected part is exact in both cases, so bodies that nothing holds keep their
  /// momentum to the last digit.
  /// earlier: that of another scene whose bodies have the same elements in the same order.
  Laplacian(const Model& model, double inverse_a2, Precision precision = Precision::mixed,
            Weights weights = Weights::constant, const Earlier<Laplacian>& earlier = {});
  /// Not with weights that follow the state without contacts: those are chosen for all bodies
  /// together.
  bool can_select(const Objective& objective) const override {
    return !weights_ || objective.contact() != nullptr;
  }
  Laplacian* constant_matrix() override { return this; }
  void pins_changed(const PinChange& change) override {
    matrix_.pins_changed(change.model, change.h);
    rigid_.pins_changed();
  }
  void begin_step(Objective& objective) override;
  bool set_apart(const Objective& objective, const VectorField& x) override {
    return weights_ && patches_.find(objective, x);
  }
  void settle(const Objective& objective, VectorField& z) override { patches_.solve(objective, z); }
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) override;
  /// Like compute_unfinished, but stops half way; needs compliance().has_half_way(). taken: see
  /// PrefactoredSystem::begin_solve.
  bool compute_half_way(Objective& objective, const Iterate& at, HalfWay& half_way,
                        const PaddedVector& taken, VectorField& p);
  void finish(int first, int last, VectorField& p) const override {
    if (rigid_.empty()) matrix_.finish(first, last, p);
  }
  long long factor_entries() const { return matrix_.factor_entries(); }
  /// Null if the weights are constant.
  FollowingWeights* weights() { return weights_ ? &*weights_ : nullptr; }
  /// See FollowingWeights; nothing happens if the weights are constant.
  void set_memory(const FollowingWeights::Memory& memory, const Model& model, Threads& threads) {
    if (weights_) weights_->set_memory(memory, model, threads, matrix_);
  }
  /// The part of the inverse that belongs to rigid bodies.
  const RigidMatrix& rigid() const { return rigid_; }
  const BodyMatrices& matrices() const { return matrix_; }
  BodyMatrices& matrices() { return matrix_; }
  /// Entries of the inverse, shared by all users of this matrix. The first call allocates.
  Compliance& compliance();

 private:
  Laplacian(const Model& model, double inverse_a2, Precision precision, Weights weights,
            const Laplacian* earlier, const std::vector<int>& origin);
  static std::vector<int> taken_over(const Model& model, const Earlier<Laplacian>& earlier);
  static SpdSolver::Matrix lower_of(const Model& model, double inverse_a2,
                                    const Earlier<Laplacian>& earlier);

  std::vector<char> is_bound_;  ///< [num_bodies], bound_bodies() when this was made

  BodyMatrices matrix_;  ///< rows of rigid bodies are coupled to no others
  RigidMatrix rigid_;
  std::unique_ptr<Compliance> compliance_;
  std::optional<FollowingWeights> weights_;  ///< none: the weights are constant
  CrushedPatches patches_;                   ///< none if the weights are constant
};

/// Calls visit(a, b, k) for each term k (e_a - e_b)(e_a - e_b)^T, N/m, that springs, membranes,
/// rods and bonds add to L, with their damping.
template <class Visit>
void visit_laplacian_edges(const Model& model, double inverse_a2, const Visit& visit) {
  const double inverse_a = std::sqrt(inverse_a2);
  for (const SpringSet::Spring& spring : model.springs.springs) {
    visit(spring.a, spring.b,
          spring.stiffness + spring.stiffness * model.damping_of(spring.a, inverse_a));
  }
  for (const MembraneSet::Edge& edge : model.membranes.edges) {
    visit(edge.a, edge.b, edge.stiffness + edge.stiffness * model.damping_of(edge.a, inverse_a));
  }
  for (const RodSet::Edge& edge : model.rods.edges) {
    visit(edge.a, edge.b, edge.stiffness + edge.stiffness * model.damping_of(edge.a, inverse_a));
  }
  model.bonds.visit_edges(visit);
  if (!model.is_damped()) return;
  // The bending of membranes, which is also in their edges, is not damped.
  for (const auto* const edges : {&model.membranes.bending_edges, &model.membranes.hinge_edges}) {
    for (const MembraneSet::Edge& edge : *edges) {
      visit(edge.a, edge.b, -edge.stiffness * model.damping_of(edge.a, inverse_a));
    }
  }
}

/// Whether M/a^2 + L includes the pins.
enum class Pins { in_the_matrix, left_out };

/// Diagonal entries of M/a^2 + L without pins and bonds, N/m: the stiffness of the bodies alone.
std::vector<double> own_diagonal(const Model& model, double inverse_a2);

/// Diagonal entries of M/a^2 + L, N/m: [num_vertices]; 1 for a vertex that nothing acts on.
std::vector<double> laplacian_diagonal(const Model& model, double inverse_a2,
                                       Pins pins = Pins::in_the_matrix);

/// The lower triangle of M/a^2 + L; row k is vertex order[k].
SpdSolver::Matrix laplacian_lower(const Model& model, double inverse_a2,
                                  const std::vector<int>& order, Pins pins = Pins::in_the_matrix);

/// The error of a constant matrix that cannot be factorised.
Error not_positive_definite(const std::string& matrix);

}  // namespace supple
