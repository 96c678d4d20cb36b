#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// Tree of axis-aligned boxes in one array. A node's left child directly follows it. Halving the
/// items at every level keeps the depth below 32, so a query needs only a small fixed stack and
/// allocates nothing. Without items the queries visit nothing.
class AabbTree {
 public:
  AabbTree() = default;
  /// Built over boxes; the tree keeps no reference to them. Same boxes, same tree.
  explicit AabbTree(const std::vector<Box>& boxes) { rebuild(boxes); }

  /// Makes room for this many boxes, so that `rebuild` allocates nothing.
  void reserve(std::size_t count);
  /// Builds the tree anew in the same memory.
  void rebuild(const std::vector<Box>& boxes);

  /// The same tree over items that have moved: box_of(place) is the box of the item at that place
  /// of order(). Queries stay right; they stay fast as long as neighbours stay neighbours.
  template <class BoxOf>
  void refit(const BoxOf& box_of);

  /// Items in the order of the leaves: [boxes.size()]. A query names items by their place in it.
  const std::vector<int>& order() const { return order_; }
  /// Holds all boxes; there must be one.
  const Box& bounds() const { return nodes_[0].box; }

  /// Calls visit(place) for the items whose box is nearer to x than visit's latest answer, the
  /// nearer child first. visit returns the squared distance from which on nothing is of interest;
  /// at first it is `reach`.
  template <class Visit>
  void nearest(const Vec3& x, const Visit& visit,
               double reach = std::numeric_limits<double>::infinity()) const {
    descend([&](const Box& box) { return squared_distance(box, x); }, visit, reach,
            [](double distance, double limit) { return distance < limit; });
  }

  /// Calls visit(place) for the items whose box the ray from `origin` along the unit vector
  /// `direction` meets within visit's latest answer, the nearer child first. visit returns the
  /// distance beyond which nothing is of interest; at first it is `reach`.
  template <class Visit>
  void along(const Vec3& origin, const Vec3& direction, const Visit& visit, double reach) const;

  /// Calls visit(place) for the items of leaves whose box and those of all parents pass
  /// `touches(box)`, until it returns true. Returns whether it did.
  template <class Touches, class Visit>
  bool any(const Touches& touches, const Visit& visit) const;

  /// Calls visit(i, j) once for each pair of different places whose leaves' boxes, and those of all
  /// parents, pass `touches(a, b)`.
  template <class Touches, class Visit>
  void pairs(const Touches& touches, const Visit& visit) const;

  /// The same for a place of this tree and one of another tree.
  template <class Touches, class Visit>
  void pairs_with(const AabbTree& other, const Touches& touches, const Visit& visit) const;

  /// Sum of the extents of all nodes: it grows as neighbours drift apart.
  double extent() const;
  /// Sum of the lengths of a box along the axes.
  static double extent(const Box& box) {
    return (box.max[0] - box.min[0]) + (box.max[1] - box.min[1]) + (box.max[2] - box.min[2]);
  }

  static double squared_distance(const Box& box, const Vec3& x);
  static Box join(const Box& a, const Box& b);

 private:
  struct Node {
    Box box;
    int first;  ///< first item of a leaf, or the right child
    int count;  ///< number of items of a leaf, or 0
  };
  void build(const std::vector<Box>& boxes, int first, int last);
  /// Pairs of the items below a node with those below a node of another tree, or of another part of
  /// this one.
  template <class Touches, class Visit>
  void pairs_below(int own, const AabbTree& other, int others, const Touches& touches,
                   const Visit& visit) const;
  /// Visits the items of boxes with wanted(key, reach), the child with the smaller key first.
  template <class Key, class Visit, class Wanted>
  void descend(const Key& key, const Visit& visit, double reach, const Wanted& wanted) const;

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

inline Box AabbTree::join(const Box& a, const Box& b) {
  Box box = a;
  for (std::size_t k = 0; k < 3; ++k) {
    box.min[k] = std::min(box.min[k], b.min[k]);
    box.max[k] = std::max(box.max[k], b.max[k]);
  }
  return box;
}

template <class BoxOf>
void AabbTree::refit(const BoxOf& box_of) {
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    if (node.count == 0) {
      node.box = join(nodes_[n + 1].box, nodes_[static_cast<std::size_t>(node.first)].box);
      continue;
    }
    node.box = box_of(node.first);
    for (int i = 1; i < node.count; ++i) node.box = join(node.box, box_of(node.first + i));
  }
}

