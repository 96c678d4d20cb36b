#pragma once

#include <memory>
#include <vector>

#include "linear/cg.h"
#include "linear/float_cholesky.h"
#include "linear/preconditioner.h"
#include "linear/supernodal_cholesky.h"
#include "linear/symmetric_matrix.h"

namespace supple {

/// A factor that is made and kept in floats, at half the cost of one in doubles, as preconditioner
/// of conjugate gradients in doubles (cg.h), which give each solution `digits`: after two or three
/// of them, since the factor is off by rounding alone. Where floats do not hold the matrix there is
/// a factor in doubles, made when that is found. Which it is depends on the matrix and the
/// right-hand sides since it was factorised alone. Of a matrix that is taken for positive definite
/// in floats and is not in doubles the diagonal is solved with.
class RefinedCholesky final : public SpdSolver {
 public:
  /// Of a solution: |b - A x| over |b|.
  static constexpr double digits = 1e-10;

  explicit RefinedCholesky(SimdLevel level) : level_(level), in_floats_(level), cg_(0, 1) {}

  void analyse(const Matrix& lower) override;
  bool factor(const Matrix& lower, Threads& threads) override;
  void solve(const double* b, double* x, Threads& threads) override;
  void solve4(const double* b, double* x, Threads& threads) override;
  long long factor_entries() const override {
    return is_in_doubles_ ? in_doubles_->factor_entries() : in_floats_.factor.factor_entries();
  }

 private:
  struct FloatFactor final : Preconditioner {
    explicit FloatFactor(SimdLevel level) : factor(level) {}
    void analyse(const Matrix& lower) override { factor.analyse(lower); }
    bool update(const Matrix& lower) override { return factor.factor(lower, *threads); }
    void apply(const double* r, double* z) override { factor.solve(r, z, *threads); }
    void apply4(const double*, double*) override {}  // of one side alone
    FloatCholesky factor;
    Threads* threads = nullptr;  ///< those of the call
  };
  bool refine(const double* b, double* x, Threads& threads);
  bool take_doubles(Threads& threads);

  SimdLevel level_;
  FloatFactor in_floats_;
  std::unique_ptr<SupernodalCholesky<double>> in_doubles_;
  bool is_in_doubles_ = false;
  Matrix lower_;
  SymmetricMatrix products_;  ///< the same
  ConjugateGradients cg_;
  std::vector<double> scaled_, side_, solution_;  ///< [n]
};

}  // namespace supple
