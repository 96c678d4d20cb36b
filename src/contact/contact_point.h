#pragma once

#include <cstddef>

#include "supple/mesh.h"

namespace supple {

/// What a contact acts on, sum_i w_i x_i: a material point of a body, on a vertex, an edge or a
/// triangle, with positive weights that add up to 1; or the difference of two such points, of which
/// the second has negative weights.
struct ContactPoint {
  int vertices[4];    ///< the first `count` are used
  double weights[4];  ///< a single vertex has weight 1
  int count;

  static ContactPoint of_vertex(int vertex) { return {{vertex, -1, -1, -1}, {1, 0, 0, 0}, 1}; }

  bool is_between_points() const { return count > 1 && (weights[0] < 0 || weights[count - 1] < 0); }

  /// Position, m; x has four numbers per vertex, the last one padding.
  Vec3 position(const double* x) const {
    return sum([&](int i) { return x + 4 * static_cast<std::size_t>(vertices[i]); });
  }
  /// The same if the vertex at one of its corners were elsewhere: [3], m.
  Vec3 position(const double* x, int corner, const double* elsewhere) const {
    return sum([&](int i) {
      return i == corner ? elsewhere : x + 4 * static_cast<std::size_t>(vertices[i]);
    });
  }

 private:
  template <class Corner>
  Vec3 sum(const Corner& corner) const {
    const double* first = corner(0);
    Vec3 p{weights[0] * first[0], weights[0] * first[1], weights[0] * first[2]};
    for (int i = 1; i < count; ++i) {
      const double* next = corner(i);
      for (std::size_t k = 0; k < 3; ++k) p[k] += weights[i] * next[k];
    }
    return p;
  }
};

}  // namespace supple
