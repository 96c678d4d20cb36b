#include "contact/surface_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/index.h"
#include "contact/deepest_point.h"
#include "contact/entry.h"
#include "contact/extent.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr std::size_t triangles_a_block = 32;
constexpr std::size_t most_vertices = 3 * triangles_a_block;
/// The most that a call finds in a block; the next call finds the rest.
constexpr std::size_t room_of_block = 64;
constexpr std::size_t points_a_triangle = 8, most_points = std::size_t{1} << 14;
/// In multiples of `clearly`: the allowed error of a point's distance, and of that of a face's
/// border.
constexpr double exact = 1e-4, roughly = 0.05;
/// In multiples of `clearly`: a way that is nearer than this to a collider has reached it.
constexpr double touching = 0.1;
/// In multiples of `clearly`: a point that is deeper than a known one by less than this is not
/// needed.
constexpr double enough = 0.5;
/// In multiples of `clearly`: the least advance along a way at a time when it touches already, or
/// if the collider is not convex.
constexpr double least_advance = 5;
constexpr int most_advances = 200;
/// In multiples of `clearly`: a place that is held by then and is deeper than this will be
/// elsewhere at the end of the step. A plane behind which a point starts by more than this,
/// although it is outside, would push it far at once.
constexpr double too_deep = 4;

Ball around(const Ball& a, const Ball& b) {
  return {0.5 * (a.center + b.center),
          0.5 * norm(b.center - a.center) + std::max(a.radius, b.radius)};
}

Ball ball_of(std::initializer_list<Vec3> points) {
  Extent extent;
  for (const Vec3& p : points) extent.add(p);
  return extent.ball();
}

}  // namespace

/// Finds what edges and faces of one block meet.
class SurfacePoints::Search {
 public:
  Search(const SurfacePoints& own, const Block& block, const ContactWay& way, SurfaceContact* out)
      : own_(own), block_(block), out_(out) {
    Extent of_start, of_end;
    for (std::size_t i = block.first_vertex; i < block.last_vertex; ++i) {
      const std::size_t local = i - block.first_vertex;
      of_start.add(start_[local] = way.start(own.vertices_[i]));
      of_end.add(end_[local] = way.end(own.vertices_[i]));
    }
    start_ball_ = of_start.ball();
    end_ball_ = of_end.ball();
  }

  void meet(const ColliderObject& collider, int number);
  std::size_t count() const { return count_; }

 private:
  using Corners = AskedCorner[3];
  /// An edge, with two corners, or a face, on its way as the collider sees it.
  struct Feature {
    int count;
    std::size_t places[3];  ///< into the block's vertices
    double clearly;
    double way;  ///< the longest way of its corners, m
  };
  struct Low {
    double at_least;  ///< nothing of the feature is nearer to the collider
    double border;    ///< the least distance of corners and edges around it
    DeepestPoint point;
    bool is_clear;  ///< lower than its border by enough
  };
  struct Border {
    double border;
    Vec3 lowest;  ///< the place where that is, m
  };
  void ask(std::size_t local);
  bool is_flat(const Triangle& triangle);
  bool stays_away(const Triangle& triangle) const;
  bool sticks_out(const Triangle& triangle, double t, double apart) const;
  Feature feature(const Triangle& triangle, int first, int count) const;
  int vertex(const Feature& feature, int i) const {
    return own_.vertices_[block_.first_vertex + feature.places[i]];
  }
  Vec3 place_at(std::size_t local, double t) const;
  SurfacePoint surface_at(const NearSurface& surface, std::size_t local, double t,
                          const Vec3& place) const;
  Low lowest(const NearSurface& surface, const Feature& feature, const Corners& corners,
             double near) const;
  Low lowest_on_face(const NearSurface& surface, const Feature& face, const Corners& corners,
                     double near) const;
  Low lowest_on_grid(const NearSurface& surface, const Feature& face, const Corners& corners) const;
  Border lowest_on_border(const NearSurface& surface, const Feature& face,
                          const Corners& corners) const;
  void follow(const Feature& feature);
  bool is_held(const Triangle& triangle) const;
  template <class Visit>
  bool any_known(const Feature& feature, const Corners& corners, const Visit& visit) const;
  bool is_known(const NearSurface& surface, const Feature& feature, const Corners& corners,
                double& gap) const;
  bool rests_on_edge(const Feature& face, const Corners& corners, double& gap) const;
  bool stands_out(const NearSurface& surface, const Feature& feature, const Corners& corners,
                  double level) const;
  bool has_been_through(const Vec3& start, const Vec3& place, const Vec3& normal) const;
  double depth_at_start(const Feature& feature) const;
  void hold_from_start(const Vec3& start, const Vec3& place, Vec3& surface, Vec3& normal) const;
  void keep(const Feature& feature, const Corners& corners, const DeepestPoint& deepest);

