#pragma once

#include <span>
#include <vector>

namespace supple {

/// Consecutive columns of a Cholesky factor that have (nearly) the same rows, treated as one dense
/// panel [Liu, Ng & Peyton 1993].
struct Supernodes {
  std::vector<int> first;      ///< [count + 1]; supernode s has columns first[s] .. first[s+1] - 1
  std::vector<int> parent;     ///< [count], of the elimination tree of supernodes; -1 at a root
  std::vector<int> row_start;  ///< [count + 1], into `rows`
  std::vector<int> rows;       ///< rows below each diagonal block, ascending

  int count() const { return static_cast<int>(parent.size()); }
  int width(int s) const {
    return first[static_cast<std::size_t>(s) + 1] - first[static_cast<std::size_t>(s)];
  }
  int num_rows(int s) const {
    return row_start[static_cast<std::size_t>(s) + 1] - row_start[static_cast<std::size_t>(s)];
  }
  const int* rows_of(int s) const { return rows.data() + row_start[static_cast<std::size_t>(s)]; }
};

/// The children of each supernode in the tree.
class SupernodeChildren {
 public:
  SupernodeChildren() = default;
  explicit SupernodeChildren(const Supernodes& nodes);

  /// Ascending.
  std::span<const int> of(int s) const {
    const auto node = static_cast<std::size_t>(s);
    return std::span(children_).subspan(static_cast<std::size_t>(start_[node]),
                                        static_cast<std::size_t>(start_[node + 1] - start_[node]));
  }

 private:
  std::vector<int> start_, children_;  ///< [count + 1], into children_
};

/// A pattern by columns: column j has rows row[start[j]] .. row[start[j+1] - 1], ascending, the
/// diagonal first.
struct LowerPattern {
  int n = 0;
  const int* start = nullptr;  ///< [n + 1]
  const int* row = nullptr;
};

/// parent[j]: the first row below the diagonal in column j of the factor, -1 if there is none
/// [Liu 1990, "The role of elimination trees in sparse factorization"].
std::vector<int> elimination_tree(const LowerPattern& lower);

/// Entries of each column of the factor, diagonal included.
std::vector<int> column_counts(const LowerPattern& lower);

/// An order that visits the nodes of every tree children first, each subtree without gaps: order[k]
/// is the k-th node. Eliminating in this order does not change the fill, and the columns of
/// supernodes become contiguous.
std::vector<int> postorder(const std::vector<int>& parent);

/// The supernodes of the factor of a matrix with this pattern. A child whose columns come right
/// before its parent's is merged with it if the panel then stores few zeros [Ashcraft & Grimes
/// 1989]: they cost less than the bookkeeping of another panel. tree, counts: if not null, receive
/// elimination_tree and column_counts, which are by-products.
Supernodes find_supernodes(const LowerPattern& lower, std::vector<int>* tree = nullptr,
                           std::vector<int>* counts = nullptr);

}  // namespace supple
