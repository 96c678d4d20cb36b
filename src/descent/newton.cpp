#include "descent/newton.h"

#include "descent/laplacian.h"

namespace supple {

Newton::Newton(const Model& model) : Newton(model, vertex_adjacency(model)) {}

Newton::Newton(const Model& model, const Adjacency& adjacency)
    : order_(fill_reducing_order(adjacency)),
      hessian_(model, order_, adjacency),
      solver_(make_eigen_cholesky()),
      right_side_(3 * order_.size()) {
  solver_->analyse(hessian_.lower());
}

bool Newton::compute(Objective& objective, const Iterate& at, VectorField& p) {
  hessian_.assemble(objective, at.x);
  if (!solver_->factor(hessian_.lower())) return false;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const PaddedVector& from = at.gradient[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < 3; ++c) right_side_[3 * k + static_cast<std::size_t>(c)] = from[c];
  }
  solver_->solve(right_side_.data(), right_side_.data());
  for (std::size_t k = 0; k < order_.size(); ++k) {
    PaddedVector& to = p[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < 3; ++c) to[c] = -right_side_[3 * k + static_cast<std::size_t>(c)];
    to[3] = 0;
  }
  return true;
}

}  // namespace supple
