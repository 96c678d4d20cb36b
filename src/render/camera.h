#pragma once

#include <array>

#include "supple/mesh.h"

namespace supple {

/// The place of a camera: perspective, looking from `eye` at `target`.
struct Camera {
  Vec3 eye{0, 0, 5};             ///< m
  Vec3 target{0, 0, 0};          ///< m
  Vec3 up{0, 1, 0};              ///< any direction not along the view
  double vertical_degrees = 28;  ///< full angle of view from bottom to top
};

/// The camera that shows the whole box as large as it fits into a picture of width / height =
/// `aspect`, with a small margin: a three-quarter view from somewhat above, across the longer
/// horizontal side. up: any direction but zero. A box with non-finite corners is replaced by a unit
/// cube about the origin. Never throws.
Camera fit_camera(const Box& box, const Vec3& up, double aspect);

/// The map of a camera from points to pixels of a picture. Camera coordinates are right, up and
/// forward, m.
class Projection {
 public:
  Projection(const Camera& camera, double width, double height);

  Vec3 to_camera(const Vec3& x) const;
  /// Pixel coordinates (x to the right, y down, (0, 0) the top left corner) and nearness 1/forward,
  /// 1/m, of a point in camera coordinates with forward > 0. For the points of a plane, nearness is
  /// linear in the picture.
  Vec3 to_picture(const Vec3& camera) const {
    const double nearness = 1 / camera[2];
    return {0.5 * width_ + focal_ * camera[0] * nearness,
            0.5 * height_ - focal_ * camera[1] * nearness, nearness};
  }
  /// Direction, not of unit length, from the eye through a point of the picture.
  Vec3 ray(double x, double y) const;

  const Vec3& eye() const { return eye_; }
  const Vec3& right() const { return right_; }
  const Vec3& up() const { return up_; }
  const Vec3& forward() const { return forward_; }
  double near() const { return near_; }    ///< nothing nearer is drawn, m
  double focal() const { return focal_; }  ///< pixels

 private:
  Vec3 eye_, right_, up_, forward_;
  double width_, height_, focal_, near_;
};

}  // namespace supple
