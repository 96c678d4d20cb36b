#pragma once

#include <array>

#include "render/camera.h"
#include "render/colour.h"
#include "render/render.h"

namespace supple {

/// A ground as a projection sees it. Positions in the picture are in the projection's pixels.
class GroundView {
 public:
  GroundView(const Ground& ground, const Projection& projection);

  bool solid() const { return ground_.solid; }
  const Vec3& normal() const { return ground_.normal; }
  /// Nearness b + dx x + dy y at (x, y); all zero when the viewer is below the plane.
  const std::array<double, 3>& nearness() const { return nearness_; }
  double nearness_at(double x, double y) const {
    return nearness_[0] + nearness_[1] * x + nearness_[2] * y;
  }
  /// The point of the plane seen at (x, y). The nearness there must be above 0.
  Vec3 point(double x, double y) const;
  /// The ground's colour there in front of `behind`, if the share `lit` of the key light reaches
  /// it.
  Colour shade(double x, double y, double lit, const Colour& behind) const;

 private:
  Ground ground_;
  Projection projection_;
  Vec3 u_, v_;  ///< along the sides of the squares
  std::array<double, 3> nearness_{0, 0, 0};
};

}  // namespace supple
