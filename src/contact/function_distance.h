#pragma once

#include <functional>
#include <string>

#include "contact/surface_point.h"
#include "supple/scene.h"

namespace supple {

/// A solid given by a user's signed distance d. The normal is the direction of its gradient, and
/// the surface point is x - d n, which is near the surface if x is.
class FunctionDistance {
 public:
  /// Throws Error{invalid_input} at `where` for an empty function.
  FunctionDistance(const DistanceShape& shape, const std::string& where);

  /// For an x that is not finite the distance is infinite. Throws what the function throws, and
  /// Error{invalid_input} at `where` for a distance that is not a number or -infinity, for a
  /// gradient that is not finite, and inside the solid for a gradient of 0.
  SurfacePoint surface(const Vec3& x) const;

 private:
  std::function<double(const Vec3&, Vec3&)> distance_;
  std::string where_;
};

}  // namespace supple