  const SurfacePoints& own_;
  const Block& block_;
  SurfaceContact* out_;
  std::size_t count_ = 0;
  Ball start_ball_, end_ball_;
  const ColliderObject* collider_ = nullptr;
  int number_ = 0;
  Vec3 start_[most_vertices], end_[most_vertices];
  // As the collider sees them.
  Vec3 carried_[most_vertices];
  SurfacePoint at_start_[most_vertices], at_end_[most_vertices];
  bool is_known_[most_vertices];
};

void SurfacePoints::Search::meet(const ColliderObject& collider, int number) {
  // In barrier mode pairs of features find what meets such a collider (mesh_pairs.h).
  if (collider.offset() > 0 && collider.has_flat_sides()) return;
  const Ball ball = around({collider.carried(start_ball_.center), start_ball_.radius}, end_ball_);
  if (!(ball.radius < Extent::infinity) || collider.clear_of(ball.center, ball.radius)) return;
  collider_ = &collider;
  number_ = number;
  const std::size_t num_vertices = block_.last_vertex - block_.first_vertex;
  for (std::size_t i = 0; i < num_vertices; ++i) {
    carried_[i] = collider.carried(start_[i]);
    is_known_[i] = false;
  }
  for (std::size_t t = block_.first_triangle; t < block_.last_triangle; ++t) {
    const Triangle& triangle = own_.triangles_[t];
    if (!collider.touches(triangle.body) || is_held(triangle)) continue;
    const std::size_t a = at(triangle.corners[0]), b = at(triangle.corners[1]),
                      c = at(triangle.corners[2]);
    const Ball own = ball_of({carried_[a], carried_[b], carried_[c], end_[a], end_[b], end_[c]});
    if (collider.clear_of(own.center, own.radius) || is_flat(triangle)) continue;
    for (int k = 0; k < 3; ++k) {
      if ((triangle.edges >> k & 1) != 0) follow(feature(triangle, k, 2));
    }
    if (triangle.is_face()) follow(feature(triangle, 0, 3));
  }
}

/// Whether the collider holds a corner.
bool SurfacePoints::Search::is_held(const Triangle& triangle) const {
  if (own_.holder_.empty()) return false;
  return std::any_of(
      std::begin(triangle.corners), std::end(triangle.corners), [&](const auto corner) {
        return own_.holder_[at(own_.vertices_[block_.first_vertex + at(corner)])] == number_;
      });
}

void SurfacePoints::Search::ask(std::size_t local) {
  if (is_known_[local]) return;
  is_known_[local] = true;
  at_start_[local] = collider_->surface(carried_[local]);
  at_end_[local] = collider_->surface(end_[local]);
}

