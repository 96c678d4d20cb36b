#include "contact/function_distance.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/refuse.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

FunctionDistance::FunctionDistance(const DistanceShape& shape, const std::string& where)
    : distance_(shape.distance), where_(where) {
  if (!distance_) refuse(where_, "there is no function");
}

SurfacePoint FunctionDistance::surface(const Vec3& x) const {
  if (!std::isfinite(x[0] + x[1] + x[2])) {
    return {std::numeric_limits<double>::infinity(), {0, 1, 0}, x};
  }
  Vec3 gradient{0, 0, 0};
  const double distance = distance_(x, gradient);
  const auto fail = [&](const char* what, double value) {
    refuse(where_, fmt::format("{} at ({}, {}, {}) is {}", what, x[0], x[1], x[2], value));
  };
  if (std::isnan(distance) || distance == -std::numeric_limits<double>::infinity()) {
    fail("the distance", distance);
  }
  for (const double slope : gradient) {
    if (!std::isfinite(slope)) fail("the gradient", slope);
  }
  double length = 0;
  const Vec3 normal = direction(gradient, {0, 1, 0}, length);
  // Outside, for example in the middle of a gap, no force acts along it.
  if (!(length > 0) && distance < 0) fail("within the solid the length of the gradient", length);
  return {distance, normal, x - distance * normal};
}

}  // namespace supple
