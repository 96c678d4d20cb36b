#pragma once

#include <memory>

#include "descent/direction.h"
#include "descent/hessian.h"
#include "linear/spd_solver.h"

namespace supple {

/// Newton's method, A = the Hessian with every element projected [GAMES103; Teran et al. 2005], by
/// sparse Cholesky on 3n unknowns. The order and the pattern are analysed once, the values factored
/// in every iteration.
class Newton final : public Direction {
 public:
  explicit Newton(const Model& model);
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;

 private:
  Newton(const Model& model, const Adjacency& adjacency);
  std::vector<int> order_;
  HessianAssembly hessian_;
  std::unique_ptr<SpdSolver> solver_;
  std::vector<double> right_side_;  ///< [3 * num_vertices]
};

}  // namespace supple