/// True if no point of the triangle can come clearly nearer to the collider than a corner. A convex
/// collider is wholly behind any plane that touches it, and along a straight line its distance is
/// at most the linear interpolation between the ends. So if the corners are as near to the collider
/// as to such a plane, at the start and at the end, then at all times the corner nearest to the
/// plane is no farther from the collider than any point of the triangle.
bool SurfacePoints::Search::is_flat(const Triangle& triangle) {
  double way = 0, side = 0, least = Extent::infinity;
  SurfacePoint nearest;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t local = at(triangle.corners[i]), next = at(triangle.corners[(i + 1) % 3]);
    ask(local);
    way = std::max(way, norm(end_[local] - carried_[local]));
    side = std::max(side, norm(end_[next] - end_[local]));
    for (const SurfacePoint& own : {at_start_[local], at_end_[local]}) {
      if (!(own.distance < least)) continue;
      least = own.distance;
      nearest = own;
    }
  }
  if (!collider_->is_convex()) {
    const double fine = too_fine / clearly * triangle.clearly;
    if (side < fine) return true;
    const auto times = static_cast<int>(std::min(way / fine, 1.0 * most_advances)) + 1;
    for (int i = 0; i <= times; ++i) {
      if (sticks_out(triangle, static_cast<double>(i) / times, fine)) return false;
    }
    return true;
  }
  bool is_flat = true;
  for (const std::int16_t corner : triangle.corners) {
    const std::size_t local = at(corner);
    const double start = dot(carried_[local] - nearest.point, nearest.normal);
    const double end = dot(end_[local] - nearest.point, nearest.normal);
    is_flat = is_flat && at_start_[local].distance <= start + triangle.clearly &&
              at_end_[local].distance <= end + triangle.clearly;
  }
  return is_flat || stays_away(triangle);
}

/// Whether a plane that touches a convex collider where it is nearest to a corner separates it from
/// the triangle all the time.
bool SurfacePoints::Search::stays_away(const Triangle& triangle) const {
  const auto is_between = [&](const SurfacePoint& plane) {
    return std::all_of(triangle.corners.begin(), triangle.corners.end(),
                       [&](const std::int16_t corner) {
                         const std::size_t local = at(corner);
                         const double start = dot(carried_[local] - plane.point, plane.normal);
                         const double end = dot(end_[local] - plane.point, plane.normal);
                         return std::min(start, end) > touching * triangle.clearly;
                       });
  };
  return std::any_of(triangle.corners.begin(), triangle.corners.end(),
                     [&](const std::int16_t corner) {
                       return is_between(at_start_[at(corner)]) || is_between(at_end_[at(corner)]);
                     });
}

/// Whether some place of the triangle is nearer to the collider at time t than its corners suggest.
/// Not asked of a triangle that is farther from it than `apart`, m.
bool SurfacePoints::Search::sticks_out(const Triangle& triangle, double t, double apart) const {
  Vec3 places[3], distances;
  for (std::size_t k = 0; k < 3; ++k) places[k] = place_at(at(triangle.corners[k]), t);
  const Ball ball = ball_of({places[0], places[1], places[2]});
  const NearSurface near(*collider_, ball, apart);
  if (near.at_least() > apart) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t local = at(triangle.corners[k]);
    distances[k] = surface_at(near, local, t, places[k]).distance;
  }
  return any_on_grid([&](const Vec3& weights) {
    const double here = near.surface(mean_of(weights, places)).distance;
    return here < dot(weights, distances) - triangle.clearly;
  });
}

SurfacePoints::Search::Feature SurfacePoints::Search::feature(const Triangle& triangle, int first,
                                                              int count) const {
  Feature own{.count = count, .clearly = triangle.clearly};
  for (int i = 0; i < count; ++i) {
    const std::size_t local = at(triangle.corners[at((first + i) % 3)]);
    own.places[i] = local;
    own.way = std::max(own.way, norm(end_[local] - carried_[local]));
  }
  return own;
}

/// Where a vertex is; t is 0 at the start of the step and 1 at its end.
Vec3 SurfacePoints::Search::place_at(std::size_t local, double t) const {
  return (1 - t) * carried_[local] + t * end_[local];
}

