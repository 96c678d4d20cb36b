#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "base/index.h"
#include "linear/front.h"
#include "linear/panel_solve.h"
#include "linear/panels.h"
#include "linear/spd_solver.h"
#include "linear/subtrees.h"
#include "linear/supernodes.h"

namespace supple {

/// Throws Error{invalid_input} for a matrix that is not square.
Supernodes supernodes_of(const SpdSolver::Matrix& lower);

/// The supernodal factor with panels (panels.h) of double or float entries, computed in doubles. It
/// does not check whether those hold the matrix.
template <class Real>
class SupernodalCholesky final : public SpdSolver {
  /// Floats are for the many solves of a constant matrix.
  static constexpr bool has_products = std::is_same_v<Real, float>;
  /// Rows of right-hand sides that a thread loads or stores at a time.
  static constexpr int rows_per_chunk = 1024;

 public:
  explicit SupernodalCholesky(SimdLevel level)
      : solve_kernels_(&solve_kernels(level)), front_kernels_(&front_kernels(level)) {}

  void analyse(const Matrix& lower) override {
    analyse(std::make_shared<const Supernodes>(supernodes_of(lower)));
  }
  void analyse(const Matrix&, const std::shared_ptr<const FactorPattern>& pattern) override {
    analyse(std::shared_ptr<const Supernodes>(pattern, &pattern->nodes));
  }
  void analyse(std::shared_ptr<const Supernodes> nodes);

  bool factor(const Matrix& lower, Threads& threads) override;
  bool copy_factor(const SpdSolver& other) override;

  void solve(const double* b, double* x, Threads& threads) override;
  void solve4(const double* b, double* x, Threads& threads) override;
  void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) override;

  bool has_half_way() const override { return factored_ && has_products; }

  long long factor_entries() const override {
    long long entries = 0;
    for (int s = 0; s < nodes_->count(); ++s) {
      const long long width = nodes_->width(s);
      entries += width * (width + 1) / 2 + width * nodes_->num_rows(s);
    }
    return factored_ ? entries : 0;
  }

 private:
  /// Rows of a child's remainder that are contiguous in the front too.
  struct Run {
    int first, last;  ///< of the remainder
    int place;        ///< of the first row, in the front
  };

  /// What one thread needs for a front.
  struct Front {
    std::vector<int> place;  ///< [n], the front's row for a row of the matrix
    std::vector<Run> runs;
    std::vector<double> front, inverse, below;
  };

  /// Supernodes for one thread, and where they put what they subtract from the rows above them.
  struct Share {
    std::vector<int> nodes;  ///< ascending
    int root = -1;           ///< -1: nothing is above
    int area = 0;            ///< its first row
    std::vector<int> above;  ///< places in y, outside the area, of the area's rows
    std::vector<int> parts;  ///< shares whose areas this one adds before its own nodes, ascending
  };

  std::vector<int> make_shares();
  void place_rows();
  int place_in(const Share& share, int row) const;
  bool eliminate(int s, const Matrix& lower, Front& own);
  void add_remainder(int child, Front& own, std::size_t size);
  template <int sides, class Ends>
  void substitute(Ends& ends, double* x, Threads& threads);
  template <int sides>
  void sweep_forwards(Threads& threads);
  template <int sides>
  void sweep_backwards(Threads& threads);
  FactorView<Real> view() const {
    return {.panels = panels_.values(),
            .panel_start = panels_.start(),
            .first = nodes_->first.data(),
            .row_start = padded_start_.data(),
            .rows = padded_rows_.data(),
            .scratch_half = static_cast<std::ptrdiff_t>(scratch_size_ / 2)};
  }
  /// Whether threads take whole branches: that is enough to keep so few threads busy, and saves a
  /// synchronisation. Otherwise the subtrees come first, then the rest of the branches.
  bool goes_by_branches(const Threads& threads) const;
  template <int sides>
  void forwards(std::size_t share);
  template <int sides>
  void backwards(std::size_t share);
  template <int sides>
  void fetch_rows_above(const Share& share);
  template <int sides>
  void add_to_rows_above(const Share& share);

  const SolveKernels* solve_kernels_;
  const FrontKernels* front_kernels_;
  int n_ = 0;
  std::shared_ptr<const Supernodes> nodes_;
  detail::Panels<Real> panels_;
  SupernodeChildren children_;
  /// Those of the subtrees, then those of the branches, then that of the top, of which there is
  /// one.
  std::vector<Share> shares_;
  int num_subtrees_ = 0, num_branches_ = 0;
  /// Rows below each diagonal block as places in y, padded to whole tiles.
  std::vector<int> padded_start_, padded_rows_;
  /// Right-hand sides during a solve: [(n + 1) * 4], followed by the shares' areas.
  std::vector<Real> y_;
  std::vector<Real> scratch_;  ///< rows of one panel for each share
  std::size_t scratch_size_ = 0;
  std::vector<double> largest_;  ///< [number of chunks], largest entry of each chunk of the
                                 ///< right-hand sides
  /// [count], what a front leaves to its parent: the lower triangle, column after column
  std::vector<std::unique_ptr<double[]>> left_;
  bool factored_ = false;
};

extern template class SupernodalCholesky<double>;
extern template class SupernodalCholesky<float>;

}  // namespace supple
