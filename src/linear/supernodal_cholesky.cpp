#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "linear/front.h"
#include "linear/panel_solve.h"
#include "linear/panels.h"
#include "linear/spd_solver.h"
#include "linear/subtrees.h"
#include "linear/supernodes.h"
#include "supple/error.h"

namespace supple {

namespace {

using detail::Panels;
using detail::tiles;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

using Dense = Eigen::MatrixXd;

const PanelKernels<float>& panels_of(const SolveKernels& kernels, float) {
  return kernels.of_floats;
}
const PanelKernels<double>& panels_of(const SolveKernels& kernels, double) {
  return kernels.of_doubles;
}

template <class Real>
class SupernodalCholesky final : public SpdSolver {
  /// Floats are for the many solves of a constant matrix, doubles for Newton's factors.
  static constexpr bool has_products = std::is_same_v<Real, float>;
  /// Right-hand sides that a thread brings in or out at a time.
  static constexpr int rows_per_chunk = 4096;

 public:
  explicit SupernodalCholesky(SimdLevel level)
      : solve_kernels_(&solve_kernels(level)), front_kernels_(&front_kernels(level)) {}

  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    factored_ = false;
    n_ = static_cast<int>(lower.rows());
    nodes_ = find_supernodes({n_, lower.outerIndexPtr(), lower.innerIndexPtr()});
    panels_.allocate(nodes_);
    largest_.resize(std::max<std::size_t>(1, at((n_ + rows_per_chunk - 1) / rows_per_chunk)));
    find_children();
    place_rows();
  }

  bool factor(const Matrix& lower, Threads& threads) override;

  void solve(const double* b, double* x, Threads& threads) override {
    substitute<1>(b, x, threads);
  }
  void solve4(const double* b, double* x, Threads& threads) override {
    substitute<4>(b, x, threads);
  }

  long long factor_entries() const override {
    long long entries = 0;
    for (int s = 0; s < nodes_.count(); ++s) {
      const long long width = nodes_.width(s);
      entries += width * (width + 1) / 2 + width * nodes_.num_rows(s);
    }
    return factored_ ? entries : 0;
  }

 private:
  /// What one thread needs for a front.
  struct Front {
    std::vector<int> place;  ///< [n], row of the front that a row of the matrix has
    Dense front, inverse, below;
  };

  void find_children();
  void place_rows();
  bool eliminate(int s, const Matrix& lower, Front& own);
  template <int sides>
  void substitute(const double* b, double* x, Threads& threads);
  FactorView<Real> view() const {
    return {.panels = panels_.values(),
            .panel_start = panels_.start(),
            .first = nodes_.first.data(),
            .row_start = padded_start_.data(),
            .rows = padded_rows_.data(),
            .scratch_half = static_cast<std::ptrdiff_t>(scratch_size_ / 2)};
  }
  template <int sides>
  void fetch_rows_above(std::size_t subtree);
  template <int sides>
  void add_to_rows_above(std::size_t subtree);
  Real* scratch(std::size_t task) { return &scratch_[task * scratch_size_]; }

