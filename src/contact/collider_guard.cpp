#include "contact/collider_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.h"
#include "contact/body_pairs.h"
#include "contact/deepest_point.h"
#include "contact/triangle.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace {

/// Shares of the layer: how far from a collider to put an element that would enter it, and how near
/// a step may come by itself. An element that is pushed on comes to rest between the two.
constexpr double held_gap = 0.1, least_gap = 0.05;
/// The same for an element that starts a step nearer than that, as a share of its gap.
constexpr double least_of_start = 0.5;
/// Share of the layer: the least gap that scenes start with, about the gap of resting bodies.
constexpr double start_gap = 0.35;
/// Rounds in which corners are moved out, and rounds in which they are stopped. Before the latter
/// there are some in which they go with a moving collider.
constexpr int most_rounds = 8, most_carries = 4, most_stops = 8, most_first_rounds = 30;
/// Share of the layer: an element nearer than this touches.
constexpr double touching = 1e-3;
/// Share of the layer: how much deeper an element inside may get in a step.
constexpr double deeper_allowed = 1e-3;
/// Number of parts that a way may be cut into for a proof. Triangles on a ball as large as they are
/// take about fifty.
constexpr int most_parts = 2000;
/// Rounding of a distance and its plane, relative to the size of all numbers involved: 45 times
/// 2^-52. A distance and its normal are those of a place that is a few roundings away.
constexpr double plane_rounding = 1e-14;
/// Halvings to find the last proved time.
constexpr int most_halvings = 12;
constexpr int elements_a_chunk = 64;
/// The least distance that counts as outside, m.
constexpr double least_outside = std::numeric_limits<double>::min();

using Corners = std::array<Vec3, 3>;
using Hull = std::array<Corners, 2>;

double largest(const Vec3& x) { return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}); }

struct Middle {
  Vec3 place;
  double radius;
};

Middle middle_of(const Hull& hull) {
  Vec3 sum{0, 0, 0};
  for (const Corners& corners : hull) {
    for (const Vec3& p : corners) sum = sum + p;
  }
  Middle middle{(1.0 / 6) * sum, 0};
  for (const Corners& corners : hull) {
    for (const Vec3& p : corners) middle.radius = std::max(middle.radius, norm(p - middle.place));
  }
  return middle;
}

/// The distance of a hull's middle, m, and a lower bound of the distance of all of it.
struct Range {
  double here, at_least;
};

Range range_of(const ColliderObject& collider, const Hull& hull) {
  const auto [q, r] = middle_of(hull);
  const SurfacePoint found = collider.surface(q);
  const double d = found.distance + collider.offset();
  const double size = largest(q) + largest(found.point) + std::abs(d) + r;
  const double slack = plane_rounding * size * (1 + r / std::max(std::abs(d), 1e-300));
  double by_plane = std::numeric_limits<double>::infinity();
  for (const Corners& corners : hull) {
    for (const Vec3& p : corners) by_plane = std::min(by_plane, d + dot(found.normal, p - q));
  }
  const double bend = collider.bend(q, r);
  const double bent = bend > 0 ? by_plane - 0.5 * bend * r * r : by_plane;
  return {d, std::max(bent, d - r) - slack};
}

/// Halves a hull across its longest edge, or in time if it moves by more.
std::pair<Hull, Hull> halves_of(const Hull& hull) {
  double moved = 0, longest = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    moved = std::max(moved, norm(hull[1][i] - hull[0][i]));
    for (const Corners& corners : hull) {
      const double length = norm(corners[(i + 1) % 3] - corners[i]);
      if (length > longest) {
        longest = length;
        first = i;
      }
    }
  }
  std::pair<Hull, Hull> halves{hull, hull};
  if (moved > longest) {
    for (std::size_t i = 0; i < 3; ++i) {
      halves.first[1][i] = halves.second[0][i] = 0.5 * (hull[0][i] + hull[1][i]);
    }
    return halves;
  }
  for (std::size_t end = 0; end < 2; ++end) {
    const Vec3 middle = 0.5 * (hull[end][first] + hull[end][(first + 1) % 3]);
    halves.first[end][(first + 1) % 3] = halves.second[end][first] = middle;
  }
  return halves;
}

