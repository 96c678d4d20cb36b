#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "contact/collider.h"
#include "contact/contact_point.h"

namespace supple {

/// The parts of a body that can touch between its vertices: the faces of its surface with their
/// edges, or the segments of a strand. Faces touch on both sides.
struct ContactSurface {
  std::vector<std::array<int, 3>> triangles;  ///< vertices
  std::vector<std::array<int, 2>> segments;   ///< vertices
  double size = 0;                            ///< of the body, m, > 0
  int body = 0;
  double detail = 1;  ///< factor of `clearly` below
};

/// A point of an edge or a face with the plane that keeps it out of a collider, or the way between
/// two points with the plane that keeps them apart.
struct SurfaceContact {
  static constexpr int no_collider = -1;
  ContactPoint point;
  int collider;        ///< no_collider: between two points
  Vec3 surface;        ///< of the plane, where the collider is at the end of the step, m
  Vec3 normal;         ///< of the plane, unit, across the edge or face, out of the collider
  double start_depth;  ///< how deep its edge or face starts the step, or two features in the whole
                       ///< layer between them, m; 0: outside
  double slack;        ///< how far it lets the point through, m: one that starts far behind it, but
                       ///< outside, is not pushed there
  double harder;       ///< factor of its stiffness
  double layer;        ///< thickness of the layer between two features, m; 0: that of the collider
  int older = -1;      ///< plane between the same two features with another normal; -1: none

  /// A place of the plane as it holds the point, m.
  Vec3 held() const {
    return {surface[0] - slack * normal[0], surface[1] - slack * normal[1],
            surface[2] - slack * normal[2]};
  }
};

/// The step as contacts see it: from x_n to its end x_n + (z - x_n)/stage.
class ContactWay {
 public:
  ContactWay(const double* x_n, const double* z, double stage) : x_n_(x_n), z_(z), stage_(stage) {}

  const double* starts() const { return x_n_; }
  Vec3 start(int vertex) const { return position(x_n_, vertex); }
  Vec3 end(int vertex) const {
    const Vec3 middle = position(z_, vertex);
    return stage_ == 1 ? middle : end_of(position(x_n_, vertex), middle);
  }
  Vec3 end(const ContactPoint& point) const {
    const Vec3 middle = point.position(z_);
    return stage_ == 1 ? middle : end_of(point.position(x_n_), middle);
  }

 private:
  static Vec3 position(const double* x, int vertex) {
    const double* const own = x + 4 * static_cast<std::size_t>(vertex);
    return {own[0], own[1], own[2]};
  }
  Vec3 end_of(const Vec3& first, const Vec3& middle) const {
    Vec3 last;
    for (std::size_t k = 0; k < 3; ++k) last[k] = first[k] + (1 / stage_) * (middle[k] - first[k]);
    return last;
  }

  const double* x_n_;
  const double* z_;
  double stage_;
};

/// Points of edges and faces that meet a collider where no vertex does: a pole under the middle of
/// a face, the edge of a box under an edge.
///
/// At each time of a step, the distance d to a collider is least somewhere on an edge. If that is
/// between its ends, and lower than at both by more than `clearly` sizes of the body, it is a
/// point. So is the deepest place of a face, if it is lower than anywhere on the border. Points are
/// chosen where the way first touches, by advancing no farther than the distance allows [Mirtich
/// 1996, conservative advancement], and where the way ends. A point is held by the plane that
/// touches the collider there, not by the collider's distance. A face that slides over a pole rests
/// on other points of itself from step to step; the pole's curve would push aside a point that went
/// with the face, which would make the body slide ever faster. A triangle on a flat part of a
/// collider is deepest at a corner and has no point.
///
/// For colliders that are not convex, each triangle is searched on a grid: of parts that are
/// thinner than a cell, only those that stand out by more than a cell are found. Triangles below
/// `too_fine` sizes of the body are not searched. Everything is allocated at construction.
class SurfacePoints {
 public:
  /// In sizes of the body: a place that is deeper than the corners or the border by less than this
  /// needs no point. Bodies rest about as deep.
  static constexpr double clearly = 1e-3;
  /// In sizes of the body.
  static constexpr double too_fine = 0.02;

  /// Leaves out triangles and segments with a vertex that does not touch: its place_of_vertex,
  /// [number of vertices], is -1, or it is beyond the list. room: for this many points that others
  /// add.
  SurfacePoints(const std::vector<ContactSurface>& surfaces,
                const std::vector<int>& place_of_vertex,
                const std::vector<ColliderObject>& colliders, std::size_t room = 0);

  /// Elements with a corner that a collider holds do not touch that collider: [number of vertices],
  /// the collider or -1.
  void set_holders(std::vector<int> holder) { holder_ = std::move(holder); }

  /// Starts a step, without points.
  void clear() { num_points_ = 0; }

  /// From now on `find` looks only at these bodies, ascending. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// Adds the points that are met on a way of this step and not yet known. Returns how many;
  /// earlier points keep their places. The result is the same for any number of threads.
  int find(const std::vector<ColliderObject>& colliders, const ContactWay& way, Threads& threads);

  /// Adds a point that was found elsewhere. False if there is no room.
  bool add(const SurfaceContact& point) {
    if (num_points_ == max_points_) return false;
    points_[num_points_++] = point;
    return true;
  }

  /// Multiplies the stiffness of a point by a factor, up to `most` in all. False if it was there
  /// already.
  bool harden(std::size_t place, double factor, double most) {
    double& own = points_[place].harder;
    if (own >= most) return false;
    own *= factor;
    hardened_.push_back(static_cast<int>(place));
    return true;
  }
  /// Points that were made stiffer since the last `find`.
  std::span<const int> hardened() const { return hardened_; }
  void forget_hardened() { hardened_.clear(); }

  std::span<const SurfaceContact> points() const { return {points_.get(), num_points_}; }
  /// An upper bound of their number.
  std::size_t max_points() const { return max_points_; }

 private:
  /// A face, or a segment stored as a face whose last two corners are the same vertex.
  struct Triangle {
    std::array<std::int16_t, 3> corners;  ///< into its block's vertices
    std::uint8_t edges;                   ///< bit k: the edge from corner k on is looked at here
    double clearly;                       ///< m
    int body;
    bool is_face() const { return corners[1] != corners[2]; }
  };
  struct Block {
    std::size_t first_triangle, last_triangle;
    std::size_t first_vertex, last_vertex;
  };
  class Search;

  std::vector<Triangle> triangles_;
  std::vector<int> vertices_;  ///< of each block, each of them once
  std::vector<int> holder_;    ///< of set_holders; or empty
  std::vector<Block> blocks_;
  BodyPieces pieces_;  ///< blocks_
  std::vector<int> hardened_;
  std::vector<std::size_t> count_in_block_;
  std::size_t max_points_ = 0, num_points_ = 0;
  std::unique_ptr<SurfaceContact[]> points_, found_;
};

}  // namespace supple
