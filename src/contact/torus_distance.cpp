#include "contact/torus_distance.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "contact/shape_checks.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

using namespace vec3;

TorusDistance::TorusDistance(const TorusShape& shape, const std::string& where)
    : frame_(frame_along(shape_checks::unit(shape.axis, where + "/axis"),
                         shape_checks::finite(shape.center, where + "/center"))),
      major_(shape_checks::positive(shape.major, where + "/major")),
      minor_(shape_checks::positive(shape.minor, where + "/minor")) {
  if (!(major_ > minor_)) {
    throw Error(
        ErrorKind::invalid_input, where + "/major",
        fmt::format("{} is not above minor = {}; expected a ring with a hole", major_, minor_));
  }
}

SurfacePoint TorusDistance::surface(const Vec3& x) const {
  const Vec3 q = frame_.apply_inverse(x);
  double rho = 0;
  const Vec3 radial = direction({q[0], q[1], 0}, {1, 0, 0}, rho);
  const Vec3 from_circle = (rho - major_) * radial + Vec3{0, 0, q[2]};
  double length = 0;
  const Vec3 n = direction(from_circle, radial, length);
  return {length - minor_, frame_.rotate(n), frame_.apply(major_ * radial + minor_ * n)};
}

double TorusDistance::bend(const Vec3& q, double r) const {
  const Vec3 own = frame_.apply_inverse(q);
  const double rho = std::hypot(own[0], own[1]) - r;
  return rho > 0 ? 1 / rho : std::numeric_limits<double>::infinity();
}

}  // namespace supple
