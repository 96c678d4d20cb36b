#pragma once

#include <cstddef>

#include "supple/mesh.h"

namespace supple {

/// What a contact acts on, sum_i w_i x_i: a material point of a body, over a vertex, the two of an
/// edge or the three of a triangle, with positive weights that add up to 1; or the way from one
/// such point to another one, whose weights are then negative.
struct ContactPoint {
  int vertices[4];    ///< of which the first `count` are
  double weights[4];  ///< that of a vertex alone is 1
  int count;

  static ContactPoint of_vertex(int vertex) { return {{vertex, -1, -1, -1}, {1, 0, 0, 0}, 1}; }

  bool is_between_points() const { return count > 1 && (weights[0] < 0 || weights[count - 1] < 0); }

  /// Where it is, m, positions being padded to four numbers a vertex.
  Vec3 position(const double* x) const {
    return sum([&](int i) { return x + 4 * static_cast<std::size_t>(vertices[i]); });
  }
  /// The same with the vertex at one of its corners elsewhere: [3], m.
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
