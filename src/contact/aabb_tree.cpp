#include "contact/aabb_tree.h"

#include <algorithm>
#include <numeric>

namespace supple {

namespace {

// Four triangles cost about as much as the two box tests that a further level would.
constexpr int leaf_size = 4;

double middle(const Box& box, std::size_t k) { return 0.5 * (box.min[k] + box.max[k]); }

}  // namespace

void AabbTree::reserve(std::size_t count) {
  order_.reserve(count);
  nodes_.reserve(std::max<std::size_t>(1, count));  // halves of more than four are two or more
}

void AabbTree::rebuild(const std::vector<Box>& boxes) {
  nodes_.clear();
  order_.resize(boxes.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!boxes.empty()) build(boxes, 0, static_cast<int>(boxes.size()));
}

void AabbTree::build(const std::vector<Box>& boxes, int first, int last) {
  const auto box_of = [&](int place) -> const Box& {
    return boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(place)])];
  };
  Box bounds = box_of(first);
  Vec3 low, high;  // of the middles
  for (std::size_t k = 0; k < 3; ++k) low[k] = high[k] = middle(bounds, k);
  for (int i = first; i < last; ++i) {
    bounds = join(bounds, box_of(i));
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], middle(box_of(i), k));
      high[k] = std::max(high[k], middle(box_of(i), k));
    }
  }
  const std::size_t self = nodes_.size();
  nodes_.push_back({bounds, first, last - first});
  if (last - first <= leaf_size) return;

  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  }
  const int half = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + half, order_.begin() + last,
                   [&](int a, int b) {
                     const double ma = middle(boxes[static_cast<std::size_t>(a)], axis);
                     const double mb = middle(boxes[static_cast<std::size_t>(b)], axis);
                     return ma != mb ? ma < mb : a < b;
                   });
  build(boxes, first, half);
  nodes_[self].first = static_cast<int>(nodes_.size());
  nodes_[self].count = 0;
  build(boxes, half, last);
}

}  // namespace supple
