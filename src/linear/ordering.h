#pragma once

#include <vector>

namespace supple {

/// Adjacency of a symmetric matrix without its diagonal. The neighbours of row i are
/// neighbour[start[i]] .. neighbour[start[i+1] - 1], ascending. Contains both (i, j) and (j, i).
struct Adjacency {
  std::vector<int> start;      ///< [n + 1]
  std::vector<int> neighbour;  ///< [start[n]]
  int size() const { return static_cast<int>(start.size()) - 1; }
};

/// An elimination order with little fill: order[k] is the row eliminated k-th. Tries both nested
/// dissection (METIS, if the build has it) and approximate minimum degree (Eigen's AMD). Dissection
/// has fewer factor entries on compact bodies and splits into halves for threads. Minimum degree is
/// kept if it saves a tenth, or saves anything in a factor that threads do not share. Subtrees of
/// the elimination tree are contiguous, children first.
std::vector<int> fill_reducing_order(const Adjacency& adjacency);

/// An order of small bandwidth: reverse Cuthill-McKee from a vertex at the rim of each component
/// [Cuthill & McKee 1969; George & Liu 1981, sec. 4.3]. In it an incomplete factorisation drops
/// less of what matters than in an order of little fill, and products find their neighbours in
/// cache.
std::vector<int> bandwidth_order(const Adjacency& adjacency);

/// Entries of the Cholesky factor, diagonal included, if rows are eliminated in this order.
long long factor_entries(const Adjacency& adjacency, const std::vector<int>& order);

}  // namespace supple
