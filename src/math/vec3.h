#pragma once

#include <algorithm>
#include <cmath>

#include "supple/mesh.h"

/// Algebra on the public Vec3, in a namespace of its own so that it never meets the templates of
/// math/mat3.h.
namespace supple::vec3 {

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// |v|, free of overflow and underflow of the squares.
inline double norm(const Vec3& v) {
  const double squared = dot(v, v);
  if (squared > 1e-280 && squared < 1e280) return std::sqrt(squared);
  return std::hypot(v[0], v[1], v[2]);
}

/// v/|v|, or `fallback` if v has no direction; `length` becomes |v|.
inline Vec3 direction(const Vec3& v, const Vec3& fallback, double& length) {
  length = norm(v);
  if (!(length > 1e-300)) return fallback;
  return {v[0] / length, v[1] / length, v[2] / length};
}
inline Vec3 direction(const Vec3& v, const Vec3& fallback) {
  double length = 0;
  return direction(v, fallback, length);
}

}  // namespace supple::vec3
