#include "descent/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

namespace {

/// Above this the weights need more iterations than any step has before they take effect.
constexpr double largest_radius = 0.9995;
constexpr double least_radius = 0.1;
/// Fewer steps say too little about an eigenvalue.
constexpr int least_steps = 4;
/// The estimate is renewed if |q| has lost less than this share of the digits that it should have
/// lost [Hageman & Young 1981, sec. 5.4].
constexpr double damping_factor = 0.75;
/// A step cut to less than this means that the acceleration failed.
constexpr double cut = 0.75;

}  // namespace

Chebyshev::Chebyshev(const Model& model, std::unique_ptr<Direction> inner, int delay)
    : inner_(std::move(inner)),
      delay_(delay),
      previous_(static_cast<std::size_t>(model.num_vertices)) {}

StepRule Chebyshev::step_rule() const {
  const StepRule rule = inner_->step_rule();
  return rule == StepRule::whole ? StepRule::decrease : rule;
}

void Chebyshev::begin_step(Objective& objective) {
  inner_->begin_step(objective);
  weights_.restart();
  iteration_ = 0;
  rho_ = first_norm_ = last_norm_ = 0;
  accelerated_ = false;
}

void Chebyshev::measure(double norm) {
  if (iteration_ <= delay_ && last_norm_ > 0 && norm < last_norm_) {
    rho_ = std::min(norm / last_norm_, largest_radius);
  }
  const int steps = weights_.steps();
  if (iteration_ < delay_ || rho_ == 0) {
    weights_.restart();
  } else if (steps >= least_steps && first_norm_ > 0) {
    const double expected = ChebyshevWeights::polynomial(steps, 1 / rho_);
    const double found = norm / first_norm_ * expected;
    if (found > 1 && std::log(found) > (1 - damping_factor) * std::log(expected)) {
      rho_ = std::min(rho_ * std::cosh(std::acosh(found) / steps), largest_radius);
      weights_.restart();
    }
  }
  if (weights_.steps() == 0) first_norm_ = norm;
  last_norm_ = norm;
}

void Chebyshev::fall_back() {
  rho_ = std::max(1 - 2 * (1 - rho_), least_radius);
  weights_.restart();
  first_norm_ = last_norm_ = 0;
}

bool Chebyshev::restart() {
  if (!accelerated_) return inner_->restart();
  fall_back();
  return true;
}

bool Chebyshev::compute(Objective& objective, const Iterate& at, VectorField& p) {
  VectorAlgebra& algebra = objective.algebra();
  accelerated_ = false;
  if (!inner_->compute(objective, at, p)) return false;
  const double inner_slope = algebra.dot(at.gradient, p);
  measure(std::sqrt(std::abs(inner_slope)));
  ++iteration_;
  // Below the rounding of g a failure of the acceleration would go unnoticed.
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * (std::abs(at.value) + objective.energy_scale());
  if (std::abs(inner_slope) <= rounding) weights_.restart();
  const double omega = weights_.next(rho_);
  if (omega == 1) return true;
  // omega (q - d) + d with d = x_{k-1} - x_k
  const double slope = omega * inner_slope + (1 - omega) * algebra.dot(at.gradient, previous_);
  if (!(slope < 0)) {
    fall_back();
    first_norm_ = last_norm_ = std::sqrt(std::abs(inner_slope));
    weights_.next(rho_);
    return true;
  }
  accelerated_ = true;
  algebra.for_chunks([&](int, int first, int last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      for (int k = 0; k < 4; ++k) p[i][k] = omega * p[i][k] + (1 - omega) * previous_[i][k];
    }
  });
  return true;
}

void Chebyshev::accept(Objective& objective, const Iterate& from, const Iterate& to, double alpha) {
  objective.algebra().difference(from.x, to.x, previous_);
  // The length of an accelerated step says nothing about that of the inner method.
  if (!accelerated_) inner_->accept(objective, from, to, alpha);
  if (alpha >= cut) return;
  if (accelerated_) {
    fall_back();
  } else {
    weights_.restart();
    last_norm_ = 0;
  }
}

}  // namespace supple
