#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/index.h"
#include "linear/multigrid.h"
#include "linear/refined_cholesky.h"
#include "linear/spd_solver.h"
#include "linear/supernodal_cholesky.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A . x for a symmetric matrix given by its lower triangle, and |A| . |x|.
void multiply(const SpdSolver::Matrix& lower, const std::vector<double>& x,
              std::vector<double>& product, std::vector<double>& size) {
  std::fill(product.begin(), product.end(), 0.0);
  std::fill(size.begin(), size.end(), 0.0);
  for (int j = 0; j < lower.outerSize(); ++j) {
    for (SpdSolver::Matrix::InnerIterator entry(lower, j); entry; ++entry) {
      const double a = entry.value();
      const std::size_t i = at(entry.row());
      product[i] += a * x[at(j)];
      size[i] += std::abs(a * x[at(j)]);
      if (entry.row() == j) continue;
      product[at(j)] += a * x[i];
      size[at(j)] += std::abs(a * x[i]);
    }
  }
}

/// Entries of the factor above which multigrid is tried: 8 MB of floats. Below that size caches
/// keep up with a factor (docs/notes/what_makes_it_fast.md). It is a constant, so a machine's
/// caches never show in a result.
constexpr std::ptrdiff_t most_in_a_factor = std::ptrdiff_t{1} << 21;

/// Error of a residual's entry, relative to the absolute values of its terms. Bodies of 10,000 to
/// 200,000 tets have 2e-6 in floats. If a factor leaves much more than rounding, it does not hold
/// the matrix.
constexpr double tolerance_of_floats = 1e-4;

std::shared_ptr<const FactorPattern> pattern_of_whole(const SpdSolver::Matrix& lower) {
  if (lower.rows() != lower.cols()) {
    throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
  }
  const auto n = static_cast<int>(lower.rows());
  return std::make_shared<const FactorPattern>(
      analyse_pattern({n, lower.outerIndexPtr(), lower.innerIndexPtr()}));
}

/// Multigrid; if that does not hold the matrix, a factor in floats; if floats do not hold it, a
/// factor in doubles.
class MixedCholesky final : public SpdSolver {
 public:
  MixedCholesky(Precision precision, SimdLevel level) : precision_(precision), level_(level) {}

  void analyse(const Matrix& lower) override { analyse(lower, pattern_of_whole(lower)); }
  void analyse(const Matrix&, const std::shared_ptr<const FactorPattern>& pattern) override {
    pattern_ = pattern;
    tries_grids_ = precision_ == Precision::multigrid ||
                   (precision_ == Precision::mixed && pattern_->num_entries() > most_in_a_factor);
    multigrid_.reset();
    in_floats_.reset();
    in_doubles_.reset();
    solver_ = nullptr;
  }

  /// What did not hold the previous matrix may hold the next one.
  bool factor(const Matrix& lower, Threads& threads) override {
    solver_ = nullptr;
    in_doubles_.reset();
    if (tries_grids_) {
      if (multigrid_ == nullptr) multigrid_ = std::make_unique<Multigrid>(level_);
      if (multigrid_->factor(lower, threads)) {
        in_floats_.reset();
        solver_ = multigrid_.get();
        return true;
      }
      multigrid_.reset();
    }
    if (!factor_as(in_floats_, lower, threads)) return false;
    if (holds(lower, tolerance_of_floats, threads)) return true;
    in_floats_.reset();
    return factor_as(in_doubles_, lower, threads);
  }

  /// Copies only factors in floats, which most are.
  bool copy_factor(const SpdSolver& other) override {
    const auto* const own_kind = dynamic_cast<const MixedCholesky*>(&other);
    if (own_kind == nullptr || own_kind->in_floats_ == nullptr) return false;
    in_floats_ = std::make_unique<SupernodalCholesky<float>>(level_);
    in_floats_->analyse({}, pattern_);
    if (!in_floats_->copy_factor(*own_kind->in_floats_)) return false;
    solver_ = in_floats_.get();
    return true;
  }

  bool is_direct() const override { return solver_ == nullptr || solver_->is_direct(); }
  void solve(const double* b, double* x, Threads& threads) override {
    if (solver_ != nullptr) solver_->solve(b, x, threads);
  }
  void solve4(const double* b, double* x, Threads& threads) override {
    if (solver_ != nullptr) solver_->solve4(b, x, threads);
  }
  void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) override {
    if (solver_ != nullptr) solver_->solve4_between(ends, n, x, threads);
  }
  bool has_half_way() const override { return solver_ != nullptr && solver_->has_half_way(); }
  long long factor_entries() const override {
    return solver_ != nullptr ? solver_->factor_entries() : 0;
  }

 private:
  template <class Real>
  bool factor_as(std::unique_ptr<SupernodalCholesky<Real>>& own, const Matrix& lower,
                 Threads& threads) {
    solver_ = nullptr;
    if (own == nullptr) {
      own = std::make_unique<SupernodalCholesky<Real>>(level_);
      own->analyse(lower, pattern_);
    }
    if (!own->factor(lower, threads)) return false;
    solver_ = own.get();
    return true;
  }

  /// Whether A x gives b again for b = A (1, -1, 2, 1, -1, ...).
  bool holds(const Matrix& lower, double tolerance, Threads& threads) {
    const auto n = at(lower.rows());
    std::vector<double> x(n), b(n), size(n), product(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 == 0 ? 1 : (i % 3 == 1 ? -1 : 2);
    multiply(lower, x, b, size);
    solver_->solve(b.data(), x.data(), threads);
    multiply(lower, x, product, size);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(std::abs(product[i] - b[i]) <= tolerance * size[i])) return false;
    }
    return true;
  }

  Precision precision_;
  SimdLevel level_;
  bool tries_grids_ = false;
  std::shared_ptr<const FactorPattern> pattern_;
  std::unique_ptr<Multigrid> multigrid_;
  std::unique_ptr<SupernodalCholesky<float>> in_floats_;
  std::unique_ptr<SupernodalCholesky<double>> in_doubles_;
  SpdSolver* solver_ = nullptr;  ///< the one of these that holds the matrix
};

}  // namespace

std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision, SimdLevel level) {
  if (precision == Precision::full) return std::make_unique<SupernodalCholesky<double>>(level);
  if (precision == Precision::refined) return std::make_unique<RefinedCholesky>(level);
  return std::make_unique<MixedCholesky>(precision, level);
}

}  // namespace supple
