#include "contact/shape_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

namespace shape_checks {

double finite(double value, const std::string& where) {
  if (!(std::abs(value) <= 1e100)) {
    throw Error(ErrorKind::invalid_input, where,
                fmt::format("{} is not a finite number of at most 1e100", value));
  }
  return value;
}

double positive(double value, const std::string& where) {
  finite(value, where);
  if (!(value > 0)) {
    throw Error(ErrorKind::invalid_input, where,
                fmt::format("{} is not positive; expected a length in m", value));
  }
  return value;
}

Vec3 finite(const Vec3& value, const std::string& where) {
  for (double component : value) finite(component, where);
  return value;
}

Vec3 unit(const Vec3& value, const std::string& where) {
  finite(value, where);
  double length = 0;
  const Vec3 u = direction(value, {0, 0, 0}, length);
  if (u == Vec3{0, 0, 0}) {
    throw Error(ErrorKind::invalid_input, where, "the direction is zero; expected any other");
  }
  return u;
}

}  // namespace shape_checks

Pose frame_along(const Vec3& axis, const Vec3& origin) {
  // The coordinate axis farthest from `axis` gives the best-conditioned cross product.
  std::size_t least = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (std::abs(axis[k]) < std::abs(axis[least])) least = k;
  }
  Vec3 other{0, 0, 0};
  other[least] = 1;
  const Vec3 e1 = direction(cross(axis, other), {1, 0, 0});
  const Vec3 e2 = cross(axis, e1);
  Pose frame;
  for (std::size_t k = 0; k < 3; ++k) {
    frame.rotation[3 * k] = e1[k];
    frame.rotation[3 * k + 1] = e2[k];
    frame.rotation[3 * k + 2] = axis[k];
  }
  frame.translation = origin;
  return frame;
}

}  // namespace supple
