#include "contact/surface_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/index.h"
#include "contact/deepest_point.h"
#include "contact/extent.h"
#include "contact/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr std::size_t triangles_a_block = 32;
constexpr std::size_t most_vertices = 3 * triangles_a_block;
/// What a call finds in a block at most; the next one finds the rest.
constexpr std::size_t room_of_block = 64;
constexpr std::size_t points_a_triangle = 8, most_points = std::size_t{1} << 14;
/// Of what is clear: what a point's distance may be wrong by, and that of a face's border.
constexpr double exact = 1e-4, roughly = 0.05;
/// Of what is clear: nearer than this to a collider a way has come to it.
constexpr double touching = 0.1;
/// Of what is clear: by so much another point may be deeper than one that is known.
constexpr double enough = 0.5;
/// Of what is clear: how far a way is followed at least at a time where its border touches already.
constexpr double least_advance = 5;
constexpr int most_advances = 200;
/// Of what is clear: what is held by then and deeper will be elsewhere at the end of the step.
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

/// What edges and faces of one block meet.
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
  /// An edge, with two corners, or a face on its way as the collider sees it.
  struct Feature {
    int count;
    int vertices[3];
    Vec3 from[3], to[3];
    double clearly;
    double way;  ///< the longest of its corners, m
    void at_time(double t, Vec3 (&corners)[3]) const {
      for (int i = 0; i < count; ++i) corners[i] = (1 - t) * from[i] + t * to[i];
    }
  };
  struct Low {
    double distance;
    double border;  ///< the least distance of corners and edges around it
    DeepestPoint point;
    bool is_clear;  ///< lower than its border by enough
  };
  void ask(std::size_t local);
  bool is_flat(const Triangle& triangle);
  bool sticks_out(const Triangle& triangle, double t) const;
  Feature feature(const Triangle& triangle, int first, int count) const;
  struct Grid {
    double border, inside;
  };
  Grid grid_on(const Vec3 (&corners)[3]) const;
  Low lowest(const Feature& feature, const Vec3 (&corners)[3]) const;
  void follow(const Feature& feature);
  template <class Visit>
  bool any_known(const Feature& feature, const Vec3 (&corners)[3], const Visit& visit) const;
  bool is_known(const Feature& feature, const Vec3 (&corners)[3], double& gap) const;
  bool rests_on_edge(const Feature& face, const Vec3 (&corners)[3], double& gap) const;
  bool stands_out(const Feature& feature, const Vec3 (&corners)[3], double level) const;
  void keep(const Feature& feature, const Vec3 (&corners)[3], const Low& low);

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
  double at_start_[most_vertices], at_end_[most_vertices];  ///< distances, m
  bool is_known_[most_vertices];
};

void SurfacePoints::Search::meet(const ColliderObject& collider, int number) {
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
    const std::size_t a = at(triangle.corners[0]), b = at(triangle.corners[1]),
                      c = at(triangle.corners[2]);
    const Ball own = ball_of({carried_[a], carried_[b], carried_[c], end_[a], end_[b], end_[c]});
    if (collider.clear_of(own.center, own.radius) || is_flat(triangle)) continue;
    for (int k = 0; k < 3; ++k) {
      if ((triangle.edges >> k & 1) != 0) follow(feature(triangle, k, 2));
    }
    follow(feature(triangle, 0, 3));
  }
}

void SurfacePoints::Search::ask(std::size_t local) {
  if (is_known_[local]) return;
  is_known_[local] = true;
  at_start_[local] = collider_->surface(carried_[local]).distance;
  at_end_[local] = collider_->surface(end_[local]).distance;
}

/// True where no point of the triangle can come clearly nearer to the collider than a corner. All
/// of a convex collider is behind a plane that touches it, and along straight lines its distance is
/// at most what lies between those of the ends. So where the corners are as near to the collider
/// as to such a plane, at the start and at the end, at all times the one nearest to the plane is
/// no farther from the collider than any point of the triangle.
bool SurfacePoints::Search::is_flat(const Triangle& triangle) {
  double way = 0, side = 0, least = Extent::infinity;
  Vec3 nearest{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t local = at(triangle.corners[i]), next = at(triangle.corners[(i + 1) % 3]);
    ask(local);
    way = std::max(way, norm(end_[local] - carried_[local]));
    side = std::max(side, norm(end_[next] - end_[local]));
    if (at_start_[local] < least) {
      least = at_start_[local];
      nearest = carried_[local];
    }
    if (at_end_[local] < least) {
      least = at_end_[local];
      nearest = end_[local];
    }
  }
  if (!collider_->is_convex()) {
    const double fine = too_fine / clearly * triangle.clearly;
    if (side < fine) return true;
    const auto times = static_cast<int>(std::min(way / fine, 1.0 * most_advances)) + 1;
    for (int i = 0; i <= times; ++i) {
      if (sticks_out(triangle, static_cast<double>(i) / times)) return false;
    }
    return true;
  }
  const SurfacePoint plane = collider_->surface(nearest);
  for (const std::int16_t corner : triangle.corners) {
    const std::size_t local = at(corner);
    const double start = dot(carried_[local] - plane.point, plane.normal);
    const double end = dot(end_[local] - plane.point, plane.normal);
    if (!(at_start_[local] <= start + triangle.clearly)) return false;
    if (!(at_end_[local] <= end + triangle.clearly)) return false;
  }
  return true;
}

