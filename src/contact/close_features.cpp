#include "contact/close_features.h"

#include <algorithm>
#include <utility>

#include "base/index.h"

namespace supple {
namespace {

/// The box around the corners of an item, before and after.
template <std::size_t N>
Box swept_box(const std::array<int, N>& corners, const double* before, const double* after) {
  Box box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = before[4 * at(corners[0]) + axis], high = low;
    for (const int corner : corners) {
      const double x = before[4 * at(corner) + axis], y = after[4 * at(corner) + axis];
      low = std::min({low, x, y});
      high = std::max({high, x, y});
    }
    box.min[axis] = low;
    box.max[axis] = high;
  }
  return box;
}

/// Whether boxes are no farther apart than `reach` along each axis. Rounding keeps the order of a
/// difference and a double, so no pair within reach fails.
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

struct CloseFeatures::Search {
  const double* before;
  const double* after;
  double reach;
  std::size_t most;  ///< pairs
  const CloseFeatures& own;

  bool has_too_many() const { return own.num_pairs() > most; }

  template <std::size_t N>
  Box box(const std::array<int, N>& corners) const {
    return swept_box(corners, before, after);
  }
  bool touch(const Box& a, const Box& b) const { return within(a, b, reach); }
};

CloseFeatures::CloseFeatures(const std::vector<BodyFeatures>& bodies) {
  std::size_t moving_edges = 0, fixed_corners = 0;
  for (const BodyFeatures& surface : bodies) {
    const std::size_t before = edges_.size();
    add_body(surface);
    if (!surface.is_fixed) moving_edges += edges_.size() - before;
    if (surface.is_fixed) fixed_corners = std::max(fixed_corners, 3 * surface.triangles.size());
  }
  vertex_faces_.reserve(4 * moving_edges);
  edge_edges_.reserve(8 * moving_edges);
  near_.reserve(fixed_corners);
}

void CloseFeatures::add_body(const BodyFeatures& surface) {
  Body& body = bodies_.emplace_back();
  body.is_fixed = surface.is_fixed;
  const std::size_t first_edge = edges_.size();
  const auto add_edge = [&](int a, int b) {
    edges_.push_back({std::min(a, b), std::max(a, b)});
    body.vertices.insert(body.vertices.end(), {a, b});
  };
  for (const auto& t : surface.triangles) {
    for (std::size_t i = 0; i < 3; ++i) add_edge(t[i], t[(i + 1) % 3]);
  }
  for (const auto& s : surface.segments) add_edge(s[0], s[1]);
  const auto sort_once = [](auto& items, std::size_t first) {
    const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, items.end());
    items.erase(std::unique(begin, items.end()), items.end());
  };
  sort_once(edges_, first_edge);
  sort_once(body.vertices, 0);
  body.edges.first = static_cast<int>(first_edge);
  body.edges.boxes.resize(edges_.size() - first_edge);
  body.triangles.first = static_cast<int>(triangles_.size());
  body.triangles.boxes.resize(surface.triangles.size());
  triangles_.insert(triangles_.end(), surface.triangles.begin(), surface.triangles.end());
  for (Boxes* const items : {&body.edges, &body.triangles}) {
    items->tree.reserve(items->boxes.size());
    items->placed.reserve(items->boxes.size());
  }
}

void CloseFeatures::update(Body& body, const Search& search) {
  const auto follow = [&](Boxes& items, const auto& corners) {
    for (std::size_t i = 0; i < items.boxes.size(); ++i) {
      items.boxes[i] = search.box(corners[at(items.first) + i]);
    }
    items.follow();
  };
  follow(body.triangles, search.own.triangles_);
  follow(body.edges, search.own.edges_);
  body.is_up_to_date = true;
}

/// The vertices of triangles near a box, ascending, if the body is fixed, as it may be much larger
/// than what it meets; otherwise all vertices.
const std::vector<int>& CloseFeatures::vertices_near(const Body& own, const Box& box,
                                                     const Search& search) {
  if (!own.is_fixed || own.triangles.boxes.empty()) return own.vertices;
  near_.clear();
  const auto touches = [&](const Box& other) { return search.touch(box, other); };
  own.triangles.tree.any(touches, [&](int place) {
    if (!touches(own.triangles.box(place))) return false;
    const auto& t = triangles_[at(own.triangles.item(place))];
    near_.insert(near_.end(), t.begin(), t.end());
    return false;
  });
  std::sort(near_.begin(), near_.end());
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  return near_;
}

void CloseFeatures::find_faces_near(const Body& own, const Body& other, const Search& search) {
  if (other.triangles.boxes.empty()) return;
  for (const int vertex : vertices_near(own, other.bounds, search)) {
    if (search.has_too_many()) return;
    const Box box = search.box(std::array<int, 1>{vertex});
    const auto touches = [&](const Box& face) { return search.touch(box, face); };
    other.triangles.tree.any(touches, [&](int place) {
      if (!touches(other.triangles.box(place))) return false;
      const int triangle = other.triangles.item(place);
      const auto& t = triangles_[at(triangle)];
      if (vertex == t[0] || vertex == t[1] || vertex == t[2]) return false;
      vertex_faces_.push_back({vertex, triangle});
      return false;
    });
  }
}

void CloseFeatures::find_between(Body& a, Body& b, const Search& search) {
  for (Body* const body : {&a, &b}) {
    if (!body->is_up_to_date) update(*body, search);
  }
  find_faces_near(a, b, search);
  if (&a != &b) find_faces_near(b, a, search);
  const auto touch = [&](const Box& p, const Box& q) { return search.touch(p, q); };
  const auto visit = [&](int i, int j) {
    if (search.has_too_many() || !touch(a.edges.box(i), b.edges.box(j))) return;
    const auto [first, second] = std::minmax({a.edges.item(i), b.edges.item(j)});
    const auto &p = edges_[at(first)], &q = edges_[at(second)];
    if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) return;
    edge_edges_.push_back({first, second});
  };
  if (&a == &b) {
    a.edges.tree.pairs(touch, visit);
  } else {
    a.edges.tree.pairs_with(b.edges.tree, touch, visit);
  }
}

bool CloseFeatures::find(const double* before, const double* after, double reach,
                         const Meets& meets, std::size_t most) {
  const Search search{before, after, reach, most, *this};
  vertex_faces_.clear();
  edge_edges_.clear();
  for (Body& body : bodies_) {
    if (body.is_fixed && body.is_up_to_date) continue;
    body.is_up_to_date = false;
    if (body.vertices.empty()) continue;
    body.bounds = search.box(std::array<int, 1>{body.vertices[0]});
    for (const int vertex : body.vertices) {
      body.bounds = AabbTree::join(body.bounds, search.box(std::array<int, 1>{vertex}));
    }
  }
  for (std::size_t a = 0; a < bodies_.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (bodies_[a].vertices.empty() || bodies_[b].vertices.empty()) continue;
      if (!search.touch(bodies_[a].bounds, bodies_[b].bounds)) continue;
      if (bodies_[a].is_fixed && bodies_[b].is_fixed) continue;
      if (!meets(static_cast<int>(a), static_cast<int>(b))) continue;
      find_between(bodies_[a], bodies_[b], search);
      if (search.has_too_many()) return false;
    }
  }
  std::sort(vertex_faces_.begin(), vertex_faces_.end());
  std::sort(edge_edges_.begin(), edge_edges_.end());
  return true;
}

}  // namespace supple
