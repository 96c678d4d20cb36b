#include "position/step_and_project.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "linear/spd_solver.h"
#include "position/constraint_matrix.h"
#include "position/constraint_rows.h"
#include "position/vertex_constraints.h"

namespace supple {

namespace {

using Kind = ConstraintRow::Kind;

/// Rows per task.
constexpr int rows_a_chunk = 512;
/// Bounds of the damping epsilon. Below the first, the factorisation has no digits left if
/// constraints contradict each other or say the same. Above the second, a chain of a hundred links
/// converges slowly.
constexpr double least_damping = 1e-9;
constexpr double most_damping = 1e-4;
/// If rounding spoils the factorisation, it is tried again with this times the damping.
constexpr double damping_growth = 100;
constexpr int max_factorisations = 4;
constexpr double sufficient_decrease = 1e-4;
constexpr int max_halvings = 10;
/// Below these relative residuals Newton's method needs no search, and rounding would mislead one.
constexpr double no_search_below = 1e-8;

class StepAndProject final : public PositionSolver {
 public:
  StepAndProject(const Model& model, ContactEnergy* contact)
      : model_(&model), contacts_(model, contact, false, false), x_(at(model.num_vertices)) {
    for (double mass : model.mass) weight_.push_back(mass > 0 ? 1 / mass : 0);
    find_constraints();
  }

  void begin(const PositionStep& step, Threads& threads) override {
    copy_to(step.y, x_);
    y_ = step.y;
    inverse_a2_ = step.inverse_a2;
    std::fill(multiplier_.begin(), multiplier_.end(), 0.0);
    model_->pins.targets(step.time, pin_target_);
    contacts_.begin(step, threads);
    worst_volume_ = 0;
  }

  bool iterate(Threads& threads) override {
    contacts_.detect(x_, threads);
    if (!rows_.empty()) {
      evaluate_rows(threads);
      if (!solve(threads)) return false;
      find_direction();
      move(step_length(threads));
    }
    contacts_.project(x_, threads);
    double sum = 0;
    for (const PaddedPosition<double>& p : x_) sum += p[0] + p[1] + p[2];
    return std::isfinite(sum);
  }

  void copy_positions(VectorField& z) const override { copy_to(x_, z); }
  void pins_changed() override { find_constraints(); }
  void materials_changed(bool) override { find_constraints(); }
  void contact_changed(ContactEnergy* contact) override { contacts_.contact_changed(contact); }

  std::vector<ConstraintGroup> groups() const override {
    return {{"all at once", static_cast<int>(rows_.size())}};
  }
  int num_contacts() const override { return contacts_.num_contacts(); }
  double worst_violation() const override { return worst_volume_; }

 private:
  void find_constraints();
  void evaluate_rows(Threads& threads);
  bool solve(Threads& threads);
  void find_direction();
  double step_length(Threads& threads);
  double merit(double length, Threads& threads);
  void move(double length);

  const Model* model_;
  VertexConstraints<double> contacts_;
  std::vector<ConstraintRow> rows_;
  std::unique_ptr<ConstraintMatrix> matrix_;
  std::unique_ptr<SpdSolver> solver_;
  Positions<double> x_;
  VectorField y_;                        ///< x_ in the form that the rows read
  std::vector<double> weight_;           ///< [num_vertices], 1/kg; 0 without mass
  std::vector<Vec3> pin_target_;         ///< [num_pins], m
  std::vector<ConstraintValue> values_;  ///< [num_rows]
  std::vector<double> multiplier_;       ///< [num_rows]
  std::vector<double> residual_;         ///< [num_rows], C + alpha l/a^2
  std::vector<double> slope_;            ///< [num_rows], sum w |dC/dx|^2 at rest
  std::vector<double> diagonal_;         ///< [num_rows], added to the diagonal of the matrix
  std::vector<double> step_;             ///< [num_rows], in the order of elimination
  VectorField direction_;                ///< M^-1 dC^T dl
  std::vector<double> chunk_merit_;      ///< [number of chunks of rows]
  double inverse_a2_ = 0;
  double damping_ = 0;
  double worst_residual_ = 0;  ///< of all rows, relative
  double worst_volume_ = 0;
};

void StepAndProject::find_constraints() {
  rows_ = constraint_rows(*model_);
  matrix_ = std::make_unique<ConstraintMatrix>(*model_, rows_);
  pin_target_.resize(model_->pins.pins.size());
  for (std::vector<double>* v : {&multiplier_, &residual_, &slope_, &diagonal_, &step_}) {
    v->assign(rows_.size(), 0.0);
  }
  values_.resize(rows_.size());
  direction_.resize(weight_.size());
  chunk_merit_.resize((rows_.size() + rows_a_chunk - 1) / rows_a_chunk);
  if (rows_.empty()) return;
  solver_ = make_supernodal_cholesky(Precision::full);
  solver_->analyse(matrix_->lower());
  VectorField rest(model_->rest.size());
  for (std::size_t v = 0; v < rest.size(); ++v) {
    for (std::size_t k = 0; k < 3; ++k) rest[v].v[k] = model_->rest[v][k];
  }
  model_->pins.targets(0, pin_target_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const ConstraintValue value = evaluate(rows_[r], *model_, rest, pin_target_);
    for (std::size_t i = 0; i < 4; ++i) {
      if (rows_[r].vertex[i] < 0) continue;
      const double* g = value.gradient[i];
      slope_[r] += weight_[at(rows_[r].vertex[i])] * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    }
  }
}

/// Computes the residuals, and how far the hard constraints are from holding, which sets the
/// damping.
void StepAndProject::evaluate_rows(Threads& threads) {
  copy_to(x_, y_);
  const int count = static_cast<int>(rows_.size());
  threads.parallel_for((count + rows_a_chunk - 1) / rows_a_chunk, [&](int chunk) {
    const int last = std::min((chunk + 1) * rows_a_chunk, count);
    for (std::size_t r = at(chunk * rows_a_chunk); r < at(last); ++r) {
      values_[r] = evaluate(rows_[r], *model_, y_, pin_target_);
      residual_[r] = values_[r].value + rows_[r].compliance * inverse_a2_ * multiplier_[r];
    }
  });
  double worst_hard = 0;
  worst_volume_ = 0;
  worst_residual_ = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double relative = std::abs(residual_[r]) / rows_[r].scale;
    if (rows_[r].is_hard()) worst_hard = std::max(worst_hard, relative);
    if (rows_[r].kind == Kind::volume) worst_volume_ = std::max(worst_volume_, relative);
    worst_residual_ = std::max(worst_residual_, relative);
    if (values_[r].is_flat) residual_[r] = 0;
  }
  damping_ = std::clamp(worst_hard * worst_hard, least_damping, most_damping);
}

bool StepAndProject::solve(Threads& threads) {
  bool factored = false;
  for (int attempt = 0; attempt < max_factorisations && !factored; ++attempt) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      diagonal_[r] = std::max(rows_[r].compliance * inverse_a2_, damping_ * slope_[r]);
    }
    matrix_->assemble(values_, diagonal_);
    factored = solver_->factor(matrix_->lower(), threads);
    damping_ *= damping_growth;
  }
  if (!factored) return false;
  for (std::size_t r = 0; r < rows_.size(); ++r) step_[at(matrix_->place()[r])] = -residual_[r];
  solver_->solve(step_.data(), step_.data(), threads);
  return true;
}

