#include "contact/body_pairs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/index.h"
#include "contact/aabb_tree.h"
#include "contact/ccd.h"
#include "contact/triangle.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// What must be left of the gap at the start of a step, or of the layer if that is less.
constexpr double kept_gap = 0.1;
/// In thicknesses of the layer: how far the ends of ways may be from those that candidates were
/// collected for. It begins with what the last step needed, and doubles, up to the most, if they
/// are collected again. If many surfaces are close to each other, it is halved, down to the least:
/// more candidates per vertex than most_of_vertex take more time and memory than collecting them
/// again.
constexpr double most_spare = 2, least_spare = 0.25;
constexpr std::size_t most_of_vertex = 128;
/// In thicknesses of the layer: what a step knows of features this near to each other is kept if
/// candidates are collected again.
constexpr double kept_within = 2;
/// Features that move get a plane from a distance on of the layer's thickness and twice their way,
/// but at most this many thicknesses more.
constexpr double most_ahead = 2;
/// Sine of the angle to a face or edge below which a direction leads neither nearer nor away.
constexpr double level = 1e-3;
/// Cosine of the angle between two faces below which nothing sticks out at their edge.
constexpr double flat = -0.9995;
/// Cosine of the angle between the faces' normals at rest below which an edge bears by itself.
constexpr double sharp = 0.85;
/// Sine of the angle by which the faces of a collider must bend at an edge that sticks out.
constexpr double raised = 1e-3;
/// Share of the layer that remains for features that neighbours relieve.
constexpr double relieved = 0.5;
/// A pair that would meet although a plane is between its features is pushed `harder` times as hard
/// each time, up to `hardest` in all, if the plane has about the direction in which they meet.
constexpr double harder = 4, hardest = 64;
/// Greatest cosine between the normals of two planes of one pair.
constexpr double other_normal = 0.95;
/// Rounds in which ways are shortened. After them, bodies that would still meet stay where they
/// are.
constexpr int most_share_rounds = 8;
constexpr int chunk_size = 256;
constexpr std::size_t most_planes = std::size_t{1} << 20;

/// Whether a goes along b, and not merely across.
bool goes_along(const Vec3& a, const Vec3& b) { return dot(a, b) > level * norm(a) * norm(b); }

/// The greatest of some squared lengths.
struct Longest {
  double squared = 0;
  void add(const Vec3& v) { squared = std::max(squared, dot(v, v)); }
  double length() const { return std::sqrt(squared); }
};

/// Two features on a way; each corner moves linearly.
struct MovingFeatures {
  bool is_edges;
  std::array<Vec3, 4> before, after, motion;

  /// An upper bound of how much nearer to each other they come, m.
  double closing() const {
    const std::size_t second = is_edges ? 2 : 1;
    Longest most;
    for (std::size_t i = 0; i < second; ++i) {
      for (std::size_t j = second; j < 4; ++j) most.add(motion[i] - motion[j]);
    }
    return most.length();
  }

  /// When they come as near as `separation`, m; < 0: never.
  double meeting(double separation) const {
    const CcdSettings settings{.separation = separation, .keep = 0, .rounded = true};
    const CcdAnswer answer = is_edges ? edge_edge_ccd(before, after, settings)
                                      : vertex_face_ccd(before, after, settings);
    return answer.meets ? answer.time : -1;
  }
};

/// How near two features that start a step at this distance may come, m.
double nearest_allowed(double start, double layer) { return kept_gap * std::min(start, layer); }

/// Whether they may come nearer than that if they come `nearer` by so much, m.
bool may_cross(double start, double nearer, double layer) {
  return start > 0 && !(start - nearer > nearest_allowed(start, layer) * (1 + 1e-9));
}

/// When two features that start a step at this distance come nearer than they may; < 0: never.
double crossing(const MovingFeatures& moving, double start, double layer) {
  if (!may_cross(start, moving.closing(), layer)) return -1;
  return moving.meeting(nearest_allowed(start, layer));
}

