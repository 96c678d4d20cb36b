#pragma once

#include <array>

#include "contact/mesh_distance.h"
#include "contact/surface_point.h"

namespace supple {

/// A triangle, a segment or a vertex, 3, 2 or 1 corners, on its way past a mesh at rest, each
/// corner linearly. Those beyond `count` are copies of the last one.
struct ElementWay {
  int count = 3;
  std::array<std::array<Vec3, 3>, 2> corners{};  ///< at both ends, m

  /// Whether the start touches the mesh, or is not proved not to: an edge of either goes through a
  /// triangle of the other one.
  bool meets_at_start(const MeshDistance& mesh) const;

  /// How much of the way, from its start, which does not touch the mesh, is proved to be farther
  /// than `gap`, m, >= 0, from all triangles of the mesh: 1 all of it, 0 not even the start. By
  /// planes between triangles, and where there is none by continuous collision detection of
  /// vertices with faces and edges with edges, without false negatives (ccd.h). Allocates nothing.
  double apart_until(const MeshDistance& mesh, double gap) const;

  /// The place of the mesh that is nearest to the start, no farther than `reach`, with the
  /// direction from there; the distance, of surfaces, is infinite where there is none, and 0 where
  /// they may intersect.
  SurfacePoint nearest_at_start(const MeshDistance& mesh, double reach) const;
};

}  // namespace supple
