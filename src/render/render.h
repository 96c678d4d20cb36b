#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "math/motion.h"
#include "render/camera.h"
#include "render/colour.h"
#include "render/image.h"
#include "render/smoothing.h"

/// A small software rasteriser: z-buffer, four samples per pixel, smooth normals with creases, one
/// light with soft shadows, a ground. The same scene gives the same bits for any number of threads.
namespace supple {

/// A surface in a picture. The spans must outlive the call of `render`.
struct Drawable {
  std::span<const Vec3> vertices;                 ///< m, before `pose`
  std::span<const std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
  const Smoothing* smoothing = nullptr;           ///< of these triangles; none: flat triangles
  Colour colour{0.5, 0.5, 0.5};
  /// Below 1 the surface is like glass: seen frontally, it hides only this share of what is behind
  /// it, it casts no shadow, and only the nearest such surface is drawn.
  double opacity = 1;
  Pose pose;
};

/// A plane under the scene, seen from the side that its normal points to. It fades into the
/// background with the distance from `focus`.
struct Ground {
  Vec3 normal{0, 1, 0};  ///< unit vector
  double offset = 0;     ///< of the plane along the normal, m
  bool solid = true;     ///< a checker that receives shadows; otherwise only faint lines
  double cell = 1;       ///< side of a square, m
  Vec3 focus{0, 0, 0};   ///< the centre of what the picture shows, m
  double radius = 1;     ///< its radius, m
};

struct Picture {
  std::vector<Drawable> drawables;
  std::optional<Ground> ground;
  Vec3 up{0, 1, 0};  ///< unit vector: the light comes from above
};

/// Draws the picture. Vertices that are not finite are allowed: their triangles are left out.
/// Throws Error{invalid_input} for a size that `Image` refuses, a triangle index out of range and a
/// smoothing of other triangles. Cost: about 0.2 s on one core for 1280 x 720.
Image render(const Picture& picture, const Camera& camera, int width, int height, Threads& threads);
Image render(const Picture& picture, const Camera& camera, int width, int height);

}  // namespace supple
