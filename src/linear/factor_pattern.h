#pragma once

#include <vector>

#include "base/earlier.h"
#include "linear/supernodes.h"

namespace supple {

/// What the pattern of a matrix says about its factor. The rows of a matrix may stand in blocks
/// that are coupled to no others, as the bodies of a scene do: each is analysed by itself, so that
/// what is found for a block does not depend on those beside it.
struct FactorPattern {
  std::vector<int> blocks;  ///< [num_blocks + 1], first row of each
  std::vector<int> tree;    ///< [n], elimination tree (elimination_tree)
  std::vector<int> counts;  ///< [n], entries of each column of the factor
  Supernodes nodes;
  std::vector<int> block_nodes;  ///< [num_blocks + 1], first supernode of each

  std::size_t num_blocks() const { return blocks.size() - 1; }
  /// Entries of the factor, diagonal included.
  long long num_entries() const;
};

/// blocks: first rows, from 0, and the number of rows behind them. earlier: blocks of another
/// matrix with the pattern of this one's.
FactorPattern analyse_pattern(const LowerPattern& lower, std::vector<int> blocks,
                              const Earlier<FactorPattern>& earlier = {});

}  // namespace supple