/// Calls work(item) for all items, chunk by chunk, in parallel.
template <class Item, class Work>
void for_each(std::vector<Item>& items, Threads& threads, const Work& work) {
  const int num_chunks = (static_cast<int>(items.size()) + chunk_size - 1) / chunk_size;
  threads.parallel_for(num_chunks, [&](int chunk) {
    const std::size_t first = at(chunk) * chunk_size;
    const std::size_t last = std::min(first + chunk_size, items.size());
    for (std::size_t i = first; i < last; ++i) work(items[i]);
  });
}

/// Lists the items of each i, ascending: `list` holds them one i after another, and their number
/// is start[i + 1] - start[i].
template <class Items>
void list_by(std::size_t count, const Items& items, std::vector<int>& start,
             std::vector<int>& list) {
  start.assign(count + 1, 0);
  items([&](int of, int) { ++start[at(of) + 1]; });
  for (std::size_t i = 0; i < count; ++i) start[i + 1] += start[i];
  list.resize(at(start.back()));
  std::vector<int> next(start.begin(), start.end() - 1);
  items([&](int of, int item) { list[at(next[at(of)]++)] = item; });
}

}  // namespace

BodyPairs::BodyPairs(const std::vector<BodyFeatures>& bodies, std::vector<int> body_of,
                     std::vector<double> layer, std::vector<Vec3> rest,
                     const PairSettings& settings)
    : features_(bodies),
      body_of_(std::move(body_of)),
      layer_(std::move(layer)),
      rest_(std::move(rest)),
      settings_(settings) {
  if (!settings_.tied_to_body.empty() || !settings_.tied_vertices.empty()) {
    is_tied_.assign(body_of_.size(), 0);
    for (const auto* const list : {&settings_.tied_to_body, &settings_.tied_vertices}) {
      for (const auto& [vertex, to] : *list) is_tied_[at(vertex)] = 1;
    }
  }
  const auto& edges = features_.edges();
  const auto& triangles = features_.triangles();
  // The edges of a body are stored together, ascending.
  const auto edge_between = [&](int a, int b) {
    const std::array<int, 2> wanted{std::min(a, b), std::max(a, b)};
    const auto body = at(body_of_[at(a)]);
    const auto begin = edges.begin() + features_.first_edge(static_cast<int>(body));
    const auto end = edges.begin() + features_.first_edge(static_cast<int>(body) + 1);
    return static_cast<int>(std::lower_bound(begin, end, wanted) - edges.begin());
  };
  first_face_.assign(body_of_.size(), -1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    auto& own = edges_of_triangle_.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      own[i] = edge_between(triangles[t][i], triangles[t][(i + 1) % 3]);
      int& first = first_face_[at(triangles[t][i])];
      if (first < 0) first = static_cast<int>(t);
    }
  }
  list_by(
      edges.size(),
      [&](const auto& add) {
        for (std::size_t t = 0; t < triangles.size(); ++t) {
          for (const int edge : edges_of_triangle_[t]) add(edge, static_cast<int>(t));
        }
      },
      faces_start_, faces_of_edge_);
  list_by(
      body_of_.size(),
      [&](const auto& add) {
        for (std::size_t e = 0; e < edges.size(); ++e) {
          for (const int vertex : edges[e]) add(vertex, static_cast<int>(e));
        }
      },
      edges_start_, edges_of_vertex_);
  const auto normal = [&](int face) {
    const auto& t = triangles[at(face)];
    const Vec3& a = rest_[at(t[0])];
    return direction(cross(rest_[at(t[1])] - a, rest_[at(t[2])] - a), {0, 0, 0});
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const int* const faces = &faces_of_edge_[0] + faces_start_[e];
    const bool is_inside = faces_start_[e + 1] - faces_start_[e] == 2;
    is_sharp_.push_back(!is_inside || dot(normal(faces[0]), normal(faces[1])) < sharp ? 1 : 0);
  }
  for (std::size_t body = 0; body < num_bodies(); ++body) {
    const int first = features_.first_edge(static_cast<int>(body));
    const int last = features_.first_edge(static_cast<int>(body) + 1);
    bool is_closed = last > first;
    for (int e = first; e < last; ++e) {
      is_closed = is_closed && faces_start_[at(e) + 1] - faces_start_[at(e)] == 2;
    }
    is_closed_.push_back(is_closed ? 1 : 0);
  }
  std::size_t num_own = 0;
  for (std::size_t v = 0; v < body_of_.size(); ++v) {
    if (edges_start_[v + 1] == edges_start_[v]) continue;
    vertices_.push_back(static_cast<int>(v));
    num_own += is_of_collider(static_cast<int>(v)) ? 0 : 1;
  }
  for (const BodyFeatures& body : bodies) is_fixed_.push_back(body.is_fixed ? 1 : 0);
  if (!settings_.colliders.empty()) find_raised();
  for (std::size_t body = 0; body <= num_bodies(); ++body) {
    const auto is_before = [&](int v) { return at(this->body_of(v)) < body; };
    vertices_start_.push_back(static_cast<int>(
        std::partition_point(vertices_.begin(), vertices_.end(), is_before) - vertices_.begin()));
  }
  selected_.resize(num_bodies());
  std::iota(selected_.begin(), selected_.end(), 0);
  is_selected_.assign(num_bodies(), 1);
  thickest_ = layer_.empty() ? 0 : *std::max_element(layer_.begin(), layer_.end());
  max_candidates_ = most_of_vertex * num_own;
  max_planes_ = std::min(most_planes, 8 * num_own);
  end_.resize(4 * body_of_.size());
  for (std::size_t v = 0; v < body_of_.size(); ++v) std::copy_n(rest_[v].data(), 3, &end_[4 * v]);
  collected_for_ = end_;
  candidates_.reserve(32 * num_own);
  collected_before_.reserve(16 * num_own);
  known_.reserve(max_planes_);
}

