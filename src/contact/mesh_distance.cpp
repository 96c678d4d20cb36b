#include "contact/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"
#include "contact/closed_surface.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// More than rounding makes of the squared height above a triangle's plane.
constexpr double widened = 1 + 1e-9;

std::vector<Triangle> gather(const TriangleMesh& mesh) {
  std::vector<Triangle> triangles;
  triangles.reserve(mesh.triangles.size());
  for (const auto& [i, j, k] : mesh.triangles) {
    triangles.push_back(
        triangle_of(mesh.vertices[at(i)], mesh.vertices[at(j)], mesh.vertices[at(k)]));
  }
  return triangles;
}

/// Indexed by triangle, then by feature.
std::vector<std::array<Vec3, 7>> pseudo_normals(const TriangleMesh& mesh,
                                                const std::vector<Triangle>& triangles) {
  std::vector<std::array<Vec3, 7>> normals(triangles.size());
  std::vector<Vec3> of_vertex(mesh.vertices.size(), Vec3{0, 0, 0});
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    normals[t][0] = triangles[t].normal;
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3& sum = of_vertex[at(mesh.triangles[t][i])];
      sum = sum + angle_at(triangles[t], i) * triangles[t].normal;
    }
  }
  // Two faces folded onto each other have no pseudo-normal: (x - p) . 0 = 0 counts as outside,
  // which is right at the edge of a blade.
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      normals[t][4 + i] = direction(of_vertex[at(mesh.triangles[t][i])], {0, 0, 0});
    }
  }
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh);
  for (std::size_t e = 0; e < edges.size(); e += 2) {
    const int a = edges[e].start;
    const int b = edges[e + 1].start;
    const Vec3 sum =
        direction(triangles[at(a / 3)].normal + triangles[at(b / 3)].normal, {0, 0, 0});
    normals[at(a / 3)][at(1 + a % 3)] = sum;
    normals[at(b / 3)][at(1 + b % 3)] = sum;
  }
  return normals;
}

/// The features that each triangle owns, as in MeshDistance::Face.
std::vector<std::uint8_t> owned_features(const TriangleMesh& mesh) {
  std::vector<std::uint8_t> owned(mesh.triangles.size(), 0);
  std::vector<char> has_owner(mesh.vertices.size(), 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      char& is_taken = has_owner[at(mesh.triangles[t][i])];
      if (is_taken == 0) owned[t] |= static_cast<std::uint8_t>(1 << i);
      is_taken = 1;
    }
  }
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh);
  for (std::size_t e = 0; e < edges.size(); e += 2) {
    const int start = edges[e].start;
    owned[at(start / 3)] |= static_cast<std::uint8_t>(8 << start % 3);
  }
  return owned;
}

std::vector<Box> boxes_of(const std::vector<Triangle>& triangles) {
  std::vector<Box> boxes;
  boxes.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    Box box{t.corner[0], t.corner[0]};
    for (std::size_t k = 0; k < 3; ++k) {
      for (int i = 1; i < 3; ++i) {
        box.min[k] = std::min(box.min[k], t.corner[i][k]);
        box.max[k] = std::max(box.max[k], t.corner[i][k]);
      }
    }
    boxes.push_back(box);
  }
  return boxes;
}

}  // namespace

MeshDistance::MeshDistance(const MeshShape& shape, const std::string& where) {
  const TriangleMesh mesh = closed_surface(shape.mesh, where);
  const std::vector<Triangle> triangles = gather(mesh);
  const std::vector<Normals> normals = pseudo_normals(mesh, triangles);
  const std::vector<std::uint8_t> owned = owned_features(mesh);
  tree_ = AabbTree(boxes_of(triangles));
  triangles_.reserve(triangles.size());
  normals_.reserve(triangles.size());
  for (int t : tree_.order()) {
    triangles_.push_back(triangles[at(t)]);
    normals_.push_back(normals[at(t)]);
    owned_.push_back(owned[at(t)]);
  }
  const Box& box = tree_.bounds();
  scale_ = norm(box.max - box.min) + std::max(norm(box.min), norm(box.max));
}

void MeshDistance::take_nearer(int place, const Vec3& x, Nearest& nearest) const {
  const Triangle& triangle = triangles_[at(place)];
  // No point of a triangle is nearer than its plane, up to rounding.
  const double height = dot(triangle.normal, x - triangle.corner[0]);
  if (height * height > widened * nearest.point.squared_distance) return;
  const TrianglePoint candidate = nearest_point(triangle, x);
  if (candidate.squared_distance < nearest.point.squared_distance) nearest = {candidate, place};
}

SurfacePoint MeshDistance::surface(const Vec3& x) const {
  Nearest nearest = none();
  tree_.nearest(x, [&](int place) {
    take_nearer(place, x, nearest);
    return nearest.point.squared_distance;
  });
  return surface_at(x, nearest);
}

SurfacePoint MeshDistance::surface(const Vec3& x, const Some& near) const {
  Nearest nearest = none();
  for (std::size_t i = 0; i < near.count; ++i) take_nearer(near.places[i], x, nearest);
  return surface_at(x, nearest);
}

bool MeshDistance::find_near(const Vec3& center, double distance, double radius,
                             Some& found) const {
  const double reach = widened * (std::abs(distance) + 2 * radius);
  const auto is_near = [&](const Box& box) {
    return AabbTree::squared_distance(box, center) <= reach * reach;
  };
  found.count = 0;
  const bool is_full = tree_.any(is_near, [&](int place) {
    if (!(nearest_point(triangles_[at(place)], center).squared_distance <= reach * reach)) {
      return false;
    }
    if (found.count == Some::room) return true;
    found.places[found.count++] = place;
    return false;
  });
  return !is_full && found.count > 0;
}

SurfacePoint MeshDistance::surface_at(const Vec3& x, const Nearest& nearest) const {
  const auto& [best, place] = nearest;
  if (place < 0) {
    return {std::numeric_limits<double>::infinity(), triangles_[0].normal, best.point};
  }
  const Vec3& pseudo = normals_[at(place)][at(best.feature)];
  const Vec3 d = x - best.point;
  const double side = dot(d, pseudo);
  const Vec3& face = triangles_[at(place)].normal;
  if (best.feature == 0) return {dot(d, face), face, best.point};

  double length = 0;
  const Vec3 away = direction(d, face, length);
  const double sign = side < 0 ? -1 : 1;
  // Nearer than this, rounding (1e-16 of the scale) turns the direction of x - p by more than 1e-6.
  if (length <= 1e-10 * scale_) {
    return {sign * length, pseudo == Vec3{0, 0, 0} ? face : pseudo, best.point};
  }
  return {sign * length, sign * away, best.point};
}

bool MeshDistance::outside_box(const Vec3& x) const {
  const Box& box = tree_.bounds();
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(x[k] > box.min[k] && x[k] < box.max[k])) return true;
  }
  return false;
}

double MeshDistance::distance_to_box(const Vec3& x) const {
  const Box& box = tree_.bounds();
  const Vec3 nearest{std::clamp(x[0], box.min[0], box.max[0]),
                     std::clamp(x[1], box.min[1], box.max[1]),
                     std::clamp(x[2], box.min[2], box.max[2])};
  return norm(x - nearest);
}

}  // namespace supple
