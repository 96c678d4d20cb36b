#pragma once

#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// Which bodies of a scene stay in the next one, where others were removed and added.
class Survivors {
 public:
  /// origin: of each body of `next` its index in `before`, ascending; -1: it is added.
  Survivors(const Scene& before, const Scene& next, std::vector<int> origin);

  const std::vector<int>& origin() const { return origin_; }
  bool is_added(std::size_t body) const { return origin_[body] < 0; }
  bool adds() const;

  /// [vertices of `before`]: their indices in `next`, in scene order; -1: removed.
  const std::vector<int>& vertices() const { return vertices_; }

  /// The state of `before` for the bodies that stay, that of `start` for those that are added.
  /// Arrays that `before` has are those of `start` too.
  SimulationState join(const SimulationState& before, SimulationState start) const;

 private:
  struct Block {
    std::size_t from, to, size;
  };
  void carry(const std::vector<Block>& blocks, std::size_t width, const std::vector<double>& from,
             std::vector<double>& to) const;

  std::vector<int> origin_;
  std::vector<int> vertices_;
  std::vector<Block> vertex_blocks_, tet_blocks_, rod_blocks_;  ///< of what stays
};

}  // namespace supple
