#include "descent/hessian_system.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "linear/solve_ends.h"
#include "linear/supernodes.h"

namespace supple {

namespace {

/// Residuals below this part of the right-hand side are not worth an iteration.
constexpr double cg_tolerance = 1e-10;
/// Operations of a factorisation from which two grids are faster, with room to spare: those of a
/// bar of 6,000 tets. Sheets, stiff along themselves and soft across, take twice as many iterations
/// or more, and far less fill: at 1.7e10 the factor still takes half as long.
constexpr double most_operations = 2e8, most_operations_of_sheets = 5e10;
/// Residual with two grids, as a part of the right-hand side. A more exact direction brings the
/// next iterate no closer (docs/notes/performance.md).
constexpr double grid_tolerance = 1e-5;
/// Iterations after which one sees whether two grids get anywhere.
constexpr int grid_trial = 20;
/// Most factorisations while tau doubles: it is then 1e16 times the diagonal.
constexpr int max_factorisations = 64;

double factor_operations(const SpdSolver::Matrix& lower) {
  double operations = 0;
  for (const int count : column_counts(
           {static_cast<int>(lower.rows()), lower.outerIndexPtr(), lower.innerIndexPtr()})) {
    operations += static_cast<double>(count) * count;
  }
  return operations;
}

/// Iterations with two grids that take as long as a factor and its solution, as measured: those of
/// bars of 8,000, 21,000 and 50,000 tets 15, 25 and 24, of a plate of one layer of cells 8.
int iterations_worth(double operations, const SpdSolver::Matrix& lower) {
  return static_cast<int>(8 + operations / (400.0 * static_cast<double>(lower.nonZeros())));
}

NegativeEigenvalues mode_of(Definiteness definiteness) {
  if (definiteness == Definiteness::clamp) return NegativeEigenvalues::clamp;
  if (definiteness == Definiteness::absolute) return NegativeEigenvalues::absolute;
  return NegativeEigenvalues::keep;
}

/// The graph of the elements with further edges: coupled, ascending, both (a, b) and (b, a).
Adjacency with_edges(const Adjacency& elements, const std::vector<std::pair<int, int>>& coupled) {
  Adjacency all;
  all.start.assign(1, 0);
  auto next = coupled.cbegin();
  for (int vertex = 0; vertex < elements.size(); ++vertex) {
    std::vector<int>& row = all.neighbour;
    const auto first = static_cast<std::ptrdiff_t>(row.size());
    row.insert(row.end(), elements.neighbour.begin() + elements.start[at(vertex)],
               elements.neighbour.begin() + elements.start[at(vertex) + 1]);
    for (; next != coupled.end() && next->first == vertex; ++next) row.push_back(next->second);
    std::sort(row.begin() + first, row.end());
    row.erase(std::unique(row.begin() + first, row.end()), row.end());
    all.start.push_back(static_cast<int>(row.size()));
  }
  return all;
}

}  // namespace

HessianSystem::HessianSystem(const Model& model, const SolverSettings& settings, double inverse_a2)
    : HessianSystem(model, settings, inverse_a2, vertex_adjacency(model)) {}

HessianSystem::HessianSystem(const Model& model, const SolverSettings& settings, double inverse_a2,
                             const Adjacency& adjacency)
    : model_(&model),
      direct_(settings.linear_solver == LinearSolver::direct),
      mode_(mode_of(settings.definiteness)),
      tikhonov_(settings.definiteness == Definiteness::tikhonov),
      order_(direct_ ? elimination_order(model) : bandwidth_order(adjacency)),
      hessian_(model, order_, adjacency),
      right_side_(3 * order_.size()),
      cg_(direct_ ? 0 : 3 * model.num_vertices, 1) {
  analyse();
  if (direct_) return;
  cg_settings_ = {
      .iterations = settings.linear_iterations,
      .tolerance = cg_tolerance,
      .stop_at_negative_curvature = settings.linear_solver == LinearSolver::truncated_cg};
  preconditioner_type_ = settings.preconditioner;
  preconditioner_is_constant_ = preconditioner_type_ == PreconditionerType::laplacian ||
                                preconditioner_type_ == PreconditionerType::rest;
  preconditioner_ = make_preconditioner(inverse_a2);
}

/// Analyses the new pattern of hessian_.
void HessianSystem::analyse() {
  if (!direct_) {
    matrix_.analyse(hessian_.lower());
    if (preconditioner_ && !preconditioner_is_constant_) preconditioner_->analyse(hessian_.lower());
    return;
  }
  const bool is_definite =
      mode_ == NegativeEigenvalues::clamp || mode_ == NegativeEigenvalues::absolute;
  solver_ = mode_ == NegativeEigenvalues::keep && !tikhonov_
                ? make_eigen_ldlt()
                : make_supernodal_cholesky(Precision::refined);
  solver_->analyse(hessian_.lower());
  grid_.reset();
  const double most = model_->num_tets == 0 ? most_operations_of_sheets : most_operations;
  const double operations = factor_operations(hessian_.lower());
  if (!is_definite || !(operations > most)) return;
  worth_of_factor_ = iterations_worth(operations, hessian_.lower());
  grid_ = std::make_unique<RigidGrid>(simd_level_in_use());
  grid_->analyse(hessian_.lower());
  matrix_.analyse(hessian_.lower());
  cg_ = ConjugateGradients(3 * model_->num_vertices, 1);
  cg_settings_ = {.iterations = std::max(grid_trial, 2 * worth_of_factor_),
                  .tolerance = grid_tolerance,
                  .stop_at_negative_curvature = true,
                  .trial = grid_trial};
  positions_.resize(right_side_.size());
  solution_.resize(right_side_.size());
}

/// Makes a new pattern. The order of conjugate gradients stays: preconditioners that are made once
/// have it.
void HessianSystem::make_room() {
  const Adjacency adjacency = with_edges(vertex_adjacency(*model_), coupled_);
  if (direct_)
    order_ = coupled_.empty() ? elimination_order(*model_) : fill_reducing_order(adjacency);
  hessian_ = HessianAssembly(*model_, order_, adjacency);
  analyse();
}

void HessianSystem::make_room_for(const ContactEnergy& contact) {
  if (!is_first_ && hessian_.has_room_for(contact)) return;
  now_coupled_.clear();
  if (!is_first_) now_coupled_ = coupled_;
  contact.visit_between([this](const ContactPoint& point) {
    for (int i = 0; i < point.count; ++i) {
      for (int j = 0; j < point.count; ++j) {
        if (j != i) now_coupled_.emplace_back(point.vertices[i], point.vertices[j]);
      }
    }
  });
  std::sort(now_coupled_.begin(), now_coupled_.end());
  now_coupled_.erase(std::unique(now_coupled_.begin(), now_coupled_.end()), now_coupled_.end());
  is_first_ = false;
  if (now_coupled_ == coupled_) return;
  coupled_.swap(now_coupled_);
  make_room();
}

void HessianSystem::pins_changed(double inverse_a2) {
  if (preconditioner_is_constant_) preconditioner_ = make_preconditioner(inverse_a2);
}

std::unique_ptr<Preconditioner> HessianSystem::make_preconditioner(double inverse_a2) {
  const PreconditionerType type = preconditioner_type_;
  std::unique_ptr<Preconditioner> made;
  if (type == PreconditionerType::laplacian) {
    const SpdSolver::Matrix lower = laplacian_lower(*model_, inverse_a2, order_);
    auto inner = make_incomplete_cholesky();
    inner->analyse(lower);
    if (!inner->update(lower)) throw not_positive_definite("M/h^2 + L");
    made = make_coordinatewise(std::move(inner));
  } else if (type == PreconditionerType::none) {
    made = make_no_preconditioner();
  } else if (type == PreconditionerType::jacobi) {
    made = make_jacobi_preconditioner();
  } else {
    made = make_incomplete_cholesky();
  }
  made->analyse(hessian_.lower());
  if (type == PreconditionerType::rest) {
    Threads alone(1);
    hessian_.assemble(rest_positions(), inverse_a2, NegativeEigenvalues::clamp, alone);
    if (!made->update(hessian_.lower())) throw not_positive_definite("of the rest pose");
  }
  return made;
}

VectorField HessianSystem::rest_positions() const {
  VectorField rest(model_->rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) rest[i].v[k] = model_->rest[i][k];
  }
  return rest;
}

