#include "linear/factor_pattern.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// Numbers of one list from `first` to `last`, behind those of another, each so much more; what is
/// -1 stays so.
void append(const std::vector<int>& from, int first, int last, int shift, std::vector<int>& to) {
  std::transform(from.begin() + first, from.begin() + last, std::back_inserter(to),
                 [&](int number) { return number < 0 ? number : number + shift; });
}

/// Appends a block of another pattern. The last entries of `first` and `row_start` are those of the
/// next block's begin.
void append_block(const FactorPattern& from, std::size_t block, FactorPattern& to) {
  const int first = from.blocks[block], last = from.blocks[block + 1];
  const int shift = static_cast<int>(to.tree.size()) - first;
  append(from.tree, first, last, shift, to.tree);
  append(from.counts, first, last, 0, to.counts);
  const int node = from.block_nodes[block], end = from.block_nodes[block + 1];
  const int node_shift = to.nodes.count() - node;
  const Supernodes& nodes = from.nodes;
  const int row = nodes.row_start[at(node)], end_row = nodes.row_start[at(end)];
  const int row_shift = static_cast<int>(to.nodes.rows.size()) - row;
  append(nodes.parent, node, end, node_shift, to.nodes.parent);
  append(nodes.first, node + 1, end + 1, shift, to.nodes.first);
  append(nodes.row_start, node + 1, end + 1, row_shift, to.nodes.row_start);
  append(nodes.rows, row, end_row, shift, to.nodes.rows);
  to.block_nodes.push_back(to.nodes.count());
}

/// A pattern of one block.
FactorPattern of_whole(const LowerPattern& lower) {
  FactorPattern own{
      .blocks = {0, lower.n}, .tree = {}, .counts = {}, .nodes = {}, .block_nodes = {}};
  own.nodes = find_supernodes(lower, &own.tree, &own.counts);
  own.block_nodes = {0, own.nodes.count()};
  return own;
}

FactorPattern of_rows(const LowerPattern& lower, int first, int last) {
  std::vector<int> start, row;
  for (int j = first; j <= last; ++j) start.push_back(lower.start[j] - lower.start[first]);
  for (int k = lower.start[first]; k < lower.start[last]; ++k) row.push_back(lower.row[k] - first);
  return of_whole({last - first, start.data(), row.data()});
}

}  // namespace

long long FactorPattern::num_entries() const {
  return std::accumulate(counts.begin(), counts.end(), 0LL);
}

FactorPattern analyse_pattern(const LowerPattern& lower, std::vector<int> blocks,
                              const Earlier<FactorPattern>& earlier) {
  if (blocks.size() == 2 && earlier.of(0) < 0) return of_whole(lower);
  FactorPattern all;
  all.nodes.first.assign(1, 0);
  all.nodes.row_start.assign(1, 0);
  all.block_nodes.assign(1, 0);
  for (std::size_t b = 0; b + 1 < blocks.size(); ++b) {
    const int origin = earlier.of(b);
    if (origin >= 0) {
      append_block(*earlier.made, at(origin), all);
    } else {
      append_block(of_rows(lower, blocks[b], blocks[b + 1]), 0, all);
    }
  }
  all.blocks = std::move(blocks);
  return all;
}

}  // namespace supple