  const SolveKernels* solve_kernels_;
  const FrontKernels* front_kernels_;
  int n_ = 0;
  Supernodes nodes_;
  Panels<Real> panels_;
  std::vector<int> child_start_, children_;  ///< of each supernode, ascending
  std::vector<Subtree> subtrees_;
  std::vector<int> ids_;   ///< [count], 0, 1, 2, ...
  std::vector<int> top_;   ///< supernodes of no subtree, ascending
  std::vector<int> area_;  ///< [num_subtrees], first row of a subtree's copy of the rows above it
  /// Rows below each diagonal block, filled up to whole tiles, as places in y.
  std::vector<int> padded_start_, padded_rows_;
  /// Right-hand sides on their way: [(n + 8) * 4] and behind them the subtrees' areas.
  std::vector<Real> y_;
  std::vector<Real> scratch_;  ///< rows of one panel for each subtree, and for the top
  std::size_t scratch_size_ = 0;
  std::vector<double> largest_;  ///< [number of chunks], entry of a chunk of the right-hand sides
  std::vector<Dense> left_;      ///< [count], what a front leaves to its parent, lower triangle
  bool factored_ = false;
};

template <class Real>
void SupernodalCholesky<Real>::find_children() {
  child_start_.assign(at(nodes_.count()) + 1, 0);
  for (const int parent : nodes_.parent) {
    if (parent >= 0) ++child_start_[at(parent) + 1];
  }
  for (std::size_t s = 1; s < child_start_.size(); ++s) child_start_[s] += child_start_[s - 1];
  children_.resize(at(child_start_.back()));
  std::vector<int> next(child_start_.begin(), child_start_.end() - 1);
  for (int s = 0; s < nodes_.count(); ++s) {
    const int parent = nodes_.parent[at(s)];
    if (parent >= 0) children_[at(next[at(parent)]++)] = s;
  }
}

/// Subtrees are worked on at the same time. What they take off the rows above them goes into an
/// area of their own, one after the other into the rows: the bits do not depend on who was first.
template <class Real>
void SupernodalCholesky<Real>::place_rows() {
  subtrees_ = independent_subtrees(nodes_);
  ids_.resize(at(nodes_.count()));
  std::iota(ids_.begin(), ids_.end(), 0);
  std::vector<int> subtree_of(at(nodes_.count()), -1);
  // A strip reads up to seven rows behind its last column, and multiplies them by zero.
  int next_area = n_ + 8;
  area_.clear();
  for (std::size_t t = 0; t < subtrees_.size(); ++t) {
    for (int s = subtrees_[t].first; s <= subtrees_[t].root; ++s) {
      subtree_of[at(s)] = static_cast<int>(t);
    }
    area_.push_back(next_area);
    next_area += nodes_.num_rows(subtrees_[t].root);
  }
  top_.clear();
  std::size_t most_tiles = 0;
  padded_rows_.clear();
  padded_start_.assign(1, 0);
  for (int s = 0; s < nodes_.count(); ++s) {
    const int t = subtree_of[at(s)];
    if (t < 0) top_.push_back(s);
    const int root = t < 0 ? s : subtrees_[at(t)].root;
    const int* const above = nodes_.rows_of(root);
    const int* const above_end = above + nodes_.num_rows(root);
    for (int k = 0; k < nodes_.num_rows(s); ++k) {
      const int row = nodes_.rows_of(s)[k];
      const bool is_above = t >= 0 && row >= nodes_.first[at(root) + 1];
      padded_rows_.push_back(
          is_above
              ? area_[at(t)] + static_cast<int>(std::lower_bound(above, above_end, row) - above)
              : row);
    }
    // What fills the last tile goes to a place that nobody reads.
    padded_rows_.resize(at(padded_start_.back() + 4 * tiles(nodes_.num_rows(s))), n_);
    padded_start_.push_back(static_cast<int>(padded_rows_.size()));
    most_tiles = std::max(most_tiles, at(Panels<Real>::row_tiles(nodes_, s)));
  }
  y_.assign(at(next_area) * 4, Real(0));
  // Twice: what a panel is multiplied with, and the product.
  scratch_size_ = 32 * most_tiles;
  scratch_.assign((subtrees_.size() + 1) * scratch_size_, Real(0));
}

/// Multifrontal: each supernode adds what its children leave to its own columns of the matrix,
/// eliminates its columns densely and leaves the rest to its parent [Duff & Reid 1983; Liu 1992].
template <class Real>
bool SupernodalCholesky<Real>::factor(const Matrix& lower, Threads& threads) {
  left_.resize(at(nodes_.count()));
  std::vector<char> good(subtrees_.size(), 1);
  threads.parallel_for(static_cast<int>(subtrees_.size()), [&](int t) {
    Front own;
    own.place.resize(at(n_));
    const Subtree& subtree = subtrees_[at(t)];
    for (int s = subtree.first; s <= subtree.root && good[at(t)] != 0; ++s) {
      if (!eliminate(s, lower, own)) good[at(t)] = 0;
    }
  });
  factored_ = std::find(good.begin(), good.end(), 0) == good.end();
  Front own;
  own.place.resize(at(n_));
  for (const int s : top_) factored_ = factored_ && eliminate(s, lower, own);
  left_.clear();
  return factored_;
}

/// One front. False: it is not positive definite.
template <class Real>
bool SupernodalCholesky<Real>::eliminate(int s, const Matrix& lower, Front& own) {
  const int* start = lower.outerIndexPtr();
  const int* row = lower.innerIndexPtr();
  const double* value = lower.valuePtr();
  std::vector<int>& place = own.place;
  Dense& front = own.front;
  const int first = nodes_.first[at(s)], w = nodes_.width(s), r = nodes_.num_rows(s);
  const int* rows = nodes_.rows_of(s);
  for (int i = 0; i < w; ++i) place[at(first + i)] = i;
  for (int i = 0; i < r; ++i) place[at(rows[i])] = w + i;
  front.setZero(w + r, w + r);
  for (int j = 0; j < w; ++j) {
    for (int k = start[first + j]; k < start[first + j + 1]; ++k) {
      front(place[at(row[k])], j) = value[k];
    }
  }
  for (int k = child_start_[at(s)]; k < child_start_[at(s) + 1]; ++k) {
    const int c = children_[at(k)];
    const int* child_rows = nodes_.rows_of(c);
    Dense& update = left_[at(c)];
    for (int j = 0; j < nodes_.num_rows(c); ++j) {
      const int column = place[at(child_rows[j])];
      for (int i = j; i < nodes_.num_rows(c); ++i) {
        front(place[at(child_rows[i])], column) += update(i, j);
      }
    }
    update.resize(0, 0);
  }
  own.inverse.resize(w, w);
  own.below.resize(r, w);
  if (!front_kernels_->eliminate(front.data(), w, r, has_products, own.inverse.data(),
                                 own.below.data())) {
    return false;
  }
  if (r > 0) left_[at(s)] = front.bottomRightCorner(r, r);
  panels_.store(nodes_, s, own.inverse, own.below);
  return true;
}

/// y of the rows above a subtree into its area.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::fetch_rows_above(std::size_t subtree) {
  const int root = subtrees_[subtree].root;
  Real* to = y_.data() + std::ptrdiff_t{sides} * area_[subtree];
  for (int k = 0; k < nodes_.num_rows(root); ++k, to += sides) {
    const Real* const from = y_.data() + std::ptrdiff_t{sides} * nodes_.rows_of(root)[k];
    std::copy(from, from + sides, to);
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::add_to_rows_above(std::size_t subtree) {
  const int root = subtrees_[subtree].root;
  const Real* from = y_.data() + std::ptrdiff_t{sides} * area_[subtree];
  for (int k = 0; k < nodes_.num_rows(root); ++k, from += sides) {
    Real* const to = y_.data() + std::ptrdiff_t{sides} * nodes_.rows_of(root)[k];
    for (int c = 0; c < sides; ++c) to[c] += from[c];
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::substitute(const double* b, double* x, Threads& threads) {
  if (!factored_) return;
  const PanelKernels<Real>& kernels = panels_of(*solve_kernels_, Real());
  const std::ptrdiff_t size = std::ptrdiff_t{sides} * n_;
  const auto for_chunks = [&](const auto& work) {
    threads.parallel_for(static_cast<int>(largest_.size()), [&](int chunk) {
      const std::ptrdiff_t begin = std::ptrdiff_t{sides} * rows_per_chunk * chunk;
      work(chunk, begin, std::min(std::ptrdiff_t{sides} * rows_per_chunk, size - begin));
    });
  };
  // Brought to about one: floats reach from 1e-38 to 1e38 only, forces further.
  double scale = 1;
  if constexpr (std::is_same_v<Real, float>) {
    for_chunks([&](int chunk, std::ptrdiff_t begin, std::ptrdiff_t count) {
      largest_[at(chunk)] = solve_kernels_->largest(b + begin, count);
    });
    const double largest = *std::max_element(largest_.begin(), largest_.end());
    if (largest == 0 || !std::isfinite(largest)) {
      std::copy(b, b + size, x);
      return;
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  }
  for_chunks([&](int, std::ptrdiff_t begin, std::ptrdiff_t count) {
    kernels.load(b + begin, count, scale, y_.data() + begin);
  });
  std::fill(y_.begin() + size, y_.end(), Real(0));
  const FactorView<Real> factor = view();
  const int num_subtrees = static_cast<int>(subtrees_.size()),
            num_top = static_cast<int>(top_.size());
  Real* const top_scratch = scratch(subtrees_.size());
  const auto nodes_of = [&](int t) { return &ids_[at(subtrees_[at(t)].first)]; };
  const auto count_of = [&](int t) { return subtrees_[at(t)].root - subtrees_[at(t)].first + 1; };
  threads.parallel_for(num_subtrees, [&](int t) {
    kernels.forwards(factor, nodes_of(t), count_of(t), sides, y_.data(), scratch(at(t)));
  });
  for (std::size_t t = 0; t < subtrees_.size(); ++t) add_to_rows_above<sides>(t);
  kernels.forwards(factor, top_.data(), num_top, sides, y_.data(), top_scratch);
  kernels.backwards(factor, top_.data(), num_top, sides, y_.data(), top_scratch);
  threads.parallel_for(num_subtrees, [&](int t) {
    fetch_rows_above<sides>(at(t));
    kernels.backwards(factor, nodes_of(t), count_of(t), sides, y_.data(), scratch(at(t)));
  });
  for_chunks([&](int, std::ptrdiff_t begin, std::ptrdiff_t count) {
    kernels.store(y_.data() + begin, count, 1 / scale, x + begin);
  });
}

/// A . x for a symmetric matrix given by its lower triangle; |A| . |x| beside it.
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

/// The factor in floats, or in doubles where floats do not hold it.
class MixedCholesky final : public SpdSolver {
 public:
  explicit MixedCholesky(SimdLevel level) : level_(level), single_(level) {}

  void analyse(const Matrix& lower) override {
    single_.analyse(lower);
    double_.reset();
    lower_ = lower;
  }

  bool factor(const Matrix& lower, Threads& threads) override {
    double_.reset();
    if (!single_.factor(lower, threads)) return false;
    if (holds(lower, threads)) return true;
    double_ = std::make_unique<SupernodalCholesky<double>>(level_);
    double_->analyse(lower_);
    return double_->factor(lower, threads);
  }

  void solve(const double* b, double* x, Threads& threads) override {
    solver().solve(b, x, threads);
  }
  void solve4(const double* b, double* x, Threads& threads) override {
    solver().solve4(b, x, threads);
  }
  long long factor_entries() const override {
    return double_ ? double_->factor_entries() : single_.factor_entries();
  }

 private:
  SpdSolver& solver() {
    return double_ ? static_cast<SpdSolver&>(*double_) : static_cast<SpdSolver&>(single_);
  }

  /// Whether A x comes back as b, each entry within what a good direction needs, for b = A (1, -1,
  /// 2, 1, -1, ...).
  bool holds(const Matrix& lower, Threads& threads) {
    constexpr double tolerance = 1e-4;
    const auto n = at(lower.rows());
    std::vector<double> x(n), b(n), size(n), product(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 == 0 ? 1 : (i % 3 == 1 ? -1 : 2);
    multiply(lower, x, b, size);
    single_.solve(b.data(), x.data(), threads);
    multiply(lower, x, product, size);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(std::abs(product[i] - b[i]) <= tolerance * size[i])) return false;
    }
    return true;
  }

  SimdLevel level_;
  SupernodalCholesky<float> single_;
  std::unique_ptr<SupernodalCholesky<double>> double_;
  Matrix lower_;
};

}  // namespace

SUPPLE_DEFINE_KERNELS(SolveKernels, solve_kernels, solve_table)
SUPPLE_DEFINE_KERNELS(FrontKernels, front_kernels, front_table)

std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision, SimdLevel level) {
  if (precision == Precision::mixed) return std::make_unique<MixedCholesky>(level);
  return std::make_unique<SupernodalCholesky<double>>(level);
}

}  // namespace supple