/// The surface nearest to it there; ask() must have been called for it.
SurfacePoint SurfacePoints::Search::surface_at(const NearSurface& surface, std::size_t local,
                                               double t, const Vec3& place) const {
  if (t == 0) return at_start_[local];
  if (t == 1) return at_end_[local];
  return surface.surface(place);
}

/// Distances beyond `near` need not be accurate.
SurfacePoints::Search::Low SurfacePoints::Search::lowest(const NearSurface& surface,
                                                         const Feature& feature,
                                                         const Corners& corners,
                                                         double near) const {
  if (feature.count == 3) {
    return collider_->is_convex() ? lowest_on_face(surface, feature, corners, near)
                                  : lowest_on_grid(surface, feature, corners);
  }
  const double border = std::min(corners[0].surface.distance, corners[1].surface.distance);
  const DeepestPoint found = deepest_on_edge(
      surface, corners[0], corners[1],
      {.tolerance = exact * feature.clearly, .level = border - feature.clearly, .near = near});
  return {found.at_least, border, found, found.distance < border - feature.clearly};
}

/// The same for a face and a convex collider.
SurfacePoints::Search::Low SurfacePoints::Search::lowest_on_face(const NearSurface& surface,
                                                                 const Feature& face,
                                                                 const Corners& corners,
                                                                 double near) const {
  double border = Extent::infinity;
  for (const AskedCorner& own : corners) border = std::min(border, own.surface.distance);
  DeepestPoint found = deepest_on_triangle(
      surface, corners,
      {.tolerance = roughly * face.clearly, .level = border - face.clearly, .near = near});
  const auto is_wanted = [&] {
    return found.at_least <= near && found.at_least < border - face.clearly;
  };
  if (is_wanted()) border = lowest_on_border(surface, face, corners).border;
  if (is_wanted()) found = deepest_on_triangle(surface, corners, {exact * face.clearly});
  return {found.at_least, border, found, is_wanted() && found.distance < border - face.clearly};
}

/// The same for a face and any collider.
SurfacePoints::Search::Low SurfacePoints::Search::lowest_on_grid(const NearSurface& surface,
                                                                 const Feature& face,
                                                                 const Corners& corners) const {
  const Vec3 places[3] = {corners[0].place, corners[1].place, corners[2].place};
  double border = Extent::infinity, inside = Extent::infinity;
  any_on_grid([&](const Vec3& weights) {
    double& least = weights[0] * weights[1] * weights[2] == 0 ? border : inside;
    least = std::min(least, surface.surface(mean_of(weights, places)).distance);
    return false;
  });
  if (!(inside < border - face.clearly)) return {std::min(border, inside), border, {}, false};
  const auto [on_border, lowest] = lowest_on_border(surface, face, corners);
  const Vec3 normal = surface.surface(lowest).normal;
  double least = 0;
  for (const AskedCorner& own : corners) least = std::min(least, dot(normal, own.place - lowest));
  const double level = on_border - face.clearly;
  if (least >= -face.clearly && !stands_out(surface, face, corners, level)) {
    return {on_border, on_border, {}, false};
  }
  const DeepestPoint found = deepest_on_triangle(surface, corners, {exact * face.clearly});
  return {std::min(on_border, found.distance), on_border, found, found.distance < level};
}

SurfacePoints::Search::Border SurfacePoints::Search::lowest_on_border(
    const NearSurface& surface, const Feature& face, const Corners& corners) const {
  Border least{Extent::infinity, {}};
  for (int i = 0; i < 3; ++i) {
    const AskedCorner &a = corners[i], &b = corners[(i + 1) % 3];
    const DeepestPoint own = deepest_on_edge(surface, a, b, {roughly * face.clearly});
    if (!(own.distance < least.border)) continue;
    least = {own.distance, own.weights[0] * a.place + own.weights[1] * b.place};
  }
  return least;
}