/// Whether anything is nearer to the triangle at a time than its corners tell.
bool SurfacePoints::Search::sticks_out(const Triangle& triangle, double t) const {
  Vec3 places[3];
  double distances[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t local = at(triangle.corners[k]);
    places[k] = (1 - t) * carried_[local] + t * end_[local];
    distances[k] = collider_->surface(places[k]).distance;
  }
  for (int i = 0; i <= parts_of_side; ++i) {
    for (int j = 0; i + j <= parts_of_side; ++j) {
      const double weights[3] = {static_cast<double>(i) / parts_of_side,
                                 static_cast<double>(j) / parts_of_side,
                                 static_cast<double>(parts_of_side - i - j) / parts_of_side};
      Vec3 place{0, 0, 0};
      double expected = -triangle.clearly;
      for (std::size_t k = 0; k < 3; ++k) {
        place = place + weights[k] * places[k];
        expected += weights[k] * distances[k];
      }
      if (collider_->surface(place).distance < expected) return true;
    }
  }
  return false;
}

SurfacePoints::Search::Feature SurfacePoints::Search::feature(const Triangle& triangle, int first,
                                                              int count) const {
  Feature own{.count = count, .clearly = triangle.clearly};
  for (int i = 0; i < count; ++i) {
    const std::size_t local = at(triangle.corners[at((first + i) % 3)]);
    own.vertices[i] = own_.vertices_[block_.first_vertex + local];
    own.from[i] = carried_[local];
    own.to[i] = end_[local];
    own.way = std::max(own.way, norm(own.to[i] - own.from[i]));
  }
  return own;
}

SurfacePoints::Search::Low SurfacePoints::Search::lowest(const Feature& feature,
                                                         const Vec3 (&corners)[3]) const {
  const ColliderObject& collider = *collider_;
  if (feature.count == 3 && !collider.is_convex()) {
    const auto [border, inside] = grid_on(corners);
    if (!(inside < border - feature.clearly)) return {std::min(border, inside), border, {}, false};
  }
  double border = Extent::infinity;
  Vec3 lowest{}, normal{};
  for (int i = 0; i < feature.count; ++i) {
    const SurfacePoint own = collider.surface(corners[i]);
    if (!(own.distance < border)) continue;
    border = own.distance;
    lowest = corners[i];
    normal = own.normal;
  }
  DeepestPoint found;
  if (feature.count == 2) {
    found =
        deepest_on_edge(collider, corners[0], corners[1],
                        {.tolerance = exact * feature.clearly, .level = border - feature.clearly});
  } else {
    for (int i = 0; i < 3; ++i) {
      const Vec3 &a = corners[i], &b = corners[(i + 1) % 3];
      const DeepestPoint own =
          deepest_on_edge(collider, a, b, {.tolerance = roughly * feature.clearly});
      if (!(own.distance < border)) continue;
      border = own.distance;
      lowest = own.weights[0] * a + own.weights[1] * b;
      normal = own.normal;
    }
    // All of a convex collider is behind this plane.
    double least = 0;
    for (const Vec3& corner : corners) least = std::min(least, dot(normal, corner - lowest));
    if (least >= -feature.clearly && !stands_out(feature, corners, border - feature.clearly)) {
      return {border, border, {}, false};
    }
    found = deepest_on_triangle(collider, corners);
  }
  return {std::min(border, found.distance), border, found,
          found.distance < border - feature.clearly};
}

