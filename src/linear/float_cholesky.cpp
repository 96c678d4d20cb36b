#include "linear/float_cholesky.h"

#include <algorithm>

#include "base/float_mode.h"
#include "base/index.h"
#include "linear/solve_ends.h"
#include "linear/subtrees.h"
#include "linear/supernodal_cholesky.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(FloatFrontKernels, float_front_kernels, float_front_table)

namespace {

constexpr int slice = FloatFront::slice;

/// A power of two that scales the diagonal of a matrix into the range of floats.
double scale_of(const SpdSolver::Matrix& lower) {
  double largest = 0;
  for (Eigen::Index j = 0; j < lower.cols(); ++j) {
    largest = std::max(largest, lower.valuePtr()[lower.outerIndexPtr()[j]]);
  }
  return scale_to_floats(largest);
}

}  // namespace

FloatCholesky::Memory FloatCholesky::allocate(std::ptrdiff_t size) {
  return Memory(new (std::align_val_t{64}) float[at(size)]);
}

FloatFront FloatCholesky::front(int s) const {
  const int own_slices = FloatFront::slices_of(nodes_.width(s));
  constexpr int columns = FloatFront::columns;
  return {.panel = panels_.get() + panel_start_[at(s)],
          .num_columns = (nodes_.width(s) + columns - 1) / columns * columns,
          .own_slices = own_slices,
          .slices = own_slices + FloatFront::slices_of(nodes_.num_rows(s))};
}

void FloatCholesky::analyse(const SpdSolver::Matrix& lower) {
  factored_ = false;
  nodes_ = supernodes_of(lower);
  n_ = nodes_.first.back();
  panel_start_.assign(at(nodes_.count()) + 1, 0);
  children_ = SupernodeChildren(nodes_);
  make_shares();
  place_panels();
  place_rows();
  place_entries(lower);
  left_start_.assign(at(nodes_.count()), 0);
  std::ptrdiff_t size = 0;
  for (const Share& share : shares_) size = place_left(share.nodes, size);
  left_ = allocate(size);
  good_.assign(shares_.size(), 1);
  y_.assign(at(n_), 0);
  below_.assign(nodes_.rows.size(), 0);
}

void FloatCholesky::make_shares() {
  const Division division = divide(nodes_);
  num_subtrees_ = static_cast<int>(division.subtrees.size());
  num_branches_ = static_cast<int>(division.branches.size());
  const int top = num_subtrees_ + num_branches_;
  std::vector<int> share_of(at(nodes_.count()), top);
  // The last claim wins: branches give way to subtrees.
  const auto claim = [&](const Subtree& tree, int share) {
    std::fill(share_of.begin() + tree.first, share_of.begin() + tree.root + 1, share);
  };
  for (int b = 0; b < num_branches_; ++b) claim(division.branches[at(b)], num_subtrees_ + b);
  for (int t = 0; t < num_subtrees_; ++t) claim(division.subtrees[at(t)], t);
  shares_.assign(at(top) + 1, {});
  for (int s = 0; s < nodes_.count(); ++s) shares_[at(share_of[at(s)])].nodes.push_back(s);
  for (Share& share : shares_) {
    int most = 0;
    for (const int s : share.nodes) most = std::max(most, front(s).slices);
    share.side.assign(at(slice * most), 0);
  }
}

void FloatCholesky::place_panels() {
  std::ptrdiff_t next = 0;
  for (int s = 0; s < nodes_.count(); ++s) {
    panel_start_[at(s)] = next;
    const FloatFront own = front(s);
    next += std::ptrdiff_t{slice} * own.slices * own.num_columns;
  }
  panel_start_.back() = next;
  panels_ = allocate(next);
}