void SurfacePoints::Search::follow(const Feature& feature) {
  const double near = touching * feature.clearly;
  Corners corners;
  // Known corners, edges and points are held themselves: a place where they are deep inside is not
  // on the way of the step.
  const double deep = -too_deep * feature.clearly;
  double gap = 0, ahead = 0;
  // How long nothing comes nearer than some distance, judged by a plane in front of which the
  // corners are at these heights.
  const auto find_ahead = [&](const double(&heights)[3], const Vec3& normal, double touches) {
    double time = 1;
    for (int i = 0; i < feature.count; ++i) {
      const std::size_t local = feature.places[i];
      const double falls = dot(carried_[local] - end_[local], normal);
      if (falls > 0) time = std::min(time, (heights[i] - touches) / falls);
    }
    ahead = std::max(ahead, time);
  };
  const auto look = [&](double t, double touches) {
    ahead = 0;
    Extent extent;
    for (int i = 0; i < feature.count; ++i) {
      corners[i].place = place_at(feature.places[i], t);
      extent.add(corners[i].place);
    }
    const NearSurface surface = collider_->is_convex()
                                    ? NearSurface(*collider_)
                                    : NearSurface(*collider_, extent.ball(), touches);
    gap = surface.at_least();
    if (gap > touches) return true;
    for (int i = 0; i < feature.count; ++i) {
      AskedCorner& corner = corners[i];
      corner.surface = surface_at(surface, feature.places[i], t, corner.place);
      if (corner.surface.distance < deep) return false;
      if (!collider_->is_convex()) continue;
      // All of the collider is behind this plane.
      double least = corner.surface.distance, heights[3];
      for (int k = 0; k < feature.count; ++k) {
        heights[k] = dot(corners[k].place - corner.surface.point, corner.surface.normal);
        least = std::min(least, heights[k]);
      }
      gap = std::max(gap, least);
      find_ahead(heights, corner.surface.normal, touches);
      if (least >= corner.surface.distance - feature.clearly) return true;
    }
    if (gap > touches) return true;
    if (is_known(surface, feature, corners, gap)) return gap >= deep;
    if (feature.count == 3 && rests_on_edge(feature, corners, gap)) return gap >= deep;
    const Low low = lowest(surface, feature, corners, touches);
    gap = low.at_least;
    if (gap > touches && collider_->is_convex()) {
      find_ahead({gap, gap, gap}, low.point.rise, touches);
    }
    if (low.border < deep) return false;
    if (gap <= touches && low.is_clear) keep(feature, corners, low.point);
    return true;
  };
  // If a feature goes in and comes out on the other side, its corners are held.
  const auto crosses = [&] {
    for (int i = 0; i < feature.count; ++i) {
      const SurfacePoint inside = collider_->surface(corners[i].place);
      if (!(inside.distance < 0)) continue;
      if (dot(inside.normal, at_end_[feature.places[i]].normal) < 0) return true;
    }
    return false;
  };
  double t = 0;
  for (int i = 0; t < 1 && i < most_advances; ++i) {
    if (!look(t, near)) {
      // A straight way past the edge of a collider cuts it; then only its end counts.
      if (crosses()) return;
      break;
    }
    const bool is_apart = gap > near && collider_->is_convex();
    const double reach = is_apart ? gap : std::max(gap, least_advance * feature.clearly);
    t += std::max(ahead, reach / feature.way);
  }
  look(1, 0);
}

/// Whether a collider that is not convex is somewhere nearer to a feature than `level`, whatever
/// planes say.
bool SurfacePoints::Search::stands_out(const NearSurface& surface, const Feature& feature,
                                       const Corners& corners, double level) const {
  if (collider_->is_convex()) return false;
  const auto is_nearer = [&](const Vec3& place) { return surface.surface(place).distance < level; };
  if (feature.count == 3) {
    const Vec3 places[3] = {corners[0].place, corners[1].place, corners[2].place};
    return any_on_grid([&](const Vec3& weights) { return is_nearer(mean_of(weights, places)); });
  }
  for (int i = 0; i <= parts_of_edge; ++i) {
    const double s = static_cast<double>(i) / parts_of_edge;
    if (is_nearer((1 - s) * corners[0].place + s * corners[1].place)) return true;
  }
  return false;
}

