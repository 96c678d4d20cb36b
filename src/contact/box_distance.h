#pragma once

#include <string>

#include "contact/surface_point.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// Oriented box with half edge lengths b, in its own frame:
///   outside d = |max(|q| - b, 0)|, inside d = max_i(|q_i| - b_i).
/// If several faces are nearest inside, the first of x, y, z is taken, on the positive side for q_i
/// = 0.
class BoxDistance {
 public:
  /// Throws Error{invalid_input} below `where`, a JSON pointer.
  BoxDistance(const BoxShape& shape, const std::string& where);
  SurfacePoint surface(const Vec3& x) const;

 private:
  Pose frame_;  ///< from the box's frame
  Vec3 half_;   ///< half edge lengths, m
};

}  // namespace supple
