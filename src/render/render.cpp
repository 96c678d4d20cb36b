#include "render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/ground.h"
#include "render/shading.h"
#include "render/shadow_map.h"
#include "render/vec.h"
#include "render/visibility.h"
#include "supple/error.h"

// A picture is drawn in two passes. The first finds which triangle is seen at each of four samples
// per pixel. The second shades each pixel once for every different triangle in it, at the point
// where the ray through the sample meets that triangle. So edges are smooth at little more than the
// cost of one sample per pixel.

namespace supple {

using namespace vec;

namespace {

constexpr int samples_a_side = 2;
constexpr int shadow_resolution = 1024;

/// A drawable in world coordinates.
struct Surface {
  std::vector<Vec3> vertices;
  std::span<const std::array<int, 3>> triangles;
  const Smoothing* smoothing;
  std::vector<Vec3> normals;
  Colour colour;
  double opacity;
};

struct TriangleOf {
  int surface;
  int triangle;
};

void check(const Drawable& drawable, std::size_t number) {
  const std::string where = fmt::format("drawable {}", number);
  const auto n = static_cast<int>(drawable.vertices.size());
  for (std::size_t t = 0; t < drawable.triangles.size(); ++t) {
    for (const int v : drawable.triangles[t]) {
      if (v < 0 || v >= n) {
        throw Error(ErrorKind::invalid_input, where,
                    fmt::format("triangle {} has the vertex {}; expected 0 to {}", t, v, n - 1));
      }
    }
  }
  if (drawable.smoothing != nullptr &&
      drawable.smoothing->normal_of_corner.size() != drawable.triangles.size()) {
    throw Error(
        ErrorKind::invalid_input, where,
        fmt::format("a smoothing of {} triangles for {}",
                    drawable.smoothing->normal_of_corner.size(), drawable.triangles.size()));
  }
}

/// Draws a triangle in camera coordinates, cut at the near plane.
void draw_clipped(const std::array<Vec3, 3>& corners, const Projection& projection,
                  Visibility& visibility, std::int32_t number) {
  std::array<Vec3, 4> kept{};
  std::size_t n = 0;
  const double near = projection.near();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &p = corners[k], &q = corners[(k + 1) % 3];
    if (p[2] >= near) kept[n++] = p;
    if ((p[2] >= near) != (q[2] >= near)) {
      const double t = (near - p[2]) / (q[2] - p[2]);
      kept[n] = p + t * (q - p);
      kept[n++][2] = near;
    }
  }
  for (Vec3& p : kept) p = projection.to_picture(p);
  for (std::size_t k = 2; k < n; ++k) visibility.draw(kept[0], kept[k - 1], kept[k], number);
}

class Renderer {
 public:
  Renderer(const Picture& picture, const Camera& camera, int width, int height);

  void shade_row(Image& image, int y) const;

 private:
  void add_surface(const Drawable& drawable);
  void draw_shadows();
  void draw_surfaces();
  Colour shade_pixel(int x, int y) const;
  Colour shade_sample(double x, double y, std::int32_t opaque, std::int32_t glass,
                      float nearness) const;
  /// Light from a triangle to the viewer; `opacity` receives the share that hides what is behind.
  Colour shade_triangle(const TriangleOf& which, double x, double y, double& opacity) const;

