#include "contact/cylinder_distance.h"

#include <algorithm>
#include <cmath>

#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

CylinderDistance::CylinderDistance(const CylinderShape& shape, const std::string& where)
    : frame_(frame_along(shape_checks::unit(shape.axis, where + "/axis"),
                         shape_checks::finite(shape.center, where + "/center"))),
      radius_(shape_checks::positive(shape.radius, where + "/radius")),
      half_height_(0.5 * shape_checks::positive(shape.height, where + "/height")) {}

SurfacePoint CylinderDistance::surface(const Vec3& x) const {
  const Vec3 q = frame_.apply_inverse(x);
  double rho = 0;
  const Vec3 radial = direction({q[0], q[1], 0}, {1, 0, 0}, rho);
  const Vec3 axial{0, 0, q[2] < 0 ? -1.0 : 1.0};
  const double a = rho - radius_;
  const double b = std::abs(q[2]) - half_height_;
  // The nearest point in the half-plane through the axis and x, as (distance from axis, height).
  double at_radius = std::min(rho, radius_);
  double at_height = std::min(std::abs(q[2]), half_height_);
  Vec3 n = a > b ? radial : axial;
  double distance = std::max(a, b);
  if (distance <= 0) {
    if (a > b) {
      at_radius = radius_;
    } else {
      at_height = half_height_;
    }
  } else if (a > 0 && b > 0) {
    n = direction(a * radial + b * axial, n, distance);
  }
  const Vec3 nearest = at_radius * radial + at_height * axial;
  return {distance, frame_.rotate(n), frame_.apply(nearest)};
}

}  // namespace supple