/// Calls visit with each known point of a feature and its distance in front of its plane, until one
/// call returns true. Returns whether one did.
template <class Visit>
bool SurfacePoints::Search::any_known(const Feature& feature, const Corners& corners,
                                      const Visit& visit) const {
  const auto look = [&](const SurfaceContact& known) {
    if (known.collider != number_ || known.point.count != feature.count) return false;
    Vec3 place{0, 0, 0};
    for (int i = 0; i < feature.count; ++i) {
      if (known.point.vertices[i] != vertex(feature, i)) return false;
      place = place + known.point.weights[i] * corners[i].place;
    }
    return visit(known, dot(place - known.surface, known.normal));
  };
  const auto known = own_.points();
  return std::any_of(known.begin(), known.end(), look) || std::any_of(out_, out_ + count_, look);
}

/// Whether no point of the feature is much nearer to the collider than a known point is to its
/// plane. Then `gap` is a lower bound of the feature's distance: a convex collider is wholly behind
/// the plane.
bool SurfacePoints::Search::is_known(const NearSurface& surface, const Feature& feature,
                                     const Corners& corners, double& gap) const {
  return any_known(feature, corners, [&](const SurfaceContact& known, double of_known) {
    double least = of_known;
    for (int i = 0; i < feature.count; ++i) {
      least = std::min(least, dot(corners[i].place - known.surface, known.normal));
    }
    const double level = of_known - enough * feature.clearly;
    if (least < level || stands_out(surface, feature, corners, level)) return false;
    gap = least;
    return true;
  });
}

/// Whether a point of one of a face's edges is known and no point of the face is clearly nearer to
/// the collider. Then `gap` is a lower bound of the face's distance.
bool SurfacePoints::Search::rests_on_edge(const Feature& face, const Corners& corners,
                                          double& gap) const {
  if (!collider_->is_convex()) return false;
  const auto does = [&](const SurfaceContact& known) {
    if (known.collider != number_ || known.point.count != 2) return false;
    Vec3 place{0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      int corner = 0;
      while (corner < 3 && vertex(face, corner) != known.point.vertices[i]) ++corner;
      if (corner == 3) return false;
      place = place + known.point.weights[i] * corners[corner].place;
    }
    double least = Extent::infinity;
    for (const AskedCorner& corner : corners) {
      least = std::min(least, dot(corner.place - known.surface, known.normal));
    }
    if (least < collider_->surface(place).distance - face.clearly) return false;
    gap = least;
    return true;
  };
  const auto known = own_.points();
  return std::any_of(known.begin(), known.end(), does) || std::any_of(out_, out_ + count_, does);
}

/// Whether a way from outside entered the collider on the side opposite to `normal` and went
/// through its middle.
bool SurfacePoints::Search::has_been_through(const Vec3& start, const Vec3& place,
                                             const Vec3& normal) const {
  if (!(dot(place - start, normal) > 0)) return false;
  SurfacePoint entry = collider_->surface(start);
  // A place in the layer is outside already.
  if (entry.distance <= 0 && entry.distance > -collider_->offset()) {
    return dot(entry.normal, normal) < 0;
  }
  return entry.distance > 0 && find_entry(*collider_, start, place, entry) &&
         dot(entry.normal, normal) < 0;
}

