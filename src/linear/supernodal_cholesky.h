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

/// The supernodal factor with panels of one kind of entries (panels.h), double or float, made in
/// doubles. It does not look whether they hold the matrix.
template <class Real>
class SupernodalCholesky final : public SpdSolver {
  /// Floats are for the many solves of a constant matrix.
  static constexpr bool has_products = std::is_same_v<Real, float>;
  /// Right-hand sides that a thread brings in or out at a time.
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
  /// Rows of a child's remainder that follow each other in the front too.
  struct Run {
    int first, last;  ///< of the remainder
    int place;        ///< of the first, in the front
  };

  /// What one thread needs for a front.
  struct Front {
    std::vector<int> place;  ///< [n], row of the front that a row of the matrix has
    std::vector<Run> runs;
    std::vector<double> front, inverse, below;
  };

  /// Supernodes that one thread takes, and where they put what they take off the rows above them.
  struct Share {
    std::vector<int> nodes;  ///< ascending
    int root = -1;           ///< none: nothing is above
    int area = 0;            ///< its first row
    std::vector<int> above;  ///< places in y that the area's rows have outside it
    std::vector<int> parts;  ///< shares whose areas it adds up before its own nodes, ascending
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
  /// Whether a thread takes a branch with all that is in it, which keeps so few threads busy and
  /// spares them a meeting; else the subtrees come first, then what is left of the branches.
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
  /// The subtrees', then those of the branches, then that of the top, of which there is one.
  std::vector<Share> shares_;
  int num_subtrees_ = 0, num_branches_ = 0;
  /// Rows below each diagonal block, filled up to whole tiles, as places in y.
  std::vector<int> padded_start_, padded_rows_;
  /// Right-hand sides on their way: [(n + 1) * 4] and behind them the shares' areas.
  std::vector<Real> y_;
  std::vector<Real> scratch_;  ///< rows of one panel for each share
  std::size_t scratch_size_ = 0;
  std::vector<double> largest_;  ///< [number of chunks], entry of a chunk of the right-hand sides
  /// [count], what a front leaves to its parent: the lower triangle, column after column
  std::vector<std::unique_ptr<double[]>> left_;
  bool factored_ = false;
};

extern template class SupernodalCholesky<double>;
extern template class SupernodalCholesky<float>;

}  // namespace supple
