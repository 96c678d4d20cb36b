#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "base/index.h"
#include "contact/aabb_tree.h"
#include "contact/body_pairs.h"
#include "contact/ccd.h"
#include "contact/triangle.h"
#include "math/vec3.h"

/// Bodies that overlap or are too close where a scene starts, or where bodies are added.
namespace supple {

using namespace vec3;

namespace {

/// The least gap that bodies start with, as a share of the layer, and the time in which a layer
/// grows, s.
constexpr double first_gap = 0.125, growth = 0.06;
constexpr int most_start_rounds = 30;
/// To find out whether two bodies that overlap at the start are deep in each other, at most this
/// many points are tried.
constexpr int most_probes = 64;
/// When a body is added: bodies that merely touch are apart after two rounds, and no frame waits
/// for more than these.
constexpr int most_added_rounds = 4;

template <std::size_t N>
Box box_of(const std::array<int, N>& corners, const double* x) {
  Box box{place_in(x, corners[0]), place_in(x, corners[0])};
  for (const int corner : corners) {
    const Vec3 place = place_in(x, corner);
    box = AabbTree::join(box, {place, place});
  }
  return box;
}

bool may_touch(const Box& a, const Box& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (a.min[k] > b.max[k] || b.min[k] > a.max[k]) return false;
  }
  return true;
}

}  // namespace

/// Does one round. Returns whether any vertex moved. moves: the bodies whose vertices may,
/// [num_bodies]; empty: all.
bool BodyPairs::push_apart(double* x, const std::vector<char>& moves, double time) {
  const ContactWay way(x, x, 1);
  begin_step(time, 0);
  Threads threads(1);
  collect(way, threads);
  bool any = false;
  const auto place = [&](int vertex) { return place_in(x, vertex); };
  const auto normal_of = [&](int triangle) {
    const auto& t = features_.triangles()[at(triangle)];
    return direction(cross(place(t[1]) - place(t[0]), place(t[2]) - place(t[0])), {0, 0, 0});
  };
  // Outwards at an edge of a body's closed surface.
  const auto outward = [&](int edge) {
    Vec3 sum{0, 0, 0};
    for (int i = faces_start_[at(edge)]; i < faces_start_[at(edge) + 1]; ++i) {
      sum = sum + normal_of(faces_of_edge_[at(i)]);
    }
    return direction(sum, {0, 0, 0});
  };
  for (const Candidate& own : candidates_) {
    const auto first = at(body_of(own.corners[0])), second = at(body_of(own.corners[3]));
    if (first == second) continue;
    // If both bodies may move, each goes half of the way; otherwise one goes all of it.
    const bool both = moves.empty() || (moves[first] != 0 && moves[second] != 0);
    if (!both && moves[first] == 0 && moves[second] == 0) continue;
    const double of_first = both ? 0.5 : moves[first], of_second = both ? 0.5 : moves[second];
    Corners corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = place(own.corners[i]);
    const NearestPoints nearest = nearest_of(own.is_edges, corners);
    const double gap = first_gap * own.layer;
    if (nearest.distance >= 0.9 * gap) continue;
    Vec3 normal = direction(nearest.between, {0, 0, 0});
    double distance = nearest.distance;
    const Vec3 out = own.is_edges ? direction(outward(own.second) - outward(own.first), {0, 0, 0})
                                  : normal_of(own.second);
    // Features that touch have no direction between them.
    if (distance < 1e-3 * gap) {
      normal = out;
      distance = 0;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const double sign = nearest.weights[i] > 0   ? of_first
                          : nearest.weights[i] < 0 ? -of_second
                                                   : 0;
      for (std::size_t k = 0; k < 3; ++k) {
        x[4 * at(own.corners[i]) + k] += sign * (gap - distance) * normal[k];
      }
    }
    any = true;
  }
  return any;
}

