#pragma once

#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// Which bodies of a scene stay in the next scene, when others are removed and added.
class Survivors {
 public:
  /// origin: for each body of `next` its index in `before`, ascending; -1: it is added. copies: for
  /// each vertex that a body has after those that it had, the vertex that it copies.
  /// spring_parents: for each of its springs, the earlier spring that it is a part of. Both [bodies
  /// of `next`], or empty.
  Survivors(const Scene& before, const Scene& next, std::vector<int> origin,
            std::vector<std::vector<int>> copies = {},
            std::vector<std::vector<int>> spring_parents = {});

  const std::vector<int>& origin() const { return origin_; }
  bool is_added(std::size_t body) const { return origin_[body] < 0; }
  bool adds() const;
  /// Whether a body that stays has not come apart.
  bool is_as_it_was(std::size_t body) const { return copies_[body].empty(); }

  /// [vertices of `before`]: their indices in `next`, in scene order; -1: removed.
  const std::vector<int>& vertices() const { return vertices_; }
  /// [vertices of `next`]: the vertices of `before` that they were, or that they copy; -1: added.
  const std::vector<int>& sources() const { return sources_; }

  /// For each spring of a body of `next`, the earlier spring of that body that it is a part of;
  /// empty: all are unchanged.
  const std::vector<int>& spring_parents(int body) const {
    return spring_parents_[static_cast<std::size_t>(body)];
  }

  /// The state of `before` for the bodies that stay, and of `start` for those that are added.
  /// `start` must have the arrays that `before` has.
  SimulationState join(const SimulationState& before, SimulationState start) const;

 private:
  struct Block {
    std::size_t from, to, size;
  };
  void carry_vertices(const std::vector<double>& from, std::vector<double>& to) const;
  static void carry(const std::vector<Block>& blocks, std::size_t width,
                    const std::vector<double>& from, std::vector<double>& to);

  std::vector<int> origin_;
  std::vector<std::vector<int>> copies_, spring_parents_;
  std::vector<int> vertices_, sources_;
  std::vector<Block> tet_blocks_, rod_blocks_;  ///< of what stays
};

}  // namespace supple
