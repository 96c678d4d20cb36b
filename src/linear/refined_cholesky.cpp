#include "linear/refined_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/index.h"
#include "linear/solve_ends.h"

namespace supple {

namespace {

/// Iterations after which floats do not hold the matrix: of a factor that does, each gains three
/// digits or more.
constexpr int most_iterations = 12;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A x for a symmetric matrix given by its lower triangle, the diagonal first in each column.
void multiply(const SpdSolver::Matrix& lower, const std::vector<double>& x,
              std::vector<double>& product) {
  std::fill(product.begin(), product.end(), 0.0);
  const int* const start = lower.outerIndexPtr();
  const int* const row = lower.innerIndexPtr();
  const double* const value = lower.valuePtr();
  for (std::size_t j = 0; j < x.size(); ++j) {
    double sum = value[start[j]] * x[j];
    for (int k = start[j] + 1; k < start[j + 1]; ++k) {
      sum += value[k] * x[at(row[k])];
      product[at(row[k])] += value[k] * x[j];
    }
    product[j] += sum;
  }
}

}  // namespace

void RefinedCholesky::analyse(const Matrix& lower) {
  matrix_ = lower;
  nodes_ = supernodes_of(lower);
  in_floats_.analyse(nodes_);
  in_doubles_.reset();
  for (auto* field :
       {&x_, &residual_, &preconditioned_, &direction_, &product_, &side_, &solution_}) {
    field->resize(at(lower.rows()));
  }
}

bool RefinedCholesky::factor(const Matrix& lower, Threads& threads) {
  std::copy(lower.valuePtr(), lower.valuePtr() + lower.nonZeros(), matrix_.valuePtr());
  is_in_doubles_ = false;
  return in_floats_.factor(lower, threads) || take_doubles(threads);
}

bool RefinedCholesky::take_doubles(Threads& threads) {
  if (in_doubles_ == nullptr) {
    in_doubles_ = std::make_unique<SupernodalCholesky<double>>(level_);
    in_doubles_->analyse(nodes_);
  }
  is_in_doubles_ = in_doubles_->factor(matrix_, threads);
  return is_in_doubles_;
}

/// Conjugate gradients [Golub & Van Loan 2013, Alg. 11.5.1]. False: not within `most_iterations`.
bool RefinedCholesky::refine(const double* b, double* x, Threads& threads) {
  double largest = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) largest = std::max(largest, std::abs(b[i]));
  const double scale = scale_to_floats(largest);  // so that squares neither overflow nor vanish
  for (std::size_t i = 0; i < x_.size(); ++i) residual_[i] = scale * b[i];
  std::fill(x_.begin(), x_.end(), 0.0);
  const double enough = digits * digits * dot(residual_, residual_);
  double before = 0;
  for (int i = 0;; ++i) {
    const double left = dot(residual_, residual_);
    if (left <= enough) break;
    if (i == most_iterations || !std::isfinite(left)) return false;
    in_floats_.solve(residual_.data(), preconditioned_.data(), threads);
    const double slope = dot(residual_, preconditioned_);
    if (!(slope > 0)) return false;
    const double kept = i == 0 ? 0 : slope / before;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      direction_[k] = preconditioned_[k] + kept * direction_[k];
    }
    before = slope;
    multiply(matrix_, direction_, product_);
    const double curvature = dot(direction_, product_);
    if (!(curvature > 0)) return false;
    const double length = slope / curvature;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      x_[k] += length * direction_[k];
      residual_[k] -= length * product_[k];
    }
  }
  for (std::size_t i = 0; i < x_.size(); ++i) x[i] = x_[i] / scale;
  return true;
}

void RefinedCholesky::solve(const double* b, double* x, Threads& threads) {
  if (!is_in_doubles_ && refine(b, x, threads)) return;
  if (is_in_doubles_ || take_doubles(threads)) return in_doubles_->solve(b, x, threads);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x[i] = b[i] / std::abs(matrix_.valuePtr()[matrix_.outerIndexPtr()[i]]);
  }
}

void RefinedCholesky::solve4(const double* b, double* x, Threads& threads) {
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t i = 0; i < side_.size(); ++i) side_[i] = b[4 * i + c];
    solve(side_.data(), solution_.data(), threads);
    for (std::size_t i = 0; i < side_.size(); ++i) x[4 * i + c] = solution_[i];
  }
}

}  // namespace supple
