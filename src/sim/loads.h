#pragma once

#include <vector>

#include "base/index.h"
#include "math/vector_field.h"
#include "supple/mesh.h"

namespace supple {

/// Forces on vertices that act throughout the next frame, N, in the model's numbering.
class Loads {
 public:
  bool empty() const { return vertices_.empty(); }

  /// Adds a force to what acts on a vertex of `num_vertices`.
  void add(int vertex, const Vec3& force, int num_vertices) {
    if (force_.empty()) {
      force_.resize(at(num_vertices));
      is_listed_.resize(at(num_vertices), 0);
    }
    if (is_listed_[at(vertex)] == 0) vertices_.push_back(vertex);
    is_listed_[at(vertex)] = 1;
    for (int k = 0; k < 3; ++k) force_[at(vertex)][k] += force[at(k)];
  }

  void clear() {
    for (const int vertex : vertices_) {
      force_[at(vertex)] = {};
      is_listed_[at(vertex)] = 0;
    }
    vertices_.clear();
  }

  /// Calls visit(vertex, force) for each vertex on which a force acts, in the order in which the
  /// vertices got their first force.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const int vertex : vertices_) visit(at(vertex), force_[at(vertex)]);
  }

  /// Work of the forces on the vertices asked for, from one place to another, J.
  template <class IsAsked>
  double work(const VectorField& from, const VectorField& to, const IsAsked& is_asked) const {
    double sum = 0;
    for_each([&](std::size_t i, const PaddedVector& force) {
      if (!is_asked(i)) return;
      for (int k = 0; k < 3; ++k) sum += force[k] * (to[i][k] - from[i][k]);
    });
    return sum;
  }

 private:
  VectorField force_;  ///< [num_vertices], or empty before the first force
  std::vector<char> is_listed_;
  std::vector<int> vertices_;
};

}  // namespace supple
