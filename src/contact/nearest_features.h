#pragma once

#include <array>

#include "supple/mesh.h"

namespace supple {

/// The nearest points of a vertex and a face, or of two edges, as means of their corners.
struct NearestPoints {
  /// Weights of the corners. Those of the first feature, a vertex or an edge, add up to 1, those of
  /// the second to -1, so that sum_i weights_i x_i is `between`.
  std::array<double, 4> weights;
  Vec3 between;     ///< from the second feature's point to the first's, m
  double distance;  ///< its length, m
};

/// For a vertex, corner 0, and a face, corners 1 to 3. For a face without area, its edges are used.
NearestPoints nearest_of_face(const std::array<Vec3, 4>& corners);

/// For two edges, corners 0 and 1, 2 and 3. If they are parallel, some pair of nearest points.
NearestPoints nearest_of_edges(const std::array<Vec3, 4>& corners);

inline NearestPoints nearest_of(bool is_edges, const std::array<Vec3, 4>& corners) {
  return is_edges ? nearest_of_edges(corners) : nearest_of_face(corners);
}

}  // namespace supple
