#include "descent/l_bfgs.h"

namespace supple {

LBfgs::LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history)
    : initial_(std::move(initial)),
      pairs_(static_cast<std::size_t>(history)),
      q_(static_cast<std::size_t>(model.num_vertices)),
      zeta_(static_cast<std::size_t>(history)) {
  for (Pair& pair : pairs_) {
    pair.s.resize(q_.size());
    pair.t.resize(q_.size());
  }
}

void LBfgs::begin_step(Objective& objective) {
  count_ = 0;
  newest_ = -1;
  initial_->begin_step(objective);
}

bool LBfgs::restart() {
  if (count_ == 0) return initial_->restart();
  count_ = 0;
  newest_ = -1;
  return true;
}

bool LBfgs::compute(Objective& objective, const Iterate& at, VectorField& p) {
  if (count_ == 0) return initial_->compute(objective, at, p);
  FieldAlgebra& algebra = objective.algebra();
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
  if (pairs_.empty()) return;
  FieldAlgebra& algebra = objective.algebra();
  const int size = static_cast<int>(pairs_.size());
  const int next = (newest_ + 1) % size;
  Pair& pair = pairs_[static_cast<std::size_t>(next)];
  algebra.difference(to.x, from.x, pair.s);
  algebra.difference(to.gradient, from.gradient, pair.t);
  pair.rho = algebra.dot(pair.t, pair.s);
  // Rounding alone can turn the sign of a curvature smaller than this.
  const double smallest = 1e-14 * algebra.norm(pair.s) * algebra.norm(pair.t);
  if (!(pair.rho > smallest)) {
    // The oldest pair's place was written over: it is gone either way.
    if (count_ == size) --count_;
    return;
  }
  newest_ = next;
  if (count_ < size) ++count_;
}

}  // namespace supple