/// Whether an edge of a body passes through a face of another, or of itself.
bool BodyPairs::pierces(int body, int other, const double* x) const {
  const auto& edges = features_.edges();
  const AabbTree& tree = trees_[at(other)];
  for (int e = features_.first_edge(body); e < features_.first_edge(body + 1); ++e) {
    const std::array<int, 2>& edge = edges[at(e)];
    const Box box = box_of(edge, x);
    const auto touches = [&](const Box& face) { return may_touch(box, face); };
    const bool found = tree.any(touches, [&](int place) {
      const auto& face =
          features_.triangles()[at(features_.first_triangle(other) + tree.order()[at(place)])];
      for (const int corner : face) {
        if (corner == edge[0] || corner == edge[1]) return false;
      }
      if (are_tied(edge, face)) return false;
      const Corners before{place_in(x, edge[0]), place_in(x, face[0]), place_in(x, face[1]),
                           place_in(x, face[2])};
      Corners after = before;
      after[0] = place_in(x, edge[1]);
      return vertex_face_ccd(before, after).meets;
    });
    if (found) return true;
  }
  return false;
}

/// Whether a point is inside a closed body and farther from its surface than `depth`, m. It sums
/// the solid angle of the surface, 4 pi from inside [van Oosterom & Strackee 1983]. The body must
/// have its tree.
bool BodyPairs::is_deep_inside(const Vec3& point, int body, double depth, const double* x) const {
  const int first = features_.first_triangle(body), last = features_.first_triangle(body + 1);
  const auto corners_of = [&](int triangle, Vec3(&corners)[3]) {
    const auto& own = features_.triangles()[at(triangle)];
    for (std::size_t i = 0; i < 3; ++i) corners[i] = place_in(x, own[i]);
  };
  bool is_near = false;
  trees_[at(body)].nearest(
      point,
      [&](int place) {
        Vec3 c[3];
        corners_of(first + trees_[at(body)].order()[at(place)], c);
        is_near = is_near || nearest_point(triangle_of(c[0], c[1], c[2]), point).squared_distance <
                                 depth * depth;
        return is_near ? 0 : depth * depth;
      },
      depth * depth);
  if (is_near) return false;
  double angle = 0;
  for (int t = first; t < last; ++t) {
    Vec3 c[3];
    corners_of(t, c);
    for (Vec3& corner : c) corner = corner - point;
    const double a = norm(c[0]), b = norm(c[1]), d = norm(c[2]);
    angle +=
        2 * std::atan2(dot(c[0], cross(c[1], c[2])),
                       a * b * d + dot(c[0], c[1]) * d + dot(c[1], c[2]) * a + dot(c[2], c[0]) * b);
  }
  return angle > 2 * std::numbers::pi;
}

/// Whether both bodies are closed, and a point below a face of `body` is that deep in both.
bool BodyPairs::is_deep_in_both(int body, int other, double depth, const double* x) const {
  if (is_closed_[at(body)] == 0 || is_closed_[at(other)] == 0) return false;
  const Box& bounds = bounds_[at(other)];
  const int first = features_.first_triangle(body), last = features_.first_triangle(body + 1);
  std::vector<Vec3> points;
  for (int t = first; t < last; ++t) {
    const auto& corners = features_.triangles()[at(t)];
    const Vec3 a = place_in(x, corners[0]), b = place_in(x, corners[1]),
               c = place_in(x, corners[2]);
    const Vec3 inwards = direction(cross(c - a, b - a), {0, 0, 0});
    const Vec3 point = (1.0 / 3) * (a + b + c) + 2 * depth * inwards;
    bool is_within = true;
    for (std::size_t k = 0; k < 3; ++k) {
      is_within = is_within && point[k] > bounds.min[k] + depth && point[k] < bounds.max[k] - depth;
    }
    if (is_within) points.push_back(point);
  }
  const std::size_t every = points.size() / most_probes + 1;
  for (std::size_t i = 0; i < points.size(); i += every) {
    if (is_deep_inside(points[i], other, depth, x) && is_deep_inside(points[i], body, depth, x)) {
      return true;
    }
  }
  return false;
}