/// The way in the frame of a collider.
ElementWay as_seen(const ColliderObject& collider, ElementWay way) {
  for (Corners& corners : way.corners) {
    for (Vec3& p : corners) p = collider.to_own(p);
  }
  return way;
}

/// Whether a proof shows that nothing of a hull is nearer than `gap`, m.
bool is_proved(const ColliderObject& collider, const Hull& hull, double gap) {
  std::array<Hull, 64> stack;
  stack[0] = hull;
  int size = 1;
  for (int part = 0; part < most_parts; ++part) {
    const Hull own = stack[at(--size)];
    const Range range = range_of(collider, own);
    if (!(range.at_least >= gap)) {
      if (!(range.here >= gap) || size + 2 > static_cast<int>(stack.size())) return false;
      const auto [one, other] = halves_of(own);
      stack[at(size++)] = one;
      stack[at(size++)] = other;
    }
    if (size == 0) return true;
  }
  return false;
}

bool is_apart(const ColliderObject& collider, const ElementWay& way, double gap) {
  const MeshDistance* const mesh = collider.triangles();
  if (mesh == nullptr) return is_proved(collider, way.corners, gap);
  return as_seen(collider, way).apart_until(*mesh, gap) == 1;
}

/// About where a collider is nearest to a triangle; the distance is that to the true surface.
SurfacePoint nearest_place(const ColliderObject& collider, const Corners& places) {
  const AskedCorner corners[3] = {AskedCorner::at(collider, places[0]),
                                  AskedCorner::at(collider, places[1]),
                                  AskedCorner::at(collider, places[2])};
  const Depth wanted{.tolerance = 0.01 * collider.offset()};
  const bool is_edge = places[1] == places[2];
  Vec3 weights{1, 0, 0};
  if (!is_edge) {
    const DeepestPoint found = deepest_on_triangle(collider, corners, wanted);
    weights = {found.weights[0], found.weights[1], found.weights[2]};
  } else if (places[0] != places[1]) {
    const DeepestPoint found = deepest_on_edge(collider, corners[0], corners[1], wanted);
    weights = {found.weights[0], found.weights[1], 0};
  }
  const Vec3 points[3] = {places[0], places[1], places[2]};
  SurfacePoint nearest = collider.surface(mean_of(weights, points));
  nearest.distance += collider.offset();
  nearest.point = nearest.point - collider.offset() * nearest.normal;
  return nearest;
}

Corners along(const Hull& hull, double time) {
  Corners corners;
  for (std::size_t i = 0; i < 3; ++i) {
    corners[i] = hull[0][i] + time * (hull[1][i] - hull[0][i]);
  }
  return corners;
}

ElementWay standing(const ElementWay& way, const Corners& corners) {
  return {way.count, {corners, corners}};
}

/// The place of a collider nearest to an element that stands still outside. For a mesh, a place
/// farther than some layers need not be found.
SurfacePoint nearest_outside(const ColliderObject& collider, const ElementWay& standing) {
  const MeshDistance* const mesh = collider.triangles();
  if (mesh == nullptr) return nearest_place(collider, standing.corners[0]);
  const ElementWay own = as_seen(collider, standing);
  SurfacePoint nearest = own.nearest_at_start(*mesh, held_gap * collider.offset());
  if (!std::isfinite(nearest.distance)) {
    nearest = own.nearest_at_start(*mesh, 4 * collider.offset());
  }
  return collider.from_own(nearest);
}

/// The same for an element that may also be inside, by less than the layer.
SurfacePoint nearest_to_start(const ColliderObject& collider, const ElementWay& standing) {
  const SurfacePoint about = nearest_place(collider, standing.corners[0]);
  if (collider.triangles() == nullptr || !(about.distance > 0)) return about;
  // Features that touch have no direction between them.
  const SurfacePoint exact = nearest_outside(collider, standing);
  if (!(exact.distance > touching * collider.offset())) return about;
  return exact.distance < about.distance ? exact : about;
}

/// Whether any part of an element that stands still may be in a collider or on it.
bool is_within(const ColliderObject& collider, const ElementWay& standing) {
  const Corners& corners = standing.corners[0];
  const MeshDistance* const mesh = collider.triangles();
  if (mesh == nullptr) return !is_proved(collider, {corners, corners}, least_outside);
  return !(collider.surface(corners[0]).distance + collider.offset() > 0) ||
         as_seen(collider, standing).meets_at_start(*mesh);
}

