#include "contact/plane_distance.h"

#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

PlaneDistance::PlaneDistance(const PlaneShape& shape, const std::string& where)
    : normal_(shape_checks::unit(shape.normal, where + "/normal")),
      offset_(shape_checks::finite(shape.offset, where + "/offset")) {
  // `offset` belongs to the normal as given, which may have any length. |n| may be so small that
  // the quotient is not finite.
  offset_ = shape_checks::finite(offset_ / norm(shape.normal), where + "/offset");
}

SurfacePoint PlaneDistance::surface(const Vec3& x) const {
  const double distance = dot(normal_, x) - offset_;
  return {distance, normal_, x - distance * normal_};
}

}  // namespace supple
