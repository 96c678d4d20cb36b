#include "linear/supernodes.h"

#include <algorithm>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// The pattern by rows, without the diagonal: columns of row i, ascending.
struct Rows {
  std::vector<int> start, column;
};

Rows rows_of(const LowerPattern& lower) {
  Rows rows;
  rows.start.assign(at(lower.n) + 1, 0);
  for (int j = 0; j < lower.n; ++j) {
    for (int k = lower.start[j]; k < lower.start[j + 1]; ++k) {
      if (lower.row[k] > j) ++rows.start[at(lower.row[k]) + 1];
    }
  }
  for (std::size_t i = 1; i < rows.start.size(); ++i) rows.start[i] += rows.start[i - 1];
  rows.column.resize(at(rows.start.back()));
  std::vector<int> next(rows.start.begin(), rows.start.end() - 1);
  for (int j = 0; j < lower.n; ++j) {
    for (int k = lower.start[j]; k < lower.start[j + 1]; ++k) {
      if (lower.row[k] > j) rows.column[at(next[at(lower.row[k])]++)] = j;
    }
  }
  return rows;
}

std::vector<int> tree_of(const Rows& rows) {
  const int n = static_cast<int>(rows.start.size()) - 1;
  std::vector<int> parent(at(n), -1), ancestor(at(n), -1);
  for (int i = 0; i < n; ++i) {
    for (int k = rows.start[at(i)]; k < rows.start[at(i) + 1]; ++k) {
      // Goes up the tree to its root and gives every node on the way a higher ancestor.
      for (int j = rows.column[at(k)]; j != -1 && j < i;) {
        const int next = ancestor[at(j)];
        ancestor[at(j)] = i;
        if (next == -1) parent[at(j)] = i;
        j = next;
      }
    }
  }
  return parent;
}

/// In row i of the factor, all columns on the tree's paths from the row's own columns to i have an
/// entry.
std::vector<int> counts_of(const Rows& rows, const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> count(at(n), 1), mark(at(n), -1);
  for (int i = 0; i < n; ++i) {
    mark[at(i)] = i;
    for (int k = rows.start[at(i)]; k < rows.start[at(i) + 1]; ++k) {
      for (int j = rows.column[at(k)]; mark[at(j)] != i; j = parent[at(j)]) {
        mark[at(j)] = i;
        ++count[at(j)];
      }
    }
  }
  return count;
}

/// Whether a panel of this width may store this many zeros.
bool few_zeros(int width, double zeros, double entries) {
  if (width <= 8) return true;
  if (width <= 16) return zeros < 0.8 * entries;
  if (width <= 48) return zeros < 0.1 * entries;
  return zeros < 0.05 * entries;
}

/// A subtree with more than this share of all entries is work for a thread.
constexpr double share_of_fork = 0.125;

/// For each column, whether two or more of its children's subtrees are that large. Different
/// threads then work below it (subtrees.h), while a panel that took in one of them would leave it
/// to one thread.
std::vector<bool> forks_of(const std::vector<int>& parent, const std::vector<int>& count) {
  const std::size_t n = parent.size();
  std::vector<double> entries(count.begin(), count.end());
  double all = 0;
  for (const double own : entries) all += own;
  std::vector<int> large_children(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    if (parent[j] == -1) continue;
    entries[at(parent[j])] += entries[j];
    if (entries[j] > share_of_fork * all) ++large_children[at(parent[j])];
  }
  std::vector<bool> forks(n);
  for (std::size_t j = 0; j < n; ++j) forks[j] = large_children[j] > 1;
  return forks;
}

/// First columns of the supernodes.
std::vector<int> first_columns(const std::vector<int>& parent, const std::vector<int>& count) {
  const int n = static_cast<int>(parent.size());
  const std::vector<bool> forks = forks_of(parent, count);
  // Fundamental supernodes: column j + 1 has the rows of column j except its first.
  std::vector<int> first;
  for (int j = 0; j < n; ++j) {
    const bool goes_on =
        j > 0 && parent[at(j - 1)] == j && count[at(j - 1)] == count[at(j)] + 1 && !forks[at(j)];
    if (!goes_on) first.push_back(j);
  }
  first.push_back(n);
  // From the last to the first, so that a group is complete above when a child joins it. A group is
  // identified by its first supernode; it ends where the next group begins.
  const int num = static_cast<int>(first.size()) - 1;
  std::vector<int> group_end(at(num));
  std::vector<double> zeros(at(num), 0.0);
  std::vector<bool> joined(at(num), false);  // with the supernode before it
  for (int s = num - 1; s >= 0; --s) {
    group_end[at(s)] = first[at(s) + 1];
    if (s + 1 == num) continue;
    const int last = first[at(s) + 1] - 1;
    if (parent[at(last)] == -1 || parent[at(last)] != first[at(s) + 1]) continue;
    if (forks[at(first[at(s) + 1])]) continue;
    const int own = first[at(s) + 1] - first[at(s)];
    const int upper = group_end[at(s + 1)] - first[at(s + 1)];
    const int width = own + upper;
    const double upper_rows = count[at(first[at(s + 1)])];
    const double added = own * (own + upper_rows - count[at(first[at(s)])]);
    const double all_zeros = zeros[at(s)] + zeros[at(s + 1)] + added;
    const double entries = 0.5 * width * (width + 1) + width * (upper_rows - upper);
    if (!few_zeros(width, all_zeros, entries)) continue;
    zeros[at(s)] = all_zeros;
    group_end[at(s)] = group_end[at(s + 1)];
    joined[at(s + 1)] = true;
  }
  std::vector<int> result;
  for (int s = 0; s < num; ++s) {
    if (!joined[at(s)]) result.push_back(first[at(s)]);
  }
  result.push_back(n);
  return result;
}

}  // namespace

