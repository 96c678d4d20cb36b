#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "math/vec3.h"

namespace supple {

struct Ball {
  Vec3 center;
  double radius;
};

/// Smallest box that holds some points, and their sum, which tells whether all are finite.
struct Extent {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low{infinity, infinity, infinity};
  Vec3 high{-infinity, -infinity, -infinity};
  Vec3 sum{0, 0, 0};

  void add(const Vec3& p) { add({p, p, p}); }
  void add(const Extent& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
      sum[k] += other.sum[k];
    }
  }
  /// If a point is not finite, the ball is all of space, so it is clear of nothing.
  Ball ball() const {
    using namespace vec3;
    const bool finite = std::isfinite(sum[0]) && std::isfinite(sum[1]) && std::isfinite(sum[2]);
    return {0.5 * (low + high), finite ? 0.5 * norm(high - low) : infinity};
  }
};

}  // namespace supple
