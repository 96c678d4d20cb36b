#include "contact/close_features.h"

#include <algorithm>
#include <atomic>
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

/// Tasks per thread: bodies have far from equally many pairs.
constexpr int tasks_of_thread = 8;
/// First features whose pairs one task sorts.
constexpr int sorted_at_once = 1024;

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
  std::atomic<std::size_t>& count;  ///< pairs that all tasks know of

  bool has_too_many(const Found& found) const {
    return count - found.counted + found.count() > most;
  }

  template <std::size_t N>
  Box box(const std::array<int, N>& corners) const {
    return swept_box(corners, before, after);
  }
  bool touch(const Box& a, const Box& b) const { return within(a, b, reach); }
};

CloseFeatures::CloseFeatures(const std::vector<BodyFeatures>& bodies) {
  std::size_t moving_edges = 0;
  for (const BodyFeatures& surface : bodies) {
    const std::size_t before = edges_.size();
    add_body(surface);
    if (!surface.is_fixed) moving_edges += edges_.size() - before;
  }
  vertex_faces_.reserve(4 * moving_edges);
  edge_edges_.reserve(8 * moving_edges);
  start_.reserve(std::max(edges_.size(), num_vertices_) + 1);
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
  if (!body.vertices.empty()) num_vertices_ = std::max(num_vertices_, at(body.vertices.back()) + 1);
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
                                                     const Search& search, Found& found) const {
  if (!own.is_fixed || own.triangles.boxes.empty()) return own.vertices;
  std::vector<int>& near = found.near;
  near.clear();
  const auto touches = [&](const Box& other) { return search.touch(box, other); };
  own.triangles.tree.any(touches, [&](int place) {
    if (!touches(own.triangles.box(place))) return false;
    const auto& t = triangles_[at(own.triangles.item(place))];
    near.insert(near.end(), t.begin(), t.end());
    return false;
  });
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

void CloseFeatures::find_faces_near(const Body& own, const Body& other, const Search& search,
                                    Found& found) const {
  if (other.triangles.boxes.empty()) return;
  for (const int vertex : vertices_near(own, other.bounds, search, found)) {
    if (search.has_too_many(found)) return;
    const Box box = search.box(std::array<int, 1>{vertex});
    const auto touches = [&](const Box& face) { return search.touch(box, face); };
    other.triangles.tree.any(touches, [&](int place) {
      if (!touches(other.triangles.box(place))) return false;
      const int triangle = other.triangles.item(place);
      const auto& t = triangles_[at(triangle)];
      if (vertex == t[0] || vertex == t[1] || vertex == t[2]) return false;
      found.vertex_faces.push_back({vertex, triangle});
      return false;
    });
  }
}

void CloseFeatures::find_between(const Body& a, const Body& b, const Search& search,
                                 Found& found) const {
  find_faces_near(a, b, search, found);
  if (&a != &b) find_faces_near(b, a, search, found);
  const auto touch = [&](const Box& p, const Box& q) { return search.touch(p, q); };
  const auto visit = [&](int i, int j) {
    if (!touch(a.edges.box(i), b.edges.box(j)) || search.has_too_many(found)) return;
    const auto [first, second] = std::minmax({a.edges.item(i), b.edges.item(j)});
    const auto &p = edges_[at(first)], &q = edges_[at(second)];
    if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) return;
    found.edge_edges.push_back({first, second});
  };
  if (&a == &b) {
    a.edges.tree.pairs(touch, visit);
  } else {
    a.edges.tree.pairs_with(b.edges.tree, touch, visit);
  }
}