/// Whether two features, of two bodies or of one, do not touch because their corners are tied.
template <class First, class Second>
bool BodyPairs::are_tied(const First& first, const Second& second) const {
  if (is_tied_.empty()) return false;
  const int a = body_of(first[0]), b = body_of(second[0]);
  const auto ties = [&](const auto& corners, int other) {
    return std::any_of(corners.begin(), corners.end(), [&](int vertex) {
      return is_tied_[at(vertex)] != 0 &&
             std::binary_search(settings_.tied_to_body.begin(), settings_.tied_to_body.end(),
                                std::pair(vertex, other));
    });
  };
  if (a != b) return ties(first, b) || ties(second, a);
  return std::any_of(first.begin(), first.end(), [&](int vertex) {
    return is_tied_[at(vertex)] != 0 && std::any_of(second.begin(), second.end(), [&](int other) {
             return std::binary_search(settings_.tied_vertices.begin(),
                                       settings_.tied_vertices.end(), std::pair(vertex, other));
           });
  });
}

/// Finds the edges and vertices of colliders that stand out of their surface.
void BodyPairs::find_raised() {
  is_raised_edge_.assign(features_.edges().size(), 0);
  is_raised_vertex_.assign(body_of_.size(), 0);
  for (int e = features_.first_edge(static_cast<int>(first_collider()));
       e < static_cast<int>(features_.edges().size()); ++e) {
    const auto& ends = features_.edges()[at(e)];
    const int* const faces = &faces_of_edge_[at(faces_start_[at(e)])];
    const auto& one = features_.triangles()[at(faces[0])];
    const Vec3& a = rest_[at(one[0])];
    const Vec3 normal = direction(cross(rest_[at(one[1])] - a, rest_[at(one[2])] - a), {0, 0, 0});
    for (const int corner : features_.triangles()[at(faces[1])]) {
      if (corner == ends[0] || corner == ends[1]) continue;
      const Vec3 along = direction(rest_[at(ends[1])] - rest_[at(ends[0])], {0, 0, 0});
      const Vec3 there = rest_[at(corner)] - rest_[at(ends[0])];
      const Vec3 across = there - dot(there, along) * along;
      if (!(dot(normal, across) < -raised * norm(across))) continue;
      is_raised_edge_[at(e)] = 1;
      for (const int end : ends) is_raised_vertex_[at(end)] = 1;
    }
  }
}

