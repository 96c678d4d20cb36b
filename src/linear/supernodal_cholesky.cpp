#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "linear/panel_kernels.h"
#include "linear/panels.h"
#include "linear/spd_solver.h"
#include "linear/subtrees.h"
#include "linear/supernodes.h"
#include "supple/error.h"

namespace supple {

namespace {

using detail::for_strips;
using detail::Panels;
using detail::tiles;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

using Dense = Eigen::MatrixXd;

/// max |b|. Eight at a time: one after the other they would wait for each other.
double largest_of(const double* b, std::ptrdiff_t size) {
  double largest[8] = {};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (int l = 0; l < 8; ++l) {
      const double value = std::abs(b[i + l]);
      largest[l] = value > largest[l] ? value : largest[l];
    }
  }
  for (; i < size; ++i) largest[0] = std::max(largest[0], std::abs(b[i]));
  return *std::max_element(largest, largest + 8);
}

template <class Real>
class SupernodalCholesky final : public SpdSolver {
  /// Floats are for the many solves of a constant matrix, doubles for Newton's factors.
  static constexpr bool has_products = std::is_same_v<Real, float>;

 public:
  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    factored_ = false;
    n_ = static_cast<int>(lower.rows());
    nodes_ = find_supernodes({n_, lower.outerIndexPtr(), lower.innerIndexPtr()});
    panels_.allocate(nodes_);
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
  template <int sides>
  void forwards(int s, Real* scratch);
  template <int sides>
  void backwards(int s, Real* scratch);
  template <int sides>
  void fetch_rows_above(std::size_t subtree);
  template <int sides>
  void add_to_rows_above(std::size_t subtree);
  Real* scratch(std::size_t task) { return &scratch_[task * scratch_size_]; }

