#pragma once

#include <memory>
#include <vector>

#include "linear/cg.h"
#include "linear/float_cholesky.h"
#include "linear/preconditioner.h"
#include "linear/supernodal_cholesky.h"
#include "linear/symmetric_matrix.h"

namespace supple {

/// A solver with a factor in floats, at half the cost of one in doubles. The factor preconditions
/// conjugate gradients in doubles (cg.h), which give each solution `digits`. They need two or three
/// iterations, since only rounding separates the factor from the matrix. If floats do not hold the
/// matrix, a factor in doubles is made as soon as that is found. Which of the two is used depends
/// only on the matrix and on the right-hand sides since it was factorised. If a matrix is positive
/// definite in floats but not in doubles, only its diagonal is used.
class RefinedCholesky final : public SpdSolver {
 public:
  /// |b - A x| over |b| of a solution.
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
    void apply4(const double*, double*) override {}  // one side only
    FloatCholesky factor;
    Threads* threads = nullptr;  ///< of the current call
  };
  bool refine(const double* b, double* x, Threads& threads);
  bool take_doubles(Threads& threads);

  SimdLevel level_;
  FloatFactor in_floats_;
  std::unique_ptr<SupernodalCholesky<double>> in_doubles_;
  bool is_in_doubles_ = false;
  Matrix lower_;
  SymmetricMatrix products_;  ///< lower_, for products
  ConjugateGradients cg_;
  std::vector<double> scaled_, side_, solution_;  ///< [n]
};

}  // namespace supple
