#pragma once

#include <vector>

#include "linear/supernodes.h"

namespace supple {

/// What the sparsity pattern of a matrix says about its factor.
struct FactorPattern {
  std::vector<int> tree;    ///< [n], elimination tree (elimination_tree)
  std::vector<int> counts;  ///< [n], entries of each column of the factor
  Supernodes nodes;

  /// Entries of the factor, diagonal included.
  long long num_entries() const;
};

FactorPattern analyse_pattern(const LowerPattern& lower);

}  // namespace supple
