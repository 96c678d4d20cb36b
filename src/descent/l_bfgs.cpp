#include "descent/l_bfgs.h"

#include <array>
#include <cmath>
#include <utility>

#include "descent/contact_matrix.h"

namespace supple {

namespace {

/// A step that is shortened to less than `shortened`, or whose slope contacts change by more than
/// the share `changed`, met contacts that the pairs know nothing about. On a falling ball of 24,576
/// tets, dropping such pairs makes the sixth frame after the first contact 40 times as exact after
/// ten iterations.
constexpr double shortened = 0.5, changed = 0.5;
/// After `most_cuts` shortened steps contacts are left out of the matrix, if the last direction
/// promised more than the share `unsolved` of what the descent has gained so far and more than the
/// share `noticed` of the energy of inertia, of which a descent that starts near its end gains
/// little.
constexpr int most_cuts = 2;
constexpr double unsolved = 1e-4, noticed = 1e-3;

}  // namespace

LBfgs::LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history,
             std::shared_ptr<LinearPairs::Fields> fields)
    : is_solid_(model.membranes.edges.empty() && model.springs.springs.empty()),
      initial_(std::move(initial)),
      pairs_(static_cast<std::size_t>(history)),
      zeta_(pairs_.size()) {
  if (history > 0) constant_ = initial_->constant_direction();
  if (constant_ != nullptr) {
    linear_.emplace(model, history, LinearPairs::Kept::by_size, std::move(fields));
  }
}

void LBfgs::begin_step(Objective& objective) {
  count_ = 0;
  newest_ = -1;
  // Rigid bodies rotate in a step, which is therefore not alpha p.
  is_linear_ = linear_.has_value() && objective.rigid().empty();
  if (is_linear_) {
    linear_->begin_step(objective.algebra());
    has_before_ = false;
    num_cuts_ = 0;
    promised_ = 0;
    start_value_.reset();
  } else if (q_.empty() && !pairs_.empty()) {
    make_room(static_cast<std::size_t>(objective.model().num_vertices));
    partial_.resize(3 * static_cast<std::size_t>(objective.algebra().num_chunks()));
  }
  initial_->begin_step(objective);
  const bool may_leave_out = is_linear_ && is_solid_ && objective.contact() != nullptr;
  contacts_ = may_leave_out ? constant_->contact_matrix() : nullptr;
  if (contacts_ != nullptr && without_.empty()) {
    for (VectorField* field : {&without_, &without_before_}) {
      field->resize(static_cast<std::size_t>(objective.model().num_vertices));
    }
    contacts_->make_room_for(*linear_);
  }
}

void LBfgs::make_room(std::size_t num_vertices) {
  q_.resize(num_vertices);
  for (Pair& pair : pairs_) {
    pair.s.resize(num_vertices);
    pair.t.resize(num_vertices);
  }
}

bool LBfgs::set_apart(const Objective& objective, const VectorField& x) {
  if (!initial_->set_apart(objective, x)) return false;
  if (is_linear_) linear_->clear();
  count_ = 0;
  newest_ = -1;
  return true;
}

bool LBfgs::restart() {
  if (is_linear_ ? linear_->is_empty() : count_ == 0) return initial_->restart();
  if (is_linear_) linear_->clear();
  count_ = 0;
  newest_ = -1;
  return true;
}

/// Whether contacts may leave the matrix because steps were cut while much is left to gain.
bool LBfgs::struggles(Objective& objective, const Iterate& at) const {
  if (contacts_ == nullptr || num_cuts_ < most_cuts) return false;
  return promised_ > unsolved * (*start_value_ - at.value) &&
         promised_ > noticed * objective.inertia_energy(at.x);
}

bool LBfgs::compute(Objective& objective, const Iterate& at, VectorField& p) {
  went_ahead_ = is_linear_ && at.ahead != nullptr;
  is_bare_ = false;
  slope_change_ = 0;
  if (!is_linear_) return recur(objective, at, p);
  if (!start_value_) start_value_ = at.value;
  if (struggles(objective, at) && contacts_->leave_out(objective)) {
    linear_->clear();
    has_before_ = false;
  }
  if (contacts_ != nullptr && contacts_->is_left_out()) {
    return compute_without_contacts(objective, at, p);
  }
  if (!constant_->compute_unfinished(objective, at, p)) return false;
  linear_->correct(objective.algebra(), at, p, constant_);
  if (objective.contact() == nullptr) return true;
  const auto respect = constant_->respect_contacts(objective, at, p);
  if (respect == ConstantDirection::Respect::as_it_was) return true;
  went_ahead_ = false;
  is_bare_ = respect == ConstantDirection::Respect::new_matrix;
  if (is_bare_) {
    linear_->clear();
  } else {
    const double slope = linear_->slope();
    linear_->replace(objective.algebra(), at.gradient, p);
    slope_change_ = std::abs(linear_->slope() / slope - 1);
  }
  return true;
}

