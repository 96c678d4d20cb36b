#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "contact/box_distance.h"
#include "contact/capsule_distance.h"
#include "contact/cylinder_distance.h"
#include "contact/extent.h"
#include "contact/function_distance.h"
#include "contact/mesh_distance.h"
#include "contact/plane_distance.h"
#include "contact/sphere_distance.h"
#include "contact/surface_point.h"
#include "contact/torus_distance.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// A place in the frame of a collider, and what its distance from the surface is at least, m. A
/// distance changes by no more than the place does, so nothing near that place needs to be asked
/// again.
struct Clearance {
  Vec3 place{0, 0, 0};
  double distance = -Extent::infinity;
};

/// A collider ready for queries: a shape with an exact signed distance, posed in the world by its
/// motion. Queries allocate nothing and may run on several threads at once.
class ColliderObject {
 public:
  /// Posed at time 0. Throws Error{invalid_input} at or below `where`, the collider's JSON pointer
  /// (`/colliders/0`): a length that is not positive, a torus without a hole, a direction that is
  /// zero, a number that is not finite, a broken mesh (see closed_surface.h), points without a
  /// hull, a broken height field, a missing function, a broken motion, a negative friction.
  /// touches: [num_bodies], 0 for a body that passes through; empty: all bodies touch it.
  ColliderObject(const Collider& collider, const std::string& where,
                 std::vector<std::uint8_t> touches = {});

  /// Coefficient of friction, if it is not the scene's.
  const std::optional<double>& friction() const { return friction_; }
  /// Whether a body touches it.
  bool touches(int body) const {
    return touches_.empty() || touches_[static_cast<std::size_t>(body)] != 0;
  }

  /// Poses the collider at time_end, the end of a step of h >= 0, s.
  void move(double time_end, double h);

  /// Whether its pose at the end of the step differs from that at its start.
  bool moves() const;

  /// Makes the collider larger: all distances decrease by `offset`, m, >= 0, and its surface moves
  /// out by as much.
  void inflate(double offset) { offset_ = offset; }
  double offset() const { return offset_; }

  /// The two times of a step at which the collider can be queried.
  enum class Moment { start, end };

  /// Signed distance of the world point x, m, with its projection on the surface in world
  /// coordinates.
  SurfacePoint surface(const Vec3& x, Moment moment = Moment::end) const;

  /// Whether x is inside. If so, `found` is surface(x); otherwise it is left unchanged. Cheaper
  /// than surface(x) for points outside a mesh's box.
  bool penetration(const Vec3& x, SurfacePoint& found, Moment moment = Moment::end) const;

  /// True if no point of the ball is inside; false says nothing.
  bool clear_of(const Vec3& center, double radius, Moment moment = Moment::end) const;

  /// Whether queries are so dear that clearances are worth keeping: those of a mesh.
  bool keeps_clearances() const { return std::holds_alternative<MeshDistance>(shape_); }
  /// A lower bound of surface(x).distance, m.
  double at_least(const Vec3& x, const Clearance& known) const;
  /// The same as the queries above at the end of the step, which ask only if what is known does not
  /// tell, and add to it.
  bool penetration(const Vec3& x, SurfacePoint& found, Clearance& known) const;
  bool clear_of(const Vec3& center, double radius, Clearance& known) const;

  /// Where a point of the world at the start of the step would be at its end if it had moved with
  /// the collider, m.
  Vec3 carried(const Vec3& x) const { return end_.apply(start_.apply_inverse(x)); }

  /// The middle of its shape, at the end of the step, m.
  Vec3 center() const { return end_.apply(center_); }

  /// Displacement over the step, m, of the collider's material point that is at x at its end.
  Vec3 displacement(const Vec3& x) const;

  /// False if a straight path from outside cannot leave on another side: a half-space.
  bool can_be_crossed() const { return !std::holds_alternative<PlaneDistance>(shape_); }

  /// The curvature bound c, 1/m: within r of q, m, where the distance is d and its gradient n, the
  /// distance is at least d + n . (x - q) - c |x - q|^2/2. 0 if it is convex, infinite if there is
  /// none.
  double bend(const Vec3& q, double r) const;

  /// The triangles of a mesh that is not convex, in its own frame; null if there are none.
  const MeshDistance* triangles() const {
    return is_convex_ ? nullptr : std::get_if<MeshDistance>(&shape_);
  }
  /// Whether its surface consists of triangles; a box has twelve.
  bool has_flat_sides() const {
    return std::holds_alternative<MeshDistance>(shape_) ||
           std::holds_alternative<BoxDistance>(shape_);
  }
  /// Converts a point of the world at the end of the step to the collider's own frame, and back, m.
  Vec3 to_own(const Vec3& x) const { return end_.apply_inverse(x); }
  SurfacePoint from_own(const SurfacePoint& own) const {
    return {own.distance, end_.rotate(own.normal), end_.apply(own.point)};
  }

  /// The world position of a point given in its rest pose, m.
  Vec3 posed(const Vec3& x, Moment moment) const { return pose(moment).apply(x); }

  /// Whether it has a motion.
  bool can_move() const;

  /// Whether every straight line between two of its points is inside it.
  bool is_convex() const { return is_convex_; }

 private:
  friend class NearSurface;
  void push_out(SurfacePoint& found) const;
  using Shape = std::variant<PlaneDistance, SphereDistance, BoxDistance, CapsuleDistance,
                             CylinderDistance, TorusDistance, MeshDistance, FunctionDistance>;
  static Shape make_shape(const ColliderShape& shape, const std::string& where);
  const Pose& pose(Moment moment) const { return moment == Moment::end ? end_ : start_; }

  Shape shape_;
  bool is_convex_;
  Vec3 center_;  ///< at rest, m
  std::optional<double> friction_;
  std::vector<std::uint8_t> touches_;
  Motion motion_;
  Pose end_;           ///< at the end of the step
  Pose start_;         ///< at its start
  double offset_ = 0;  ///< m
};

/// The surface of a collider at the end of the step, for many queries in one place: those of a mesh
/// ask only the triangles that can be nearest there.
class NearSurface {
 public:
  /// Everywhere; any collider is one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  NearSurface(const ColliderObject& collider) : collider_(collider) {}
  /// Within a ball. Triangles are not looked for if all of it is farther away than `apart`, m.
  NearSurface(const ColliderObject& collider, const Ball& ball, double apart);

  bool is_convex() const { return collider_.is_convex(); }
  /// A lower bound of the distances within the ball, m.
  double at_least() const { return at_least_; }
  /// collider.surface(x). x must be within the ball.
  SurfacePoint surface(const Vec3& x) const;

 private:
  const ColliderObject& collider_;
  double at_least_ = -Extent::infinity;
  const MeshDistance* mesh_ = nullptr;  ///< whose triangles are known, or null
  MeshDistance::Some near_;
};

}  // namespace supple