bool HessianSystem::prepare(const Objective& objective, const VectorField& z, Solves solves) {
  const ContactEnergy* const contact = objective.contact();
  if (contact != nullptr) make_room_for(*contact);
  hessian_.assemble(objective, z, mode_, OfBodies::all);
  on_grid_ = grid_ != nullptr && solves == Solves::one && !grid_is_slow_ &&
             use_grid(z, objective.threads());
  return on_grid_ || use_assembled(objective.threads());
}

bool HessianSystem::prepare_at_rest(double inverse_a2) {
  Threads alone(1);
  hessian_.assemble(rest_positions(), inverse_a2, mode_, alone);
  on_grid_ = false;
  // A matrix that is made once must be that of the body, with no tau I added.
  if (direct_ && !tikhonov_) return solver_->factor(hessian_.lower(), alone);
  return use_assembled(alone);
}

bool HessianSystem::use_grid(const VectorField& z, Threads& threads) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) positions_[3 * k + c] = z[at(order_[k])].v[c];
  }
  grid_->set_positions(positions_.data());
  grid_->set_threads(threads);
  matrix_.update(hessian_.lower());
  return grid_->update(hessian_.lower());
}

bool HessianSystem::use_assembled(Threads& threads) {
  if (direct_) {
    const bool is_as_it_is = mode_ == NegativeEigenvalues::keep && !tikhonov_;
    return is_as_it_is ? solver_->factor(hessian_.lower(), threads)
                       : factor_with_multiple_of_identity(threads);
  }
  matrix_.update(hessian_.lower());
  return preconditioner_is_constant_ || preconditioner_->update(hessian_.lower());
}