/// How deep a feature starts the step, m; 0 if it is outside.
double SurfacePoints::Search::depth_at_start(const Feature& feature) const {
  Corners corners;
  for (int i = 0; i < feature.count; ++i) {
    corners[i] = {carried_[feature.places[i]], at_start_[feature.places[i]]};
  }
  const Depth wanted{.tolerance = exact * feature.clearly, .level = 0};
  const DeepestPoint deepest = feature.count == 2
                                   ? deepest_on_edge(*collider_, corners[0], corners[1], wanted)
                                   : deepest_on_triangle(*collider_, corners, wanted);
  return std::max(0.0, -deepest.at_least);
}

/// Replaces the plane of a point that comes past an edge of the collider, and so starts behind the
/// plane but outside. The other plane touches the collider where the point enters or, if it does
/// not, is turned until it goes through the start.
void SurfacePoints::Search::hold_from_start(const Vec3& start, const Vec3& place, Vec3& surface,
                                            Vec3& normal) const {
  const double behind = dot(surface - start, normal);
  const SurfacePoint nearest = collider_->surface(start);
  if (!(nearest.distance > 0)) return;
  SurfacePoint entry = nearest;
  if (find_entry(*collider_, start, place, entry) && dot(entry.normal, place - start) < 0) {
    surface = entry.point;
    normal = entry.normal;
    return;
  }
  const double in_front = dot(start - surface, nearest.normal);
  double length = 0;
  if (in_front > 0) {
    normal = direction(normal + (behind / in_front) * nearest.normal, normal, length);
  }
}

/// Keeps a point, unless a known point of the feature is nearly as deep.
void SurfacePoints::Search::keep(const Feature& feature, const Corners& corners,
                                 const DeepestPoint& deepest) {
  const bool is_there =
      any_known(feature, corners, [&](const SurfaceContact& /*known*/, double of_known) {
        return of_known <= deepest.distance + enough * feature.clearly;
      });
  if (is_there || count_ == room_of_block) return;
  Vec3 start{0, 0, 0}, place{0, 0, 0};
  for (int i = 0; i < feature.count; ++i) {
    start = start + deepest.weights[i] * carried_[feature.places[i]];
    place = place + deepest.weights[i] * corners[i].place;
  }
  Vec3 normal = feature.count == 2
                    ? normal_across_edge(*collider_, corners[0].place, corners[1].place, deepest)
                    : normal_across_triangle(*collider_, corners, deepest);
  if (has_been_through(start, place, normal)) return;
  Vec3 surface = place - deepest.distance * normal;
  const double start_depth = depth_at_start(feature);
  if (dot(surface - start, normal) > start_depth + too_deep * feature.clearly) {
    hold_from_start(start, place, surface, normal);
  }
  SurfaceContact& own = out_[count_++];
  own.collider = number_;
  own.point.count = feature.count;
  own.normal = normal;
  own.surface = surface;
  own.start_depth = start_depth;
  const double ahead = dot(surface - start, normal) - start_depth;
  own.slack = ahead > too_deep * feature.clearly ? ahead : 0;
  own.harder = 1;
  own.layer = 0;
  for (int i = 0; i < 3; ++i) {
    own.point.vertices[i] = i < feature.count ? vertex(feature, i) : -1;
    own.point.weights[i] = deepest.weights[i];
  }
}

