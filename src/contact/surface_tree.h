#pragma once

#include <array>
#include <vector>

#include "contact/aabb_tree.h"
#include "contact/triangle.h"
#include "math/vector_field.h"
#include "supple/scene.h"

namespace supple {

/// The surface of a body that queries can meet. Corners are vertices of the model; a segment has
/// its second one twice.
struct BodySurface {
  std::vector<std::array<int, 3>> triangles;
  bool is_closed = false;  ///< around a solid, so that it has an inside
};

/// A place on a body's surface.
struct SurfacePlace {
  int body = -1;      ///< -1: none
  int triangle = 0;   ///< index among the body's
  Vec3 weights{};     ///< of its corners, each >= 0, with sum 1
  Vec3 point{};       ///< m
  Vec3 normal{};      ///< of the triangle, unit; 0 0 0 if it has no area
  double distance{};  ///< m
};

/// The surfaces of deforming bodies in trees of boxes: one tree for each body, which keeps the
/// structure of the rest shape, as neighbours stay neighbours, and one over the bodies. Each call
/// gets the positions. Call refit() first if they have changed; after that any threads may query at
/// once. If several places are at the same distance, the first body's first triangle is found.
class SurfaceTree {
 public:
  /// bodies: [num_bodies], rest: [num_vertices], m.
  SurfaceTree(const std::vector<BodySurface>& bodies, const std::vector<Vec3>& rest);

  void refit(const VectorField& x);

  /// Where a ray along the unit vector `direction` first meets a triangle, from either side, no
  /// farther than `reach`. Watertight: no ray passes between triangles that share an edge [Woop,
  /// Benthin & Wald 2013]. Triangles without area and those seen edge-on are not met.
  SurfacePlace raycast(const VectorField& x, const Vec3& origin, const Vec3& direction,
                       double reach) const;

  /// The nearest place no farther than `reach`; its distance is negative inside a closed surface,
  /// by the sign of the angle-weighted pseudo-normal (see MeshDistance).
  SurfacePlace closest(const VectorField& x, const Vec3& point, double reach) const;

  /// The bodies, ascending, that have a triangle in the volume or the whole volume inside.
  void overlap(const VectorField& x, const Box& box, std::vector<int>& bodies) const;
  void overlap(const VectorField& x, const SphereShape& sphere, std::vector<int>& bodies) const;

 private:
  /// A body with a surface. Triangles are in the order of its tree.
  struct Part {
    int body;
    bool is_closed;
    AabbTree tree;
    std::vector<std::array<int, 3>> corners;
  };
  struct Nearest;
  Triangle triangle(const VectorField& x, const Part& part, int place) const;
  void find_nearest(const VectorField& x, const Part& part, const Vec3& point, Nearest& best) const;
  Vec3 pseudo_normal(const VectorField& x, const Nearest& nearest) const;
  bool is_inside(const VectorField& x, const Nearest& nearest, const Vec3& point) const;
  bool holds(const VectorField& x, const Part& part, const Vec3& point) const;

  std::vector<Part> parts_;
  AabbTree bodies_;         ///< over the parts
  std::vector<Box> boxes_;  ///< of the parts
  /// For closed surfaces, the places of the triangles around each vertex: [num_vertices + 1] into
  /// places_.
  std::vector<int> first_place_, places_;
};

/// Whether a box, including its edges, and a triangle or segment have a point in common
/// [Akenine-Moeller 2001], up to rounding.
bool overlaps(const Box& box, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace supple
