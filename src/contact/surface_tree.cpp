#include "contact/surface_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Vec3 vec3_of(const PaddedVector& x) { return {x[0], x[1], x[2]}; }

Box box_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  Box box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.min[k] = std::min({a[k], b[k], c[k]});
    box.max[k] = std::max({a[k], b[k], c[k]});
  }
  return box;
}

/// A ray as the triangles see it: sheared so that it runs along one axis.
class Ray {
 public:
  Ray(const Vec3& origin, const Vec3& direction) : origin_(origin) {
    for (std::size_t k = 1; k < 3; ++k) {
      if (std::abs(direction[k]) > std::abs(direction[z_])) z_ = k;
    }
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    shear_x_ = direction[x_] / direction[z_];
    shear_y_ = direction[y_] / direction[z_];
    scale_ = 1 / direction[z_];
  }

  /// The distance to a triangle along the ray, with the weights of its corners; infinite if the ray
  /// does not meet it. An edge belongs to both of its triangles, which see it with the same
  /// numbers.
  double meet(const Vec3& a, const Vec3& b, const Vec3& c, Vec3& weights) const {
    const Vec3 p = seen(a), q = seen(b), r = seen(c);
    const double u0 = r[0] * q[1], u1 = r[1] * q[0];
    const double v0 = p[0] * r[1], v1 = p[1] * r[0];
    const double w0 = q[0] * p[1], w1 = q[1] * p[0];
    const double u = u0 - u1, v = v0 - v1, w = w0 - w1;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return infinity;
    const double sum = u + v + w;
    const double size =
        std::abs(u0) + std::abs(u1) + std::abs(v0) + std::abs(v1) + std::abs(w0) + std::abs(w1);
    // Only rounding: the triangle has no area or is seen edge-on.
    if (!(std::abs(sum) > 4 * std::numeric_limits<double>::epsilon() * size)) return infinity;
    weights = {u / sum, v / sum, w / sum};
    const double distance = weights[0] * p[2] + weights[1] * q[2] + weights[2] * r[2];
    return distance >= 0 ? distance : infinity;
  }

 private:
  Vec3 seen(const Vec3& x) const {
    const Vec3 d = x - origin_;
    return {d[x_] - shear_x_ * d[z_], d[y_] - shear_y_ * d[z_], scale_ * d[z_]};
  }

  Vec3 origin_;
  std::size_t x_ = 0, y_ = 0, z_ = 0;
  double shear_x_, shear_y_, scale_;
};

/// Weights of the corners at a nearest point.
Vec3 weights_at(const Triangle& triangle, const TrianglePoint& nearest) {
  Vec3 weights{0, 0, 0};
  if (nearest.feature >= 4) {
    weights[at(nearest.feature - 4)] = 1;
  } else if (nearest.feature > 0) {
    const std::size_t i = at(nearest.feature - 1), j = (i + 1) % 3;
    const Vec3 edge = triangle.corner[j] - triangle.corner[i];
    const double whole = dot(edge, edge);
    const double along = whole > 0 ? dot(nearest.point - triangle.corner[i], edge) / whole : 0;
    weights[j] = std::clamp(along, 0.0, 1.0);
    weights[i] = 1 - weights[j];
  } else {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 from = triangle.corner[(i + 1) % 3] - nearest.point;
      const Vec3 to = triangle.corner[(i + 2) % 3] - nearest.point;
      weights[i] = std::max(0.0, dot(triangle.normal, cross(from, to)));
      sum += weights[i];
    }
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

}  // namespace

/// The best place found so far.
struct SurfaceTree::Nearest {
  const Part* part = nullptr;
  int place = -1;
  TrianglePoint point{{}, infinity, 0};
  double reach2 = infinity;  ///< squared

  int triangle() const { return part->tree.order()[at(place)]; }
  /// Squared distance from which on nothing is of interest; ties still are.
  double limit() const {
    return std::nextafter(std::min(reach2, point.squared_distance), infinity);
  }
};