/// Whether an element may be altogether inside a moving mesh, where nothing meets the mesh's
/// surface.
bool is_swallowed(const ColliderObject& collider, const ElementWay& way) {
  SurfacePoint found;
  return collider.can_move() && collider.triangles() != nullptr &&
         collider.penetration(way.corners[0][0], found) && found.distance + collider.offset() < 0;
}

/// Whether any part of the element at the start of its way is in a collider.
bool starts_within(const ColliderObject& collider, const ElementWay& way) {
  const ElementWay start = standing(way, way.corners[0]);
  if (collider.triangles() != nullptr) return is_within(collider, start);
  return !(nearest_place(collider, start.corners[0]).distance > 0);
}

/// How much deeper in a collider a corner ends than it starts, m; if it starts outside, how deep it
/// ends.
double deeper_by(const ColliderObject& collider, const ElementWay& way, std::size_t corner) {
  const auto depth = [&](const Vec3& p) {
    return -collider.surface(p).distance - collider.offset();
  };
  return depth(way.corners[1][corner]) - std::max(0.0, depth(way.corners[0][corner]));
}

/// Whether any corner gets deeper by more than is allowed.
bool goes_deeper(const ColliderObject& collider, const ElementWay& way) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (deeper_by(collider, way, i) > deeper_allowed * collider.offset()) return true;
  }
  return false;
}

/// Until when a way is proved to be farther out than `gap`, m.
double proved_until(const ColliderObject& collider, const ElementWay& way, double gap) {
  const MeshDistance* const mesh = collider.triangles();
  if (mesh != nullptr) return as_seen(collider, way).apart_until(*mesh, gap);
  double proved = 0, open = 1;
  for (int i = 0; i < most_halvings && proved < 0.5 * open; ++i) {
    const double time = 0.5 * (proved + open);
    (is_proved(collider, {way.corners[0], along(way.corners, time)}, gap) ? proved : open) = time;
  }
  return proved;
}

}  // namespace

ColliderGuard::ColliderGuard(const std::vector<ContactSurface>& surfaces, std::vector<int> body_of,
                             std::vector<double> layers, std::vector<int> holder)
    : body_of_(std::move(body_of)), layers_(std::move(layers)), holder_(std::move(holder)) {
  std::vector<char> is_in_element(body_of_.size(), 0);
  const auto add = [&](const std::array<int, 3>& corners, int count) {
    const bool touches = std::all_of(corners.begin(), corners.end(),
                                     [&](int vertex) { return body_of_[at(vertex)] >= 0; });
    if (!touches) return;
    for (const int vertex : corners) is_in_element[at(vertex)] = 1;
    elements_.push_back({corners, count, body_of_[at(corners[0])], -1, -1, false});
  };
  for (const ContactSurface& surface : surfaces) {
    for (const auto& triangle : surface.triangles) add(triangle, 3);
    for (const auto& [a, b] : surface.segments) add({a, b, b}, 2);
  }
  for (std::size_t v = 0; v < body_of_.size(); ++v) {
    const int vertex = static_cast<int>(v);
    if (is_in_element[v] == 0) add({vertex, vertex, vertex}, 1);
    num_bodies_ = std::max(num_bodies_, at(body_of_[v] + 1));
  }
  starts_.resize(body_of_.size());
  ends_.resize(body_of_.size());
  is_moved_.resize(body_of_.size());
  stopped_.resize(body_of_.size());
  vertices_inside_.resize(body_of_.size());
  bodies_.resize(num_bodies_);
}

double ColliderGuard::part_of_layers(double time) const {
  return BodyPairs::grown(first_part_, time);
}

void ColliderGuard::inflate(std::vector<ColliderObject>& colliders, double time) const {
  const double part = part_of_layers(time);
  for (std::size_t c = 0; c < colliders.size(); ++c) colliders[c].inflate(part * layers_[c]);
}

ElementWay ColliderGuard::way_of(const ColliderObject& collider, const Element& own) const {
  ElementWay way{own.count, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& start = starts_[at(own.corners[i])];
    way.corners[0][i] = collider.moves() ? collider.carried(start) : start;
    way.corners[1][i] = ends_[at(own.corners[i])];
  }
  return way;
}

