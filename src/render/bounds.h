#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "supple/mesh.h"

namespace supple {

/// A box that grows around points. Points that are not finite, or farther out than 1e30 m, are left
/// out: a picture of the others is better than none.
class Bounds {
 public:
  void add(const Vec3& x) {
    for (const double c : x) {
      if (!(c >= -1e30 && c <= 1e30)) return;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      box_.min[d] = std::min(box_.min[d], x[d]);
      box_.max[d] = std::max(box_.max[d], x[d]);
    }
  }
  /// positions: [n * 3], m.
  void add(std::span<const double> positions) {
    for (std::size_t i = 0; i + 2 < positions.size(); i += 3) {
      add({positions[i], positions[i + 1], positions[i + 2]});
    }
  }
  bool empty() const { return !(box_.min[0] <= box_.max[0]); }
  /// The box, or one of zeros while empty.
  Box box() const { return empty() ? Box{} : box_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Box box_{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
};

}  // namespace supple