  int n_ = 0;
  Supernodes nodes_;
  Panels<Real> panels_;
  std::vector<int> child_start_, children_;  ///< of each supernode, ascending
  std::vector<Subtree> subtrees_;
  std::vector<int> top_;   ///< supernodes of no subtree, ascending
  std::vector<int> area_;  ///< [num_subtrees], first row of a subtree's copy of the rows above it
  /// Rows below each diagonal block, filled up to whole tiles, as places in y.
  std::vector<int> padded_start_, padded_rows_;
  /// Right-hand sides on their way: [(n + 8) * 4] and behind them the subtrees' areas.
  std::vector<Real> y_;
  std::vector<Real> scratch_;  ///< rows of one panel for each subtree, and for the top
  std::size_t scratch_size_ = 0;
  std::vector<Dense> left_;  ///< [count], what a front leaves to its parent, lower triangle
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
  auto block = front.topLeftCorner(w, w);
  Eigen::LLT<Eigen::Ref<Dense>> llt(block);
  if (llt.info() != Eigen::Success) return false;
  for (int i = 0; i < w; ++i) {
    if (!(block(i, i) > 0) || !std::isfinite(block(i, i))) return false;
  }
  const auto L = block.template triangularView<Eigen::Lower>();
  own.inverse.setIdentity(w, w);
  L.solveInPlace(own.inverse);
  own.below.resize(r, w);
  if (r > 0) {
    auto panel = front.bottomLeftCorner(r, w);
    L.transpose().template solveInPlace<Eigen::OnTheRight>(panel);
    auto rest = front.bottomRightCorner(r, r);
    rest.template selfadjointView<Eigen::Lower>().rankUpdate(panel, -1.0);
    left_[at(s)] = rest;
    if constexpr (has_products) {
      own.below.noalias() = panel * own.inverse.template triangularView<Eigen::Lower>();
    } else {
      own.below = panel;
    }
  }
  panels_.store(nodes_, s, own.inverse, own.below);
  return true;
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::forwards(int s, Real* scratch) {
  const int first = nodes_.first[at(s)], width = nodes_.width(s), columns = tiles(width);
  const int count = Panels<Real>::row_tiles(nodes_, s);
  constexpr std::ptrdiff_t tile = 4 * sides;
  Real* const y = y_.data() + std::ptrdiff_t{sides} * first;
  Real* const in = scratch;
  Real* const out = scratch + scratch_size_ / 2;
  std::copy(y, y + std::ptrdiff_t{sides} * width, in);
  std::fill(in + std::ptrdiff_t{sides} * width, in + tile * columns, Real(0));
  std::fill(out, out + tile * count, Real(0));
  if constexpr (has_products) {
    for_strips(panels_.of(s), columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel, count - column, in + tile * column,
                                             out + tile * column);
    });
    std::copy(out, out + std::ptrdiff_t{sides} * width, y);
  } else {
    for_strips(panels_.of(s), columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel, columns - column, in + tile * column,
                                             out + tile * column);
    });
    std::copy(out, out + std::ptrdiff_t{sides} * width, y);
    for_strips(panels_.of(s), columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_strip<strip(), sides>(panel + 16 * strip() * (columns - column),
                                             count - columns, out + tile * column,
                                             out + tile * columns);
    });
  }
  const Real* from = out + tile * columns;
  Real* const all = y_.data();
  const int* const end = padded_rows_.data() + padded_start_[at(s) + 1];
  for (const int* row = padded_rows_.data() + padded_start_[at(s)]; row != end; ++row) {
    detail::subtract_row<sides>(from, all + std::ptrdiff_t{sides} * *row);
    from += sides;
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::backwards(int s, Real* scratch) {
  const int first = nodes_.first[at(s)], width = nodes_.width(s), columns = tiles(width);
  const int count = Panels<Real>::row_tiles(nodes_, s);
  constexpr std::ptrdiff_t tile = 4 * sides;
  Real* const y = y_.data() + std::ptrdiff_t{sides} * first;
  Real* const in = scratch;
  std::copy(y, y + std::ptrdiff_t{sides} * width, in);
  std::fill(in + std::ptrdiff_t{sides} * width, in + tile * columns, Real(0));
  Real* to = in + tile * columns;
  const Real* const all = y_.data();
  const int* const end = padded_rows_.data() + padded_start_[at(s) + 1];
  for (const int* row = padded_rows_.data() + padded_start_[at(s)]; row != end; ++row) {
    detail::negate_row<sides>(all + std::ptrdiff_t{sides} * *row, to);
    to += sides;
  }
  Real out[2 * tile];
  int num_tiles = count;
  if constexpr (!has_products) {
    for_strips(panels_.of(s), columns, count, [&](auto strip, const Real* panel, int column) {
      detail::multiply_transposed_strip<strip(), sides>(panel + 16 * strip() * (columns - column),
                                                        count - columns, in + tile * columns, out);
      const std::ptrdiff_t rows = std::min(4 * strip(), width - 4 * column);
      for (std::ptrdiff_t e = 0; e < sides * rows; ++e) in[tile * column + e] += out[e];
    });
    num_tiles = columns;
  }
  for_strips(panels_.of(s), columns, count, [&](auto strip, const Real* panel, int column) {
    detail::multiply_transposed_strip<strip(), sides>(panel, num_tiles - column, in + tile * column,
                                                      out);
    const std::ptrdiff_t rows = std::min(4 * strip(), width - 4 * column);
    std::copy(out, out + sides * rows, y + tile * column);
  });
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
  const std::ptrdiff_t size = std::ptrdiff_t{sides} * n_;
  // Brought to about one: floats reach from 1e-38 to 1e38 only, forces further.
  double scale = 1;
  if constexpr (std::is_same_v<Real, float>) {
    const double largest = largest_of(b, size);
    if (largest == 0 || !std::isfinite(largest)) {
      std::copy(b, b + size, x);
      return;
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  }
  for (std::ptrdiff_t i = 0; i < size; ++i) y_[at(i)] = static_cast<Real>(scale * b[i]);
  std::fill(y_.begin() + size, y_.end(), Real(0));
  const int num_subtrees = static_cast<int>(subtrees_.size());
  Real* const top_scratch = scratch(subtrees_.size());
  threads.parallel_for(num_subtrees, [&](int t) {
    for (int s = subtrees_[at(t)].first; s <= subtrees_[at(t)].root; ++s) {
      forwards<sides>(s, scratch(at(t)));
    }
  });
  for (std::size_t t = 0; t < subtrees_.size(); ++t) add_to_rows_above<sides>(t);
  for (const int s : top_) forwards<sides>(s, top_scratch);
  for (auto s = top_.rbegin(); s != top_.rend(); ++s) backwards<sides>(*s, top_scratch);
  threads.parallel_for(num_subtrees, [&](int t) {
    fetch_rows_above<sides>(at(t));
    for (int s = subtrees_[at(t)].root; s >= subtrees_[at(t)].first; --s) {
      backwards<sides>(s, scratch(at(t)));
    }
  });
  const double back = 1 / scale;
  for (std::ptrdiff_t i = 0; i < size; ++i) x[i] = back * static_cast<double>(y_[at(i)]);
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
  void analyse(const Matrix& lower) override {
    single_.analyse(lower);
    double_.reset();
    lower_ = lower;
  }

  bool factor(const Matrix& lower, Threads& threads) override {
    double_.reset();
    if (!single_.factor(lower, threads)) return false;
    if (holds(lower, threads)) return true;
    double_ = std::make_unique<SupernodalCholesky<double>>();
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

  SupernodalCholesky<float> single_;
  std::unique_ptr<SupernodalCholesky<double>> double_;
  Matrix lower_;
};

}  // namespace

std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision) {
  if (precision == Precision::mixed) return std::make_unique<MixedCholesky>();
  return std::make_unique<SupernodalCholesky<double>>();
}

}  // namespace supple
