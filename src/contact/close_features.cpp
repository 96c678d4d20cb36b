#include "contact/close_features.h"

#include <algorithm>
#include <utility>

#include "base/index.h"

namespace supple {
namespace {

/// Around the corners of an item, before and after.
template <std::size_t N>
Box swept_box(const std::array<int, N>& corners, const VectorField& before,
              const VectorField& after) {
  Box box;
  for (int c = 0; c < 3; ++c) {
    const std::size_t axis = at(c);
    double low = before[at(corners[0])][c], high = low;
    for (const int corner : corners) {
      const double x = before[at(corner)][c], y = after[at(corner)][c];
      low = std::min({low, x, y});
      high = std::max({high, x, y});
    }
    box.min[axis] = low;
    box.max[axis] = high;
  }
  return box;
}

/// Boxes no farther apart than `reach` along each axis. Rounding keeps the order of a difference
/// and a double, so that no pair within reach fails.
bool within(const Box& a, const Box& b, double reach) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (a.min[c] - b.max[c] > reach || b.min[c] - a.max[c] > reach) return false;
  }
  return true;
}

}  // namespace

double CloseFeatures::Boxes::looseness() const {
  double items = 0;
  for (const Box& box : boxes) items += AabbTree::extent(box);
  return tree.extent() / items;
}

void CloseFeatures::Boxes::place() {
  placed.resize(boxes.size());
  for (std::size_t i = 0; i < tree.order().size(); ++i) placed[i] = boxes[at(tree.order()[i])];
}

void CloseFeatures::Boxes::follow() {
  place();
  tree.refit([&](int i) { return placed[at(i)]; });
  if (!(built_with > 0) || looseness() > 2 * built_with) {
    tree.rebuild(boxes);
    place();
    built_with = looseness();
  }
}

CloseFeatures::CloseFeatures(std::vector<std::array<int, 3>> triangles,
                             const std::vector<std::array<int, 2>>& segments,
                             const VectorField& positions)
    : triangles_(std::move(triangles)) {
  const auto add_edge = [&](int a, int b) {
    edges_.push_back({std::min(a, b), std::max(a, b)});
    vertices_.insert(vertices_.end(), {a, b});
  };
  for (const auto& t : triangles_) {
    for (std::size_t i = 0; i < 3; ++i) add_edge(t[i], t[(i + 1) % 3]);
  }
  for (const auto& s : segments) add_edge(s[0], s[1]);
  const auto sort_once = [](auto& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  };
  sort_once(edges_);
  sort_once(vertices_);
  of_triangles_.boxes.resize(triangles_.size());
  of_edges_.boxes.resize(edges_.size());
  update(positions, positions);
}

void CloseFeatures::update(const VectorField& before, const VectorField& after) {
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    of_triangles_.boxes[i] = swept_box(triangles_[i], before, after);
  }
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    of_edges_.boxes[i] = swept_box(edges_[i], before, after);
  }
  of_triangles_.follow();
  of_edges_.follow();
}

void CloseFeatures::find(const VectorField& before, const VectorField& after, double reach) {
  update(before, after);
  vertex_faces_.clear();
  for (const int vertex : vertices_) {
    const Box box = swept_box(std::array<int, 1>{vertex}, before, after);
    const std::size_t first = vertex_faces_.size();
    const auto touches = [&](const Box& other) { return within(box, other, reach); };
    of_triangles_.tree.any(touches, [&](int place) {
      if (!touches(of_triangles_.placed[at(place)])) return false;
      const int triangle = of_triangles_.tree.order()[at(place)];
      const auto& t = triangles_[at(triangle)];
      if (vertex == t[0] || vertex == t[1] || vertex == t[2]) return false;
      vertex_faces_.push_back({vertex, triangle});
      return false;
    });
    std::sort(vertex_faces_.begin() + static_cast<std::ptrdiff_t>(first), vertex_faces_.end());
  }
  edge_edges_.clear();
  const auto touch = [&](const Box& a, const Box& b) { return within(a, b, reach); };
  of_edges_.tree.pairs(touch, [&](int i, int j) {
    if (!touch(of_edges_.placed[at(i)], of_edges_.placed[at(j)])) return;
    const auto [first, second] =
        std::minmax(of_edges_.tree.order()[at(i)], of_edges_.tree.order()[at(j)]);
    const auto &a = edges_[at(first)], &b = edges_[at(second)];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return;
    edge_edges_.push_back({first, second});
  });
  std::sort(edge_edges_.begin(), edge_edges_.end());
}

}  // namespace supple