SupernodeChildren::SupernodeChildren(const Supernodes& nodes) : start_(at(nodes.count()) + 1, 0) {
  for (const int parent : nodes.parent) {
    if (parent >= 0) ++start_[at(parent) + 1];
  }
  for (std::size_t s = 1; s < start_.size(); ++s) start_[s] += start_[s - 1];
  children_.resize(at(start_.back()));
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for (int s = 0; s < nodes.count(); ++s) {
    const int parent = nodes.parent[at(s)];
    if (parent >= 0) children_[at(next[at(parent)]++)] = s;
  }
}

std::vector<int> elimination_tree(const LowerPattern& lower) { return tree_of(rows_of(lower)); }

std::vector<int> column_counts(const LowerPattern& lower) {
  const Rows rows = rows_of(lower);
  return counts_of(rows, tree_of(rows));
}

std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> child(at(n), -1), sibling(at(n), -1), roots;
  for (int j = n - 1; j >= 0; --j) {
    const int p = parent[at(j)];
    if (p == -1) {
      roots.push_back(j);
    } else {
      sibling[at(j)] = child[at(p)];
      child[at(p)] = j;
    }
  }
  std::vector<int> order, path;
  order.reserve(at(n));
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
    path.push_back(*root);
    while (!path.empty()) {
      const int j = path.back();
      if (child[at(j)] != -1) {
        path.push_back(child[at(j)]);
        child[at(j)] = -1;  // so that it is done on the way back
      } else {
        order.push_back(j);
        path.pop_back();
        if (sibling[at(j)] != -1) path.push_back(sibling[at(j)]);
      }
    }
  }
  return order;
}

Supernodes find_supernodes(const LowerPattern& lower, std::vector<int>* own_tree,
                           std::vector<int>* own_counts) {
  const Rows by_rows = rows_of(lower);
  std::vector<int> tree = tree_of(by_rows), counts = counts_of(by_rows, tree);
  Supernodes nodes;
  nodes.first = first_columns(tree, counts);
  if (own_tree != nullptr) *own_tree = std::move(tree);
  if (own_counts != nullptr) *own_counts = std::move(counts);
  const int count = static_cast<int>(nodes.first.size()) - 1;
  nodes.parent.assign(at(count), -1);
  nodes.row_start.assign(1, 0);
  std::vector<int> supernode_of(at(lower.n)), mark(at(lower.n), -1);
  for (int s = 0; s < count; ++s) {
    for (int j = nodes.first[at(s)]; j < nodes.first[at(s) + 1]; ++j) supernode_of[at(j)] = s;
  }
  std::vector<int> child(at(count), -1), sibling(at(count), -1);
  for (int s = 0; s < count; ++s) {
    const int begin = nodes.first[at(s)], end = nodes.first[at(s) + 1];
    const auto old_size = static_cast<std::ptrdiff_t>(nodes.rows.size());
    const auto take = [&](int row) {
      if (row < end || mark[at(row)] == s) return;
      mark[at(row)] = s;
      nodes.rows.push_back(row);
    };
    for (int k = lower.start[begin]; k < lower.start[end]; ++k) take(lower.row[k]);
    for (int c = child[at(s)]; c != -1; c = sibling[at(c)]) {
      for (int k = nodes.row_start[at(c)]; k < nodes.row_start[at(c) + 1]; ++k) {
        take(nodes.rows[at(k)]);
      }
    }
    std::sort(nodes.rows.begin() + old_size, nodes.rows.end());
    nodes.row_start.push_back(static_cast<int>(nodes.rows.size()));
    if (nodes.num_rows(s) > 0) {
      const int above = supernode_of[at(nodes.rows[at(nodes.row_start[at(s)])])];
      nodes.parent[at(s)] = above;
      sibling[at(s)] = child[at(above)];
      child[at(above)] = s;
    }
  }
  return nodes;
}

}  // namespace supple
