#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "contact/collider.h"
#include "contact/contact_point.h"

namespace supple {

/// The surface of a body whose edges and faces can touch.
struct ContactSurface {
  std::vector<std::array<int, 3>> triangles;  ///< vertices
  double size = 0;                            ///< of the body, m, > 0
};

/// A point of an edge or a face where it is to be kept out of one collider.
struct SurfaceContact {
  ContactPoint point;
  int collider;
};

/// The step as contacts see it: from x_n to its end x_n + (z - x_n)/stage.
struct ContactWay {
  const double* x_n;
  const double* z;
  double stage;

  Vec3 start(const ContactPoint& point) const { return point.position(x_n); }
  Vec3 end(const ContactPoint& point) const {
    const Vec3 middle = point.position(z);
    if (stage == 1) return middle;
    const Vec3 first = point.position(x_n);
    Vec3 last;
    for (std::size_t k = 0; k < 3; ++k) last[k] = first[k] + (1 / stage) * (middle[k] - first[k]);
    return last;
  }
};

/// Points of edges and faces that meet a collider where no vertex does: a pole under the middle of
/// a face, the edge of a box under an edge.
///
/// On its way through a step the distance d of a collider is least somewhere on an edge. Where that
/// is between its ends, and lower than at both by more than `clearly` sizes of the body, it is a
/// point; so is the deepest of a face where that is lower than anywhere on its border. Points are
/// chosen where the way first touches, by advancing no farther than the distance allows
/// [Mirtich 1996, conservative advancement], and where it ends. A triangle on a flat part of a
/// collider is deepest at a corner and has none.
///
/// Colliders that are not convex are looked at in a grid on each triangle, so that of what is
/// thinner than a cell only what stands out by more than a cell is found; on triangles below
/// `too_fine` sizes of the body it is not looked for. Everything is allocated at construction.
class SurfacePoints {
 public:
  /// Sizes of the body: what is less deep than a corner or a border by less needs no point. Bodies
  /// rest as deep.
  static constexpr double clearly = 1e-3;
  /// Sizes of the body.
  static constexpr double too_fine = 0.02;

  /// Triangles with a vertex that is in no place of those that touch are left out: -1, or beyond
  /// place_of_vertex: [number of vertices].
  SurfacePoints(const std::vector<ContactSurface>& surfaces,
                const std::vector<int>& place_of_vertex,
                const std::vector<ColliderObject>& colliders);

  /// A new step, without points.
  void clear() { num_points_ = 0; }

  /// Adds what is met on a way of this step and is not known yet. How many; those before keep their
  /// places. The same whatever the number of threads.
  int find(const std::vector<ColliderObject>& colliders, const ContactWay& way, Threads& threads);

  std::span<const SurfaceContact> points() const { return {points_.get(), num_points_}; }
  /// There are never more than this.
  std::size_t max_points() const { return max_points_; }

 private:
  struct Triangle {
    std::array<std::int16_t, 3> corners;  ///< into its block's vertices
    std::uint8_t edges;                   ///< bit k: the edge from corner k on is looked at here
    double clearly;                       ///< m
  };
  struct Block {
    std::size_t first_triangle, last_triangle;
    std::size_t first_vertex, last_vertex;
  };
  class Search;

  std::vector<Triangle> triangles_;
  std::vector<int> vertices_;  ///< of each block, each once
  std::vector<Block> blocks_;
  std::vector<std::size_t> count_in_block_;
  std::size_t max_points_ = 0, num_points_ = 0;
  std::unique_ptr<SurfaceContact[]> points_, found_;
};

}  // namespace supple
