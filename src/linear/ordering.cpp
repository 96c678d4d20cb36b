#include "linear/ordering.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

#include "linear/nested_dissection.h"
#include "linear/subtrees.h"
#include "linear/supernodes.h"

namespace supple {

namespace {

std::vector<int> minimum_degree(const Adjacency& adjacency) {
  const int n = adjacency.size();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(adjacency.neighbour.size() + static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (int k = adjacency.start[static_cast<std::size_t>(i)];
         k < adjacency.start[static_cast<std::size_t>(i) + 1]; ++k) {
      entries.emplace_back(i, adjacency.neighbour[static_cast<std::size_t>(k)], 1.0);
    }
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Appends the component of `root` to `order`, level after level, with the neighbours of each row
/// in order of ascending degree. `seen` marks visited rows with `mark`.
void append_levels(const Adjacency& adjacency, int root, int mark, std::vector<int>& seen,
                   std::vector<int>& order) {
  const auto degree = [&](int i) {
    const auto row = static_cast<std::size_t>(i);
    return adjacency.start[row + 1] - adjacency.start[row];
  };
  std::size_t next = order.size();
  order.push_back(root);
  seen[static_cast<std::size_t>(root)] = mark;
  for (; next < order.size(); ++next) {
    const auto row = static_cast<std::size_t>(order[next]);
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    for (int a = adjacency.start[row]; a < adjacency.start[row + 1]; ++a) {
      const int j = adjacency.neighbour[static_cast<std::size_t>(a)];
      if (seen[static_cast<std::size_t>(j)] == mark) continue;
      seen[static_cast<std::size_t>(j)] = mark;
      order.push_back(j);
    }
    std::sort(order.begin() + first, order.end(),
              [&](int i, int j) { return degree(i) != degree(j) ? degree(i) < degree(j) : i < j; });
  }
}

}  // namespace

std::vector<int> bandwidth_order(const Adjacency& adjacency) {
  const int n = adjacency.size();
  std::vector<int> seen(static_cast<std::size_t>(n), 0), order, trial;
  order.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (seen[static_cast<std::size_t>(i)] == 3) continue;
    // The last level from any start is at the rim; repeat from there.
    int root = i;
    for (int mark : {1, 2}) {
      trial.clear();
      append_levels(adjacency, root, mark, seen, trial);
      root = trial.back();
    }
    append_levels(adjacency, root, 3, seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {

/// The lower triangle in a given order, column by column.
struct OrderedPattern {
  std::vector<int> start, row;
  LowerPattern pattern() const {
    return {static_cast<int>(start.size()) - 1, start.data(), row.data()};
  }
};

OrderedPattern ordered(const Adjacency& adjacency, const std::vector<int>& order) {
  const auto n = static_cast<std::size_t>(adjacency.size());
  std::vector<int> place(n);
  for (std::size_t k = 0; k < n; ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  OrderedPattern lower;
  lower.start.assign(1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const auto old_size = static_cast<std::ptrdiff_t>(lower.row.size());
    lower.row.push_back(static_cast<int>(k));
    const auto i = static_cast<std::size_t>(order[k]);
    for (int a = adjacency.start[i]; a < adjacency.start[i + 1]; ++a) {
      const int row =
          place[static_cast<std::size_t>(adjacency.neighbour[static_cast<std::size_t>(a)])];
      if (row > static_cast<int>(k)) lower.row.push_back(row);
    }
    std::sort(lower.row.begin() + old_size, lower.row.end());
    lower.start.push_back(static_cast<int>(lower.row.size()));
  }
  return lower;
}

}  // namespace

long long factor_entries(const Adjacency& adjacency, const std::vector<int>& order) {
  const OrderedPattern lower = ordered(adjacency, order);
  long long entries = 0;
  for (const int count : column_counts(lower.pattern())) entries += count;
  return entries;
}

/// How many times minimum degree's entries dissection can have if threads share the factor: its
/// halves are work for two threads, while minimum degree's elimination can end in a chain.
constexpr double price_of_halves = 1.1;

std::vector<int> fill_reducing_order(const Adjacency& adjacency) {
  std::vector<int> order = minimum_degree(adjacency);
  const std::vector<int> by_dissection = nested_dissection(adjacency);
  if (!by_dissection.empty()) {
    const auto entries = static_cast<double>(factor_entries(adjacency, order));
    const double price = entries < least_shared_entries ? 1 : price_of_halves;
    if (static_cast<double>(factor_entries(adjacency, by_dissection)) < price * entries) {
      order = by_dissection;
    }
  }
  // Make subtrees contiguous: the fill stays, and columns with similar rows become neighbours.
  const std::vector<int> post = postorder(elimination_tree(ordered(adjacency, order).pattern()));
  std::vector<int> result(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    result[k] = order[static_cast<std::size_t>(post[k])];
  }
  return result;
}

}  // namespace supple