/// For a body and a collider: whether the collider's feature stands out, and more of the body than
/// a vertex can be near.
bool BodyPairs::is_raised(const std::array<int, 4>& corners, int first, int second,
                          bool is_edges) const {
  if (!is_edges) return is_of_collider(first) && is_raised_vertex_[at(first)] != 0;
  return is_raised_edge_[at(is_of_collider(corners[0]) ? first : second)] != 0;
}

/// Turns a plane between two features into a collider's, with the body's point on its outer side.
void BodyPairs::give_to_collider(const Candidate& own, const ContactWay& way,
                                 const NearestPoints& nearest, SurfaceContact& plane) const {
  const double sign = is_of_collider(own.corners[0]) ? -1 : 1;
  Vec3 end{0, 0, 0};
  plane.point.count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (nearest.weights[i] == 0) continue;
    if (is_of_collider(own.corners[i])) {
      end = end + std::abs(nearest.weights[i]) * way.end(own.corners[i]);
    } else {
      plane.point.vertices[plane.point.count] = own.corners[i];
      plane.point.weights[plane.point.count++] = std::abs(nearest.weights[i]);
    }
  }
  const int body = std::max(body_of(own.corners[0]), body_of(own.corners[3]));
  plane.collider = settings_.colliders[at(body) - first_collider()];
  plane.normal = sign * plane.normal;
  plane.surface = end + plane.layer * plane.normal;
  plane.start_depth = std::max(0.0, plane.layer - own.start);
  plane.slack = 0;
}

bool BodyPairs::may_ever_meet(int a, int b) const {
  if (!settings_.colliders.empty() && (at(a) >= first_collider()) == (at(b) >= first_collider())) {
    return false;
  }
  if (a == b) return settings_.within_bodies;
  return settings_.between_bodies &&
         !std::binary_search(settings_.apart.begin(), settings_.apart.end(),
                             Overlap(std::min(a, b), std::max(a, b)));
}

bool BodyPairs::may_meet(int a, int b) const {
  return may_ever_meet(a, b) && !std::binary_search(overlapping_.begin(), overlapping_.end(),
                                                    Overlap(std::min(a, b), std::max(a, b)));
}

void BodyPairs::select(std::span<const int> bodies) {
  for (const int body : selected_) is_selected_[at(body)] = 0;
  selected_.clear();
  for (const int body : bodies) {
    if (at(body) >= num_bodies()) break;
    selected_.push_back(body);
    is_selected_[at(body)] = 1;
  }
  for (std::size_t body = first_collider(); body < num_bodies(); ++body) {
    if (is_selected_[body] != 0) continue;
    selected_.push_back(static_cast<int>(body));
    is_selected_[body] = 1;
  }
}

void BodyPairs::begin_step(double time, double length) {
  begin_step_of_part(grown(first_part_, time), grown(first_part_, time - length));
}

void BodyPairs::begin_step_of_part(double part, double before) {
  part_ = part;
  before_ = before;
  spare_ = std::max(least_spare, used_spare_);
  used_spare_ = 0;
  is_crowded_ = false;
  candidates_.clear();
  collected_before_.clear();
  known_.clear();
  is_collected_ = false;
}

