#pragma once

#include <string>

#include "contact/surface_point.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// All points within r of the segment a b: d(x) = |x - nearest point of the segment| - r. On the
/// segment the normal is perpendicular to it. If a = b, it is a ball.
class CapsuleDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  CapsuleDistance(const CapsuleShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;

 private:
  Pose frame_;     ///< origin a, third axis along the segment
  double length_;  ///< of the segment, m
  double radius_;
};

}  // namespace supple
