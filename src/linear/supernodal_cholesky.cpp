#include "linear/supernodal_cholesky.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/error.h"

namespace supple {

namespace {

using detail::tiles;

template <class Real>
const auto& kernels_of(const SolveKernels& kernels) {
  if constexpr (std::is_same_v<Real, float>) {
    return kernels.of_floats;
  } else {
    return kernels.of_plain_doubles;
  }
}

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
void SupernodalCholesky<Real>::analyse(std::shared_ptr<const Supernodes> nodes) {
  factored_ = false;
  nodes_ = std::move(nodes);
  n_ = nodes_->first.back();
  panels_.allocate(*nodes_);
  children_ = SupernodeChildren(*nodes_);
  place_rows();
}

/// Returns the share of each supernode.
template <class Real>
std::vector<int> SupernodalCholesky<Real>::make_shares() {
  const Division division = divide(*nodes_);
  num_subtrees_ = static_cast<int>(division.subtrees.size());
  num_branches_ = static_cast<int>(division.branches.size());
  const int top = num_subtrees_ + num_branches_;
  shares_.assign(at(top) + 1, {});
  std::vector<int> share_of(at(nodes_->count()), top);
  // The last claim wins: the top gives way to branches, branches give way to subtrees.
  const auto claim = [&](const Subtree& tree, int share) {
    shares_[at(share_of[at(tree.root)])].parts.push_back(share);
    shares_[at(share)].root = tree.root;
    std::fill(share_of.begin() + tree.first, share_of.begin() + tree.root + 1, share);
  };
  for (int b = 0; b < num_branches_; ++b) claim(division.branches[at(b)], num_subtrees_ + b);
  for (int t = 0; t < num_subtrees_; ++t) claim(division.subtrees[at(t)], t);
  for (int s = 0; s < nodes_->count(); ++s) shares_[at(share_of[at(s)])].nodes.push_back(s);
  std::sort(shares_.back().parts.begin(), shares_.back().parts.end(),
            [&](int a, int b) { return shares_[at(a)].root < shares_[at(b)].root; });
  return share_of;
}

/// The place in y where the supernodes of a share find a row.
template <class Real>
int SupernodalCholesky<Real>::place_in(const Share& share, int row) const {
  if (share.root < 0 || row < nodes_->first[at(share.root) + 1]) return row;
  const int* const above = nodes_->rows_of(share.root);
  const int* const end = above + nodes_->num_rows(share.root);
  return share.area + static_cast<int>(std::lower_bound(above, end, row) - above);
}

/// Shares are worked on at the same time. What they subtract from the rows above them goes into an
/// area of their own, and the areas are added to the rows one after the other. So the bits do not
/// depend on which share was first. The padding of a supernode's last tile of rows goes to a row
/// before the area, or to row n for the top. Those rows are zero.
template <class Real>
void SupernodalCholesky<Real>::place_rows() {
  const std::vector<int> share_of = make_shares();
  shares_.back().area = n_ + 1;
  int next_area = n_ + 1;
  for (Share& share : shares_) {
    if (share.root < 0) continue;
    share.area = next_area + 1;
    next_area = share.area + nodes_->num_rows(share.root);
  }
  for (const Share& share : shares_) {
    for (const int part : share.parts) {
      Share& below = shares_[at(part)];
      for (int k = 0; k < nodes_->num_rows(below.root); ++k) {
        below.above.push_back(place_in(share, nodes_->rows_of(below.root)[k]));
      }
    }
  }
  std::size_t most_tiles = 0;
  padded_rows_.clear();
  padded_start_.assign(1, 0);
  for (int s = 0; s < nodes_->count(); ++s) {
    const Share& share = shares_[at(share_of[at(s)])];
    for (int k = 0; k < nodes_->num_rows(s); ++k) {
      padded_rows_.push_back(place_in(share, nodes_->rows_of(s)[k]));
    }
    padded_rows_.resize(at(padded_start_.back() + 4 * tiles(nodes_->num_rows(s))), share.area - 1);
    padded_start_.push_back(static_cast<int>(padded_rows_.size()));
    most_tiles = std::max(most_tiles, at(detail::num_row_tiles(*nodes_, s)));
  }
  y_.assign(at(next_area) * 4, Real(0));
  // Two halves: what a panel is multiplied by, and the product.
  scratch_size_ = 32 * most_tiles;
  scratch_.assign(shares_.size() * scratch_size_, Real(0));
}

template <class Real>
bool SupernodalCholesky<Real>::copy_factor(const SpdSolver& other) {
  const auto* const own_kind = dynamic_cast<const SupernodalCholesky*>(&other);
  if (own_kind == nullptr || !own_kind->factored_) return false;
  panels_.copy(own_kind->panels_);
  factored_ = true;
  return true;
}

/// Multifrontal: each supernode adds what its children leave to its own columns of the matrix,
/// eliminates its columns densely and leaves the rest to its parent [Duff & Reid 1983; Liu 1992].
template <class Real>
bool SupernodalCholesky<Real>::factor(const Matrix& lower, Threads& threads) {
  left_.resize(at(nodes_->count()));
  std::vector<char> good(shares_.size(), 1);
  const auto eliminate_share = [&](std::size_t i) {
    Front own;
    own.place.resize(at(n_));
    for (const int s : shares_[i].nodes) {
      if (good[i] != 0 && !eliminate(s, lower, own)) good[i] = 0;
    }
  };
  const auto all_good = [&] { return std::find(good.begin(), good.end(), 0) == good.end(); };
  threads.parallel_for(num_subtrees_, [&](int t) { eliminate_share(at(t)); });
  if (all_good()) {
    threads.parallel_for(num_branches_, [&](int b) { eliminate_share(at(num_subtrees_ + b)); });
  }
  if (all_good()) eliminate_share(shares_.size() - 1);
  factored_ = all_good();
  left_.clear();
  return factored_;
}

/// Adds what a child leaves to the front of `size` rows. own.place has the places of its rows
/// there. Most of its rows are contiguous there as in the child: at least x, y and z of a vertex.
template <class Real>
void SupernodalCholesky<Real>::add_remainder(int child, Front& own, std::size_t size) {
  const int* const rows = nodes_->rows_of(child);
  const int count = nodes_->num_rows(child);
  own.runs.clear();
  for (int i = 0; i < count; ++i) {
    const int place = own.place[at(rows[i])];
    if (!own.runs.empty()) {
      Run& last = own.runs.back();
      if (place == last.place + (i - last.first)) {
        last.last = i + 1;
        continue;
      }
    }
    own.runs.push_back({i, i + 1, place});
  }
  const double* column = left_[at(child)].get();
  for (const Run& of_column : own.runs) {
    const auto first_run = static_cast<std::size_t>(&of_column - own.runs.data());
    for (int j = of_column.first; j < of_column.last; ++j) {
      double* const to = &own.front[at(of_column.place + (j - of_column.first)) * size];
      for (std::size_t k = first_run; k < own.runs.size(); ++k) {
        const Run& run = own.runs[k];
        const int from = k == first_run ? j : run.first;
        double* const sum = to + run.place - run.first;
        for (int i = from; i < run.last; ++i) sum[i] += column[i - j];
      }
      column += count - j;
    }
  }
}

/// Eliminates one front. False: it is not positive definite.
template <class Real>
bool SupernodalCholesky<Real>::eliminate(int s, const Matrix& lower, Front& own) {
  const int* start = lower.outerIndexPtr();
  const int* row = lower.innerIndexPtr();
  const double* value = lower.valuePtr();
  const int first = nodes_->first[at(s)], w = nodes_->width(s), r = nodes_->num_rows(s);
  const int* rows = nodes_->rows_of(s);
  const std::size_t size = at(w + r);
  for (int i = 0; i < w; ++i) own.place[at(first + i)] = i;
  for (int i = 0; i < r; ++i) own.place[at(rows[i])] = w + i;
  const auto grow = [](std::vector<double>& room, std::size_t least) {
    if (room.size() < least) room.resize(least);
  };
  grow(own.front, size * size);
  grow(own.inverse, at(w) * at(w));
  grow(own.below, at(r) * at(w));
  // Only its lower triangle is read and written.
  for (std::size_t j = 0; j < size; ++j) {
    std::fill(own.front.begin() + static_cast<std::ptrdiff_t>(j * size + j),
              own.front.begin() + static_cast<std::ptrdiff_t>((j + 1) * size), 0.0);
  }
  for (int j = 0; j < w; ++j) {
    double* const column = &own.front[at(j) * size];
    for (int k = start[first + j]; k < start[first + j + 1]; ++k) {
      column[own.place[at(row[k])]] = value[k];
    }
  }
  for (const int child : children_.of(s)) {
    if (nodes_->num_rows(child) > 0) add_remainder(child, own, size);
    left_[at(child)].reset();
  }
  if (!front_kernels_->eliminate(own.front.data(), w, r, has_products, own.inverse.data(),
                                 own.below.data())) {
    return false;
  }
  if (r > 0) {
    left_[at(s)] = std::make_unique_for_overwrite<double[]>(at(r) * (at(r) + 1) / 2);
    double* to = left_[at(s)].get();
    for (std::size_t j = at(w); j < size; ++j) {
      to = std::copy(&own.front[j * size + j], own.front.data() + (j + 1) * size, to);
    }
  }
  panels_.store(*nodes_, s, own.inverse.data(), own.below.data());
  return true;
}

/// Copies y of the rows above a share into its area.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::fetch_rows_above(const Share& share) {
  Real* to = y_.data() + std::ptrdiff_t{sides} * share.area;
  for (const int row : share.above) {
    const Real* const from = y_.data() + std::ptrdiff_t{sides} * row;
    std::copy(from, from + sides, to);
    to += sides;
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::add_to_rows_above(const Share& share) {
  const Real* from = y_.data() + std::ptrdiff_t{sides} * share.area;
  for (const int row : share.above) {
    Real* const to = y_.data() + std::ptrdiff_t{sides} * row;
    for (int c = 0; c < sides; ++c) to[c] += from[c];
    from += sides;
  }
}

/// Requires that the share's parts are done.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::forwards(std::size_t share) {
  const Share& own = shares_[share];
  for (const int part : own.parts) add_to_rows_above<sides>(shares_[at(part)]);
  kernels_of<Real>(*solve_kernels_)
      .forwards(view(), own.nodes.data(), static_cast<int>(own.nodes.size()), sides, y_.data(),
                &scratch_[share * scratch_size_]);
}

/// Comes before the share's parts.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::backwards(std::size_t share) {
  const Share& own = shares_[share];
  fetch_rows_above<sides>(own);
  kernels_of<Real>(*solve_kernels_)
      .backwards(view(), own.nodes.data(), static_cast<int>(own.nodes.size()), sides, y_.data(),
                 &scratch_[share * scratch_size_]);
}

template <class Real>
bool SupernodalCholesky<Real>::goes_by_branches(const Threads& threads) const {
  return threads.count() <= static_cast<int>(shares_.back().parts.size());
}

/// The first substitution on y.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::sweep_forwards(Threads& threads) {
  std::fill(y_.begin() + std::ptrdiff_t{sides} * n_, y_.end(), Real(0));
  const std::size_t top = shares_.size() - 1;
  const std::vector<int>& parts = shares_[top].parts;
  if (goes_by_branches(threads)) {
    threads.parallel_for(static_cast<int>(parts.size()), [&](int i) {
      const std::size_t part = at(parts[at(i)]);
      for (const int inside : shares_[part].parts) forwards<sides>(at(inside));
      forwards<sides>(part);
    });
  } else {
    threads.parallel_for(num_subtrees_, [&](int t) { forwards<sides>(at(t)); });
    threads.parallel_for(num_branches_, [&](int b) { forwards<sides>(at(num_subtrees_ + b)); });
  }
  forwards<sides>(top);
}

