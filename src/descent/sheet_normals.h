#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "descent/constant_direction.h"
#include "descent/laplacian.h"
#include "linear/float_cholesky.h"

namespace supple {

/// A constant matrix A for all motions, and a second one for those of sheets along their normals:
///   p = -(A^-1 + Q N S^-1 N^T Q^T) grad g,  S = N^T (M/a^2 + H + e L + pins + bonds) N.
///
/// A sheet hardly resists motions along its normal. A = M/a^2 + L cannot know that: it has one
/// number for all directions, so it takes a sheet to be as stiff across as it is along itself, and
/// the descent creeps where sheets swing and fold. N has a column for each vertex of a sheet, the
/// direction n_i in which that vertex is softest. So S is n x n and has the pattern of L, with the
/// entries n_i . H_ij n_j. H is the Hessian of the sheet where the step begins, each spring and
/// triangle mended to be positive semi-definite [Teran et al. 2005]. Bonds hold each of their
/// vertices by itself. N and S are made for each step.
///
/// This is the additive method of subspace corrections [Xu 1992, "Iterative methods by space
/// decomposition and subspace correction"], with two spaces. The matrix before the gradient is
/// symmetric positive definite, so p descends.
///
/// e = 0.05 stands for the tension where the step ends, which H does not know yet: a sheet that
/// swings is stretched by some percent before it is caught.
///
/// Q takes the mean out of a motion, weighed by M/a^2 and the pins, for each connected part. So
/// bodies that nothing holds keep the momentum that A gives them.
///
/// Sheets whose mean a^2 L_ii/m_i is above 6e3 have A alone. An isometric motion of a curved sheet
/// has a part within the sheet, which A resists that much too strongly; S then gains less than it
/// costs.
///
/// A sheet that touches something has A alone for the rest of the step. S knows nothing of what
/// stops a motion along the normal, and one that presses on many contacts would have to be taken
/// back by A, which hardly moves along the normal.
class SheetNormals final : public ConstantDirection {
 public:
  /// Whether a model has sheets.
  static bool is_for(const Model& model) {
    return !model.springs.empty() || !model.membranes.empty();
  }

  /// inner: a ConstantDirection with a constant_matrix().
  SheetNormals(const Model& model, double inverse_a2, std::unique_ptr<Direction> inner);

  void begin_step(Objective& objective) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  bool compute_unfinished(Objective& objective, const Iterate& at, VectorField& p) override;
  void finish(int first, int last, VectorField& p) const override;
  Respect respect_contacts(Objective& objective, const Iterate& at, VectorField& p) override;
  bool restart() override;
  void materials_changed(const MaterialChange& change) override;

  ContactMatrix* contact_matrix() override { return inner_->contact_matrix(); }
  bool found_contacts() const override { return inner_->found_contacts(); }
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override {
    inner_->accept(objective, from, to, alpha);
  }
  bool set_apart(const Objective& objective, const VectorField& x) override {
    return inner_->set_apart(objective, x);
  }
  void settle(const Objective& objective, VectorField& z) override { inner_->settle(objective, z); }
  bool can_select(const Objective& objective) const override {
    return inner_->can_select(objective);
  }
  Laplacian* constant_matrix() override { return inner_->constant_matrix(); }
  void pins_changed(const PinChange& change) override { inner_->pins_changed(change); }
  void shapes_changed(const Model& model) override { inner_->shapes_changed(model); }

 private:
  /// The sheets in one part of A (BodyMatrices).
  struct Part {
    std::size_t part;        ///< of BodyMatrices
    std::vector<int> order;  ///< vertices, row by row
    int first_spring, end_spring;
    SpdSolver::Matrix lower;  ///< of S; rows of vertices without a normal are those of the identity
    std::unique_ptr<FloatCholesky> solver;
    std::vector<int> piece;             ///< [rows], the connected part of each row
    std::vector<double> right{};        ///< [rows]
    std::vector<double> weight{};       ///< M/a^2 + pins of each connected part, N/m
    std::vector<PaddedVector> force{};  ///< of each connected part, N
    std::vector<PaddedVector> shift{};  ///< of each connected part, m
    bool is_on = false;                 ///< S is part of the directions of this step
  };
  void add_part(std::size_t part, const PrefactoredSystem& system,
                const std::vector<double>& diagonal);
  double* entry(int vertex, int other);
  void list_places();
  void turn_off_what_touches(const ContactEnergy& contact);
  bool turn_off();
  void prepare(const Objective& objective, const VectorField& z);
  void find_normals(const Part& part, const VectorField& z, Threads& threads);
  void multiply_springs(const Part& part, const VectorField& z, Threads& threads);
  void multiply_membranes(const VectorField& z, Threads& threads);
  void add_products(std::size_t first, std::size_t end);
  void solve(Part& part, const VectorField& gradient, Threads& threads);

  const Model* model_;
  double inverse_a2_;
  std::unique_ptr<Direction> direction_;
  ConstantDirection* inner_;    ///< direction_
  std::vector<char> is_sheet_;  ///< [num_vertices]
  std::vector<int> row_;        ///< [num_vertices], in its part
  std::vector<int> part_of_;    ///< [num_vertices], into parts_; -1: none
  std::vector<Part> parts_;
  std::vector<std::size_t> selected_;  ///< of parts_, in this step
  /// n . K n of each block K that springs, triangles, hinges and edges of L add, N/m, and where.
  std::vector<double> products_;
  std::vector<double*> places_;
  std::vector<double> triangles_, hinges_;  ///< their blocks, N/m
  std::vector<double> bonds_;               ///< [num_vertices], sum of k of its bonds, N/m
  std::vector<double> weight_;              ///< [num_vertices], M/a^2 + pins, N/m
  VectorField normal_;                      ///< [num_vertices], n; zero for other vertices
  VectorField motion_;    ///< [num_vertices], Q N S^-1 N^T Q^T grad g, m; zero without S
  bool is_first_ = true;  ///< no direction of this step has been made
};

}  // namespace supple