SurfaceTree::SurfaceTree(const std::vector<BodySurface>& bodies, const std::vector<Vec3>& rest)
    : first_place_(rest.size() + 1, 0) {
  std::vector<Box> boxes;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& triangles = bodies[b].triangles;
    if (triangles.empty()) continue;
    boxes.clear();
    for (const auto& [i, j, k] : triangles) {
      boxes.push_back(box_of(rest[at(i)], rest[at(j)], rest[at(k)]));
    }
    Part part{static_cast<int>(b), bodies[b].is_closed, AabbTree(boxes), {}};
    for (const int t : part.tree.order()) part.corners.push_back(triangles[at(t)]);
    parts_.push_back(std::move(part));
  }
  boxes_.resize(parts_.size());
  const auto for_corners = [&](const auto& visit) {
    for (const Part& part : parts_) {
      for (std::size_t place = 0; part.is_closed && place < part.corners.size(); ++place) {
        for (const int vertex : part.corners[place]) visit(at(vertex), static_cast<int>(place));
      }
    }
  };
  for_corners([&](std::size_t vertex, int) { ++first_place_[vertex + 1]; });
  for (std::size_t i = 1; i < first_place_.size(); ++i) first_place_[i] += first_place_[i - 1];
  places_.resize(at(first_place_.back()));
  std::vector<int> next(first_place_.begin(), first_place_.end() - 1);
  for_corners([&](std::size_t vertex, int place) { places_[at(next[vertex]++)] = place; });
}

void SurfaceTree::refit(const VectorField& x) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    part.tree.refit([&](int place) {
      const auto& [i, j, k] = part.corners[at(place)];
      return box_of(vec3_of(x[at(i)]), vec3_of(x[at(j)]), vec3_of(x[at(k)]));
    });
    boxes_[p] = part.tree.bounds();
  }
  bodies_.rebuild(boxes_);
}

Triangle SurfaceTree::triangle(const VectorField& x, const Part& part, int place) const {
  const auto& [i, j, k] = part.corners[at(place)];
  return triangle_of(vec3_of(x[at(i)]), vec3_of(x[at(j)]), vec3_of(x[at(k)]));
}

SurfacePlace SurfaceTree::raycast(const VectorField& x, const Vec3& origin, const Vec3& direction,
                                  double reach) const {
  const Ray ray(origin, direction);
  SurfacePlace best;
  best.distance = reach;
  const Part* met = nullptr;
  int met_place = 0;
  const auto visit_part = [&](int number) {
    const Part& part = parts_[at(bodies_.order()[at(number)])];
    const auto visit = [&](int place) {
      const auto& [i, j, k] = part.corners[at(place)];
      Vec3 weights;
      const double distance =
          ray.meet(vec3_of(x[at(i)]), vec3_of(x[at(j)]), vec3_of(x[at(k)]), weights);
      const int triangle = part.tree.order()[at(place)];
      const bool is_first = met == nullptr || part.body < best.body ||
                            (part.body == best.body && triangle < best.triangle);
      if (distance < best.distance ||
          (distance == best.distance && distance < infinity && is_first)) {
        best.body = part.body;
        best.triangle = triangle;
        best.weights = weights;
        best.distance = distance;
        met = &part;
        met_place = place;
      }
      return best.distance;
    };
    part.tree.along(origin, direction, visit, best.distance);
    return best.distance;
  };
  bodies_.along(origin, direction, visit_part, reach);
  if (met == nullptr) return best;
  const Triangle found = triangle(x, *met, met_place);
  best.normal = found.normal;
  best.point = best.weights[0] * found.corner[0] + best.weights[1] * found.corner[1] +
               best.weights[2] * found.corner[2];
  return best;
}

void SurfaceTree::find_nearest(const VectorField& x, const Part& part, const Vec3& point,
                               Nearest& best) const {
  const auto visit = [&](int place) {
    const TrianglePoint candidate = nearest_point(triangle(x, part, place), point);
    const double d2 = candidate.squared_distance;
    const auto is_first = [&] {
      if (best.part == nullptr) return true;
      if (best.part != &part) return part.body < best.part->body;
      return part.tree.order()[at(place)] < best.triangle();
    };
    if (d2 <= best.reach2 &&
        (d2 < best.point.squared_distance || (d2 == best.point.squared_distance && is_first()))) {
      best.part = &part;
      best.place = place;
      best.point = candidate;
    }
    return best.limit();
  };
  part.tree.nearest(point, visit, best.limit());
}

