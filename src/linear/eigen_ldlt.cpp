#include <Eigen/SparseCholesky>
#include <cmath>

#include "linear/spd_solver.h"
#include "supple/error.h"

namespace supple {

namespace {

class EigenLdlt final : public SpdSolver {
 public:
  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    ldlt_.analyzePattern(lower);
    factored_ = false;
  }

  bool factor(const Matrix& lower, Threads&) override {
    ldlt_.factorize(lower);
    factored_ = ldlt_.info() == Eigen::Success && ldlt_.vectorD().allFinite() &&
                (ldlt_.vectorD().array() != 0).all();
    return factored_;
  }

  void solve(const double* b, double* x, Threads&) override { solve_sides<1>(b, x); }
  void solve4(const double* b, double* x, Threads&) override { solve_sides<4>(b, x); }

  long long factor_entries() const override {
    if (!factored_) return 0;
    // Eigen stores the diagonal separately.
    return ldlt_.matrixL().nestedExpression().nonZeros() + ldlt_.rows();
  }

 private:
  template <int sides>
  void solve_sides(const double* b, double* x) {
    if (!factored_) return;
    using Sides = Eigen::Matrix<double, Eigen::Dynamic, sides,
                                sides == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    const Sides right = Eigen::Map<const Sides>(b, ldlt_.rows(), sides);
    Eigen::Map<Sides>(x, ldlt_.rows(), sides) = ldlt_.solve(right);
  }

  Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> ldlt_;
  bool factored_ = false;
};

}  // namespace

std::unique_ptr<SpdSolver> make_eigen_ldlt() { return std::make_unique<EigenLdlt>(); }

}  // namespace supple
