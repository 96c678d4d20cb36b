#include "contact/sphere_distance.h"

#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

SphereDistance::SphereDistance(const SphereShape& shape, const std::string& where)
    : center_(shape_checks::finite(shape.center, where + "/center")),
      radius_(shape_checks::positive(shape.radius, where + "/radius")) {}

SurfacePoint SphereDistance::surface(const Vec3& x) const {
  double from_center = 0;
  const Vec3 n = direction(x - center_, {0, 1, 0}, from_center);
  return {from_center - radius_, n, center_ + radius_ * n};
}

}  // namespace supple
