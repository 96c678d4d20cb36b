#include <Eigen/SparseCholesky>
#include <cmath>
#include <vector>

#include "linear/sparse_kernels.h"
#include "linear/spd_solver.h"
#include "supple/error.h"

namespace supple {

namespace {

class EigenCholesky final : public SpdSolver {
 public:
  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    cholesky_.analyzePattern(lower);
    factored_ = false;
  }

  bool factor(const Matrix& lower, Threads&) override {
    cholesky_.factorize(lower);
    factored_ = cholesky_.info() == Eigen::Success;
    if (!factored_) return false;
    const auto& factor = cholesky_.matrixL().nestedExpression();
    const auto n = static_cast<std::size_t>(factor.rows());
    inverse_diagonal_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      inverse_diagonal_[j] = 1 / factor.valuePtr()[factor.outerIndexPtr()[j]];
      // A matrix with a NaN passes Eigen's test of the pivots.
      if (!std::isfinite(inverse_diagonal_[j])) factored_ = false;
    }
    return factored_;
  }

  void solve(const double* b, double* x, Threads&) override { substitute<1>(b, x); }
  void solve4(const double* b, double* x, Threads&) override { substitute<4>(b, x); }

  long long factor_entries() const override {
    return factored_ ? cholesky_.matrixL().nestedExpression().nonZeros() : 0;
  }

 private:
  template <int sides>
  void substitute(const double* b, double* x) {
    if (!factored_) return;
    const auto& factor = cholesky_.matrixL().nestedExpression();
    kernels_->substitute({static_cast<int>(factor.rows()), factor.outerIndexPtr(),
                          factor.innerIndexPtr(), factor.valuePtr(), inverse_diagonal_.data()},
                         sides, b, x);
  }

  Eigen::SimplicialLLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> cholesky_;
  const SparseKernels* kernels_ = &sparse_kernels(simd_level_in_use());
  std::vector<double> inverse_diagonal_;
  bool factored_ = false;
};

}  // namespace

std::unique_ptr<SpdSolver> make_eigen_cholesky() { return std::make_unique<EigenCholesky>(); }

}  // namespace supple