/// Collects the candidates for a way, unless the present ones will do.
void BodyPairs::collect(const ContactWay& way, Threads& threads) {
  double moved = 0, longest = 0;
  const auto for_selected = [&](const auto& visit) {
    for (const int body : selected_) {
      if (is_fixed_[at(body)] != 0) continue;
      for (int i = vertices_start_[at(body)]; i < vertices_start_[at(body) + 1]; ++i) {
        visit(vertices_[at(i)]);
      }
    }
  };
  for_selected([&](int vertex) {
    const Vec3 end = way.end(vertex);
    longest = std::max(longest, end_[4 * at(vertex) + 3] = norm(end - way.start(vertex)));
    for (std::size_t k = 0; k < 3; ++k) {
      end_[4 * at(vertex) + k] = end[k];
      moved = std::max(moved, std::abs(end[k] - collected_for_[4 * at(vertex) + k]));
    }
  });
  // All that may get a plane ahead of its way lies within the reach below.
  const double ahead = std::min(0.5 * most_ahead, longest / thickest_);
  const double wanted = is_collected_ ? std::max(moved / thickest_, ahead) : ahead;
  used_spare_ = std::min(most_spare, std::max(used_spare_, wanted));
  if (is_collected_ && moved <= spare_ * thickest_ && (ahead <= spare_ || is_crowded_)) return;
  if (is_collected_ && !is_crowded_) spare_ = std::min(most_spare, 2 * spare_);
  if (!is_crowded_) spare_ = std::max(spare_, ahead);
  for_selected(
      [&](int vertex) { std::copy_n(&end_[4 * at(vertex)], 3, &collected_for_[4 * at(vertex)]); });
  is_collected_ = true;
  const auto are_found = [&] {
    const std::size_t most =
        spare_ > least_spare ? max_candidates_ : std::numeric_limits<std::size_t>::max();
    return features_.find(
        way.starts(), collected_for_.data(), (1 + 2 * spare_) * thickest_,
        [this](int a, int b) { return may_meet(a, b); }, threads, most);
  };
  while (!are_found()) {
    spare_ /= 2;
    is_crowded_ = true;
  }
  std::sort(known_.begin(), known_.end());
  // What is farther away is measured again: there is much of it, and it would take memory.
  collected_before_.clear();
  for (const Candidate& own : candidates_) {
    const bool is_near = own.start >= 0 && own.start <= kept_within * own.layer;
    if (is_near || own.plane >= 0) collected_before_.push_back(own);
  }
  candidates_.clear();
  next_before_ = 0;
  for (const VertexFacePair& pair : features_.vertex_faces()) {
    const auto& t = features_.triangles()[at(pair.triangle)];
    if (are_tied(std::array{pair.vertex}, t)) continue;
    add({pair.vertex, t[0], t[1], t[2]}, pair.vertex, pair.triangle, false);
  }
  for (const EdgePair& pair : features_.edge_edges()) {
    const auto &a = features_.edges()[at(pair.first)], &b = features_.edges()[at(pair.second)];
    if (are_tied(a, b)) continue;
    add({a[0], a[1], b[0], b[1]}, pair.first, pair.second, true);
  }
}

/// What is known of a candidate that was near when they were collected before in this step stays.
void BodyPairs::add(const std::array<int, 4>& corners, int first, int second, bool is_edges) {
  if (!settings_.colliders.empty() && !is_raised(corners, first, second, is_edges)) return;
  const auto is_left_out = [&](int vertex) {
    return at(vertex) < left_out_->size() && (*left_out_)[at(vertex)] != 0;
  };
  if (left_out_ != nullptr && std::any_of(corners.begin(), corners.end(), is_left_out)) return;
  const auto body = [&](std::size_t i) { return at(body_of_[at(corners[i])]); };
  Candidate own{.corners = corners,
                .first = first,
                .second = second,
                .is_edges = is_edges,
                .crosses = false,
                .is_represented = false,
                .plane = -1,
                .start = -1,
                .layer = part_ * std::min(layer_[body(0)], layer_[body(3)]),
                .time = -1};
  while (next_before_ < collected_before_.size() && collected_before_[next_before_] < own) {
    ++next_before_;
  }
  if (next_before_ < collected_before_.size() && !(own < collected_before_[next_before_])) {
    candidates_.push_back(collected_before_[next_before_]);
    return;
  }
  // The last one is the newest.
  const Known wanted{is_edges, first, second, std::numeric_limits<int>::max()};
  const auto after = std::upper_bound(known_.begin(), known_.end(), wanted);
  if (after != known_.begin() && (after - 1)->is_of(wanted)) own.plane = (after - 1)->plane;
  candidates_.push_back(own);
}