  Projection projection_;
  Lights lights_;
  int width_, height_;  ///< in samples
  std::vector<Surface> surfaces_;
  std::vector<TriangleOf> numbered_;
  std::optional<GroundView> ground_;
  std::optional<ShadowMap> shadows_;
  Visibility opaque_, glass_;
  bool has_glass_ = false;
};

Renderer::Renderer(const Picture& picture, const Camera& camera, int width, int height)
    : projection_(camera, samples_a_side * width, samples_a_side * height),
      lights_(lights_around(projection_.forward(), projection_.right(), picture.up)),
      width_(samples_a_side * width),
      height_(samples_a_side * height),
      opaque_(width_, height_, 0.0F),
      glass_(width_, height_, 0.0F) {
  for (std::size_t i = 0; i < picture.drawables.size(); ++i) {
    check(picture.drawables[i], i);
    add_surface(picture.drawables[i]);
  }
  if (picture.ground) ground_.emplace(*picture.ground, projection_);
  draw_shadows();
  draw_surfaces();
}

void Renderer::add_surface(const Drawable& drawable) {
  Surface& s = surfaces_.emplace_back();
  s.vertices.reserve(drawable.vertices.size());
  for (const Vec3& v : drawable.vertices) s.vertices.push_back(drawable.pose.apply(v));
  s.triangles = drawable.triangles;
  s.smoothing = drawable.smoothing;
  if (s.smoothing != nullptr) s.normals = smooth_normals(s.vertices, s.triangles, *s.smoothing);
  s.colour = drawable.colour;
  s.opacity = drawable.opacity;
}

void Renderer::draw_shadows() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Surfaces that are absurdly far out would leave no texel for the rest.
  const double farthest = 1e3 / projection_.near();
  Box bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Surface& s : surfaces_) {
    if (s.opacity < 1) continue;
    for (const Vec3& v : s.vertices) {
      if (!finite(v) || !(length(v - projection_.eye()) < farthest)) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        bounds.min[d] = std::min(bounds.min[d], v[d]);
        bounds.max[d] = std::max(bounds.max[d], v[d]);
      }
    }
  }
  if (!(bounds.min[0] <= bounds.max[0])) return;
  shadows_.emplace(lights_.key, bounds, shadow_resolution);
  for (const Surface& s : surfaces_) {
    if (s.opacity >= 1) shadows_->draw(s.vertices, s.triangles);
  }
}

void Renderer::draw_surfaces() {
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    const Surface& s = surfaces_[i];
    has_glass_ = has_glass_ || s.opacity < 1;
    std::vector<Vec3> camera;
    camera.reserve(s.vertices.size());
    for (const Vec3& v : s.vertices) camera.push_back(projection_.to_camera(v));
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
      const auto number = static_cast<std::int32_t>(numbered_.size());
      numbered_.push_back({static_cast<int>(i), static_cast<int>(t)});
      const auto& corners = s.triangles[t];
      draw_clipped({camera[static_cast<std::size_t>(corners[0])],
                    camera[static_cast<std::size_t>(corners[1])],
                    camera[static_cast<std::size_t>(corners[2])]},
                   projection_, s.opacity < 1 ? glass_ : opaque_, number);
    }
  }
  if (ground_ && ground_->solid()) {
    const auto& [base, dx, dy] = ground_->nearness();
    opaque_.draw_plane(base, dx, dy, static_cast<std::int32_t>(numbered_.size()));
  }
}

void Renderer::shade_row(Image& image, int y) const {
  for (int x = 0; x < image.width; ++x) {
    const Colour c = compress(shade_pixel(x, y));
    std::uint8_t* out = image.pixel(x, y);
    out[0] = to_srgb(c.r);
    out[1] = to_srgb(c.g);
    out[2] = to_srgb(c.b);
  }
}

Colour Renderer::shade_pixel(int x, int y) const {
  constexpr int num_samples = samples_a_side * samples_a_side;
  std::array<bool, num_samples> done{};
  Colour sum;
  for (int k = 0; k < num_samples; ++k) {
    if (done[static_cast<std::size_t>(k)]) continue;
    const int i = samples_a_side * x + k % samples_a_side;
    const int j = samples_a_side * y + k / samples_a_side;
    const std::int32_t opaque = opaque_.surface(i, j);
    const std::int32_t glass = has_glass_ && glass_.nearness(i, j) > opaque_.nearness(i, j)
                                   ? glass_.surface(i, j)
                                   : Visibility::nothing;
    // Samples that see the same surface are shaded once, at their mean position.
    int alike = 0;
    double sx = 0, sy = 0;
    for (int l = k; l < num_samples; ++l) {
      const int il = samples_a_side * x + l % samples_a_side;
      const int jl = samples_a_side * y + l / samples_a_side;
      const std::int32_t other = has_glass_ && glass_.nearness(il, jl) > opaque_.nearness(il, jl)
                                     ? glass_.surface(il, jl)
                                     : Visibility::nothing;
      if (opaque_.surface(il, jl) != opaque || other != glass) continue;
      done[static_cast<std::size_t>(l)] = true;
      ++alike;
      sx += il + 0.5;
      sy += jl + 0.5;
    }
    sum = sum + alike * shade_sample(sx / alike, sy / alike, opaque, glass, opaque_.nearness(i, j));
  }
  return (1.0 / num_samples) * sum;
}

