#include "linear/supernodal_cholesky.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/error.h"

namespace supple {

namespace {

using detail::tiles;

const auto& kernels_of(const SolveKernels& kernels, double) { return kernels.of_doubles; }
const auto& kernels_of(const SolveKernels& kernels, float) { return kernels.of_floats; }

}  // namespace

SUPPLE_DEFINE_KERNELS(SolveKernels, solve_kernels, solve_table)
SUPPLE_DEFINE_KERNELS(FrontKernels, front_kernels, front_table)

Supernodes supernodes_of(const SpdSolver::Matrix& lower) {
  if (lower.rows() != lower.cols()) {
    throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
  }
  return find_supernodes(
      {static_cast<int>(lower.rows()), lower.outerIndexPtr(), lower.innerIndexPtr()});
}

template <class Real>
void SupernodalCholesky<Real>::analyse(const Supernodes& nodes) {
  factored_ = false;
  nodes_ = nodes;
  n_ = nodes_.first.back();
  panels_.allocate(nodes_);
  find_children();
  place_rows();
}

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
/// What fills the last tile of a supernode's rows goes to a row before the area, or, for the top,
/// row n: there stands zero.
template <class Real>
void SupernodalCholesky<Real>::place_rows() {
  subtrees_ = independent_subtrees(nodes_);
  ids_.resize(at(nodes_.count()));
  std::iota(ids_.begin(), ids_.end(), 0);
  std::vector<int> subtree_of(at(nodes_.count()), -1);
  int next_area = n_ + 2;
  area_.clear();
  for (std::size_t t = 0; t < subtrees_.size(); ++t) {
    for (int s = subtrees_[t].first; s <= subtrees_[t].root; ++s) {
      subtree_of[at(s)] = static_cast<int>(t);
    }
    area_.push_back(next_area);
    next_area += nodes_.num_rows(subtrees_[t].root) + 1;
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
    padded_rows_.resize(at(padded_start_.back() + 4 * tiles(nodes_.num_rows(s))),
                        t < 0 ? n_ : area_[at(t)] - 1);
    padded_start_.push_back(static_cast<int>(padded_rows_.size()));
    most_tiles = std::max(most_tiles, at(detail::num_row_tiles(nodes_, s)));
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

/// Both substitutions on y.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::sweep(Threads& threads) {
  const auto& kernels = kernels_of(*solve_kernels_, Real());
  std::fill(y_.begin() + std::ptrdiff_t{sides} * n_, y_.end(), Real(0));
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
}

template <class Real>
template <int sides, class Ends>
void SupernodalCholesky<Real>::substitute(Ends& ends, double* x, Threads& threads) {
  if (!factored_) return;
  const auto& kernels = kernels_of(*solve_kernels_, Real());
  double scale = 1;
  if constexpr (std::is_same_v<Real, float>) scale = scale_to_floats(ends.size());
  // Rows of a run at a time.
  const auto for_runs = [&](const auto& work) {
    threads.parallel_for((n_ + rows_per_chunk - 1) / rows_per_chunk, [&](int chunk) {
      const int end = std::min(n_, (chunk + 1) * rows_per_chunk);
      for (int first = chunk * rows_per_chunk; first < end; first += SolveEnds::rows) {
        work(first, std::min(end, first + SolveEnds::rows));
      }
    });
  };
  for_runs([&](int first, int last) {
    double room[sides * SolveEnds::rows];
    kernels.load(ends.bring(first, last, room), std::ptrdiff_t{sides} * (last - first), scale,
                 y_.data() + std::ptrdiff_t{sides} * first);
  });
  sweep<sides>(threads);
  for_runs([&](int first, int last) {
    kernels.store(y_.data() + std::ptrdiff_t{sides} * first, std::ptrdiff_t{sides} * (last - first),
                  1 / scale, x + std::ptrdiff_t{sides} * first);
    ends.take(first, last);
  });
}

template <class Real>
void SupernodalCholesky<Real>::solve(const double* b, double* x, Threads& threads) {
  PlainEnds<1> ends(b, n_, *solve_kernels_, largest_, threads);
  substitute<1>(ends, x, threads);
}

template <class Real>
void SupernodalCholesky<Real>::solve4(const double* b, double* x, Threads& threads) {
  PlainEnds<4> ends(b, n_, *solve_kernels_, largest_, threads);
  substitute<4>(ends, x, threads);
}

template <class Real>
void SupernodalCholesky<Real>::solve4_between(SolveEnds& ends, int, double* x, Threads& threads) {
  substitute<4>(ends, x, threads);
}

template class SupernodalCholesky<double>;
template class SupernodalCholesky<float>;

}  // namespace supple