/// Measures the distance at the start of the step, and the layer of two parts of one body.
void BodyPairs::measure(Candidate& own, const Corners& start) const {
  own.start = nearest_of(own.is_edges, start).distance;
  if (own.start > 2 * own.layer || body_of(own.corners[0]) != body_of(own.corners[3])) return;
  Corners at_rest;
  for (std::size_t i = 0; i < 4; ++i) at_rest[i] = rest_[at(own.corners[i])];
  own.layer = std::min(own.layer, 0.5 * nearest_of(own.is_edges, at_rest).distance);
}

void BodyPairs::look(Candidate& own, const ContactWay& way, bool held) const {
  double moved = 0;
  for (const int corner : own.corners) moved = std::max(moved, end_[4 * at(corner) + 3]);
  const double nearer = 2 * (1 + 1e-9) * moved;  // a bound of how much nearer they come
  own.time = -1;
  own.crosses = false;
  if (own.start > own.layer + nearer) return;
  // Those that another pair represents are within reach now as then.
  const bool can_only_cross = own.plane >= 0 || own.is_represented;
  const bool is_far = own.start >= 0 && !may_cross(own.start, nearer, own.layer);
  if (can_only_cross && (!held || is_far)) return;
  MovingFeatures moving{.is_edges = own.is_edges, .before = {}, .after = {}, .motion = {}};
  for (std::size_t i = 0; i < 4; ++i) {
    moving.before[i] = way.start(own.corners[i]);
    moving.after[i] = way.end(own.corners[i]);
    moving.motion[i] = moving.after[i] - moving.before[i];
  }
  if (own.start < 0) measure(own, moving.before);
  if (held) own.time = crossing(moving, own.start, own.layer);
  own.crosses = own.time >= 0;
  if (own.crosses || can_only_cross) return;
  // Until the step is solved, a body falls together with what it stands on: what counts is how far
  // each moves.
  if (own.start <= own.layer + std::min(2 * moved, most_ahead * own.layer)) {
    own.is_represented = !is_nearest_at_start(own, moving.before, way);
    if (!own.is_represented) own.time = 0;
  } else if (own.start - moving.closing() <= own.layer) {
    own.time = moving.meeting(own.layer);
  }
}

/// Whether no edge of a vertex leads towards what is in that direction.
template <class Place>
bool BodyPairs::sticks_out(int vertex, const Vec3& away, const Place& place) const {
  const Vec3 own = place(vertex);
  for (int i = edges_start_[at(vertex)]; i < edges_start_[at(vertex) + 1]; ++i) {
    const auto& edge = features_.edges()[at(edges_of_vertex_[at(i)])];
    const int other = edge[0] == vertex ? edge[1] : edge[0];
    if (goes_along(place(other) - own, away)) return false;
  }
  return true;
}

/// The same for the faces of an edge, seen from a point of it. is_flat: the faces continue each
/// other in one plane.
template <class Place>
bool BodyPairs::edge_sticks_out(int edge, const Vec3& from, const Vec3& away, const Place& place,
                                bool& is_flat) const {
  const auto& ends = features_.edges()[at(edge)];
  const Vec3 along = direction(place(ends[1]) - place(ends[0]), {0, 0, 0});
  const int first = faces_start_[at(edge)], last = faces_start_[at(edge) + 1];
  Vec3 inwards[2];
  is_flat = false;
  for (int i = first; i < last; ++i) {
    const auto& corners = features_.triangles()[at(faces_of_edge_[at(i)])];
    int opposite = corners[0];
    for (const int corner : corners) {
      if (corner != ends[0] && corner != ends[1]) opposite = corner;
    }
    const Vec3 there = place(opposite) - from;
    const Vec3 inward = there - dot(there, along) * along;
    if (goes_along(inward, away)) return false;
    if (last - first == 2) inwards[i - first] = direction(inward, {0, 0, 0});
  }
  is_flat = last - first == 2 && dot(inwards[0], inwards[1]) < flat;
  return true;
}