void SurfacePoints::Search::follow(const Feature& feature) {
  const double near = touching * feature.clearly;
  Vec3 corners[3];
  const auto nearest_possible = [&] {
    Extent extent;
    for (int i = 0; i < feature.count; ++i) extent.add(corners[i]);
    const Ball ball = extent.ball();
    return collider_->surface(ball.center).distance - ball.radius;
  };
  // Corners, edges and points that are known are held themselves: where they are deep inside the
  // step does not go.
  const double deep = -too_deep * feature.clearly;
  const auto look = [&](double touches, double& gap) {
    gap = nearest_possible();
    for (int i = 0; i < feature.count; ++i) {
      const SurfacePoint corner = collider_->surface(corners[i]);
      if (corner.distance < deep) return false;
      if (!collider_->is_convex()) continue;
      // All of the collider is behind this plane.
      double least = corner.distance;
      for (int k = 0; k < feature.count; ++k) {
        least = std::min(least, dot(corners[k] - corner.point, corner.normal));
      }
      gap = std::max(gap, least);
      if (least >= corner.distance - feature.clearly) return true;
    }
    if (gap > touches) return true;
    if (is_known(feature, corners, gap)) return gap >= deep;
    if (feature.count == 3 && rests_on_edge(feature, corners, gap)) return gap >= deep;
    const Low low = lowest(feature, corners);
    gap = low.distance;
    if (low.border < deep) return false;
    if (gap <= touches && low.is_clear) keep(feature, corners, low);
    return true;
  };
  // Of what goes in and out on the other side the corners are held.
  const auto crosses = [&] {
    for (int i = 0; i < feature.count; ++i) {
      const SurfacePoint inside = collider_->surface(corners[i]);
      if (!(inside.distance < 0)) continue;
      if (dot(inside.normal, collider_->surface(feature.to[i]).normal) < 0) return true;
    }
    return false;
  };
  double t = 0, gap = 0;
  for (int i = 0; t < 1 && i < most_advances; ++i) {
    feature.at_time(t, corners);
    if (!look(near, gap)) {
      // A straight way past the edge of a collider cuts it: then its end alone counts.
      if (crosses()) return;
      break;
    }
    t += std::max(gap, least_advance * feature.clearly) / feature.way;
  }
  feature.at_time(1, corners);
  look(0, gap);
}

/// The least distance of places on a face's border and of places within it.
SurfacePoints::Search::Grid SurfacePoints::Search::grid_on(const Vec3 (&corners)[3]) const {
  Grid least{Extent::infinity, Extent::infinity};
  for (int i = 0; i <= parts_of_side; ++i) {
    for (int j = 0; i + j <= parts_of_side; ++j) {
      const int k = parts_of_side - i - j;
      const Vec3 place = (1.0 / parts_of_side) * (i * corners[0] + j * corners[1] + k * corners[2]);
      double& own = i * j * k == 0 ? least.border : least.inside;
      own = std::min(own, collider_->surface(place).distance);
    }
  }
  return least;
}

/// Whether a collider that is not convex is nearer to a feature somewhere than a distance, whatever
/// planes say.
bool SurfacePoints::Search::stands_out(const Feature& feature, const Vec3 (&corners)[3],
                                       double level) const {
  if (collider_->is_convex()) return false;
  const int parts = feature.count == 2 ? parts_of_edge : parts_of_side;
  for (int i = 0; i <= parts; ++i) {
    for (int j = feature.count == 2 ? parts - i : 0; i + j <= parts; ++j) {
      const double u = static_cast<double>(i) / parts, v = static_cast<double>(j) / parts;
      Vec3 place = u * corners[0] + v * corners[1];
      if (feature.count == 3) place = place + (1 - u - v) * corners[2];
      if (collider_->surface(place).distance < level) return true;
    }
  }
  return false;
}

/// Calls visit with each point of a feature that is known and how far it is before its plane, until
/// one returns true; whether one did.
template <class Visit>
bool SurfacePoints::Search::any_known(const Feature& feature, const Vec3 (&corners)[3],
                                      const Visit& visit) const {
  const auto look = [&](const SurfaceContact& known) {
    if (known.collider != number_ || known.point.count != feature.count) return false;
    Vec3 place{0, 0, 0};
    for (int i = 0; i < feature.count; ++i) {
      if (known.point.vertices[i] != feature.vertices[i]) return false;
      place = place + known.point.weights[i] * corners[i];
    }
    return visit(known, dot(place - known.surface, known.normal));
  };
  const auto known = own_.points();
  return std::any_of(known.begin(), known.end(), look) || std::any_of(out_, out_ + count_, look);
}

/// Whether no point of the feature is much nearer to the collider than one that is known to its
/// plane, which is then how near they are at least: all of a convex collider is behind it.
bool SurfacePoints::Search::is_known(const Feature& feature, const Vec3 (&corners)[3],
                                     double& gap) const {
  return any_known(feature, corners, [&](const SurfaceContact& known, double of_known) {
    double least = of_known;
    for (int i = 0; i < feature.count; ++i) {
      least = std::min(least, dot(corners[i] - known.surface, known.normal));
    }
    const double level = of_known - enough * feature.clearly;
    if (least < level || stands_out(feature, corners, level)) return false;
    gap = least;
    return true;
  });
}

