#include "session/placement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {

Pose Placement::pose(const Vec3& center) const {
  Pose pose = turned(axis, center, degrees);
  for (std::size_t k = 0; k < 3; ++k) pose.translation[k] += translate[k];
  return pose;
}

Pose compose(const Pose& second, const Pose& first) {
  Pose pose;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += second.rotation[3 * i + k] * first.rotation[3 * k + j];
      }
      pose.rotation[3 * i + j] = sum;
    }
  }
  pose.translation = second.apply(first.translation);
  return pose;
}

Keyframe keyframe_of(const Pose& pose) {
  // By the quaternion w, x, y, z. The largest component is found first, so that nothing is divided
  // by a small number [Shepperd 1978].
  const auto& r = pose.rotation;
  const double trace = r[0] + r[4] + r[8];
  const double four[4] = {1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace,
                          1 + 2 * r[8] - trace};
  double q[4];
  const auto largest = static_cast<int>(std::max_element(four, four + 4) - four);
  const double s = 2 * std::sqrt(four[largest]);
  switch (largest) {
    case 0:
      q[0] = s / 4, q[1] = (r[7] - r[5]) / s, q[2] = (r[2] - r[6]) / s, q[3] = (r[3] - r[1]) / s;
      break;
    case 1:
      q[0] = (r[7] - r[5]) / s, q[1] = s / 4, q[2] = (r[1] + r[3]) / s, q[3] = (r[2] + r[6]) / s;
      break;
    case 2:
      q[0] = (r[2] - r[6]) / s, q[1] = (r[1] + r[3]) / s, q[2] = s / 4, q[3] = (r[5] + r[7]) / s;
      break;
    default:
      q[0] = (r[3] - r[1]) / s, q[1] = (r[2] + r[6]) / s, q[2] = (r[5] + r[7]) / s, q[3] = s / 4;
  }
  const double sign = q[0] < 0 ? -1 : 1;
  const double sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  Keyframe key;
  key.translate = pose.translation;
  if (!(sine > 0)) return key;
  key.axis = {sign * q[1] / sine, sign * q[2] / sine, sign * q[3] / sine};
  key.degrees = 2 * std::atan2(sine, sign * q[0]) * 180 / std::numbers::pi;
  return key;
}

bool changes_with_time(const Motion& motion) {
  return motion.rotate || motion.velocity || motion.keyframes.size() > 1;
}

Motion standing(const Pose& pose) {
  Motion motion;
  motion.keyframes.push_back(keyframe_of(pose));
  return motion;
}

Motion way_between(const Pose& from, double start, const Pose& to, double end, const Vec3& center) {
  const auto key_at = [&](const Pose& pose, double time) {
    Keyframe key = keyframe_of(pose);
    key.time = time;
    key.center = center;
    const Vec3 moved = pose.apply(center);
    for (std::size_t k = 0; k < 3; ++k) key.translate[k] = moved[k] - center[k];
    return key;
  };
  Keyframe first = key_at(from, start), last = key_at(to, end);
  // A pose can be written in many ways: both get axes that point the same way, and the nearest
  // angle.
  if (first.degrees == 0) first.axis = last.axis;
  if (last.degrees == 0) last.axis = first.axis;
  double along = 0;
  for (std::size_t k = 0; k < 3; ++k) along += first.axis[k] * last.axis[k];
  if (along < 0) {
    for (double& x : last.axis) x = -x;
    last.degrees = -last.degrees;
  }
  last.degrees += 360 * std::round((first.degrees - last.degrees) / 360);
  Motion motion;
  motion.keyframes = {first, last};
  return motion;
}

Pose placed_pose(const Motion& motion, const Vec3& center, const Placement& placement, double t) {
  const Pose moved = evaluate(motion, t);
  if (placement.is_identity()) return moved;
  return compose(placement.pose(moved.apply(center)), moved);
}

}  // namespace supple
