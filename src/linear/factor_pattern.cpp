#include "linear/factor_pattern.h"

#include <numeric>

namespace supple {

long long FactorPattern::num_entries() const {
  return std::accumulate(counts.begin(), counts.end(), 0LL);
}

FactorPattern analyse_pattern(const LowerPattern& lower) {
  FactorPattern own;
  own.nodes = find_supernodes(lower, &own.tree, &own.counts);
  return own;
}

}  // namespace supple
