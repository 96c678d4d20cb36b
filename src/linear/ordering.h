#pragma once

#include <vector>

namespace supple {

/// Adjacency of a symmetric matrix without its diagonal: the neighbours of row i are
/// neighbour[start[i]] .. neighbour[start[i+1] - 1], ascending; both (i, j) and (j, i) are there.
struct Adjacency {
  std::vector<int> start;      ///< [n + 1]
  std::vector<int> neighbour;  ///< [start[n]]
  int size() const { return static_cast<int>(start.size()) - 1; }
};

/// An elimination order of little fill: order[k] is the row eliminated k-th. Both nested dissection
/// (METIS, where the build has it) and approximate minimum degree (Eigen's AMD) are tried. The
/// first has fewer factor entries on compact bodies and splits into halves for threads; the second
/// is kept where it saves a tenth, or anything of a factor that no threads share. Subtrees of the
/// elimination tree stand without gaps, children first.
std::vector<int> fill_reducing_order(const Adjacency& adjacency);

/// An order of small bandwidth: reverse Cuthill-McKee from a vertex at the rim of each component
/// [Cuthill & McKee 1969; George & Liu 1981, sec. 4.3]. An incomplete factorisation drops less of
/// what matters in it than in an order of little fill, and products find their neighbours in cache.
std::vector<int> bandwidth_order(const Adjacency& adjacency);

/// Entries of the Cholesky factor, diagonal included, when rows are eliminated in this order.
long long factor_entries(const Adjacency& adjacency, const std::vector<int>& order);

}  // namespace supple
