#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "descent/constant_direction.h"
#include "descent/linear_pairs.h"

namespace supple {

/// L-BFGS around the matrix of another direction [Liu et al. 2017, Alg. 2; thesis Alg. 4; Nocedal &
/// Wright 2006, sec. 7.2]: the two-loop recursion over the last m pairs
///   s_i = x_{i+1} - x_i,  t_i = grad g(x_{i+1}) - grad g(x_i),  rho_i = t_i . s_i,
/// with r = A0^-1 q from the inner direction between the loops. Pairs without positive curvature
/// are not kept. With a history of 0, p is the inner direction.
///
/// If A0^-1 is the same symmetric matrix for the whole step, both loops need only scalar arithmetic
/// (linear_pairs.h). Contacts can bend its directions. If they change A0, or bend a direction much,
/// the history starts anew, since its pairs then contain forces of contacts that set in, which are
/// no curvature. If steps are shortened for this reason, contacts are left out of the matrix and of
/// the pairs (contact_matrix.h), which then last for the whole step.
class LBfgs final : public Direction {
 public:
  /// fields: LinearPairs::fields of another L-BFGS whose steps do not overlap with those of this
  /// one, or null.
  LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history,
        std::shared_ptr<LinearPairs::Fields> fields = nullptr);
  void pins_changed(const PinChange& change) override { initial_->pins_changed(change); }
  void materials_changed(const MaterialChange& change) override {
    initial_->materials_changed(change);
  }
  bool can_select(const Objective& objective) const override {
    return linear_.has_value() && initial_->can_select(objective);
  }
  Laplacian* constant_matrix() override { return initial_->constant_matrix(); }
  /// Memory that another L-BFGS can share; null if the matrix is not constant over a step.
  std::shared_ptr<LinearPairs::Fields> fields() const {
    return linear_ ? linear_->fields() : nullptr;
  }
  void begin_step(Objective& objective) override;
  bool set_apart(const Objective& objective, const VectorField& x) override;
  void settle(const Objective& objective, VectorField& z) override {
    initial_->settle(objective, z);
  }
  /// Goes on from the inner direction, without pairs.
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  Byproducts byproducts() const override;
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override;

 private:
  struct Pair {
    VectorField s;   ///< m
    VectorField t;   ///< N
    double rho = 0;  ///< t . s, J
  };
  /// The i-th newest pair.
  Pair& pair(int i) {
    const int size = static_cast<int>(pairs_.size());
    return pairs_[static_cast<std::size_t>((newest_ - i + size) % size)];
  }
  void make_room(std::size_t num_vertices);
  bool struggles(Objective& objective, const Iterate& at) const;
  bool compute_without_contacts(Objective& objective, const Iterate& at, VectorField& p);
  bool recur(Objective& objective, const Iterate& at, VectorField& p);

  /// There is no cloth and no strand. These are light compared with what they hit, and contacts
  /// that are found late throw them.
  bool is_solid_;
  std::unique_ptr<Direction> initial_;
  ConstantDirection* constant_ = nullptr;  ///< initial_, if it is constant in a step
  bool is_linear_ = false;                 ///< in this step
  bool went_ahead_ = false;                ///< in the last `compute`
  bool is_bare_ = false;                   ///< the last direction cannot become a pair
  double slope_change_ = 0;                ///< relative change of its slope by contacts
  std::optional<LinearPairs> linear_;
  ContactMatrix* contacts_ = nullptr;     ///< null if contacts stay in the matrix in this step
  VectorField without_, without_before_;  ///< gradients without the forces of contacts, N
  bool has_before_ = false;
  std::optional<double> start_value_{};  ///< g where the descent began, J
  double promised_ = 0;                  ///< decrease that the last direction taken promised, J
  int num_cuts_ = 0;                     ///< steps of the descent that were shortened

  // If the matrix is not constant.
  std::vector<Pair> pairs_;  ///< ring of m
  int newest_ = -1;
  int count_ = 0;
  VectorField q_;
  std::vector<double> zeta_;
  std::vector<double> partial_;  ///< sums of the chunks
};

}  // namespace supple
