#pragma once

#include <string>

#include "contact/surface_point.h"
#include "supple/scene.h"

namespace supple {

/// Half-space: d(x) = (n . x - offset) / |n|.
class PlaneDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  PlaneDistance(const PlaneShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;

 private:
  Vec3 normal_;    ///< unit
  double offset_;  ///< for the unit normal, m
};

}  // namespace supple
