#pragma once

#include <vector>

#include "linear/supernodes.h"

namespace supple {

/// Supernodes first .. root, of which root is above all others.
struct Subtree {
  int first = 0, root = 0;
};

/// Disjoint subtrees of the elimination that different threads may take, in ascending order. They
/// depend on the matrix alone. None where the whole is too small to share, or where a subtree's
/// supernodes do not follow each other (an order that is no postorder).
std::vector<Subtree> independent_subtrees(const Supernodes& nodes);

}  // namespace supple