/// Pseudo-normal of the feature that the nearest point lies on; not of unit length.
Vec3 SurfaceTree::pseudo_normal(const VectorField& x, const Nearest& nearest) const {
  const Part& part = *nearest.part;
  const int feature = nearest.point.feature;
  if (feature == 0) return triangle(x, part, nearest.place).normal;
  const auto& corners = part.corners[at(nearest.place)];
  const bool is_corner = feature >= 4;
  const std::size_t first = at(feature - (is_corner ? 4 : 1));
  const int vertex = corners[first], other = corners[(first + 1) % 3];
  Vec3 sum{0, 0, 0};
  for (int n = first_place_[at(vertex)]; n < first_place_[at(vertex) + 1]; ++n) {
    const int place = places_[at(n)];
    const auto& around = part.corners[at(place)];
    const Triangle neighbour = triangle(x, part, place);
    if (is_corner) {
      const auto corner = std::find(around.begin(), around.end(), vertex) - around.begin();
      sum = sum + angle_at(neighbour, at(corner)) * neighbour.normal;
    } else if (std::find(around.begin(), around.end(), other) != around.end()) {
      sum = sum + neighbour.normal;
    }
  }
  return sum;
}

bool SurfaceTree::is_inside(const VectorField& x, const Nearest& nearest, const Vec3& point) const {
  return nearest.part->is_closed && dot(point - nearest.point.point, pseudo_normal(x, nearest)) < 0;
}

SurfacePlace SurfaceTree::closest(const VectorField& x, const Vec3& point, double reach) const {
  Nearest best;
  best.reach2 = reach * reach;
  bodies_.nearest(
      point,
      [&](int number) {
        find_nearest(x, parts_[at(bodies_.order()[at(number)])], point, best);
        return best.limit();
      },
      best.limit());
  SurfacePlace place;
  if (best.part == nullptr) return place;
  const Triangle found = triangle(x, *best.part, best.place);
  place.body = best.part->body;
  place.triangle = best.triangle();
  place.weights = weights_at(found, best.point);
  place.point = best.point.point;
  place.normal = found.normal;
  place.distance = norm(point - best.point.point);
  if (is_inside(x, best, point)) place.distance = -place.distance;
  return place;
}

/// Whether a point is inside a body.
bool SurfaceTree::holds(const VectorField& x, const Part& part, const Vec3& point) const {
  if (!part.is_closed || AabbTree::squared_distance(part.tree.bounds(), point) > 0) return false;
  Nearest nearest;
  find_nearest(x, part, point, nearest);
  return nearest.part != nullptr && is_inside(x, nearest, point);
}

void SurfaceTree::overlap(const VectorField& x, const Box& box, std::vector<int>& bodies) const {
  const auto touches = [&](const Box& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (other.min[k] > box.max[k] || other.max[k] < box.min[k]) return false;
    }
    return true;
  };
  bodies.clear();
  for (const Part& part : parts_) {
    const auto visit = [&](int place) {
      const auto& [i, j, k] = part.corners[at(place)];
      return overlaps(box, vec3_of(x[at(i)]), vec3_of(x[at(j)]), vec3_of(x[at(k)]));
    };
    if (part.tree.any(touches, visit) || holds(x, part, box.min)) bodies.push_back(part.body);
  }
}

void SurfaceTree::overlap(const VectorField& x, const SphereShape& sphere,
                          std::vector<int>& bodies) const {
  bodies.clear();
  for (const Part& part : parts_) {
    Nearest nearest;
    nearest.reach2 = sphere.radius * sphere.radius;
    find_nearest(x, part, sphere.center, nearest);
    if (nearest.part != nullptr || holds(x, part, sphere.center)) bodies.push_back(part.body);
  }
}

bool overlaps(const Box& box, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Box bounds = box_of(a, b, c);
  for (std::size_t k = 0; k < 3; ++k) {
    if (bounds.min[k] > box.max[k] || bounds.max[k] < box.min[k]) return false;
  }
  const Vec3 half = 0.5 * (box.max - box.min), center = box.min + half;
  const std::array<Vec3, 3> corners{a - center, b - center, c - center};
  const auto is_apart = [&](const Vec3& axis) {
    const double p = dot(axis, corners[0]), q = dot(axis, corners[1]), r = dot(axis, corners[2]);
    const double reach =
        std::abs(axis[0]) * half[0] + std::abs(axis[1]) * half[1] + std::abs(axis[2]) * half[2];
    return std::min({p, q, r}) > reach || std::max({p, q, r}) < -reach;
  };
  const std::array<Vec3, 3> edges{corners[1] - corners[0], corners[2] - corners[1],
                                  corners[0] - corners[2]};
  for (const Vec3& edge : edges) {
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 along{0, 0, 0};
      along[k] = 1;
      if (is_apart(cross(along, edge))) return false;
    }
  }
  return !is_apart(cross(edges[0], edges[1]));
}

}  // namespace supple
