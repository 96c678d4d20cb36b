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
class LBfgs final : public Direction {
 public:
  LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history);
  void begin_step(Objective& objective) override;
  /// Without the pairs it goes on from the inner direction.
  bool restart() override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) override;

 private:
  struct Pair {
    VectorField s;   ///< m
    VectorField t;   ///< N
    double rho = 0;  ///< t . s, J
  };
  /// The i-th newest pair.
  const Pair& pair(int i) const {
    const int size = static_cast<int>(pairs_.size());
    return pairs_[static_cast<std::size_t>((newest_ - i + size) % size)];
  }

  std::unique_ptr<Direction> initial_;
  std::vector<Pair> pairs_;  ///< ring of m
  int newest_ = -1;
  int count_ = 0;
  VectorField q_;
  std::vector<double> zeta_;
};

}  // namespace supple
