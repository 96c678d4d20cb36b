#pragma once

#include <vector>

#include "linear/supernodes.h"

namespace supple {

/// If a factor has fewer entries than this, waking a thread takes longer than it saves.
inline constexpr double least_shared_entries = 40000;

/// Supernodes first .. root, where root is above all others.
struct Subtree {
  int first = 0, root = 0;
};

/// The parts of an elimination on which different threads can work at the same time. Depends only
/// on the matrix.
struct Division {
  /// Disjoint, in ascending order. Empty if the whole is too small to share, or if the supernodes
  /// of a subtree are not contiguous (the order is not a postorder).
  std::vector<Subtree> subtrees;
  /// Larger subtrees, also disjoint and ascending, each with supernodes that are in none of
  /// `subtrees`. These have their turn when the subtrees inside are done; supernodes that are in
  /// neither have theirs when the branches are done.
  std::vector<Subtree> branches;
};

Division divide(const Supernodes& nodes);

}  // namespace supple