void ColliderGuard::read_way(const double* x, const double* z, double stage) {
  const ContactWay way(x, z, stage);
  for (std::size_t v = 0; v < body_of_.size(); ++v) {
    starts_[v] = way.start(static_cast<int>(v));
    ends_[v] = way.end(static_cast<int>(v));
  }
  for (Element& own : elements_) {
    own.inside = -1;
    own.is_free = false;
  }
}

bool ColliderGuard::is_at_rest(const Element& own) const {
  return std::all_of(own.corners.begin(), own.corners.end(),
                     [&](int vertex) { return starts_[at(vertex)] == ends_[at(vertex)]; });
}

bool ColliderGuard::may_touch(const ColliderObject& collider, int number,
                              const Element& own) const {
  if (!collider.touches(own.body)) return false;
  return holder_.empty() || std::none_of(own.corners.begin(), own.corners.end(),
                                         [&](int vertex) { return holder_[at(vertex)] == number; });
}

/// Whether a way is proved and ends far enough outside.
bool ColliderGuard::is_clear(const ColliderObject& collider, const ElementWay& way) {
  const double least = least_gap * collider.offset();
  if (collider.triangles() == nullptr) {
    const auto [middle, radius] = middle_of(way.corners);
    if (collider.clear_of(middle, radius)) return true;
  }
  if (is_apart(collider, way, least)) return true;
  const double start = nearest_outside(collider, standing(way, way.corners[0])).distance;
  if (start >= least) return false;
  return nearest_outside(collider, standing(way, way.corners[1])).distance >= start &&
         is_apart(collider, way, least_of_start * start);
}

template <class Visit>
void ColliderGuard::for_elements(Threads& threads, const Visit& visit) {
  const int num_chunks =
      (static_cast<int>(elements_.size()) + elements_a_chunk - 1) / elements_a_chunk;
  threads.parallel_for(num_chunks, [&](int chunk) {
    const std::size_t first = at(chunk) * elements_a_chunk;
    const std::size_t last = std::min(first + elements_a_chunk, elements_.size());
    for (std::size_t e = first; e < last; ++e) visit(elements_[e]);
  });
}

/// Finds which elements meet a collider.
void ColliderGuard::look(const std::vector<ColliderObject>& colliders, Threads& threads) {
  for_elements(threads, [&](Element& own) {
    own.met = -1;
    const bool rests = is_at_rest(own);
    for (std::size_t c = 0; c < colliders.size() && own.met < 0; ++c) {
      const ColliderObject& collider = colliders[c];
      if (rests && !collider.can_move()) continue;
      if (!may_touch(collider, static_cast<int>(c), own)) continue;
      if (own.is_free && collider.can_move()) continue;
      const ElementWay way = way_of(collider, own);
      const bool is_known = own.inside == static_cast<int>(c);
      if (!is_known && !is_swallowed(collider, way) && is_clear(collider, way)) continue;
      if (!is_known && collider.can_move() && starts_within(collider, way)) {
        // An element inside two of them has no way out; `inside` may be either.
        own.is_free = own.inside >= 0;
        own.inside = static_cast<int>(c);
      }
      if (own.is_free) continue;
      if (own.inside == static_cast<int>(c) && !goes_deeper(collider, way)) continue;
      own.met = static_cast<int>(c);
    }
  });
}

void ColliderGuard::find_inside(const std::vector<ColliderObject>& colliders, const double* x,
                                Threads& threads) {
  const auto can_move = [](const ColliderObject& own) { return own.can_move(); };
  if (std::none_of(colliders.begin(), colliders.end(), can_move)) return;
  read_way(x, x, 1);
  for_elements(threads, [&](Element& own) {
    for (std::size_t c = 0; c < colliders.size() && own.inside < 0; ++c) {
      const ColliderObject& collider = colliders[c];
      if (!collider.can_move() || !may_touch(collider, static_cast<int>(c), own)) continue;
      const ElementWay way = way_of(collider, own);
      const auto [middle, radius] = middle_of({way.corners[0], way.corners[0]});
      if (collider.clear_of(middle, radius) || !starts_within(collider, way)) continue;
      own.inside = static_cast<int>(c);
    }
  });
  std::fill(vertices_inside_.begin(), vertices_inside_.end(), char{0});
  for (const Element& own : elements_) {
    if (own.inside < 0) continue;
    for (const int vertex : own.corners) vertices_inside_[at(vertex)] = 1;
  }
}

