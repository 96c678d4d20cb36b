#pragma once

#include <string>

#include "contact/surface_point.h"
#include "supple/scene.h"

namespace supple {

/// Ball: d(x) = |x - c| - r. At the centre the normal is +y.
class SphereDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  SphereDistance(const SphereShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;

 private:
  Vec3 center_;
  double radius_;
};

}  // namespace supple
