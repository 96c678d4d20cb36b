#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "descent/direction.h"
#include "descent/linear_pairs.h"

namespace supple {

/// L-BFGS around the matrix of another direction [Liu et al. 2017, Alg. 2; thesis Alg. 4; Nocedal &
/// Wright 2006, sec. 7.2]: the two-loop recursion over the last m pairs
///   s_i = x_{i+1} - x_i,  t_i = grad g(x_{i+1}) - grad g(x_i),  rho_i = t_i . s_i,
/// with r = A0^-1 q from the inner direction between the loops. A pair whose curvature is not
/// positive is not kept. History 0 is the inner direction itself.
///
/// Where A0^-1 is the same symmetric matrix for the whole step, both loops run over numbers alone
/// (linear_pairs.h). Contacts may bend its directions; where they change A0, or bend one much, the
/// history begins anew: the pairs tell how the force of contacts set in, of which no curvature
/// comes.
/// Where that leads to shortened steps, contacts are left out of the matrix and of the pairs
/// (contact_matrix.h), which then last as long as the step.
class LBfgs final : public Direction {
 public:
  /// fields: LinearPairs::fields of another one whose steps do not overlap with those of this one;
  /// or null.
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
  /// To be used by another one; null where the matrix is not constant in a step.
  std::shared_ptr<LinearPairs::Fields> fields() const {
    return linear_ ? linear_->fields() : nullptr;
  }
  void begin_step(Objective& objective) override;
  bool set_apart(const Objective& objective, const VectorField& x) override;
  void settle(const Objective& objective, VectorField& z) override {
    initial_->settle(objective, z);
  }
  /// Without the pairs it goes on from the inner direction.
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  bool went_ahead() const override { return went_ahead_; }
  bool found_contacts() const override;
  std::optional<double> slope() const override;
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
  bool compute_without_contacts(Objective& objective, const Iterate& at, VectorField& p);
  bool recur(Objective& objective, const Iterate& at, VectorField& p);

  /// No cloth or strands: these are light for what they hit, and contacts that are found late throw
  /// them.
  bool is_solid_;
  std::unique_ptr<Direction> initial_;
  bool is_linear_ = false;   ///< in this step
  bool went_ahead_ = false;  ///< in the last `compute`
  bool is_bare_ = false;     ///< of that no pair can be made
  double slope_change_ = 0;  ///< share of it by which contacts bent the last direction
  std::optional<LinearPairs> linear_;
  ContactMatrix* contacts_ = nullptr;     ///< where it may leave them out in this step
  VectorField without_, without_before_;  ///< gradients of what is not contact, N
  bool has_before_ = false;
  std::optional<double> start_value_{};  ///< g where the descent began, J
  double promised_ = 0;                  ///< decrease that the last direction taken promised, J
  int num_cuts_ = 0;                     ///< steps of the descent that were shortened

  // Where it is not.
  std::vector<Pair> pairs_;  ///< ring of m
  int newest_ = -1;
  int count_ = 0;
  VectorField q_;
  std::vector<double> zeta_;
  std::vector<double> partial_;  ///< of the chunks
};

}  // namespace supple
