#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/spd_solver.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A row of one or four right-hand sides. The vector typedef stands in a trait of its own because a
/// template argument would lose its attributes.
template <int sides>
struct RowOf {
  using type = double;
};
template <>
struct RowOf<4> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};

class EigenCholesky final : public SpdSolver {
 public:
  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    cholesky_.analyzePattern(lower);
    factored_ = false;
  }

  bool factor(const Matrix& lower) override {
    cholesky_.factorize(lower);
    factored_ = cholesky_.info() == Eigen::Success;
    if (!factored_) return false;
    const auto& factor = cholesky_.matrixL().nestedExpression();
    const auto n = static_cast<std::size_t>(factor.rows());
    inverse_diagonal_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      inverse_diagonal_[j] = 1 / factor.valuePtr()[factor.outerIndexPtr()[j]];
      // A matrix that holds a NaN passes Eigen's test of the pivots.
      if (!std::isfinite(inverse_diagonal_[j])) factored_ = false;
    }
    return factored_;
  }

  void solve(const double* b, double* x) override { substitute<1>(b, x); }
  void solve4(const double* b, double* x) override { substitute<4>(b, x); }

  long long factor_entries() const override {
    return factored_ ? cholesky_.matrixL().nestedExpression().nonZeros() : 0;
  }

 private:
  template <int sides>
  void substitute(const double* b, double* x) {
    using Row = typename RowOf<sides>::type;
    if (!factored_) return;
    const auto& factor = cholesky_.matrixL().nestedExpression();
    const int n = static_cast<int>(factor.rows());
    const int* start = factor.outerIndexPtr();
    const int* row = factor.innerIndexPtr();
    const double* value = factor.valuePtr();
    if (x != b) std::copy(b, b + static_cast<std::ptrdiff_t>(n) * sides, x);
    Row* y = reinterpret_cast<Row*>(x);
    // L y = b, column by column; the diagonal entry stands first in each.
    for (int j = 0; j < n; ++j) {
      const Row yj = y[j] * inverse_diagonal_[static_cast<std::size_t>(j)];
      y[j] = yj;
      for (int k = start[j] + 1; k < start[j + 1]; ++k) y[row[k]] -= value[k] * yj;
    }
    // L^T x = y.
    for (int j = n - 1; j >= 0; --j) {
      Row sum = y[j];
      for (int k = start[j] + 1; k < start[j + 1]; ++k) sum -= value[k] * y[row[k]];
      y[j] = sum * inverse_diagonal_[static_cast<std::size_t>(j)];
    }
  }

  Eigen::SimplicialLLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> cholesky_;
  std::vector<double> inverse_diagonal_;
  bool factored_ = false;
};

}  // namespace

std::unique_ptr<SpdSolver> make_eigen_cholesky() { return std::make_unique<EigenCholesky>(); }

}  // namespace supple
