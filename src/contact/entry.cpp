#include "contact/entry.h"

#include <algorithm>

#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// Share of the length of a path: a place nearer than this to a surface is on it.
constexpr double path_rounding = 1e-9;
/// Share of the length of a path: the least length of a step along a surface.
constexpr double least_step = 1e-3;
constexpr int most_steps = 100;

}  // namespace

bool find_entry(const ColliderObject& collider, const Vec3& from, const Vec3& to,
                SurfacePoint& here) {
  double length = 0;
  const Vec3 along = direction(to - from, {0, 0, 0}, length);
  double done = 0;
  for (int i = 0; i < most_steps; ++i) {
    const bool is_there = here.distance <= path_rounding * length;
    if (is_there && dot(here.normal, along) < 0) return true;
    done += std::max(here.distance, least_step * length);
    if (!(done < length)) return false;
    here = collider.surface(from + done * along);
  }
  return false;
}

}  // namespace supple
