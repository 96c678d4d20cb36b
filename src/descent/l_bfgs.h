#pragma once

#include <memory>
#include <vector>

#include "descent/direction.h"

namespace supple {

/// L-BFGS around the matrix of another direction [Liu et al. 2017, Alg. 2; thesis Alg. 4; Nocedal &
/// Wright 2006, sec. 7.2]: the two-loop recursion over the last m pairs
///   s_i = x_{i+1} - x_i,  t_i = grad g(x_{i+1}) - grad g(x_i),  rho_i = t_i . s_i,
/// with r = A0^-1 q from the inner direction between the loops. A pair whose curvature is not
/// positive is not kept. History 0 is the inner direction itself.
///
/// Where A0^-1 is the same symmetric matrix for the whole step, both loops run over numbers alone.
/// With w_i = A0^-1 t_i, which is the difference of two inner directions,
///   A0^-1 q = A0^-1 grad g - sum zeta_i w_i,  t_i . A0^-1 grad g = w_i . grad g,
/// and all other products are of pairs with each other. So an iteration reads the pairs twice
/// instead of four times, in passes that wait for nothing. Colliders rule that out: the gradient
/// then changes between iterations by contacts that come and go, and w_i is no such difference.
class LBfgs final : public Direction {
 public:
  LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history);
  void pins_changed(const PinChange& change) override { initial_->pins_changed(change); }
  void materials_changed(const MaterialChange& change) override {
    initial_->materials_changed(change);
  }
  void begin_step(Objective& objective) override;
  /// Without the pairs it goes on from the inner direction.
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override;

 private:
  struct Pair {
    VectorField s;   ///< m
    VectorField t;   ///< N; w, m, where the inner direction is linear
    double rho = 0;  ///< t . s, J
    // Products with the gradient of the last `compute`, J.
    double s_gradient = 0, w_gradient = 0;
  };
  /// The place of the i-th newest pair.
  int place(int i) const {
    const int size = static_cast<int>(pairs_.size());
    return (newest_ - i + size) % size;
  }
  Pair& pair(int i) { return pairs_[static_cast<std::size_t>(place(i))]; }
  /// Products of the i-th with the j-th newest pair.
  double& products(std::vector<double>& of, int i, int j) {
    return of[static_cast<std::size_t>(place(i)) * pairs_.size() +
              static_cast<std::size_t>(place(j))];
  }

  bool recur(Objective& objective, const Iterate& at, VectorField& p);
  bool recur_over_numbers(Objective& objective, const Iterate& at, VectorField& p);
  void multiply_with_pairs(FieldAlgebra& algebra, const VectorField& gradient,
                           const VectorField& inner);
  void add_pairs(FieldAlgebra& algebra, VectorField& p);

  std::unique_ptr<Direction> initial_;
  std::vector<Pair> pairs_;  ///< ring of m
  int newest_ = -1;
  int count_ = 0;
  VectorField q_;
  std::vector<double> zeta_;

  bool is_linear_ = false;       ///< in this step
  bool has_new_pair_ = false;    ///< whose w is not known yet
  VectorField inner_;            ///< -A0^-1 grad g of the last `compute`, m
  VectorField new_t_;            ///< of the newest pair, N
  std::vector<double> s_t_;      ///< [m * m], s_i . t_j of an older i and a newer j, J
  std::vector<double> t_w_;      ///< [m * m], t_i . w_j, J
  std::vector<double> step_;     ///< [m], zeta - eta
  std::vector<PairTerm> terms_;  ///< [m], of the direction that is being made
  std::vector<double> partial_;  ///< of the chunks
};

}  // namespace supple
