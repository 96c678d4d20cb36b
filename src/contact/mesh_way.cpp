#include "contact/mesh_way.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/ccd.h"
#include "contact/nearest_features.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// Rounding of a product with a unit vector and more, relative to the size of all numbers involved.
constexpr double way_rounding = 1e-14;

using Corners = std::array<Vec3, 3>;
using Four = std::array<Vec3, 4>;

Box box_around(const ElementWay& way, double reach) {
  Box box{way.corners[0][0], way.corners[0][0]};
  for (const Corners& corners : way.corners) {
    for (const Vec3& p : corners) box = AabbTree::join(box, {p, p});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    // More than makes up for what rounding takes off the box.
    const double room =
        reach + way_rounding * (std::abs(box.min[k]) + std::abs(box.max[k]) + reach);
    box.min[k] -= room;
    box.max[k] += room;
  }
  return box;
}

/// Whether a plane across a vector that is unit, or nearly so, leaves more than `gap` between a
/// triangle and a way.
bool is_between(const Vec3& normal, const ElementWay& way, const Triangle& triangle, double gap) {
  const Vec3& origin = triangle.corner[0];
  double highest = 0, size = 0, least = std::numeric_limits<double>::infinity();
  for (int i = 1; i < 3; ++i) {
    const Vec3 edge = triangle.corner[i] - origin;
    highest = std::max(highest, dot(normal, edge));
    size = std::max({size, std::abs(edge[0]), std::abs(edge[1]), std::abs(edge[2])});
  }
  for (const Corners& corners : way.corners) {
    for (const Vec3& p : corners) {
      const Vec3 from = p - origin;
      least = std::min(least, dot(normal, from));
      size = std::max({size, std::abs(from[0]), std::abs(from[1]), std::abs(from[2])});
    }
  }
  return least - highest > gap * (1 + way_rounding) + way_rounding * size;
}

bool has_plane_between(const ElementWay& way, const Triangle& triangle, double gap) {
  const auto either = [&](const Vec3& n) {
    return is_between(n, way, triangle, gap) || is_between(-1.0 * n, way, triangle, gap);
  };
  if (either(triangle.normal)) return true;
  Vec3 middle{0, 0, 0};
  for (const Corners& corners : way.corners) {
    for (const Vec3& p : corners) middle = middle + (1.0 / 6) * p;
  }
  const Vec3 away = direction(middle - nearest_point(triangle, middle).point, {0, 0, 0});
  if (is_between(away, way, triangle, gap)) return true;
  if (way.count < 3) return false;
  const Corners& start = way.corners[0];
  return either(direction(cross(start[1] - start[0], start[2] - start[0]), {0, 0, 0}));
}

/// Calls visit(is_edges, corners) for each pair of a vertex and a face, or of two edges. The
/// corners of the way are 0 to 2, those of the triangle 3 to 5.
template <class Visit>
void for_pairs(const ElementWay& way, const MeshDistance::Face& face, const Visit& visit) {
  for (int i = 0; i < way.count; ++i) visit(false, std::array<int, 4>{i, 3, 4, 5});
  for (int i = 0; i < 3 && way.count == 3; ++i) {
    if (face.owns_corner(i)) visit(false, std::array<int, 4>{3 + i, 0, 1, 2});
  }
  const int num_edges = way.count == 3 ? 3 : way.count - 1;
  for (int i = 0; i < num_edges; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (face.owns_edge(j)) {
        visit(true, std::array<int, 4>{i, (i + 1) % way.count, 3 + j, 3 + (j + 1) % 3});
      }
    }
  }
}

Four corners_of(const std::array<int, 4>& numbers, const Corners& way, const Triangle& triangle) {
  Four corners;
  for (std::size_t i = 0; i < 4; ++i) {
    const int number = numbers[i];
    corners[i] = number < 3 ? way[static_cast<std::size_t>(number)] : triangle.corner[number - 3];
  }
  return corners;
}

}  // namespace

bool ElementWay::meets_at_start(const MeshDistance& mesh) const {
  const ElementWay start{count, {corners[0], corners[0]}};
  const Corners& own = corners[0];
  // An edge is the way of a point from one end to the other.
  const auto goes_through = [](const Vec3& from, const Vec3& to, const Vec3(&face)[3]) {
    return vertex_face_ccd({from, face[0], face[1], face[2]}, {to, face[0], face[1], face[2]})
        .meets;
  };
  const Vec3 face_of_own[3] = {own[0], own[1], own[2]};
  return mesh.any_near(box_around(start, 0), [&](const MeshDistance::Face& face) {
    if (has_plane_between(start, *face.triangle, 0)) return false;
    const auto& other = face.triangle->corner;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      if (goes_through(own[i], own[j], other)) return true;
      if (count == 3 && goes_through(other[i], other[j], face_of_own)) return true;
    }
    return false;
  });
}

double ElementWay::apart_until(const MeshDistance& mesh, double gap) const {
  const CcdSettings settings{.separation = gap, .keep = 0, .rounded = true};
  double until = 1;
  mesh.any_near(box_around(*this, gap), [&](const MeshDistance::Face& face) {
    if (has_plane_between(*this, *face.triangle, gap)) return false;
    for_pairs(*this, face, [&](bool is_edges, const std::array<int, 4>& numbers) {
      if (until == 0) return;
      const Four before = corners_of(numbers, corners[0], *face.triangle),
                 after = corners_of(numbers, corners[1], *face.triangle);
      const CcdAnswer answer = is_edges ? edge_edge_ccd(before, after, settings)
                                        : vertex_face_ccd(before, after, settings);
      if (answer.meets) until = std::min({until, answer.time, std::nextafter(1.0, 0.0)});
    });
    return until == 0;
  });
  return until;
}

SurfacePoint ElementWay::nearest_at_start(const MeshDistance& mesh, double reach) const {
  const ElementWay start{count, {corners[0], corners[0]}};
  SurfacePoint nearest;
  nearest.distance = std::numeric_limits<double>::infinity();
  mesh.any_near(box_around(start, reach), [&](const MeshDistance::Face& face) {
    for_pairs(start, face, [&](bool is_edges, const std::array<int, 4>& numbers) {
      const Four own = corners_of(numbers, corners[0], *face.triangle);
      const NearestPoints found = is_edges ? nearest_of_edges(own) : nearest_of_face(own);
      if (!(found.distance <= reach && found.distance < nearest.distance)) return;
      // The direction from the mesh. If the pair's first feature belongs to the mesh, the sign
      // changes.
      const bool is_of_mesh = numbers[0] >= 3;
      Vec3 point{0, 0, 0};
      for (std::size_t i = 0; i < 4; ++i) {
        if (numbers[i] >= 3) point = point + std::abs(found.weights[i]) * own[i];
      }
      nearest = {found.distance,
                 direction((is_of_mesh ? -1.0 : 1.0) * found.between, face.triangle->normal),
                 point};
    });
    return false;
  });
  return nearest;
}

}  // namespace supple
