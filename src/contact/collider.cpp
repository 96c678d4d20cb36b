#include "contact/collider.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "contact/height_surface.h"
#include "contact/hull_surface.h"
#include "contact/shape_center.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace {

// A point within an analytic shape costs no more to project than to test.
template <class Shape>
bool surely_outside(const Shape&, const Vec3&, double) {
  return false;
}
bool surely_outside(const MeshDistance& mesh, const Vec3& x, double offset) {
  return offset > 0 ? mesh.distance_to_box(x) >= offset : mesh.outside_box(x);
}

template <class Shape>
double distance_at_least(const Shape& shape, const Vec3& x, double) {
  return shape.surface(x).distance;
}
double distance_at_least(const MeshDistance& mesh, const Vec3& x, double enough) {
  const double to_box = mesh.distance_to_box(x);
  return to_box > enough ? to_box : mesh.surface(x).distance;
}

bool is_convex_shape(const ColliderShape& shape) {
  return !std::holds_alternative<TorusShape>(shape) && !std::holds_alternative<MeshShape>(shape) &&
         !std::holds_alternative<HeightFieldShape>(shape) &&
         !std::holds_alternative<DistanceShape>(shape);
}

}  // namespace

ColliderObject::Shape ColliderObject::make_shape(const ColliderShape& shape,
                                                 const std::string& where) {
  struct Make {
    const std::string& where;
    Shape operator()(const PlaneShape& s) const { return PlaneDistance(s, where + "/plane"); }
    Shape operator()(const SphereShape& s) const { return SphereDistance(s, where + "/sphere"); }
    Shape operator()(const BoxShape& s) const { return BoxDistance(s, where + "/box"); }
    Shape operator()(const CapsuleShape& s) const { return CapsuleDistance(s, where + "/capsule"); }
    Shape operator()(const CylinderShape& s) const {
      return CylinderDistance(s, where + "/cylinder");
    }
    Shape operator()(const TorusShape& s) const { return TorusDistance(s, where + "/torus"); }
    Shape operator()(const MeshShape& s) const { return MeshDistance(s, where + "/mesh"); }
    Shape operator()(const ConvexHullShape& s) const {
      const std::string own = where + "/convex_hull";
      return MeshDistance({hull_surface(s, own)}, own);
    }
    Shape operator()(const HeightFieldShape& s) const {
      const std::string own = where + "/height_field";
      return MeshDistance({height_surface(s, own)}, own);
    }
    Shape operator()(const DistanceShape& s) const {
      return FunctionDistance(s, where + "/distance");
    }
  };
  return std::visit(Make{where}, shape);
}

ColliderObject::ColliderObject(const Collider& collider, const std::string& where,
                               std::vector<std::uint8_t> touches)
    : shape_(make_shape(collider.shape, where)),
      is_convex_(is_convex_shape(collider.shape)),
      center_(center_of(collider.shape)),
      friction_(collider.friction),
      touches_(std::move(touches)),
      motion_(collider.motion) {
  if (friction_ && !(*friction_ >= 0 && std::isfinite(*friction_))) {
    throw Error(ErrorKind::invalid_input, where + "/friction",
                fmt::format("{} is not a coefficient of friction; expected 0 or more", *friction_));
  }
  if (const std::string fault = validate(motion_); !fault.empty()) {
    throw Error(ErrorKind::invalid_input, where + "/motion", fault);
  }
  move(0, 0);
}

void ColliderObject::move(double time_end, double h) {
  end_ = evaluate(motion_, time_end);
  start_ = evaluate(motion_, time_end - h);
}

namespace {

SurfacePoint to_world(const Pose& pose, const SurfacePoint& local) {
  return {local.distance, pose.rotate(local.normal), pose.apply(local.point)};
}

}  // namespace

SurfacePoint ColliderObject::surface(const Vec3& x, Moment moment) const {
  const Vec3 local = pose(moment).apply_inverse(x);
  SurfacePoint found = to_world(
      pose(moment), std::visit([&](const auto& shape) { return shape.surface(local); }, shape_));
  push_out(found);
  return found;
}

