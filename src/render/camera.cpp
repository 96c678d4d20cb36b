#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

/// Largest coordinate a camera is fitted to: its square and cube stay far from overflow.
constexpr double largest_coordinate = 1e60;

Box usable_box(const Box& box) {
  Box result = box;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool valid = std::abs(box.min[d]) <= largest_coordinate &&
                       std::abs(box.max[d]) <= largest_coordinate && box.min[d] <= box.max[d];
    if (!valid) return {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  }
  const double size = length(box.max - box.min);
  const double magnitude = std::max(length(box.max), length(box.min));
  // A point, or a box so far out that its size is lost in rounding, still gets a view.
  const double pad = std::max(1e-6 * magnitude, size > 0 ? 0 : 1e-3);
  for (std::size_t d = 0; d < 3; ++d) {
    result.min[d] -= pad;
    result.max[d] += pad;
  }
  return result;
}

Vec3 corner(const Box& box, int i) {
  return {(i & 1) != 0 ? box.max[0] : box.min[0], (i & 2) != 0 ? box.max[1] : box.min[1],
          (i & 4) != 0 ? box.max[2] : box.min[2]};
}

/// The direction of view: across the longer of the two horizontal sides, from above.
Vec3 view_direction(const Box& box, const Vec3& up) {
  // Two horizontal axes: the axes of the world most nearly perpendicular to `up`.
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t i, std::size_t j) { return std::abs(up[i]) < std::abs(up[j]); });
  std::size_t long_axis = std::min(axes[0], axes[1]);
  std::size_t short_axis = std::max(axes[0], axes[1]);
  const Vec3 size = box.max - box.min;
  if (size[short_axis] > 1.2 * size[long_axis]) std::swap(long_axis, short_axis);
  Vec3 along{0, 0, 0};
  along[long_axis] = 1;
  along = unit(along - dot(along, up) * up, across(up));
  const Vec3 toward = cross(along, up);  // so that the long axis points to the right
  const double azimuth = 28 * std::numbers::pi / 180;
  const double elevation = 20 * std::numbers::pi / 180;
  const Vec3 horizontal = std::cos(azimuth) * toward + std::sin(azimuth) * along;
  return -(std::cos(elevation) * horizontal + std::sin(elevation) * up);
}

}  // namespace

Camera fit_camera(const Box& given, const Vec3& up_direction, double aspect) {
  const Box box = usable_box(given);
  Camera camera;
  camera.up = unit(up_direction, {0, 1, 0});
  const Vec3 forward = unit(view_direction(box, camera.up), {0, 0, -1});
  const Vec3 right = unit(cross(forward, camera.up), across(forward));
  const Vec3 up = cross(right, forward);
  // Slopes of the frustum's sides, less a margin of 7% of the picture.
  const double slope_y = 0.93 * std::tan(0.5 * camera.vertical_degrees * std::numbers::pi / 180);
  const double slope_x = slope_y * (aspect > 0.01 && aspect < 100 ? aspect : 1);

  // The eye at (ex, ey, ez) along right, up, forward sees a point p if |p_x - ex| <= slope_x (p_z -
  // ez), and likewise for y: four planes for all points. The nearest eye lies where the narrower
  // pair of planes meets, in the middle of the other.
  const Vec3 origin = 0.5 * (box.min + box.max);
  double left = -1e300, rightmost = -1e300, below = -1e300, above = -1e300;
  for (int i = 0; i < 8; ++i) {
    const Vec3 p = corner(box, i) - origin;
    const double x = dot(p, right), y = dot(p, up), z = dot(p, forward);
    rightmost = std::max(rightmost, x - slope_x * z);
    left = std::max(left, -x - slope_x * z);
    above = std::max(above, y - slope_y * z);
    below = std::max(below, -y - slope_y * z);
  }
  const double ex = 0.5 * (rightmost - left), ey = 0.5 * (above - below);
  const double back = std::max((rightmost + left) / (2 * slope_x), (above + below) / (2 * slope_y));
  camera.target = origin + ex * right + ey * up;
  camera.eye = camera.target - back * forward;
  return camera;
}

Projection::Projection(const Camera& camera, double width, double height)
    : eye_(camera.eye),
      width_(width),
      height_(height),
      focal_(0.5 * height / std::tan(0.5 * camera.vertical_degrees * std::numbers::pi / 180)) {
  const Vec3 view = camera.target - camera.eye;
  forward_ = unit(view, {0, 0, -1});
  right_ = unit(cross(forward_, camera.up), across(forward_));
  up_ = cross(right_, forward_);
  near_ = std::max(1e-3 * length(view), 1e-9);
}

Vec3 Projection::to_camera(const Vec3& x) const {
  const Vec3 d = x - eye_;
  return {dot(d, right_), dot(d, up_), dot(d, forward_)};
}

Vec3 Projection::ray(double x, double y) const {
  return focal_ * forward_ + (x - 0.5 * width_) * right_ + (0.5 * height_ - y) * up_;
}

}  // namespace supple