/// Whether the distance has a minimum there that no other pair of features represents.
template <class Place>
bool BodyPairs::is_nearest_here(const Candidate& own, const NearestPoints& nearest,
                                const Place& place) const {
  const Vec3& between = nearest.between;  // from the second to the first
  const Vec3 back = -1.0 * between;
  bool is_flat = false;
  std::array<int, 4> used{};
  int of_first = 0, of_second = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (nearest.weights[i] > 0) used[at(of_first++)] = own.corners[i];
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (nearest.weights[i] < 0) used[at(of_first + of_second++)] = own.corners[i];
  }
  const int one = used[0], other = used[at(of_first)];
  if (!own.is_edges) {
    if (of_second == 3) return true;
    const bool has_face = first_face_[at(one)] >= 0;
    if (has_face && !sticks_out(one, back, place)) return false;
    if (of_second == 1) {
      // With faces on both sides the pair is found twice.
      return first_face_[at(other)] == own.second && sticks_out(other, between, place) &&
             (!has_face || one < other);
    }
    for (const int edge : edges_of_triangle_[at(own.second)]) {
      const auto& ends = features_.edges()[at(edge)];
      if (std::min(other, used[2]) != ends[0] || std::max(other, used[2]) != ends[1]) continue;
      if (faces_of_edge_[at(faces_start_[at(edge)])] != own.second) return false;
      const double share = -nearest.weights[static_cast<std::size_t>(
          std::find(own.corners.begin(), own.corners.end(), ends[1]) - own.corners.begin())];
      const Vec3 from = place(ends[0]) + share * (place(ends[1]) - place(ends[0]));
      return edge_sticks_out(edge, from, between, place, is_flat);
    }
    return false;
  }
  const auto has_faces = [&](int edge) {
    return faces_start_[at(edge)] < faces_start_[at(edge) + 1];
  };
  const auto is_first_of = [&](int edge, int vertex) {
    return edges_of_vertex_[at(edges_start_[at(vertex)])] == edge;
  };
  // If an edge is near at its end, faces find that end as a vertex.
  if (of_first == 1 && (has_faces(own.second) || !is_first_of(own.first, one))) return false;
  if (of_second == 1 && (has_faces(own.first) || !is_first_of(own.second, other))) return false;
  const auto point_of = [&](std::size_t i) {
    const Vec3 a = place(own.corners[i]), b = place(own.corners[i + 1]);
    return a + std::abs(nearest.weights[i + 1]) * (b - a);
  };
  bool second_is_flat = false;
  const bool first_sticks_out = of_first == 1
                                    ? sticks_out(one, back, place)
                                    : edge_sticks_out(own.first, point_of(0), back, place, is_flat);
  const bool second_sticks_out =
      of_second == 1 ? sticks_out(other, between, place)
                     : edge_sticks_out(own.second, point_of(2), between, place, second_is_flat);
  return first_sticks_out && second_sticks_out && !(is_flat && second_is_flat);
}

bool BodyPairs::is_nearest_at_start(const Candidate& own, const Corners& start,
                                    const ContactWay& way) const {
  const NearestPoints nearest = nearest_of(own.is_edges, start);
  return nearest.distance > 0 &&
         is_nearest_here(own, nearest, [&](int vertex) { return way.start(vertex); });
}

/// The thickness of the layer between two features in this step, m. Vertices push on faces wherever
/// they are. Edges of a smooth surface, or features beside a face, represent the distance in one
/// step and not in the next: such a pair holds where it is, and pushes only if it is much nearer.
/// Layers that grow push everywhere; otherwise the next pair of the same surfaces would find them
/// deep in its layer.
double BodyPairs::layer_of(const Candidate& own, const NearestPoints& nearest) const {
  const bool is_face =
      !own.is_edges && std::count(nearest.weights.begin(), nearest.weights.end(), 0.0) == 0;
  const bool is_firm =
      is_face || before_ < part_ ||
      (own.is_edges && is_sharp_[at(own.first)] != 0 && is_sharp_[at(own.second)] != 0);
  return is_firm ? own.layer : std::clamp(own.start, relieved * own.layer, own.layer);
}