void StepAndProject::find_direction() {
  std::fill(direction_.begin(), direction_.end(), PaddedVector{});
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double change = step_[at(matrix_->place()[r])];
    for (std::size_t i = 0; i < 4; ++i) {
      if (rows_[r].vertex[i] < 0) continue;
      const std::size_t vertex = at(rows_[r].vertex[i]);
      const double factor = weight_[vertex] * change;
      for (int k = 0; k < 3; ++k) direction_[vertex][k] += factor * values_[r].gradient[i][k];
    }
  }
}

/// The whole step minimises |dx|_M^2/2 + sum (r + dC dx)^2/(2 d), where r are the residuals and d
/// is what is added to the diagonal. So it descends on sum r^2/(2 d) with l held, and is halved
/// until that falls.
double StepAndProject::step_length(Threads& threads) {
  if (!(worst_residual_ > no_search_below)) return 1;
  double slope = 0, now = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double along = -residual_[r] - diagonal_[r] * step_[at(matrix_->place()[r])];  // dC dx
    slope += residual_[r] * along / diagonal_[r];
    now += 0.5 * residual_[r] * residual_[r] / diagonal_[r];
  }
  double length = 1;
  for (int halving = 0; halving < max_halvings; ++halving, length *= 0.5) {
    if (merit(length, threads) <= now + sufficient_decrease * length * slope) break;
  }
  return length;
}

/// sum r^2/(2 d) with l held, after the part `length` of the step.
double StepAndProject::merit(double length, Threads& threads) {
  for (std::size_t v = 0; v < y_.size(); ++v) {
    for (int k = 0; k < 3; ++k) y_[v][k] = x_[v][k] + length * direction_[v][k];
  }
  threads.parallel_for(static_cast<int>(chunk_merit_.size()), [&](int chunk) {
    const std::size_t last = std::min(at((chunk + 1) * rows_a_chunk), rows_.size());
    double sum = 0;
    for (std::size_t r = at(chunk * rows_a_chunk); r < last; ++r) {
      if (values_[r].is_flat) continue;
      const double residual = evaluate(rows_[r], *model_, y_, pin_target_).value +
                              rows_[r].compliance * inverse_a2_ * multiplier_[r];
      sum += 0.5 * residual * residual / diagonal_[r];
    }
    chunk_merit_[at(chunk)] = sum;
  });
  double sum = 0;
  for (double part : chunk_merit_) sum += part;
  return sum;
}

/// l += t dl, x += t M^-1 dC^T dl.
void StepAndProject::move(double length) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    multiplier_[r] += length * step_[at(matrix_->place()[r])];
  }
  for (std::size_t v = 0; v < x_.size(); ++v) {
    for (int k = 0; k < 3; ++k) x_[v][k] += length * direction_[v][k];
  }
}

}  // namespace

std::unique_ptr<PositionSolver> make_step_and_project(const Model& model, ContactEnergy* contact,
                                                      const SolverSettings&) {
  return std::make_unique<StepAndProject>(model, contact);
}

}  // namespace supple
