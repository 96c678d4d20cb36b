#include "math/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace supple {

namespace {

constexpr double pi = 3.14159265358979323846;

double length(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

double mix(double a, double b, double s) { return a + s * (b - a); }
Vec3 mix(const Vec3& a, const Vec3& b, double s) {
  return {mix(a[0], b[0], s), mix(a[1], b[1], s), mix(a[2], b[2], s)};
}

Pose posed(const Keyframe& key) {
  Pose pose = turned(key.axis, key.center, key.degrees);
  for (std::size_t k = 0; k < 3; ++k) pose.translation[k] += key.translate[k];
  return pose;
}

/// The period of a repeated motion ends at its last keyframe.
double into_period(double t, double period) {
  const double rest = std::fmod(t, period);
  return rest < 0 ? rest + period : rest;
}

Pose evaluate_keyframes(const Motion& motion, double t) {
  const std::vector<Keyframe>& keys = motion.keyframes;
  if (motion.repeat) t = into_period(t, keys.back().time);
  const auto next = std::upper_bound(keys.begin(), keys.end(), t,
                                     [](double time, const Keyframe& k) { return time < k.time; });
  if (next == keys.begin()) return posed(keys.front());
  if (next == keys.end()) return posed(keys.back());
  const Keyframe& a = *(next - 1);
  const Keyframe& b = *next;
  const double s = (t - a.time) / (b.time - a.time);
  Keyframe between;
  between.translate = mix(a.translate, b.translate, s);
  between.axis = mix(a.axis, b.axis, s);
  between.center = mix(a.center, b.center, s);
  between.degrees = mix(a.degrees, b.degrees, s);
  return posed(between);
}

bool usable(double value) { return std::abs(value) <= 1e100; }
bool usable(const Vec3& v) { return usable(v[0]) && usable(v[1]) && usable(v[2]); }

std::string check_axis(const Vec3& axis) {
  if (!usable(axis)) return "the axis is not finite";
  if (length(axis) == 0) return "the axis is zero; expected a direction";
  return "";
}

std::string check_rotation(const Rotation& rotation) {
  if (std::string fault = check_axis(rotation.axis); !fault.empty()) return fault;
  if (!usable(rotation.center)) return "the centre is not finite";
  if (!usable(rotation.degrees_per_second)) return "degrees_per_second is not finite";
  return "";
}

std::string check_keyframe(const Keyframe& key) {
  if (!usable(key.time)) return "the time is not finite";
  if (!usable(key.translate)) return "the translation is not finite";
  if (std::string fault = check_axis(key.axis); !fault.empty()) return fault;
  if (!usable(key.center)) return "the centre is not finite";
  if (!usable(key.degrees)) return "degrees is not finite";
  return "";
}

/// Whether the segment from a to b passes through zero, to rounding.
bool opposite(const Vec3& a, const Vec3& b) {
  const double la = length(a);
  const double lb = length(b);
  const Vec3 sum{a[0] / la + b[0] / lb, a[1] / la + b[1] / lb, a[2] / la + b[2] / lb};
  return length(sum) <= 1e-12;
}

std::string check_keyframes(const std::vector<Keyframe>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = "keyframe " + std::to_string(i) + ": ";
    if (const std::string fault = check_keyframe(keys[i]); !fault.empty()) return name + fault;
    if (i == 0) continue;
    if (!(keys[i].time > keys[i - 1].time)) {
      return name + "the time is not after that of the keyframe before it";
    }
    if (opposite(keys[i - 1].axis, keys[i].axis)) {
      return name +
             "the axis is opposite to that of the keyframe before it, so that there is none "
             "between them; keep the axis and negate the degrees";
    }
  }
  return "";
}

std::string check_repeat(std::size_t num_keyframes, double last_time) {
  if (num_keyframes < 2) return "repeat needs at least two keyframes";
  if (last_time > 0) return "";
  return "repeat needs a last keyframe at a positive time: that is its period";
}

}  // namespace