/// The second substitution on y.
template <class Real>
template <int sides>
void SupernodalCholesky<Real>::sweep_backwards(Threads& threads) {
  const std::size_t top = shares_.size() - 1;
  const std::vector<int>& parts = shares_[top].parts;
  backwards<sides>(top);
  if (goes_by_branches(threads)) {
    threads.parallel_for(static_cast<int>(parts.size()), [&](int i) {
      const std::size_t part = at(parts[at(i)]);
      backwards<sides>(part);
      for (const int inside : shares_[part].parts) backwards<sides>(at(inside));
    });
  } else {
    threads.parallel_for(num_branches_, [&](int b) { backwards<sides>(at(num_subtrees_ + b)); });
    threads.parallel_for(num_subtrees_, [&](int t) { backwards<sides>(at(t)); });
  }
}

template <class Real>
template <int sides, class Ends>
void SupernodalCholesky<Real>::substitute(Ends& ends, double* x, Threads& threads) {
  if (!factored_) return;
  const auto& kernels = kernels_of<Real>(*solve_kernels_);
  double scale = 1;
  if constexpr (std::is_same_v<Real, float>) scale = scale_to_floats(ends.size());
  // Calls work for one run of rows at a time.
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
  sweep_forwards<sides>(threads);
  if constexpr (has_products && sides == 4) {
    HalfWay* const half_way = ends.half_way();
    if (half_way != nullptr && !half_way->turn(y_.data(), scale)) return;
  }
  sweep_backwards<sides>(threads);
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