bool LBfgs::compute_without_contacts(Objective& objective, const Iterate& at, VectorField& p) {
  if (!contacts_->compute_without(objective, at, without_, p)) return false;
  const bool follows = at.gradient_before != nullptr && has_before_;
  linear_->correct(objective.algebra(),
                   {at.x, without_, at.value, follows ? &without_before_ : nullptr, at.ahead}, p,
                   contacts_);
  went_ahead_ = false;
  if (!contacts_->push(objective, at, *linear_, p)) {
    linear_->clear();
    return compute(objective, at, p);
  }
  linear_->replace(objective.algebra(), at.gradient, p);
  if (linear_->is_empty()) {
    contacts_->hold_forces(without_);
    linear_->replace_inner(objective.algebra(), p);
  }
  return true;
}

Byproducts LBfgs::byproducts() const {
  if (!is_linear_) return {};
  return {.slope = is_bare_ ? std::nullopt : std::optional(linear_->slope()),
          .is_ahead = went_ahead_,
          .found_contacts = went_ahead_ && constant_->found_contacts()};
}

bool LBfgs::recur(Objective& objective, const Iterate& at, VectorField& p) {
  if (count_ == 0) return initial_->compute(objective, at, p);
  VectorAlgebra& algebra = objective.algebra();
  q_ = at.gradient;
  for (int i = 0; i < count_; ++i) {
    const Pair& last = pair(i);
    const double zeta = algebra.dot(last.s, q_) / last.rho;
    zeta_[static_cast<std::size_t>(i)] = zeta;
    algebra.add(-zeta, last.t, q_);
  }
  // The inner direction gives -r = -A0^-1 q; the second loop then runs on -r.
  if (!initial_->compute(objective, {at.x, q_, at.value}, p)) return false;
  for (int i = count_ - 1; i >= 0; --i) {
    const Pair& last = pair(i);
    const double minus_eta = algebra.dot(last.t, p) / last.rho;
    algebra.add(-(zeta_[static_cast<std::size_t>(i)] + minus_eta), last.s, p);
  }
  return true;
}

void LBfgs::accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) {
  initial_->accept(objective, from, to, alpha);
  if (alpha < 1) ++num_cuts_;
  if (is_linear_ && !is_bare_) promised_ = -0.5 * linear_->slope();
  if (pairs_.empty()) return;
  if (is_bare_) return;
  std::swap(without_, without_before_);
  has_before_ = true;
  // Pairs are all that L-BFGS knows of friction: no matrix holds it.
  const bool is_bent = slope_change_ > 0 && !objective.contact()->has_friction();
  if (is_bent && (alpha < shortened || slope_change_ > changed)) return linear_->clear();
  if (is_linear_) return linear_->accept(alpha);
  VectorAlgebra& algebra = objective.algebra();
  const int size = static_cast<int>(pairs_.size());
  const int next = (newest_ + 1) % size;
  Pair& pair = pairs_[static_cast<std::size_t>(next)];
  algebra.for_chunks([&](int chunk, int first, int last) {
    const auto begin = static_cast<std::size_t>(first);
    algebra.kernels().new_pair(to.x[begin].v, from.x[begin].v, to.gradient[begin].v,
                               from.gradient[begin].v, 4 * (last - first), pair.s[begin].v,
                               pair.t[begin].v, &partial_[3 * static_cast<std::size_t>(chunk)]);
  });
  std::array<double, 3> sum{};
  for (const int chunk : algebra.selected()) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += partial_[3 * static_cast<std::size_t>(chunk) + k];
  }
  pair.rho = sum[0];
  // Rounding alone can change the sign of a smaller curvature.
  const double smallest = 1e-14 * std::sqrt(sum[1]) * std::sqrt(sum[2]);
  if (!(pair.rho > smallest)) {
    // The oldest pair has been overwritten and is gone either way.
    if (count_ == size) --count_;
    return;
  }
  newest_ = next;
  if (count_ < size) ++count_;
}

}  // namespace supple
