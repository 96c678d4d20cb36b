#pragma once

#include <cmath>

#include "supple/mesh.h"

/// Algebra on the public Vec3, in its own namespace. For sources only.
namespace supple::vec {

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator-(const Vec3& a) { return {-a[0], -a[1], -a[2]}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }

inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }

/// a/|a|, or `fallback` if no direction of a can be computed.
inline Vec3 unit(const Vec3& a, const Vec3& fallback) {
  const double l = length(a);
  if (!(l > 1e-150) || !std::isfinite(l)) return fallback;
  return (1 / l) * a;
}

inline bool finite(const Vec3& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

/// A unit vector perpendicular to the unit vector n, always the same for the same n.
inline Vec3 across(const Vec3& n) {
  const Vec3 other = std::abs(n[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  return unit(cross(other, n), {1, 0, 0});
}

}  // namespace supple::vec
