#include "contact/capsule_distance.h"

#include <algorithm>

#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

CapsuleDistance::CapsuleDistance(const CapsuleShape& shape, const std::string& where)
    : length_(0), radius_(shape_checks::positive(shape.radius, where + "/radius")) {
  shape_checks::finite(shape.a, where + "/a");
  shape_checks::finite(shape.b, where + "/b");
  frame_ = frame_along(direction(shape.b - shape.a, {0, 1, 0}, length_), shape.a);
}

SurfacePoint CapsuleDistance::surface(const Vec3& x) const {
  // In the frame of the axis, the normal between the ends has a component along it only by
  // rounding.
  const Vec3 q = frame_.apply_inverse(x);
  const Vec3 core{0, 0, std::clamp(q[2], 0.0, length_)};
  double from_core = 0;
  const Vec3 n = direction(q - core, {1, 0, 0}, from_core);
  return {from_core - radius_, frame_.rotate(n), frame_.apply(core + radius_ * n)};
}

}  // namespace supple