SurfacePoints::SurfacePoints(const std::vector<ContactSurface>& surfaces,
                             const std::vector<int>& place_of_vertex,
                             const std::vector<ColliderObject>& colliders, std::size_t room) {
  const auto num_crossable = static_cast<std::size_t>(
      std::count_if(colliders.begin(), colliders.end(),
                    [](const ColliderObject& collider) { return collider.can_be_crossed(); }));
  max_points_ = room;
  hardened_.reserve(room);
  if (num_crossable == 0) {
    points_ = std::make_unique_for_overwrite<SurfaceContact[]>(max_points_);
    return;
  }
  struct Edge {
    int low, high;
    std::size_t triangle;
    int corner;
  };
  std::vector<Edge> edges;
  std::vector<std::array<int, 3>> list;
  std::vector<double> sizes;
  std::vector<int> bodies;
  for (const ContactSurface& surface : surfaces) {
    std::vector<std::array<int, 3>> sorted = surface.triangles;
    for (const auto& [a, b] : surface.segments) sorted.push_back({a, b, b});
    // Consecutive vertices are close together.
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
    });
    for (const std::array<int, 3>& triangle : sorted) {
      const bool touches = std::all_of(triangle.begin(), triangle.end(), [&](int v) {
        return at(v) < place_of_vertex.size() && place_of_vertex[at(v)] >= 0;
      });
      if (!touches) continue;
      const int num_edges = triangle[1] == triangle[2] ? 1 : 3;
      for (int k = 0; k < num_edges; ++k) {
        const auto [low, high] = std::minmax(triangle[at(k)], triangle[at((k + 1) % 3)]);
        edges.push_back({low, high, list.size(), k});
      }
      list.push_back(triangle);
      sizes.push_back(surface.detail * surface.size);
      bodies.push_back(surface.body);
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  });
  triangles_.resize(list.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Edge& edge = edges[e];
    if (e > 0 && edges[e - 1].low == edge.low && edges[e - 1].high == edge.high) continue;
    Triangle& triangle = triangles_[edge.triangle];
    triangle.edges = static_cast<std::uint8_t>(triangle.edges | 1U << edge.corner);
  }
  const int num_bodies = bodies.empty() ? 0 : bodies.back() + 1;
  std::vector<int> first_triangle;
  for (int body = 0; body <= num_bodies; ++body) {
    first_triangle.push_back(
        static_cast<int>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin()));
  }
  std::vector<PieceRange> pieces;
  pieces_ = cut_into_pieces(
      first_triangle, [](int) { return static_cast<int>(triangles_a_block); }, pieces);
  for (const PieceRange& piece : pieces) {
    Block block{at(piece.first), at(piece.last), vertices_.size(), 0};
    for (std::size_t t = block.first_triangle; t < block.last_triangle; ++t) {
      triangles_[t].clearly = clearly * sizes[t];
      triangles_[t].body = bodies[t];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto begin = vertices_.begin() + static_cast<std::ptrdiff_t>(block.first_vertex);
        const auto place = std::find(begin, vertices_.end(), list[t][k]);
        triangles_[t].corners[k] = static_cast<std::int16_t>(place - begin);
        if (place == vertices_.end()) vertices_.push_back(list[t][k]);
      }
    }
    block.last_vertex = vertices_.size();
    blocks_.push_back(block);
  }
  count_in_block_.resize(blocks_.size());
  max_points_ += std::min(points_a_triangle * triangles_.size() * num_crossable, most_points);
  points_ = std::make_unique_for_overwrite<SurfaceContact[]>(max_points_);
  found_ = std::make_unique_for_overwrite<SurfaceContact[]>(room_of_block * blocks_.size());
}

int SurfacePoints::find(const std::vector<ColliderObject>& colliders, const ContactWay& way,
                        Threads& threads) {
  hardened_.clear();
  pieces_.parallel_for(threads, [&](int b) {
    Search search(*this, blocks_[at(b)], way, found_.get() + at(b) * room_of_block);
    for (std::size_t c = 0; c < colliders.size(); ++c) {
      if (colliders[c].can_be_crossed()) search.meet(colliders[c], static_cast<int>(c));
    }
    count_in_block_[at(b)] = search.count();
  });
  const std::size_t before = num_points_;
  for (const int b : pieces_.selected()) {
    const SurfaceContact* const found = found_.get() + at(b) * room_of_block;
    const std::size_t count = std::min(count_in_block_[at(b)], max_points_ - num_points_);
    std::copy(found, found + count, points_.get() + num_points_);
    num_points_ += count;
  }
  return static_cast<int>(num_points_ - before);
}

}  // namespace supple
