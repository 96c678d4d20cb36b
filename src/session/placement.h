#pragma once

#include "contact/shape_center.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// How something was moved by hand as a whole: first turned about its own centre, then translated.
struct Placement {
  Vec3 translate{0, 0, 0};  ///< m
  Vec3 axis{0, 1, 0};
  double degrees = 0;

  bool is_identity() const { return translate == Vec3{0, 0, 0} && degrees == 0; }
  bool operator==(const Placement&) const = default;
  Pose pose(const Vec3& center) const;
};

/// The pose that applies `first`, then `second`.
Pose compose(const Pose& second, const Pose& first);

/// Axis (of length 1), angle and translation of a pose about the origin. The angle is between 0 and
/// 180 degrees.
Keyframe keyframe_of(const Pose& pose);

bool changes_with_time(const Motion& motion);

/// A motion that stays at one pose.
Motion standing(const Pose& pose);

/// A motion from one pose at time `start`, s, to another at `end`, where it stops. On the way the
/// point `center` (at rest) moves in a straight line, and everything else turns about it through
/// the smaller angle.
Motion way_between(const Pose& from, double start, const Pose& to, double end, const Vec3& center);

/// The pose at time t of something that has this motion and was placed by hand; `center` at rest.
Pose placed_pose(const Motion& motion, const Vec3& center, const Placement& placement, double t);

}  // namespace supple
