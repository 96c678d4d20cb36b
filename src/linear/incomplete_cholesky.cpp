#include <cmath>
#include <vector>

#include "linear/preconditioner.h"
#include "linear/sparse_kernels.h"

namespace supple {

namespace {

/// A pivot below this part of the column's original diagonal counts as not positive: cancellation
/// has then left little more than rounding.
constexpr double least_pivot = 1e-10;
constexpr double first_shift = 1e-3;
constexpr double shift_growth = 4;
/// 2 suffices in exact arithmetic.
constexpr double largest_shift = 16;

class IncompleteCholesky final : public Preconditioner {
 public:
  void analyse(const SpdSolver::Matrix& lower) override {
    const auto n = static_cast<std::size_t>(lower.rows());
    start_.assign(lower.outerIndexPtr(), lower.outerIndexPtr() + n + 1);
    row_.assign(lower.innerIndexPtr(), lower.innerIndexPtr() + lower.nonZeros());
    value_.resize(row_.size());
    inverse_diagonal_.resize(n);
    row_sum_.resize(n);
  }

  bool update(const SpdSolver::Matrix& lower) override {
    const double* values = lower.valuePtr();
    if (!sum_rows(values)) return false;
    double shift = 0;
    while (!factor(values, shift)) {
      shift = shift == 0 ? first_shift : shift_growth * shift;
      if (shift > largest_shift) return false;
    }
    return true;
  }

  void apply(const double* r, double* z) override { kernels_->substitute(factor_view(), 1, r, z); }
  void apply4(const double* r, double* z) override { kernels_->substitute(factor_view(), 4, r, z); }

 private:
  const SparseKernels* kernels_ = &sparse_kernels(simd_level_in_use());

  int size() const { return static_cast<int>(inverse_diagonal_.size()); }
  LowerFactor factor_view() const {
    return {size(), start_.data(), row_.data(), value_.data(), inverse_diagonal_.data()};
  }

  /// False: an entry is not finite.
  bool sum_rows(const double* values) {
    std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
    bool finite = true;
    for (int j = 0; j < size(); ++j) {
      for (int k = start_[j]; k < start_[j + 1]; ++k) {
        const double entry = std::abs(values[k]);
        finite = finite && std::isfinite(entry);
        row_sum_[static_cast<std::size_t>(row_[k])] += entry;
        if (row_[k] != j) row_sum_[static_cast<std::size_t>(j)] += entry;
      }
    }
    return finite;
  }

  /// Goes column by column. Each subtracts its contribution from the columns to its right where
  /// they have an entry. False: a pivot is not positive.
  bool factor(const double* values, double shift) {
    std::copy(values, values + value_.size(), value_.begin());
    for (int j = 0; j < size(); ++j) value_[start_[j]] += shift * row_sum_[j];
    for (int j = 0; j < size(); ++j) {
      const int first = start_[j], last = start_[j + 1];
      const double pivot = value_[first];
      if (!(pivot > least_pivot * std::abs(values[first]))) return false;
      inverse_diagonal_[j] = 1 / std::sqrt(pivot);
      value_[first] = std::sqrt(pivot);
      for (int k = first + 1; k < last; ++k) value_[k] *= inverse_diagonal_[j];
      for (int k = first + 1; k < last; ++k) {
        const double factor = value_[k];
        // Rows that both columns have, ascending.
        int to = start_[row_[k]];
        const int end = start_[row_[k] + 1];
        for (int from = k; from < last; ++from) {
          while (to < end && row_[to] < row_[from]) ++to;
          if (to == end) break;
          if (row_[to] == row_[from]) value_[to] -= factor * value_[from];
        }
      }
    }
    return true;
  }

  std::vector<int> start_, row_;  ///< pattern, column after column, the diagonal entry first
  std::vector<double> value_;
  std::vector<double> inverse_diagonal_;  ///< [n]
  std::vector<double> row_sum_;           ///< [n], sum_j |a_ij|
};

}  // namespace

std::unique_ptr<Preconditioner> make_incomplete_cholesky() {
  return std::make_unique<IncompleteCholesky>();
}

}  // namespace supple
