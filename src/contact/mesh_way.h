#pragma once

#include <array>

#include "contact/mesh_distance.h"
#include "contact/surface_point.h"

namespace supple {

/// A triangle, a segment or a vertex (3, 2 or 1 corners) on its way past a mesh at rest; each
/// corner moves linearly. Corners beyond `count` are copies of the last one.
struct ElementWay {
  int count = 3;
  std::array<std::array<Vec3, 3>, 2> corners{};  ///< at both ends, m

  /// Whether the start touches the mesh, or is not proved not to: an edge of one passes through a
  /// triangle of the other.
  bool meets_at_start(const MeshDistance& mesh) const;

  /// How much of the way is proved to be farther than `gap`, m, >= 0, from all triangles of the
  /// mesh: 1 all of it, 0 not even the start. The start must not touch the mesh. The proof uses
  /// planes between triangles; if there is none, it uses continuous collision detection of vertices
  /// with faces and edges with edges, without false negatives (ccd.h). Allocates nothing.
  double apart_until(const MeshDistance& mesh, double gap) const;

  /// The place of the mesh nearest to the start within `reach`, and the direction from there. The
  /// distance is that between the surfaces: infinite if there is no such place, 0 if they may
  /// intersect.
  SurfacePoint nearest_at_start(const MeshDistance& mesh, double reach) const;
};

}  // namespace supple
