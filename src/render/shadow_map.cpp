#include "render/shadow_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/vec.h"

namespace supple {

using namespace vec;

namespace {

/// Half the side of the square of texels over which a shadow's edge is spread.
constexpr int filter_radius = 3;

}  // namespace

ShadowMap::ShadowMap(const Vec3& to_light, const Box& bounds, int resolution)
    : to_light_(to_light),
      right_(across(to_light)),
      up_(cross(to_light, right_)),
      center_(0.5 * (bounds.min + bounds.max)),
      map_(resolution, resolution, -std::numeric_limits<float>::infinity()) {
  const double radius = std::max(0.5 * length(bounds.max - bounds.min), 1e-9);
  // The filter reaches beyond the shadow, so a margin is kept free around it.
  texels_per_metre_ = (0.5 * resolution - 2 * filter_radius) / radius;
}

Vec3 ShadowMap::to_map(const Vec3& x) const {
  const Vec3 d = x - center_;
  const double middle = 0.5 * map_.width();
  return {middle + texels_per_metre_ * dot(d, right_), middle + texels_per_metre_ * dot(d, up_),
          dot(d, to_light_)};
}

void ShadowMap::draw(std::span<const Vec3> vertices,
                     std::span<const std::array<int, 3>> triangles) {
  for (const auto& t : triangles) {
    map_.draw(to_map(vertices[static_cast<std::size_t>(t[0])]),
              to_map(vertices[static_cast<std::size_t>(t[1])]),
              to_map(vertices[static_cast<std::size_t>(t[2])]), 0);
  }
}

double ShadowMap::light_at(const Vec3& x, const Vec3& normal) const {
  // A surface must not shade itself through the steps of the map. The point is therefore lifted off
  // it, more so if the light grazes the surface and a texel covers more of it.
  const double texel = 1 / texels_per_metre_;
  const double facing = std::clamp(dot(normal, to_light_), 0.0, 1.0);
  const double lift = texel * filter_radius * (0.5 + 1.2 * std::sqrt(1 - facing * facing));
  const Vec3 p = to_map(x + lift * normal);
  const double u = p[0] - 0.5, v = p[1] - 0.5;
  const int n = map_.width();
  if (!(u >= filter_radius && v >= filter_radius && u < n - filter_radius - 1 &&
        v < n - filter_radius - 1)) {
    return 1;
  }
  const int i0 = static_cast<int>(u), j0 = static_cast<int>(v);
  const double fu = u - i0, fv = v - j0;
  const auto nearness = static_cast<float>(p[2] + 0.5 * texel);
  // A tent filter that moves with the point, so that the edge is smooth and not stepped.
  double lit = 0, sum = 0;
  for (int dj = 1 - filter_radius; dj <= filter_radius; ++dj) {
    const double weight_v = filter_radius - std::abs(dj - fv);
    for (int di = 1 - filter_radius; di <= filter_radius; ++di) {
      const double weight = weight_v * (filter_radius - std::abs(di - fu));
      sum += weight;
      if (map_.nearness(i0 + di, j0 + dj) <= nearness) lit += weight;
    }
  }
  return lit / sum;
}

}  // namespace supple
