#include "linear/refined_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/index.h"
#include "linear/solve_ends.h"

namespace supple {

namespace {

/// After this many iterations floats do not hold the matrix: with a factor that does, each
/// iteration gains three digits or more.
constexpr int most_iterations = 12;

}  // namespace

void RefinedCholesky::analyse(const Matrix& lower) {
  lower_ = lower;
  products_.analyse(lower);
  in_floats_.analyse(lower);
  in_doubles_.reset();
  is_in_doubles_ = false;
  cg_ = ConjugateGradients(static_cast<int>(lower.rows()), 1);
  for (auto* field : {&scaled_, &side_, &solution_}) field->resize(at(lower.rows()));
}

bool RefinedCholesky::factor(const Matrix& lower, Threads& threads) {
  std::copy(lower.valuePtr(), lower.valuePtr() + lower.nonZeros(), lower_.valuePtr());
  products_.update(lower);
  is_in_doubles_ = false;
  in_floats_.threads = &threads;
  return in_floats_.update(lower) || take_doubles(threads);
}

bool RefinedCholesky::take_doubles(Threads& threads) {
  if (in_doubles_ == nullptr) {
    in_doubles_ = std::make_unique<SupernodalCholesky<double>>(level_);
    in_doubles_->analyse(lower_);
  }
  is_in_doubles_ = in_doubles_->factor(lower_, threads);
  return is_in_doubles_;
}

/// False: not converged within `most_iterations`; x is then unchanged.
bool RefinedCholesky::refine(const double* b, double* x, Threads& threads) {
  double largest = 0;
  for (std::size_t i = 0; i < scaled_.size(); ++i) largest = std::max(largest, std::abs(b[i]));
  const double scale = scale_to_floats(largest);  // so that squares neither overflow nor vanish
  for (std::size_t i = 0; i < scaled_.size(); ++i) scaled_[i] = scale * b[i];
  in_floats_.threads = &threads;
  const CgReport report = cg_.solve(
      products_, in_floats_,
      {.iterations = most_iterations, .tolerance = digits, .stop_at_negative_curvature = true},
      scaled_.data(), solution_.data(), threads);
  if (!report.converged) return false;
  for (std::size_t i = 0; i < scaled_.size(); ++i) x[i] = solution_[i] / scale;
  return true;
}

void RefinedCholesky::solve(const double* b, double* x, Threads& threads) {
  if (!is_in_doubles_ && refine(b, x, threads)) return;
  if (is_in_doubles_ || take_doubles(threads)) return in_doubles_->solve(b, x, threads);
  for (std::size_t i = 0; i < scaled_.size(); ++i) {
    x[i] = b[i] / std::abs(lower_.valuePtr()[lower_.outerIndexPtr()[i]]);
  }
}

void RefinedCholesky::solve4(const double* b, double* x, Threads& threads) {
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t i = 0; i < side_.size(); ++i) side_[i] = b[4 * i + c];
    solve(side_.data(), side_.data(), threads);
    for (std::size_t i = 0; i < side_.size(); ++i) x[4 * i + c] = side_[i];
  }
}

}  // namespace supple
