#pragma once

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// Tree of axis-aligned boxes in one array. A node's left child stands right after it. Halving the
/// items at every level keeps the depth below 32, so that a query needs only a small fixed stack:
/// it allocates nothing.
class AabbTree {
 public:
  AabbTree() = default;
  /// Built over boxes; the tree keeps no reference to them. Same boxes, same tree.
  explicit AabbTree(const std::vector<Box>& boxes);

  /// Items in the order of the leaves: [boxes.size()]. A query names items by their place in it.
  const std::vector<int>& order() const { return order_; }
  /// Holds all boxes.
  const Box& bounds() const { return nodes_[0].box; }

  /// Calls visit(place) for the items whose box is nearer to x than visit's latest answer, the
  /// nearer child first. visit returns the squared distance from which on nothing is of interest.
  template <class Visit>
  void nearest(const Vec3& x, const Visit& visit) const;

 private:
  struct Node {
    Box box;
    int first;  ///< of the items of a leaf, or the right child
    int count;  ///< of the items of a leaf, or 0
  };
  void build(const std::vector<Box>& boxes, int first, int last);
  static double squared_distance(const Box& box, const Vec3& x);

  std::vector<Node> nodes_;
  std::vector<int> order_;
};

inline double AabbTree::squared_distance(const Box& box, const Vec3& x) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double below = box.min[k] - x[k];
    const double above = x[k] - box.max[k];
    const double outside = below > above ? below : above;
    if (outside > 0) sum += outside * outside;
  }
  return sum;
}

template <class Visit>
void AabbTree::nearest(const Vec3& x, const Visit& visit) const {
  struct Entry {
    int node;
    double distance;
  };
  std::array<Entry, 64> stack;  // two entries a level
  double reach = std::numeric_limits<double>::infinity();
  int size = 0;
  stack[0] = {0, squared_distance(nodes_[0].box, x)};
  size = 1;
  while (size > 0) {
    const Entry entry = stack[static_cast<std::size_t>(--size)];
    if (!(entry.distance < reach)) continue;
    const Node& node = nodes_[static_cast<std::size_t>(entry.node)];
    if (node.count > 0) {
      for (int i = node.first; i < node.first + node.count; ++i) reach = visit(i);
      continue;
    }
    Entry near{entry.node + 1, 0};
    Entry far{node.first, 0};
    near.distance = squared_distance(nodes_[static_cast<std::size_t>(near.node)].box, x);
    far.distance = squared_distance(nodes_[static_cast<std::size_t>(far.node)].box, x);
    if (far.distance < near.distance) std::swap(near, far);
    stack[static_cast<std::size_t>(size++)] = far;
    stack[static_cast<std::size_t>(size++)] = near;
  }
}

}  // namespace supple
