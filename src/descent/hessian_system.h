#pragma once

#include <memory>
#include <vector>

#include "descent/hessian.h"
#include "linear/cg.h"
#include "linear/rigid_grid.h"
#include "supple/scene.h"

namespace supple {

/// A 3n x 3n system with a Hessian of the objective, solved as /solver/linear_solver says:
///
/// direct         sparse Cholesky; L D L^T if definiteness is none, as the matrix can then be
///                indefinite. Conjugate gradients with two grids (rigid_grid.h), to a residual of
///                1e-5, replace it for a matrix that is solved with once, whose factor would take
///                more than 2e8 operations, if definiteness is clamp or absolute. If they take
///                longer than a factor, matrices are factorised to the end of the step
/// cg             conjugate gradients, linear_iterations of them (fewer if the residual falls to
///                1e-10 of the right-hand side)
/// truncated_cg   the same up to the first direction of non-positive curvature [Gast et al. 2015;
///                Nocedal & Wright 2006, Alg. 7.1]
///
/// The preconditioners are none, jacobi, incomplete_cholesky (of the matrix itself), laplacian and
/// rest. The last two are made once: incomplete Cholesky of M/a^2 + L, each coordinate by itself,
/// and incomplete Cholesky of the rest Hessian [thesis Fig. 7.8].
///
/// The matrix is made definite as /solver/definiteness says:
///
/// clamp, absolute   the negative eigenvalues of each element's Hessian are set to zero, or to
///                   their absolute values. If nothing resists some motion, so that Cholesky fails,
///                   the direct solver adds tau I as with tikhonov
/// tikhonov          A + tau I with the first tau for which Cholesky succeeds, of -min a_ii + beta
///                   (0 if min a_ii is positive), then max(2 tau, beta), ... [Nocedal & Wright
///                   2006, Alg. 3.3]; beta is a thousandth of the mean diagonal entry. Direct only.
/// none              nothing is changed
///
/// If bodies touch each other, the matrix couples them. Its pattern is that of the elements and of
/// what contacts of the step couple, whatever earlier steps met, so that a run goes on from a
/// checkpoint with the same bits. Other contacts take a new pattern, and a new order of the direct
/// solver.
class HessianSystem {
 public:
  HessianSystem(const Model& model, const SolverSettings& settings, double inverse_a2);

  /// A step begins: two grids are tried again, and contacts are new.
  void begin_step() {
    grid_is_slow_ = false;
    is_first_ = true;
  }

  /// The model's pins have changed: what was made from it once is made again. Throws as the
  /// constructor does.
  void pins_changed(double inverse_a2);

  /// The model's elements are in other places now. What was made once stays.
  void places_changed() { hessian_.places_changed(); }

  /// How many solves a matrix is prepared for.
  enum class Solves { many, one };

  /// Prepares the Hessian at z. False: it cannot be solved with (not positive definite, or not
  /// finite).
  bool prepare(const Objective& objective, const VectorField& z, Solves solves = Solves::many);

  /// Prepares the rest Hessian, with 1/a^2 = inverse_a2.
  bool prepare_at_rest(double inverse_a2);

  /// p = -A^-1 gradient, m, with the matrix last prepared.
  void solve(const VectorField& gradient, VectorField& p, Threads& threads);

 private:
  HessianSystem(const Model& model, const SolverSettings& settings, double inverse_a2,
                const Adjacency& adjacency);
  void analyse();
  void make_room_for(const ContactEnergy& contact);
  void make_room();
  std::unique_ptr<Preconditioner> make_preconditioner(double inverse_a2);
  bool use_assembled(Threads& threads);
  bool use_grid(const VectorField& z, Threads& threads);
  bool solve_on_grid(double* x, Threads& threads);
  bool factor_with_multiple_of_identity(Threads& threads);
  VectorField rest_positions() const;

  const Model* model_;
  bool direct_;
  NegativeEigenvalues mode_;
  bool tikhonov_;
  std::vector<int> order_;  ///< [num_vertices], row k of the matrix is vertex order_[k]
  HessianAssembly hessian_;
  /// Vertices that contacts between bodies couple, both (a, b) and (b, a), ascending.
  std::vector<std::pair<int, int>> coupled_, now_coupled_;
  bool is_first_ = true;            ///< no matrix of this step has been prepared
  std::vector<double> right_side_;  ///< [3 * num_vertices]

  std::unique_ptr<SpdSolver> solver_;  ///< direct
  std::unique_ptr<RigidGrid> grid_;    ///< direct, for large matrices
  int worth_of_factor_ = 0;            ///< iterations with grid_ that take as long as a factor
  bool grid_is_slow_ = false;          ///< slower than a factor, in this step
  bool on_grid_ = false;               ///< the matrix last prepared is solved with grid_
  std::vector<double> positions_,
      solution_;            ///< [3 * num_vertices] in the matrix's order, with grid_
  CgSettings cg_settings_;  ///< of conjugate gradients, also with grid_
  SymmetricMatrix matrix_;
  PreconditionerType preconditioner_type_ = PreconditionerType::none;
  std::unique_ptr<Preconditioner> preconditioner_;
  bool preconditioner_is_constant_ = false;
  ConjugateGradients cg_;
};

}  // namespace supple