/// Lists the bodies that come near each other, with their trees up to date.
void CloseFeatures::find_near_bodies(const Search& search, const Meets& meets, Threads& threads) {
  const int num_bodies = static_cast<int>(bodies_.size());
  threads.parallel_for(num_bodies, [&](int i) {
    Body& body = bodies_[at(i)];
    if (body.is_fixed && body.is_up_to_date) return;
    body.is_up_to_date = false;
    if (body.vertices.empty()) return;
    body.bounds = search.box(std::array<int, 1>{body.vertices[0]});
    for (const int vertex : body.vertices) {
      body.bounds = AabbTree::join(body.bounds, search.box(std::array<int, 1>{vertex}));
    }
  });
  near_bodies_.clear();
  to_update_.clear();
  for (int a = 0; a < num_bodies; ++a) {
    for (int b = 0; b <= a; ++b) {
      const Body &one = bodies_[at(a)], &other = bodies_[at(b)];
      if (one.vertices.empty() || other.vertices.empty()) continue;
      if (!search.touch(one.bounds, other.bounds)) continue;
      if (one.is_fixed && other.is_fixed) continue;
      if (!meets(a, b)) continue;
      near_bodies_.emplace_back(a, b);
      for (const int body : {a, b}) {
        if (!std::exchange(bodies_[at(body)].is_up_to_date, true)) to_update_.push_back(body);
      }
    }
  }
  threads.parallel_for(static_cast<int>(to_update_.size()),
                       [&](int i) { update(bodies_[at(to_update_[at(i)])], search); });
}

/// Puts one list of all tasks in order: by its first feature, of which there are num_firsts, and
/// then by its second.
template <class Pair>
void CloseFeatures::sort(std::vector<Pair> Found::*list, std::size_t num_firsts, int Pair::*first,
                         std::vector<Pair>& sorted, Threads& threads) {
  start_.assign(num_firsts + 1, 0);
  std::size_t count = 0;
  for (const Found& found : found_) {
    for (const Pair& pair : found.*list) ++start_[at(pair.*first) + 1];
    count += (found.*list).size();
  }
  for (std::size_t i = 0; i < num_firsts; ++i) start_[i + 1] += start_[i];
  sorted.resize(count);
  for (const Found& found : found_) {
    for (const Pair& pair : found.*list) sorted[at(start_[at(pair.*first)]++)] = pair;
  }
  // Each start is now the next one's.
  const int num = static_cast<int>(num_firsts);
  threads.parallel_for((num + sorted_at_once - 1) / sorted_at_once, [&](int task) {
    const int last = std::min((task + 1) * sorted_at_once, num);
    for (int i = task * sorted_at_once; i < last; ++i) {
      std::sort(sorted.begin() + (i > 0 ? start_[at(i) - 1] : 0), sorted.begin() + start_[at(i)]);
    }
  });
}

bool CloseFeatures::find(const double* before, const double* after, double reach,
                         const Meets& meets, Threads& threads, std::size_t most) {
  std::atomic<std::size_t> count = 0;
  const Search search{before, after, reach, most, *this, count};
  find_near_bodies(search, meets, threads);
  const int num_near = static_cast<int>(near_bodies_.size());
  const int num_tasks =
      threads.count() == 1 ? 1 : std::min(num_near, tasks_of_thread * threads.count());
  if (found_.size() < at(num_tasks)) found_.resize(at(num_tasks));
  for (Found& found : found_) {
    found.vertex_faces.clear();
    found.edge_edges.clear();
    found.counted = 0;
  }
  vertex_faces_.clear();
  edge_edges_.clear();
  threads.parallel_for(num_tasks, [&](int task) {
    Found& own = found_[at(task)];
    for (int i = task; i < num_near; i += num_tasks) {
      const auto [a, b] = near_bodies_[at(i)];
      find_between(bodies_[at(a)], bodies_[at(b)], search, own);
      count += own.count() - std::exchange(own.counted, own.count());
    }
  });
  if (count > most) return false;
  sort(&Found::vertex_faces, num_vertices_, &VertexFacePair::vertex, vertex_faces_, threads);
  sort(&Found::edge_edges, edges_.size(), &EdgePair::first, edge_edges_, threads);
  return true;
}

}  // namespace supple
