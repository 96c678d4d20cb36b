#pragma once

#include "contact/shape_center.h"
#include "math/motion.h"
#include "supple/scene.h"

namespace supple {

/// How something was moved by hand as a whole: turned about its own centre, then moved.
struct Placement {
  Vec3 translate{0, 0, 0};  ///< m
  Vec3 axis{0, 1, 0};
  double degrees = 0;

  bool is_identity() const { return translate == Vec3{0, 0, 0} && degrees == 0; }
  bool operator==(const Placement&) const = default;
  Pose pose(const Vec3& center) const;
};

/// first, then second.
Pose compose(const Pose& second, const Pose& first);

/// Axis (of length 1), angle and translation of a pose, about the origin; the angle from 0 to 180.
Keyframe keyframe_of(const Pose& pose);

bool changes_with_time(const Motion& motion);

/// A motion that stands still at a pose.
Motion standing(const Pose& pose);

/// A motion from one pose at time `start` to another at `end`, s, there to stand still. On the way
/// a point `center` (at rest) goes straight, and all turns about it through the smaller angle.
Motion way_between(const Pose& from, double start, const Pose& to, double end, const Vec3& center);

/// The pose at time t of what has this motion and was placed by hand; `center` at rest.
Pose placed_pose(const Motion& motion, const Vec3& center, const Placement& placement, double t);

}  // namespace supple