Colour Renderer::shade_sample(double x, double y, std::int32_t opaque, std::int32_t glass,
                              float nearness) const {
  Colour colour = background(y / height_);
  double opacity = 1;
  if (opaque >= 0 && static_cast<std::size_t>(opaque) < numbered_.size()) {
    colour = shade_triangle(numbered_[static_cast<std::size_t>(opaque)], x, y, opacity);
  } else if (opaque >= 0) {
    const Vec3 p = ground_->point(x, y);
    const double lit = shadows_ ? shadows_->light_at(p, ground_->normal()) : 1;
    colour = ground_->shade(x, y, lit, colour);
  }
  if (ground_ && !ground_->solid() && ground_->nearness_at(x, y) > nearness) {
    colour = ground_->shade(x, y, 1, colour);
  }
  if (glass >= 0) {
    const Colour front = shade_triangle(numbered_[static_cast<std::size_t>(glass)], x, y, opacity);
    colour = mix(colour, front, opacity);
  }
  return colour;
}

Colour Renderer::shade_triangle(const TriangleOf& which, double x, double y,
                                double& opacity) const {
  const Surface& s = surfaces_[static_cast<std::size_t>(which.surface)];
  const auto t = static_cast<std::size_t>(which.triangle);
  const auto& corners = s.triangles[t];
  const Vec3& a = s.vertices[static_cast<std::size_t>(corners[0])];
  const Vec3 e1 = s.vertices[static_cast<std::size_t>(corners[1])] - a;
  const Vec3 e2 = s.vertices[static_cast<std::size_t>(corners[2])] - a;

  // Where the ray meets the triangle, in barycentric coordinates [Moeller & Trumbore 1997].
  const Vec3 ray = projection_.ray(x, y);
  const Vec3 from_a = projection_.eye() - a;
  const Vec3 ray_e2 = cross(ray, e2), from_e1 = cross(from_a, e1);
  const double determinant = dot(e1, ray_e2);
  double u = dot(from_a, ray_e2) / determinant, v = dot(ray, from_e1) / determinant;
  if (!std::isfinite(u) || !std::isfinite(v)) u = v = 1.0 / 3;
  u = std::clamp(u, 0.0, 1.0);
  v = std::clamp(v, 0.0, 1 - u);

  const Vec3 p = a + u * e1 + v * e2;
  const Vec3 to_viewer = unit(projection_.eye() - p, -projection_.forward());
  Vec3 face = unit(cross(e1, e2), to_viewer);
  Vec3 normal = face;
  if (s.smoothing != nullptr) {
    const auto& n = s.smoothing->normal_of_corner[t];
    normal = unit((1 - u - v) * s.normals[static_cast<std::size_t>(n[0])] +
                      u * s.normals[static_cast<std::size_t>(n[1])] +
                      v * s.normals[static_cast<std::size_t>(n[2])],
                  face);
  }
  if (dot(face, to_viewer) < 0) {  // the inside of a surface that is open or inverted
    face = -face;
    normal = -normal;
  }
  // At the outline a smooth normal may point away from the viewer.
  const double away = std::min(dot(normal, to_viewer), 0.0);
  normal = unit(normal - away * to_viewer, face);

  const double rim = 1 - dot(normal, to_viewer);
  opacity = s.opacity + (1 - s.opacity) * 0.75 * rim * rim * rim;
  const bool in_light = dot(normal, lights_.key) > 0;
  const double lit = shadows_ && in_light ? shadows_->light_at(p, normal) : 1;
  return shade_surface(lights_, normal, to_viewer, s.colour, lit);
}

}  // namespace

Image render(const Picture& picture, const Camera& camera, int width, int height,
             Threads& threads) {
  Image image(width, height);
  const Renderer renderer(picture, camera, width, height);
  threads.parallel_for(height, [&](int y) { renderer.shade_row(image, y); });
  return image;
}

Image render(const Picture& picture, const Camera& camera, int width, int height) {
  Threads one(1);
  return render(picture, camera, width, height, one);
}

}  // namespace supple