bool ColliderGuard::any_met() const {
  return std::any_of(elements_.begin(), elements_.end(),
                     [](const Element& own) { return own.met >= 0; });
}

void ColliderGuard::move(int vertex, const Vec3& end) {
  ends_[at(vertex)] = end;
  is_moved_[at(vertex)] = 1;
  bodies_[at(body_of_[at(vertex)])] = 1;
}

/// Moves corners in front of the plane at the last proved place of the way. Returns whether any
/// corner was moved.
bool ColliderGuard::push_out(const ColliderObject& collider, const Element& own) {
  const ElementWay way = way_of(collider, own);
  const double proved = proved_until(collider, way, least_gap * collider.offset());
  const SurfacePoint plane = nearest_outside(collider, standing(way, along(way.corners, proved)));
  if (!(plane.distance > 0 && std::isfinite(plane.distance))) return false;
  bool any = false;
  for (int i = 0; i < own.count; ++i) {
    const int vertex = own.corners[at(i)];
    const Vec3 end = ends_[at(vertex)];
    const double missing = held_gap * collider.offset() - dot(plane.normal, end - plane.point);
    if (!(missing > 0) || stopped_[at(vertex)] != Stop::none) continue;
    move(vertex, end + missing * plane.normal);
    any = true;
  }
  return any;
}

/// The same for an element that starts within the collider: moves its corners to where they are no
/// deeper.
bool ColliderGuard::push_back(const ColliderObject& collider, const Element& own) {
  const ElementWay way = way_of(collider, own);
  bool any = false;
  for (int i = 0; i < own.count; ++i) {
    const int vertex = own.corners[at(i)];
    const double deeper = deeper_by(collider, way, at(i));
    if (!(deeper > 0) || stopped_[at(vertex)] != Stop::none) continue;
    move(vertex, ends_[at(vertex)] + deeper * collider.surface(ends_[at(vertex)]).normal);
    any = true;
  }
  return any;
}

/// Returns whether an element's way is, or may be, all right now.
bool ColliderGuard::move_out(const ColliderObject& collider, const Element& own) {
  const ElementWay way = way_of(collider, own);
  if (own.inside == own.met) return !goes_deeper(collider, way) || push_back(collider, own);
  // Other elements that share its corners may have moved them.
  return is_clear(collider, way) || push_out(collider, own);
}

/// Returns its corners to where they were.
void ColliderGuard::stop(const Element& own) {
  for (const int vertex : own.corners) {
    if (stopped_[at(vertex)] == Stop::stays) continue;
    stopped_[at(vertex)] = Stop::stays;
    move(vertex, starts_[at(vertex)]);
  }
}

/// Lets its corners go with a collider that moves.
void ColliderGuard::carry(const ColliderObject& collider, const Element& own) {
  for (const int vertex : own.corners) {
    if (stopped_[at(vertex)] != Stop::none) continue;
    stopped_[at(vertex)] = Stop::carried;
    move(vertex, collider.carried(starts_[at(vertex)]));
  }
}

std::span<const char> ColliderGuard::hold(const std::vector<ColliderObject>& colliders,
                                          const double* x, double* z, double stage,
                                          Threads& threads) {
  read_way(x, z, stage);
  std::fill(is_moved_.begin(), is_moved_.end(), char{0});
  std::fill(stopped_.begin(), stopped_.end(), Stop::none);
  std::fill(bodies_.begin(), bodies_.end(), char{0});
  for (int round = 0;; ++round) {
    look(colliders, threads);
    if (!any_met()) break;
    for (Element& own : elements_) {
      if (own.met < 0) continue;
      const ColliderObject& collider = colliders[at(own.met)];
      if (round < most_rounds && move_out(collider, own)) continue;
      if (collider.can_move()) {
        own.is_free =
            own.inside == own.met ? round >= most_rounds : round >= most_rounds + most_carries;
        if (!own.is_free) carry(collider, own);
        continue;
      }
      stop(own);
      if (round < most_rounds + most_carries + most_stops) continue;
      for (std::size_t v = 0; v < body_of_.size(); ++v) {
        if (body_of_[v] == own.body) move(static_cast<int>(v), starts_[v]);
      }
    }
  }
  if (std::find(bodies_.begin(), bodies_.end(), char{1}) == bodies_.end()) return {};
  for (std::size_t v = 0; v < body_of_.size(); ++v) {
    if (is_moved_[v] == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const double way_of_end = ends_[v][k] - starts_[v][k];
      z[4 * v + k] = stage == 1 ? ends_[v][k] : starts_[v][k] + stage * way_of_end;
    }
  }
  return bodies_;
}

