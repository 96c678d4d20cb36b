#pragma once

#include <vector>

#include "linear/supernodes.h"

namespace supple {

/// Entries of a factor below which waking a thread takes longer than it saves.
inline constexpr double least_shared_entries = 40000;

/// Supernodes first .. root, of which root is above all others.
struct Subtree {
  int first = 0, root = 0;
};

/// What of an elimination different threads may take at the same time. It depends on the matrix
/// alone.
struct Division {
  /// Disjoint, in ascending order. None where the whole is too small to share, or where a subtree's
  /// supernodes do not follow each other (an order that is no postorder).
  std::vector<Subtree> subtrees;
  /// The same of larger ones, each with supernodes that are in no subtree: these have their turn
  /// when the subtrees inside are done, and what is in neither, when the branches are.
  std::vector<Subtree> branches;
};

Division divide(const Supernodes& nodes);

}  // namespace supple