bool HessianSystem::factor_with_multiple_of_identity(Threads& threads) {
  const SpdSolver::Matrix& lower = hessian_.lower();
  double least = 0, mean = 0;
  for (Eigen::Index row = 0; row < lower.rows(); ++row) {
    const double entry = lower.valuePtr()[lower.outerIndexPtr()[row]];
    least = row == 0 ? entry : std::min(least, entry);
    mean += std::abs(entry) / static_cast<double>(lower.rows());
  }
  if (!std::isfinite(mean)) return false;
  const double beta = 1e-3 * mean;
  double tau = tikhonov_ && !(least > 0) ? beta - least : 0;
  double added = 0;
  for (int k = 0; k < max_factorisations; ++k) {
    if (tau != added) hessian_.add_identity(tau - added);
    added = tau;
    if (solver_->factor(lower, threads)) return true;
    tau = std::max(2 * tau, beta);
  }
  return false;
}

/// False: they do not get there, and the matrix has been factorised instead.
bool HessianSystem::solve_on_grid(double* x, Threads& threads) {
  double largest = 0;
  for (const double b : right_side_) largest = std::max(largest, std::abs(b));
  const double scale = scale_to_floats(largest);  // so that squares neither overflow nor vanish
  for (double& b : right_side_) b *= scale;
  grid_->set_threads(threads);
  const CgReport report = cg_.solve(matrix_, *grid_, cg_settings_, x, solution_.data(), threads);
  grid_is_slow_ = !report.converged || report.iterations > worth_of_factor_;
  if (!report.converged) {
    for (double& b : right_side_) b /= scale;
    on_grid_ = false;
    use_assembled(threads);
    return false;
  }
  for (std::size_t i = 0; i < right_side_.size(); ++i) x[i] = solution_[i] / scale;
  return true;
}

void HessianSystem::solve(const VectorField& gradient, VectorField& p, Threads& threads) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const PaddedVector& from = gradient[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < 3; ++c) right_side_[3 * k + static_cast<std::size_t>(c)] = from[c];
  }
  double* x = right_side_.data();
  if (direct_) {
    if (!on_grid_ || !solve_on_grid(x, threads)) solver_->solve(x, x, threads);
  } else {
    cg_.solve(matrix_, *preconditioner_, cg_settings_, x, x, threads);
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    PaddedVector& to = p[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < 3; ++c) to[c] = -right_side_[3 * k + static_cast<std::size_t>(c)];
    to[3] = 0;
  }
}

}  // namespace supple
