#include "linear/subtrees.h"

#include <algorithm>

#include "base/index.h"

namespace supple {

namespace {

/// A subtree with more than this share of the work is split into those of its children.
constexpr double largest_share = 0.35;
/// A subtree with less is not worth a task of its own: it stays with the top.
constexpr double smallest_share = 1.0 / 200;
/// A split subtree with up to this share of the work is a branch: two threads take one each.
constexpr double largest_branch = 0.6;

}  // namespace

Division divide(const Supernodes& nodes) {
  const int count = nodes.count();
  std::vector<double> work(at(count));
  std::vector<int> first(at(count)), size(at(count), 1);
  double all = 0;
  for (int s = 0; s < count; ++s) first[at(s)] = s;
  for (int s = 0; s < count; ++s) {
    const double width = nodes.width(s);
    const double own = width * (0.5 * width + nodes.num_rows(s));
    work[at(s)] += own;
    all += own;
    // Children come before their parents.
    const int parent = nodes.parent[at(s)];
    if (parent < 0) continue;
    work[at(parent)] += work[at(s)];
    first[at(parent)] = std::min(first[at(parent)], first[at(s)]);
    size[at(parent)] += size[at(s)];
  }
  Division division;
  if (all < least_shared_entries) return division;
  // From the roots down: what is small enough is a subtree; the rest belongs to what is above.
  std::vector<bool> is_split(at(count), false), is_in_branch(at(count), false);
  for (int s = count - 1; s >= 0; --s) {
    const int parent = nodes.parent[at(s)];
    if (parent >= 0 && !is_split[at(parent)]) continue;  // inside a subtree
    if (first[at(s)] + size[at(s)] != s + 1) return {};
    const Subtree own{first[at(s)], s};
    is_in_branch[at(s)] = parent >= 0 && is_in_branch[at(parent)];
    if (work[at(s)] > largest_share * all) {
      is_split[at(s)] = true;
      if (is_in_branch[at(s)] || work[at(s)] > largest_branch * all) continue;
      is_in_branch[at(s)] = true;
      division.branches.push_back(own);
    } else if (work[at(s)] < smallest_share * all) {
      is_split[at(s)] = true;
    } else {
      division.subtrees.push_back(own);
    }
  }
  std::reverse(division.subtrees.begin(), division.subtrees.end());
  std::reverse(division.branches.begin(), division.branches.end());
  return division;
}

}  // namespace supple
