#pragma once

#include <string>

#include "contact/surface_point.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// Solid cylinder with flat ends: with rho the distance from its axis, y the height above its
/// middle, a = rho - radius and b = |y| - height/2,
///   outside d = |(max(a, 0), max(b, 0))|, inside d = max(a, b).
/// On the axis the radial direction is one fixed perpendicular.
class CylinderDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  CylinderDistance(const CylinderShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;

 private:
  Pose frame_;  ///< origin in the middle, third axis along the cylinder's
  double radius_;
  double half_height_;
};

}  // namespace supple