NearSurface::NearSurface(const ColliderObject& collider, const Ball& ball, double apart)
    : collider_(collider) {
  const double distance = collider.surface(ball.center).distance;
  at_least_ = distance - ball.radius;
  const auto* const mesh = std::get_if<MeshDistance>(&collider.shape_);
  if (mesh == nullptr || at_least_ > apart) return;
  const Vec3 center = collider.to_own(ball.center);
  if (mesh->find_near(center, distance + collider.offset_, ball.radius, near_)) mesh_ = mesh;
}

SurfacePoint NearSurface::surface(const Vec3& x) const {
  if (mesh_ == nullptr) return collider_.surface(x);
  SurfacePoint found = collider_.from_own(mesh_->surface(collider_.to_own(x), near_));
  collider_.push_out(found);
  return found;
}

bool ColliderObject::penetration(const Vec3& x, SurfacePoint& found, Moment moment) const {
  const Vec3 local = pose(moment).apply_inverse(x);
  return std::visit(
      [&](const auto& shape) {
        if (surely_outside(shape, local, offset_)) return false;
        const SurfacePoint point = shape.surface(local);
        if (!(point.distance < offset_)) return false;
        found = to_world(pose(moment), point);
        push_out(found);
        return true;
      },
      shape_);
}

bool ColliderObject::clear_of(const Vec3& center, double radius, Moment moment) const {
  // A signed distance changes by no more than the distance between two points.
  const Vec3 local = pose(moment).apply_inverse(center);
  return std::visit(
      [&](const auto& shape) {
        return distance_at_least(shape, local, radius + offset_) > radius + offset_;
      },
      shape_);
}

double ColliderObject::at_least(const Vec3& x, const Clearance& known) const {
  const auto* const mesh = std::get_if<MeshDistance>(&shape_);
  if (mesh == nullptr || !(known.distance > 0)) return -Extent::infinity;
  // Much more than the rounding of distances, so that nothing depends on what is known.
  constexpr double rounding = 1e-12;
  const double margin = rounding * (mesh->scale() + known.distance);
  return known.distance - norm(to_own(x) - known.place) - margin - offset_;
}

bool ColliderObject::penetration(const Vec3& x, SurfacePoint& found, Clearance& known) const {
  if (at_least(x, known) > 0) return false;
  const auto* const mesh = std::get_if<MeshDistance>(&shape_);
  if (mesh == nullptr) return penetration(x, found);
  const Vec3 local = to_own(x);
  if (surely_outside(*mesh, local, offset_)) {
    known = {local, mesh->distance_to_box(local)};
    return false;
  }
  const SurfacePoint point = mesh->surface(local);
  known = {local, point.distance};
  if (!(point.distance < offset_)) return false;
  found = from_own(point);
  push_out(found);
  return true;
}

bool ColliderObject::clear_of(const Vec3& center, double radius, Clearance& known) const {
  if (at_least(center, known) > radius) return true;
  const auto* const mesh = std::get_if<MeshDistance>(&shape_);
  if (mesh == nullptr || !(radius < Extent::infinity)) return clear_of(center, radius);
  const Vec3 local = to_own(center);
  known = {local, distance_at_least(*mesh, local, radius + offset_)};
  return known.distance > radius + offset_;
}

void ColliderObject::push_out(SurfacePoint& found) const {
  if (offset_ == 0) return;
  found.distance -= offset_;
  found.point = found.point + offset_ * found.normal;
}

double ColliderObject::bend(const Vec3& q, double r) const {
  if (is_convex_) return 0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const TorusDistance* const torus = std::get_if<TorusDistance>(&shape_);
  return torus != nullptr ? torus->bend(end_.apply_inverse(q), r) : infinity;
}

bool ColliderObject::moves() const {
  return start_.rotation != end_.rotation || start_.translation != end_.translation;
}

bool ColliderObject::can_move() const {
  return motion_.rotate || motion_.velocity || !motion_.keyframes.empty();
}

Vec3 ColliderObject::displacement(const Vec3& x) const {
  return x - start_.apply(end_.apply_inverse(x));
}

}  // namespace supple