/// Finds the places of the rows below each supernode in its parent's front.
void FloatCholesky::place_rows() {
  places_.assign(nodes_.rows.size(), 0);
  for (int s = 0; s < nodes_.count(); ++s) {
    const int parent = nodes_.parent[at(s)];
    if (parent < 0) continue;
    const int first = nodes_.first[at(parent)], end = nodes_.first[at(parent) + 1];
    const int* above = nodes_.rows_of(parent);
    int place = slice * front(parent).own_slices;
    for (int k = nodes_.row_start[at(s)]; k < nodes_.row_start[at(s) + 1]; ++k) {
      const int row = nodes_.rows[at(k)];
      for (; row >= end && *above < row; ++above) ++place;
      places_[at(k)] = row < end ? row - first : place;
    }
  }
}

void FloatCholesky::place_entries(const SpdSolver::Matrix& lower) {
  targets_.assign(at(lower.nonZeros()), 0);
  for (int s = 0; s < nodes_.count(); ++s) {
    const FloatFront own = front(s);
    const int first = nodes_.first[at(s)], end = nodes_.first[at(s) + 1];
    for (int j = first; j < end; ++j) {
      const int* above = nodes_.rows_of(s);
      int place = slice * own.own_slices;
      for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
        const int row = lower.innerIndexPtr()[k];
        for (; row >= end && *above < row; ++above) ++place;
        const int in_front = row < end ? row - first : place;
        targets_[at(k)] =
            slice * (in_front / slice * own.num_columns + j - first) + in_front % slice;
      }
    }
  }
}

/// Assigns places, from `first` on, to what the supernodes of a share leave. Each keeps its place
/// until its parent has used it; what the last one leaves stays. Returns the end.
std::ptrdiff_t FloatCholesky::place_left(const std::vector<int>& nodes, std::ptrdiff_t first) {
  struct Block {
    std::ptrdiff_t begin, end;
    int node;
  };
  std::vector<Block> taken;  // ascending
  std::ptrdiff_t end = first;
  for (const int s : nodes) {
    const int slices = FloatFront::slices_of(nodes_.num_rows(s));
    if (slices > 0) {
      // Takes the first gap that is large enough.
      const std::ptrdiff_t size = FloatFront::left_start(slices);
      std::ptrdiff_t begin = first;
      auto next = taken.begin();
      for (; next != taken.end() && next->begin - begin < size; ++next) begin = next->end;
      taken.insert(next, {begin, begin + size, s});
      left_start_[at(s)] = begin;
      end = std::max(end, begin + size);
    }
    std::erase_if(taken, [&](const Block& block) { return nodes_.parent[at(block.node)] == s; });
  }
  return end;
}

bool FloatCholesky::factor(const SpdSolver::Matrix& lower, Threads& threads) {
  // What hardly couples, as the directions of a flat sheet do, fills the factor with them.
  const SubnormalsAsZero mode;
  scale_ = scale_of(lower);
  std::fill(good_.begin(), good_.end(), 1);
  const auto eliminate_share = [&](int i) {
    for (const int s : shares_[at(i)].nodes) {
      if (!eliminate(s, lower)) {
        good_[at(i)] = 0;
        return;
      }
    }
  };
  const auto all_good = [&] { return std::find(good_.begin(), good_.end(), 0) == good_.end(); };
  threads.parallel_for(num_subtrees_, eliminate_share);
  if (all_good()) {
    threads.parallel_for(num_branches_, [&](int b) { eliminate_share(num_subtrees_ + b); });
  }
  if (all_good()) eliminate_share(num_subtrees_ + num_branches_);
  factored_ = all_good();
  return factored_;
}