Pose turned(const Vec3& axis, const Vec3& center, double degrees) {
  Pose pose;
  const double norm = length(axis);
  if (!(norm > 0)) return pose;
  const Vec3 u{axis[0] / norm, axis[1] / norm, axis[2] / norm};
  // The remainder is exact, so whole turns are, too.
  const double half = std::remainder(degrees, 360.0) * (pi / 360);
  const double sine = std::sin(2 * half);
  const double versine = 2 * std::sin(half) * std::sin(half);  // 1 - cos without cancellation
  const double cosine = 1 - versine;
  auto& r = pose.rotation;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) r[3 * i + j] = versine * u[i] * u[j];
    r[4 * i] += cosine;
  }
  r[1] -= sine * u[2];
  r[2] += sine * u[1];
  r[3] += sine * u[2];
  r[5] -= sine * u[0];
  r[6] -= sine * u[1];
  r[7] += sine * u[0];
  const Vec3 moved = pose.rotate(center);
  pose.translation = {center[0] - moved[0], center[1] - moved[1], center[2] - moved[2]};
  return pose;
}

Pose evaluate(const Motion& motion, double t) {
  if (!motion.keyframes.empty()) return evaluate_keyframes(motion, t);
  Pose pose;
  if (motion.rotate) {
    const Rotation& rotation = *motion.rotate;
    pose = turned(rotation.axis, rotation.center, rotation.degrees_per_second * t);
  }
  if (motion.velocity) {
    for (std::size_t k = 0; k < 3; ++k) pose.translation[k] += (*motion.velocity)[k] * t;
  }
  return pose;
}

double evaluate(const TimedNumber& number, double t) {
  const auto& keys = number.keyframes;
  if (keys.empty()) return number.value;
  if (number.repeat) t = into_period(t, keys.back().first);
  const auto next = std::upper_bound(keys.begin(), keys.end(), t,
                                     [](double time, const auto& key) { return time < key.first; });
  if (next == keys.begin()) return keys.front().second;
  if (next == keys.end()) return keys.back().second;
  const auto& [time, value] = *(next - 1);
  return mix(value, next->second, (t - time) / (next->first - time));
}

bool changes(const TimedNumber& number) {
  return std::any_of(number.keyframes.begin(), number.keyframes.end(), [&](const auto& key) {
    return key.second != number.keyframes.front().second;
  });
}

std::string validate(const TimedNumber& number, double low, double high) {
  const auto allowed = [&](double value) { return usable(value) && value >= low && value <= high; };
  const auto& keys = number.keyframes;
  if (keys.empty() && !allowed(number.value)) return "the value is out of range";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = "keyframe " + std::to_string(i) + ": ";
    if (!usable(keys[i].first)) return name + "the time is not finite";
    if (!allowed(keys[i].second)) return name + "the value is out of range";
    if (i > 0 && !(keys[i].first > keys[i - 1].first)) {
      return name + "the time is not after that of the keyframe before it";
    }
  }
  return number.repeat ? check_repeat(keys.size(), keys.empty() ? 0 : keys.back().first) : "";
}

std::string validate(const Motion& motion) {
  if (motion.rotate) {
    if (const std::string fault = check_rotation(*motion.rotate); !fault.empty()) {
      return "rotate: " + fault;
    }
  }
  if (motion.velocity && !usable(*motion.velocity)) return "the velocity is not finite";
  if (!motion.keyframes.empty() && (motion.rotate || motion.velocity)) {
    return "keyframes stand beside a rotation or a velocity; expected one or the other";
  }
  if (std::string fault = check_keyframes(motion.keyframes); !fault.empty()) return fault;
  const auto& keys = motion.keyframes;
  return motion.repeat ? check_repeat(keys.size(), keys.empty() ? 0 : keys.back().time) : "";
}

}  // namespace supple
