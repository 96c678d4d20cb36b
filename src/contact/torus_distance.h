#pragma once

#include <string>

#include "contact/surface_point.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// Solid ring: d(x) = |x - nearest point of the circle of radius `major`| - minor. On the axis one
/// fixed point of the circle is taken; on the circle the normal points away from the axis.
class TorusDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  TorusDistance(const TorusShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;
  /// Like ColliderObject::bend: around the tube the distance bends like that of a circle, along the
  /// ring by cos(a)/rho, where rho is the distance from the axis.
  double bend(const Vec3& q, double r) const;

 private:
  Pose frame_;  ///< origin in the middle, third axis along the torus's
  double major_;
  double minor_;
};

}  // namespace supple