int ColliderGuard::num_inside(const std::vector<ColliderObject>& colliders, const double* x,
                              const double* z, double stage, Threads& threads) {
  if (std::none_of(colliders.begin(), colliders.end(),
                   [](const ColliderObject& own) { return own.can_move(); })) {
    return 0;
  }
  read_way(x, z, stage);
  look(colliders, threads);
  return num_inside();
}

int ColliderGuard::num_inside() const {
  return static_cast<int>(std::count_if(elements_.begin(), elements_.end(), [](const Element& own) {
    return own.inside >= 0 || own.is_free || own.met >= 0;
  }));
}

void ColliderGuard::start_outside(std::vector<ColliderObject>& colliders, double* x) {
  first_part_ = 1;
  inflate(colliders, 0);
  const auto corners_of = [&](const Element& own) {
    Corners corners;
    for (std::size_t i = 0; i < 3; ++i) corners[i] = place_in(x, own.corners[i]);
    return corners;
  };
  // Elements that are nearer to a collider than its layer.
  const auto visit_near = [&](const auto& visit) {
    for (const Element& own : elements_) {
      for (std::size_t c = 0; c < colliders.size(); ++c) {
        if (!may_touch(colliders[c], static_cast<int>(c), own)) continue;
        const Corners corners = corners_of(own);
        const auto [middle, radius] = middle_of({corners, corners});
        if (colliders[c].clear_of(middle, radius)) continue;
        visit(own, colliders[c], nearest_to_start(colliders[c], {own.count, {corners, corners}}));
      }
    }
  };
  for (int round = 0; round < most_first_rounds; ++round) {
    bool any = false;
    visit_near([&](const Element& own, const ColliderObject& collider, const SurfacePoint& near) {
      const double gap = start_gap * collider.offset();
      if (near.distance >= 0.9 * gap || near.distance < -collider.offset()) return;
      for (int i = 0; i < own.count; ++i) {
        double* const corner = x + 4 * at(own.corners[at(i)]);
        const double missing =
            gap - dot(near.normal, Vec3{corner[0], corner[1], corner[2]} - near.point);
        for (std::size_t k = 0; missing > 0 && k < 3; ++k) corner[k] += missing * near.normal[k];
      }
      any = true;
    });
    if (!any) break;
  }
  visit_near([&](const Element&, const ColliderObject& collider, const SurfacePoint& near) {
    const double part = near.distance / collider.offset();
    first_part_ = std::min(first_part_, std::max(part, 0.5 * start_gap));
  });
}

void ColliderGuard::require_outside(const std::vector<ColliderObject>& colliders, const double* x,
                                    const std::vector<char>& fresh) const {
  for (const Element& own : elements_) {
    Corners corners;
    for (std::size_t i = 0; i < 3; ++i) corners[i] = place_in(x, own.corners[i]);
    for (std::size_t c = 0; c < colliders.size(); ++c) {
      if (!may_touch(colliders[c], static_cast<int>(c), own)) continue;
      if (colliders[c].can_move() && !fresh.empty() && fresh[at(own.body)] == 0) continue;
      const auto [middle, radius] = middle_of({corners, corners});
      if (colliders[c].clear_of(middle, radius)) continue;
      if (!is_within(colliders[c], {own.count, {corners, corners}})) continue;
      const Vec3 place = nearest_place(colliders[c], corners).point;
      throw Error(ErrorKind::invalid_input, fmt::format("/bodies/{}", own.body),
                  fmt::format("its surface is inside /colliders/{} near [{:.6g}, {:.6g}, {:.6g}], "
                              "but the contact mode barrier can only keep it outside; move it, or "
                              "use the mode soft",
                              c, place[0], place[1], place[2]));
    }
  }
}

}  // namespace supple
