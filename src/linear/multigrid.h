#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linear/aggregation.h"
#include "linear/grid_kernels.h"
#include "linear/spd_solver.h"

namespace supple {

/// H b, with H near A^-1, by one symmetric cycle over two or more grids. It is meant for large
/// matrices with mostly negative off-diagonal entries (a Laplacian and masses). With
/// Â = D^-1/2 A D^-1/2, a cycle does three steps of Chebyshev smoothing [Adams et al. 2003],
/// restricts the remainder by P^T (aggregation.h) to a coarse grid, solves with P^T Â P there, and
/// smooths in reverse. The coarse grid is solved by Cholesky, or by a cycle of its own with two
/// smoothing steps if its factor would be large.
///
/// I - H A = K (I - Pi) K. K is a polynomial below one on the spectrum of Â, whose bound is
/// guaranteed. Pi is a projection (with more grids: has eigenvalues in [0, 1]). Both are symmetric
/// in the product of A. So H is symmetric positive definite and H A has its eigenvalues in (0, 1],
/// however poor the coarse grid is. Products leave out weak entries of Â and keep the others with
/// eight binary digits, in floats. H A therefore satisfies this to some hundredths, except for
/// errors whose energy is below what floats resolve (a free body moved as a whole: 1e-7 of what
/// bending it costs). descent/prefactored_system.h removes those.
///
/// `factor` also returns false if a cycle leaves more than `most_left` of an error.
class Multigrid final : public SpdSolver {
 public:
  /// depth: of this grid; 0 is the finest.
  explicit Multigrid(SimdLevel level, int depth = 0)
      : kernels_(&grid_kernels(level)), level_(level), depth_(depth) {}

  void analyse(const Matrix&) override {}
  bool factor(const Matrix& lower, Threads& threads) override;
  void solve(const double* b, double* x, Threads& threads) override;
  void solve4(const double* b, double* x, Threads& threads) override;
  void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) override;
  /// Entries of the coarsest grid's factor.
  long long factor_entries() const override {
    return coarse_ != nullptr ? coarse_->factor_entries() : 0;
  }
  bool is_direct() const override { return false; }

  /// The share of the worst of some errors that a cycle left, in the norm of A, measured by
  /// `factor`.
  double contraction() const { return contraction_; }
  int coarse_rows() const { return coarse_rows_; }
  int num_grids() const { return num_grids_; }

  static constexpr double most_left = 0.6;

 private:
  struct Slices {
    int window = 0;  ///< rows that are sorted among themselves
    std::vector<int> start, row, column;
    std::vector<float> value, diagonal;
    std::vector<std::uint32_t> word;
    int count() const { return static_cast<int>(start.size()) - 1; }
    RowSlices view() const {
      return {start.data(),
              row.data(),
              column.data(),
              value.data(),
              word.empty() ? nullptr : word.data(),
              diagonal.data()};
    }
  };
  int fine_window() const;
  std::vector<double> near_null() const;
  static Slices sliced(const RowMatrix& A, int rows, bool in_words);
  bool make_coarse(const RowMatrix& A, Threads& threads);
  bool factor_coarse(const Matrix& lower, Threads& threads);
  void measure(const RowMatrix& A, Threads& threads);
  template <class Work>
  static void for_slices(const Slices& slices, Threads& threads, const Work& work);
  template <class Ends>
  void cycle(Ends& ends, double* x, Threads& threads);
  void smooth(const float* x, const float* y, float a, float b, float c, float* to,
              Threads& threads);

  const GridKernels* kernels_;
  SimdLevel level_;
  int depth_;
  int n_ = 0, coarse_rows_ = 0, num_grids_ = 1;
  double bound_ = 0;           ///< of the eigenvalues of Â
  double largest_scale_ = 1;   ///< of D^-1/2
  std::vector<double> scale_;  ///< [n], D^-1/2 over largest_scale_
  Slices fine_, prolongation_, restriction_;
  std::unique_ptr<SpdSolver> coarse_;  ///< null: no row has a strong connection
  std::vector<float> y_, u_, z_;       ///< [4 n]
  std::vector<double> coarse_x_;       ///< [4 coarse_rows]
  std::vector<float> coarse_float_;    ///< [4 coarse_rows]
  std::vector<double> one_side_;       ///< [4 n], for `solve`, which allocates it
  std::vector<double> largest_;        ///< largest entries of some rows of b
  double contraction_ = 1;
};

}  // namespace supple
