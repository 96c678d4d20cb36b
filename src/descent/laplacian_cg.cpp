#include "descent/laplacian_cg.h"

#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"

namespace supple {

namespace {

std::unique_ptr<Preconditioner> make_own(PreconditionerType type) {
  if (type == PreconditionerType::none) return make_no_preconditioner();
  if (type == PreconditionerType::jacobi) return make_jacobi_preconditioner();
  return make_incomplete_cholesky();
}

}  // namespace

LaplacianCg::LaplacianCg(const Model& model, const SolverSettings& settings, double inverse_a2)
    : order_(bandwidth_order(vertex_adjacency(model))),
      preconditioner_(make_own(settings.preconditioner)),
      // Relative residuals below 1e-10 are not worth an iteration.
      cg_settings_{.iterations = settings.linear_iterations, .tolerance = 1e-10},
      cg_(model.num_vertices, 4),
      work_(order_.size()) {
  const SpdSolver::Matrix lower = laplacian_lower(model, inverse_a2, order_);
  matrix_.analyse(lower);
  preconditioner_->analyse(lower);
  use(lower);
}

void LaplacianCg::use(const SpdSolver::Matrix& lower) {
  if (!preconditioner_->update(lower)) throw not_positive_definite("M/h^2 + L");
  matrix_.update(lower);
}

void LaplacianCg::pins_changed(const PinChange& change) {
  use(laplacian_lower(change.model, change.inverse_a2, order_));
}

bool LaplacianCg::compute(Objective& objective, const Iterate& at, VectorField& p) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    work_[k] = at.gradient[static_cast<std::size_t>(order_[k])];
  }
  cg_.solve4(matrix_, *preconditioner_, cg_settings_, work_[0].v, work_[0].v, objective.threads());
  for (std::size_t k = 0; k < order_.size(); ++k) {
    PaddedVector& to = p[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < 4; ++c) to[c] = -work_[k][c];
  }
  return true;
}

}  // namespace supple