/// Finds which of the pairs that are asked for overlap, into found_.
template <class IsAsked>
void BodyPairs::look_for_overlaps(const double* x, const IsAsked& is_asked) {
  const auto bodies = static_cast<int>(num_bodies());
  trees_.resize(num_bodies());
  boxes_.resize(num_bodies());
  has_tree_.assign(num_bodies(), 0);
  const auto make_tree = [&](int body) {
    if (has_tree_[at(body)] != 0) return;
    has_tree_[at(body)] = 1;
    boxes_[at(body)].clear();
    for (int t = features_.first_triangle(body); t < features_.first_triangle(body + 1); ++t) {
      boxes_[at(body)].push_back(box_of(features_.triangles()[at(t)], x));
    }
    trees_[at(body)].rebuild(boxes_[at(body)]);
  };
  bounds_.resize(num_bodies());
  for (int body = 0; body < bodies; ++body) {
    Box& bounds = bounds_[at(body)];
    const int first = features_.first_edge(body), last = features_.first_edge(body + 1);
    for (int e = first; e < last; ++e) {
      const Box box = box_of(features_.edges()[at(e)], x);
      bounds = e == first ? box : AabbTree::join(bounds, box);
    }
  }
  found_.clear();
  for (int a = 0; a < bodies; ++a) {
    if (features_.first_edge(a) == features_.first_edge(a + 1)) continue;
    for (int b = a; b < bodies; ++b) {
      if (features_.first_edge(b) == features_.first_edge(b + 1)) continue;
      if (!may_touch(bounds_[at(a)], bounds_[at(b)]) || !is_asked(Overlap(a, b))) continue;
      make_tree(a);
      make_tree(b);
      if (pierces(a, b, x) || (a != b && pierces(b, a, x))) found_.emplace_back(a, b);
    }
  }
}

const BodyPairs::Overlap* BodyPairs::first_overlap(const double* x) {
  look_for_overlaps(x, [&](const Overlap& pair) { return may_ever_meet(pair.first, pair.second); });
  return found_.empty() ? nullptr : &found_.front();
}

void BodyPairs::find_overlaps(const double* x) {
  first_overlap(x);
  overlapping_ = found_;
}

void BodyPairs::look_at_overlaps(const double* x) {
  if (overlapping_.empty()) return;
  look_for_overlaps(x, [&](const Overlap& pair) {
    return std::binary_search(overlapping_.begin(), overlapping_.end(), pair);
  });
  overlapping_ = found_;
}

void BodyPairs::separate(double* x, const std::vector<char>& moves, double time, int most_rounds) {
  const std::vector<double> given(x, x + end_.size());
  const auto is_asked = [&](const Overlap& pair) {
    const auto [a, b] = pair;
    return may_ever_meet(a, b) && (moves.empty() || moves[at(a)] != 0 || moves[at(b)] != 0);
  };
  // Bodies that overlap deeply stay where they are: no round could part them, because a point is
  // deeper in both than all rounds move a surface.
  overlapping_.clear();
  look_for_overlaps(x, is_asked);
  for (const Overlap& pair : found_) {
    const auto [a, b] = pair;
    const double depth = most_rounds * first_gap * std::min(layer_[at(a)], layer_[at(b)]);
    if (a != b && (is_deep_in_both(a, b, depth, x) || is_deep_in_both(b, a, depth, x))) {
      overlapping_.push_back(pair);
    }
  }
  // So do bodies that the rounds did not part.
  for (std::size_t known = overlapping_.size();;) {
    for (int round = 0; round < most_rounds; ++round) {
      if (!push_apart(x, moves, time)) break;
    }
    look_for_overlaps(x, is_asked);
    std::vector<Overlap> all;
    std::set_union(overlapping_.begin(), overlapping_.end(), found_.begin(), found_.end(),
                   std::back_inserter(all));
    overlapping_ = all;
    if (overlapping_.size() == known) break;
    known = overlapping_.size();
    std::copy(given.begin(), given.end(), x);
  }
}

void BodyPairs::start_apart(double* x) {
  first_part_ = 1;
  separate(x, {}, 0, most_start_rounds);
  for (const Candidate& own : candidates_) {
    if (body_of(own.corners[0]) == body_of(own.corners[3])) continue;
    Corners corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = place_in(x, own.corners[i]);
    const double gap = nearest_of(own.is_edges, corners).distance;
    first_part_ = std::min(first_part_, std::max(gap / own.layer, 0.5 * first_gap));
  }
  begin_step(0, 0);
}

void BodyPairs::add_apart(double* x, const std::vector<char>& is_added, double time) {
  separate(x, is_added, time, most_added_rounds);
  find_overlaps(x);
  begin_step(time, 0);
}

bool BodyPairs::are_growing(double time) { return time < growth; }

double BodyPairs::grown(double first_part, double time) {
  return std::clamp(first_part + time / growth, 0.0, 1.0);
}

}  // namespace supple