/// Whether a point of one of a face's edges is known and no point of the face is clearly nearer to
/// the collider; then `gap` is how near they are at least.
bool SurfacePoints::Search::rests_on_edge(const Feature& face, const Vec3 (&corners)[3],
                                          double& gap) const {
  if (!collider_->is_convex()) return false;
  const auto does = [&](const SurfaceContact& known) {
    if (known.collider != number_ || known.point.count != 2) return false;
    Vec3 place{0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      const int* const corner =
          std::find(face.vertices, face.vertices + 3, known.point.vertices[i]);
      if (corner == face.vertices + 3) return false;
      place = place + known.point.weights[i] * corners[corner - face.vertices];
    }
    double least = Extent::infinity;
    for (const Vec3& corner : corners) {
      least = std::min(least, dot(corner - known.surface, known.normal));
    }
    if (least < collider_->surface(place).distance - face.clearly) return false;
    gap = least;
    return true;
  };
  const auto known = own_.points();
  return std::any_of(known.begin(), known.end(), does) || std::any_of(out_, out_ + count_, does);
}

/// Unless a point of the feature that is known is nearly as deep.
void SurfacePoints::Search::keep(const Feature& feature, const Vec3 (&corners)[3], const Low& low) {
  const bool is_there =
      any_known(feature, corners, [&](const SurfaceContact& /*known*/, double of_known) {
        return of_known <= low.distance + enough * feature.clearly;
      });
  if (is_there || count_ == room_of_block) return;
  Vec3 start{0, 0, 0}, place{0, 0, 0};
  for (int i = 0; i < feature.count; ++i) {
    start = start + low.point.weights[i] * feature.from[i];
    place = place + low.point.weights[i] * corners[i];
  }
  // What has come from outside and goes the way of the normal has been through the middle.
  const bool is_through =
      dot(place - start, low.point.normal) > 0 && collider_->surface(start).distance > 0;
  if (is_through) return;
  SurfaceContact& own = out_[count_++];
  own.collider = number_;
  own.point.count = feature.count;
  own.normal = low.point.normal;
  own.surface = place - low.distance * own.normal;
  for (int i = 0; i < 3; ++i) {
    own.point.vertices[i] = i < feature.count ? feature.vertices[i] : -1;
    own.point.weights[i] = low.point.weights[i];
  }
}

SurfacePoints::SurfacePoints(const std::vector<ContactSurface>& surfaces,
                             const std::vector<int>& place_of_vertex,
                             const std::vector<ColliderObject>& colliders) {
  const auto num_crossable = static_cast<std::size_t>(
      std::count_if(colliders.begin(), colliders.end(),
                    [](const ColliderObject& collider) { return collider.can_be_crossed(); }));
  if (num_crossable == 0) return;
  struct Edge {
    int low, high;
    std::size_t triangle;
    int corner;
  };
  std::vector<Edge> edges;
  std::vector<std::array<int, 3>> list;
  std::vector<double> sizes;
  for (const ContactSurface& surface : surfaces) {
    std::vector<std::array<int, 3>> sorted = surface.triangles;
    // Vertices that follow each other stand near each other.
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
    });
    for (const std::array<int, 3>& triangle : sorted) {
      const bool touches = std::all_of(triangle.begin(), triangle.end(), [&](int v) {
        return at(v) < place_of_vertex.size() && place_of_vertex[at(v)] >= 0;
      });
      if (!touches) continue;
      for (int k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(triangle[at(k)], triangle[at((k + 1) % 3)]);
        edges.push_back({low, high, list.size(), k});
      }
      list.push_back(triangle);
      sizes.push_back(surface.size);
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
  for (std::size_t first = 0; first < list.size(); first += triangles_a_block) {
    Block block{first, std::min(first + triangles_a_block, list.size()), vertices_.size(), 0};
    for (std::size_t t = block.first_triangle; t < block.last_triangle; ++t) {
      triangles_[t].clearly = clearly * sizes[t];
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
  max_points_ = std::min(points_a_triangle * triangles_.size() * num_crossable, most_points);
  points_ = std::make_unique_for_overwrite<SurfaceContact[]>(max_points_);
  found_ = std::make_unique_for_overwrite<SurfaceContact[]>(room_of_block * blocks_.size());
}

int SurfacePoints::find(const std::vector<ColliderObject>& colliders, const ContactWay& way,
                        Threads& threads) {
  threads.parallel_for(static_cast<int>(blocks_.size()), [&](int b) {
    Search search(*this, blocks_[at(b)], way, found_.get() + at(b) * room_of_block);
    for (std::size_t c = 0; c < colliders.size(); ++c) {
      if (colliders[c].can_be_crossed()) search.meet(colliders[c], static_cast<int>(c));
    }
    count_in_block_[at(b)] = search.count();
  });
  const std::size_t before = num_points_;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const SurfaceContact* const found = found_.get() + b * room_of_block;
    const std::size_t count = std::min(count_in_block_[b], max_points_ - num_points_);
    std::copy(found, found + count, points_.get() + num_points_);
    num_points_ += count;
  }
  return static_cast<int>(num_points_ - before);
}

}  // namespace supple