/// Eliminates one front. False: it is not positive definite.
bool FloatCholesky::eliminate(int s, const SpdSolver::Matrix& lower) {
  const FloatFront own = front(s);
  const int first = nodes_.first[at(s)], width = nodes_.width(s);
  std::fill(own.panel, panels_.get() + panel_start_[at(s) + 1], 0.0F);
  const int* const start = lower.outerIndexPtr() + first;
  for (int k = start[0]; k < start[width]; ++k) {
    own.panel[targets_[at(k)]] = static_cast<float>(scale_ * lower.valuePtr()[k]);
  }
  for (int j = width; j < own.num_columns; ++j) {
    own.panel[slice * (j / slice * own.num_columns + j) + j % slice] = 1;
  }
  // The child's columns that are this front's own come before its other columns.
  const auto child = [&](int c) {
    return LeftOfChild{left_.get() + left_start_[at(c)], nodes_.num_rows(c),
                       places_.data() + nodes_.row_start[at(c)]};
  };
  const auto own_columns = [&](const LeftOfChild& from) {
    return static_cast<int>(
        std::lower_bound(from.places, from.places + from.num_rows, slice * own.own_slices) -
        from.places);
  };
  for (const int c : children_.of(s)) {
    const LeftOfChild from = child(c);
    kernels_->add(from, 0, own_columns(from), own, false, own.panel);
  }
  if (!kernels_->eliminate(own)) return false;
  if (nodes_.num_rows(s) == 0) return true;
  float* const left = left_.get() + left_start_[at(s)];
  kernels_->leave(own, left);
  for (const int c : children_.of(s)) {
    const LeftOfChild from = child(c);
    kernels_->add(from, own_columns(from), from.num_rows, own, true, left);
  }
  return true;
}

void FloatCholesky::forwards(Share& share) {
  for (const int s : share.nodes) {
    const FloatFront own = front(s);
    float* const t = share.side.data();
    float* const y = y_.data() + nodes_.first[at(s)];
    const int width = nodes_.width(s), own_rows = slice * own.own_slices;
    std::copy(y, y + width, t);
    std::fill(t + width, t + slice * own.slices, 0.0F);
    for (const int c : children_.of(s)) {
      for (int k = nodes_.row_start[at(c)]; k < nodes_.row_start[at(c) + 1]; ++k) {
        t[places_[at(k)]] += below_[at(k)];
      }
    }
    kernels_->forwards(own, t);
    std::copy(t, t + width, y);
    std::copy(t + own_rows, t + own_rows + nodes_.num_rows(s),
              below_.data() + nodes_.row_start[at(s)]);
  }
}

void FloatCholesky::backwards(Share& share) {
  for (auto node = share.nodes.rbegin(); node != share.nodes.rend(); ++node) {
    const int s = *node, width = nodes_.width(s);
    const FloatFront own = front(s);
    float* const t = share.side.data();
    float* const y = y_.data() + nodes_.first[at(s)];
    std::copy(y, y + width, t);
    std::fill(t + width, t + slice * own.slices, 0.0F);
    float* to = t + slice * own.own_slices;
    for (int k = nodes_.row_start[at(s)]; k < nodes_.row_start[at(s) + 1]; ++k) {
      *to++ = y_[at(nodes_.rows[at(k)])];
    }
    kernels_->backwards(own, t);
    std::copy(t, t + width, y);
  }
}

void FloatCholesky::solve(const double* b, double* x, Threads& threads) {
  if (!factored_) return;
  const SubnormalsAsZero mode;
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(b[i]));
  const double scale = scale_to_floats(largest);
  for (int i = 0; i < n_; ++i) y_[at(i)] = static_cast<float>(scale * b[i]);
  const auto share = [&](int i) -> Share& { return shares_[at(i)]; };
  threads.parallel_for(num_subtrees_, [&](int t) { forwards(share(t)); });
  threads.parallel_for(num_branches_, [&](int i) { forwards(share(num_subtrees_ + i)); });
  forwards(shares_.back());
  backwards(shares_.back());
  threads.parallel_for(num_branches_, [&](int i) { backwards(share(num_subtrees_ + i)); });
  threads.parallel_for(num_subtrees_, [&](int t) { backwards(share(t)); });
  const double back = scale_ / scale;
  for (int i = 0; i < n_; ++i) x[i] = back * static_cast<double>(y_[at(i)]);
}

long long FloatCholesky::factor_entries() const {
  long long entries = 0;
  for (int s = 0; s < nodes_.count(); ++s) {
    const long long width = nodes_.width(s);
    entries += width * (width + 1) / 2 + width * nodes_.num_rows(s);
  }
  return factored_ ? entries : 0;
}

}  // namespace supple
