#include "descent/l_bfgs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {

LBfgs::LBfgs(const Model& model, std::unique_ptr<Direction> initial, int history)
    : initial_(std::move(initial)),
      pairs_(static_cast<std::size_t>(history)),
      q_(static_cast<std::size_t>(model.num_vertices)),
      zeta_(static_cast<std::size_t>(history)),
      inner_(q_.size()),
      new_t_(q_.size()),
      s_t_(pairs_.size() * pairs_.size()),
      t_w_(s_t_.size()),
      step_(zeta_.size()),
      terms_(zeta_.size()) {
  for (Pair& pair : pairs_) {
    pair.s.resize(q_.size());
    pair.t.resize(q_.size());
  }
}

void LBfgs::begin_step(Objective& objective) {
  count_ = 0;
  newest_ = -1;
  has_new_pair_ = false;
  is_linear_ = initial_->is_linear() && objective.contact() == nullptr && !pairs_.empty();
  partial_.resize(static_cast<std::size_t>(objective.algebra().num_chunks()) *
                  (2 * pairs_.size() + 1));
  initial_->begin_step(objective);
}

bool LBfgs::restart() {
  if (count_ == 0) return initial_->restart();
  count_ = 0;
  newest_ = -1;
  has_new_pair_ = false;
  return true;
}

bool LBfgs::compute(Objective& objective, const Iterate& at, VectorField& p) {
  return is_linear_ ? recur_over_numbers(objective, at, p) : recur(objective, at, p);
}

bool LBfgs::recur(Objective& objective, const Iterate& at, VectorField& p) {
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

bool LBfgs::recur_over_numbers(Objective& objective, const Iterate& at, VectorField& p) {
  if (!initial_->compute(objective, at, p)) return false;
  FieldAlgebra& algebra = objective.algebra();
  if (count_ == 0) {
    inner_ = p;
    return true;
  }
  multiply_with_pairs(algebra, at.gradient, p);
  for (int i = 0; i < count_; ++i) {
    double value = pair(i).s_gradient;
    for (int j = 0; j < i; ++j) value -= zeta_[static_cast<std::size_t>(j)] * products(s_t_, i, j);
    zeta_[static_cast<std::size_t>(i)] = value / pair(i).rho;
  }
  for (int i = count_ - 1; i >= 0; --i) {
    double value = pair(i).w_gradient;
    for (int j = 0; j < count_; ++j) {
      value -= zeta_[static_cast<std::size_t>(j)] * products(t_w_, i, j);
    }
    for (int k = count_ - 1; k > i; --k) {
      value += step_[static_cast<std::size_t>(k)] * products(s_t_, k, i);
    }
    step_[static_cast<std::size_t>(i)] = zeta_[static_cast<std::size_t>(i)] - value / pair(i).rho;
  }
  add_pairs(algebra, p);
  return true;
}

/// Takes down the inner direction and the new pair's w, and multiplies: s_i . grad g, w_i . grad g;
/// for the new pair its products with the older ones, whose t is a difference of gradients that
/// they were both multiplied with.
void LBfgs::multiply_with_pairs(FieldAlgebra& algebra, const VectorField& gradient,
                                const VectorField& inner) {
  const auto stride = 2 * pairs_.size() + 1;
  const FieldKernels& kernels = algebra.kernels();
  algebra.for_chunks([&](int chunk, int first, int last) {
    double* const sums = &partial_[static_cast<std::size_t>(chunk) * stride];
    const auto begin = static_cast<std::size_t>(first);
    const int size = 4 * (last - first);
    if (has_new_pair_) {
      sums[stride - 1] =
          kernels.renew(inner[begin].v, new_t_[begin].v, size, inner_[begin].v, pair(0).t[begin].v);
    } else {
      std::copy(inner[begin].v, inner[begin].v + size, inner_[begin].v);
    }
    for (int i = 0; i < count_; ++i) {
      const Pair& own = pair(i);
      kernels.two_products(own.s[begin].v, own.t[begin].v, gradient[begin].v, size, sums + 2 * i);
    }
  });
  const auto sum = [&](std::size_t place) {
    double result = 0;
    for (std::size_t at = place; at < partial_.size(); at += stride) result += partial_[at];
    return result;
  };
  for (int i = 0; i < count_; ++i) {
    Pair& own = pair(i);
    const double s_gradient = sum(2 * static_cast<std::size_t>(i));
    const double w_gradient = sum(2 * static_cast<std::size_t>(i) + 1);
    if (has_new_pair_ && i > 0) {
      products(s_t_, i, 0) = s_gradient - own.s_gradient;
      products(t_w_, i, 0) = products(t_w_, 0, i) = w_gradient - own.w_gradient;
    }
    own.s_gradient = s_gradient;
    own.w_gradient = w_gradient;
  }
  if (has_new_pair_) products(t_w_, 0, 0) = sum(stride - 1);
  has_new_pair_ = false;
}

/// p += sum zeta_i w_i - sum (zeta_i - eta_i) s_i.
void LBfgs::add_pairs(FieldAlgebra& algebra, VectorField& p) {
  for (int i = 0; i < count_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    terms_[k] = {pair(i).s[0].v, pair(i).t[0].v, zeta_[k], step_[k]};
  }
  algebra.for_chunks([&](int, int first, int last) {
    algebra.kernels().add_pairs(terms_.data(), count_, std::int64_t{4} * first, 4 * (last - first),
                                p[0].v);
  });
}

void LBfgs::accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) {
  initial_->accept(objective, from, to, alpha);
  if (pairs_.empty()) return;
  FieldAlgebra& algebra = objective.algebra();
  const int size = static_cast<int>(pairs_.size());
  const int next = (newest_ + 1) % size;
  Pair& pair = pairs_[static_cast<std::size_t>(next)];
  VectorField& t = is_linear_ ? new_t_ : pair.t;
  algebra.for_chunks([&](int chunk, int first, int last) {
    const auto begin = static_cast<std::size_t>(first);
    algebra.kernels().new_pair(to.x[begin].v, from.x[begin].v, to.gradient[begin].v,
                               from.gradient[begin].v, 4 * (last - first), pair.s[begin].v,
                               t[begin].v, &partial_[3 * static_cast<std::size_t>(chunk)]);
  });
  std::array<double, 3> sum{};
  for (std::size_t k = 0; k < 3 * static_cast<std::size_t>(algebra.num_chunks()); ++k) {
    sum[k % 3] += partial_[k];
  }
  pair.rho = sum[0];
  // Rounding alone can turn the sign of a curvature smaller than this.
  const double smallest = 1e-14 * std::sqrt(sum[1]) * std::sqrt(sum[2]);
  if (!(pair.rho > smallest)) {
    // The oldest pair's place was written over: it is gone either way.
    if (count_ == size) --count_;
    has_new_pair_ = false;
    return;
  }
  has_new_pair_ = is_linear_;
  newest_ = next;
  if (count_ < size) ++count_;
}

}  // namespace supple
