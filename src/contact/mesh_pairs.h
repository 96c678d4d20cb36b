#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "contact/body_pairs.h"
#include "contact/collider.h"
#include "contact/surface_points.h"

namespace supple {

/// The surface at rest of a mesh, height field, convex hull or box; empty for other shapes.
TriangleMesh flat_surface(const ColliderShape& shape);

/// The surface of a collider that has flat sides.
struct ColliderMesh {
  int collider;
  TriangleMesh surface;  ///< closed, at rest, m
  double layer;          ///< m, > 0
  bool can_move;
};

/// Barrier mode: finds where edges and faces of bodies come near edges and vertices of colliders
/// with flat sides. The plane is as between two bodies (body_pairs.h), but belongs to the collider.
/// Vertices of bodies find the nearest surface by the distance. Edges and vertices of a mesh that
/// do not stick out of it have no plane.
class MeshPairs {
 public:
  /// As in BodyPairs. apart: pairs of a body and a mesh (its index in `meshes`) that do not touch.
  /// tied: pairs of a vertex and a mesh that holds it. Both ascending.
  MeshPairs(std::vector<BodyFeatures> bodies, std::vector<int> body_of, std::vector<Vec3> rest,
            const std::vector<ColliderMesh>& meshes, std::vector<std::pair<int, int>> apart,
            std::vector<std::pair<int, int>> tied);

  /// part: how much of the layers has grown; before: when the step began. inside: whether a vertex
  /// belongs to an element that starts in a collider, [vertices]. Surfaces intersect there, and
  /// pairs of features would hold them so.
  void begin_step(double part, double before, const std::vector<char>& inside) {
    pairs_.begin_step_of_part(part, before);
    pairs_.leave_out(inside);
  }
  void select(std::span<const int> bodies) { pairs_.select(bodies); }

  /// Like BodyPairs::find.
  int find(const std::vector<ColliderObject>& colliders, const ContactWay& way, bool held,
           SurfacePoints& points, Threads& threads);

  std::size_t max_planes() const { return pairs_.max_planes(); }

 private:
  /// A mesh that can move; its vertices, at rest, are numbered from `first` on.
  struct Moving {
    int collider;
    std::size_t first;
    std::vector<Vec3> vertices;
  };
  std::size_t num_own_;  ///< vertices of bodies
  std::vector<Moving> moving_;
  std::vector<double> starts_, ends_;  ///< of all vertices, padded, m
  BodyPairs pairs_;
};

}  // namespace supple
