#include "render/ground.h"

#include <algorithm>
#include <cmath>

#include "render/shading.h"
#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

const Colour light_square = srgb(0xE9ECEF), dark_square = srgb(0xDCE1E6);
const Colour in_shadow{0.50, 0.53, 0.60};  ///< the light that remains, bluish like the sky
const Colour line_colour = srgb(0x8794A3);

}  // namespace

GroundView::GroundView(const Ground& ground, const Projection& projection)
    : ground_(ground), projection_(projection) {
  ground_.normal = unit(ground.normal, {0, 1, 0});
  if (!(ground_.cell > 0)) ground_.cell = 1;
  u_ = across(ground_.normal);
  v_ = cross(ground_.normal, u_);
  const double height = dot(ground_.normal, projection_.eye()) - ground_.offset;
  if (!(height > 0)) return;
  // The ray r meets the plane at -height/(n . r) along r, whose forward component is the focal
  // length.
  const double scale = -1 / (height * projection_.focal());
  const double base = dot(ground_.normal, projection_.ray(0, 0));
  nearness_ = {scale * base, scale * (dot(ground_.normal, projection_.ray(1, 0)) - base),
               scale * (dot(ground_.normal, projection_.ray(0, 1)) - base)};
}

Vec3 GroundView::point(double x, double y) const {
  const double forward = 1 / nearness_at(x, y);
  return projection_.eye() + (forward / projection_.focal()) * projection_.ray(x, y);
}

Colour GroundView::shade(double x, double y, double lit, const Colour& behind) const {
  const Vec3 p = point(x, y);
  const double distance = length(p - ground_.focus) / ground_.radius;
  const double fade = std::clamp((distance - 1.6) / 4.4, 0.0, 1.0);
  const double seen = (1 - fade) * (1 - fade) * (1 + 2 * fade);
  if (!(seen > 0)) return behind;

  // The box of the plane that a pixel of two by two samples covers, in squares.
  const double unit_length = 1 / ground_.cell;
  double du = 1e-6, dv = 1e-6;
  const std::array<std::array<double, 2>, 2> steps{{{2, 0}, {0, 2}}};
  for (const auto& step : steps) {
    const bool below_horizon = nearness_at(x + step[0], y + step[1]) > 0;
    const Vec3 d = below_horizon ? point(x + step[0], y + step[1]) - p : 1e3 * ground_.cell * u_;
    du = std::max(du, unit_length * std::abs(dot(d, u_)));
    dv = std::max(dv, unit_length * std::abs(dot(d, v_)));
  }
  const double u = unit_length * dot(p, u_), v = unit_length * dot(p, v_);
  if (!ground_.solid) {
    return mix(behind, line_colour, 0.5 * seen * grid_lines(u, v, du, dv, 0.03));
  }
  const Colour squares = mix(dark_square, light_square, checker(u, v, du, dv));
  return mix(behind, squares * mix(in_shadow, {1, 1, 1}, lit), seen);
}

}  // namespace supple
