#include "contact/box_distance.h"

#include <algorithm>
#include <cmath>

#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

BoxDistance::BoxDistance(const BoxShape& shape, const std::string& where) {
  shape_checks::finite(shape.center, where + "/center");
  for (double edge : shape.size) shape_checks::positive(edge, where + "/size");
  const Vec3 axis = shape_checks::unit(shape.axis, where + "/axis");
  frame_ = turned(axis, {0, 0, 0}, shape_checks::finite(shape.degrees, where + "/degrees"));
  frame_.translation = shape.center;
  half_ = 0.5 * shape.size;
}

SurfacePoint BoxDistance::surface(const Vec3& x) const {
  const Vec3 q = frame_.apply_inverse(x);
  Vec3 nearest{};
  std::size_t face = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    nearest[k] = std::clamp(q[k], -half_[k], half_[k]);
    if (std::abs(q[k]) - half_[k] > std::abs(q[face]) - half_[face]) face = k;
  }
  Vec3 to_face{0, 0, 0};
  to_face[face] = q[face] < 0 ? -1 : 1;
  double distance = 0;
  const Vec3 n = direction(q - nearest, to_face, distance);
  if (!(distance > 0)) {
    distance = std::abs(q[face]) - half_[face];
    nearest[face] = to_face[face] * half_[face];
  }
  return {distance, frame_.rotate(n), frame_.apply(nearest)};
}

}  // namespace supple