/// Returns whether the plane is new, or was made harder.
bool BodyPairs::add_plane(Candidate& own, const ContactWay& way, SurfacePoints& points) {
  const auto place = [&](int vertex) {
    const Vec3 start = way.start(vertex);
    return start + own.time * (way.end(vertex) - start);
  };
  Corners corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = place(own.corners[i]);
  const NearestPoints nearest = nearest_of(own.is_edges, corners);
  if (!(nearest.distance > 0)) return false;
  if (!own.crosses && !is_nearest_here(own, nearest, place)) return false;
  SurfaceContact plane;
  plane.collider = SurfaceContact::no_collider;
  plane.normal = (1 / nearest.distance) * nearest.between;
  plane.layer = layer_of(own, nearest);
  plane.surface = plane.layer * plane.normal;
  plane.start_depth = std::max(0.0, own.layer - own.start);
  plane.slack = 0;
  plane.harder = 1;
  plane.point.count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (nearest.weights[i] == 0) continue;
    plane.point.vertices[plane.point.count] = own.corners[i];
    plane.point.weights[plane.point.count++] = nearest.weights[i];
  }
  if (!settings_.colliders.empty()) {
    give_to_collider(own, way, nearest, plane);
    // Vertices find the nearest surface by themselves.
    if (plane.point.count < 2) return false;
  }
  plane.older = own.plane;
  for (int known = own.plane; known >= 0; known = points.points()[at(known)].older) {
    if (dot(points.points()[at(known)].normal, plane.normal) > other_normal) {
      return points.harden(at(known), harder, hardest);
    }
  }
  if (!points.add(plane)) return false;
  own.plane = static_cast<int>(points.points().size()) - 1;
  known_.push_back({own.is_edges, own.first, own.second, own.plane});
  return true;
}

int BodyPairs::find(const ContactWay& way, bool held, SurfacePoints& points, Threads& threads) {
  if (selected_.size() == 1 && !settings_.within_bodies) return 0;
  collect(way, threads);
  const auto is_asked = [&](const Candidate& own) {
    return is_selected_[at(body_of(own.corners[0]))] != 0 &&
           is_selected_[at(body_of(own.corners[3]))] != 0;
  };
  for_each(candidates_, threads, [&](Candidate& own) {
    if (is_asked(own)) look(own, way, held);
  });
  int count = 0;
  for (Candidate& own : candidates_) {
    if (!is_asked(own)) continue;
    if (own.time >= 0 && known_.size() < max_planes_ && add_plane(own, way, points)) ++count;
  }
  return count;
}

bool BodyPairs::find_shares(const ContactWay& way, std::vector<double>& shares, Threads& threads) {
  shares.assign(num_bodies(), 1);
  collect(way, threads);
  bool any = false;
  for (int round = 0;; ++round) {
    for_each(candidates_, threads, [&](Candidate& own) {
      MovingFeatures moving{.is_edges = own.is_edges, .before = {}, .after = {}, .motion = {}};
      for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 start = way.start(own.corners[i]);
        moving.before[i] = start;
        moving.motion[i] = shares[at(body_of(own.corners[i]))] * (way.end(own.corners[i]) - start);
        moving.after[i] = start + moving.motion[i];
      }
      if (own.start < 0) measure(own, moving.before);
      own.time = crossing(moving, own.start, own.layer);
    });
    std::vector<double>& next = next_shares_;
    next = shares;
    bool shorter = false;
    for (const Candidate& own : candidates_) {
      if (own.time < 0) continue;
      for (const int corner : {own.corners[0], own.corners[3]}) {
        const std::size_t body = at(body_of(corner));
        const double share = round < most_share_rounds ? own.time * shares[body] : 0;
        shorter = shorter || (share < shares[body]);
        next[body] = std::min(next[body], share);
      }
    }
    if (!shorter) return any;
    any = true;
    shares = next;
  }
}

}  // namespace supple
