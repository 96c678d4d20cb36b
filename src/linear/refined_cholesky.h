#pragma once

#include <memory>
#include <vector>

#include "linear/supernodal_cholesky.h"

namespace supple {

/// A factor that is made and kept in floats, at half the cost of one in doubles, before conjugate
/// gradients in doubles, which give each solution `digits` [Golub & Van Loan 2013, sec. 11.5]: two
/// or three of them, since the factor is off by rounding alone. Where floats do not hold the matrix
/// there is a factor in doubles, made when that is found. Which it is depends on the matrix and the
/// right-hand sides since it was factorised alone. Of a matrix that is taken for positive definite
/// in floats and is not in doubles the diagonal is solved with.
class RefinedCholesky final : public SpdSolver {
 public:
  /// Of a solution: |b - A x| over |b|.
  static constexpr double digits = 1e-10;

  explicit RefinedCholesky(SimdLevel level) : level_(level), in_floats_(level) {}

  void analyse(const Matrix& lower) override;

  bool factor(const Matrix& lower, Threads& threads) override;

  void solve(const double* b, double* x, Threads& threads) override;
  void solve4(const double* b, double* x, Threads& threads) override;
  long long factor_entries() const override {
    return is_in_doubles_ ? in_doubles_->factor_entries() : in_floats_.factor_entries();
  }

 private:
  bool refine(const double* b, double* x, Threads& threads);
  bool take_doubles(Threads& threads);

  SimdLevel level_;
  Supernodes nodes_;
  SupernodalCholesky<float, float> in_floats_;
  std::unique_ptr<SupernodalCholesky<double>> in_doubles_;
  bool is_in_doubles_ = false;
  Matrix matrix_;
  std::vector<double> x_, residual_, preconditioned_, direction_, product_;  ///< [n]
  std::vector<double> side_, solution_;                                      ///< [n], of solve4
};

}  // namespace supple