template <class Key, class Visit, class Wanted>
void AabbTree::descend(const Key& key, const Visit& visit, double reach,
                       const Wanted& wanted) const {
  if (nodes_.empty()) return;
  struct Entry {
    int node;
    double key;
  };
  std::array<Entry, 64> stack;  // two entries per level
  int size = 0;
  stack[0] = {0, key(nodes_[0].box)};
  size = 1;
  while (size > 0) {
    const Entry entry = stack[static_cast<std::size_t>(--size)];
    if (!wanted(entry.key, reach)) continue;
    const Node& node = nodes_[static_cast<std::size_t>(entry.node)];
    if (node.count > 0) {
      for (int i = node.first; i < node.first + node.count; ++i) reach = visit(i);
      continue;
    }
    Entry near{entry.node + 1, 0};
    Entry far{node.first, 0};
    near.key = key(nodes_[static_cast<std::size_t>(near.node)].box);
    far.key = key(nodes_[static_cast<std::size_t>(far.node)].box);
    if (far.key < near.key) std::swap(near, far);
    stack[static_cast<std::size_t>(size++)] = far;
    stack[static_cast<std::size_t>(size++)] = near;
  }
}

template <class Visit>
void AabbTree::along(const Vec3& origin, const Vec3& direction, const Visit& visit,
                     double reach) const {
  if (nodes_.empty()) return;
  constexpr double missed = std::numeric_limits<double>::infinity();
  Vec3 inverse;
  for (std::size_t k = 0; k < 3; ++k) inverse[k] = 1 / direction[k];
  // Each bound is rounded three times, and so is a triangle's view of the ray. With this margin no
  // ray slips by [Ize 2013, sec. 3].
  constexpr double widened = 1 + 8 * std::numeric_limits<double>::epsilon();
  const auto entry = [&](const Box& box) {
    double enters = 0, leaves = missed;
    for (std::size_t k = 0; k < 3; ++k) {
      const double low = box.min[k] - origin[k], high = box.max[k] - origin[k];
      if (direction[k] == 0) {
        if (low > 0 || high < 0) return missed;
        continue;
      }
      double near = low * inverse[k], far = high * inverse[k];
      if (far < near) std::swap(near, far);
      enters = std::max(enters, near);
      leaves = std::min(leaves, far * widened);
    }
    return enters <= leaves ? enters : missed;
  };
  descend(entry, visit, reach,
          [](double enters, double limit) { return enters <= limit * widened && enters < missed; });
}

inline double AabbTree::extent() const {
  double sum = 0;
  for (const Node& node : nodes_) sum += extent(node.box);
  return sum;
}

template <class Touches, class Visit>
void AabbTree::pairs(const Touches& touches, const Visit& visit) const {
  if (nodes_.empty()) return;
  std::array<int, 64> stack;  // one entry per level
  stack[0] = 0;
  int size = 1;
  while (size > 0) {
    const int number = stack[static_cast<std::size_t>(--size)];
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    for (int p = node.first; p < node.first + node.count; ++p) {
      for (int q = node.first; q < p; ++q) visit(q, p);
    }
    if (node.count > 0) continue;
    pairs_below(number + 1, *this, node.first, touches, visit);
    stack[static_cast<std::size_t>(size++)] = node.first;
    stack[static_cast<std::size_t>(size++)] = number + 1;
  }
}

template <class Touches, class Visit>
void AabbTree::pairs_with(const AabbTree& other, const Touches& touches, const Visit& visit) const {
  if (!nodes_.empty() && !other.nodes_.empty()) pairs_below(0, other, 0, touches, visit);
}

template <class Touches, class Visit>
void AabbTree::pairs_below(int own, const AabbTree& other, int others, const Touches& touches,
                           const Visit& visit) const {
  struct Entry {
    int a, b;
  };
  std::array<Entry, 128> stack;  // one entry per level of either tree
  stack[0] = {own, others};
  int size = 1;
  const auto push = [&](int a, int b) { stack[static_cast<std::size_t>(size++)] = {a, b}; };
  while (size > 0) {
    const auto [i, j] = stack[static_cast<std::size_t>(--size)];
    const Node& a = nodes_[static_cast<std::size_t>(i)];
    const Node& b = other.nodes_[static_cast<std::size_t>(j)];
    if (!touches(a.box, b.box)) continue;
    if (a.count > 0 && b.count > 0) {
      for (int p = a.first; p < a.first + a.count; ++p) {
        for (int q = b.first; q < b.first + b.count; ++q) visit(p, q);
      }
    } else if (b.count > 0 || (a.count == 0 && extent(a.box) > extent(b.box))) {
      push(a.first, j);
      push(i + 1, j);
    } else {
      push(i, b.first);
      push(i, j + 1);
    }
  }
}

template <class Touches, class Visit>
bool AabbTree::any(const Touches& touches, const Visit& visit) const {
  if (nodes_.empty()) return false;
  std::array<int, 64> stack;
  int size = 0;
  stack[0] = 0;
  size = 1;
  while (size > 0) {
    const int number = stack[static_cast<std::size_t>(--size)];
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    if (!touches(node.box)) continue;
    for (int i = node.first; i < node.first + node.count; ++i) {
      if (visit(i)) return true;
    }
    if (node.count > 0) continue;
    stack[static_cast<std::size_t>(size++)] = node.first;
    stack[static_cast<std::size_t>(size++)] = number + 1;
  }
  return false;
}

}  // namespace supple
