#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "supple/mesh.h"

namespace supple {

/// What is seen at each sample of a raster: the number of the nearest surface and how near it is.
/// It serves the picture (nearness 1/forward) and the shadow map (minus the distance from the
/// light). Any measure works that grows towards the viewer and is linear over a triangle in the
/// raster.
class Visibility {
 public:
  static constexpr std::int32_t nothing = -1;

  /// Samples lie at (i + 1/2, j + 1/2), 0 <= i < width, 0 <= j < height. `farthest`: the nearness
  /// of samples where nothing is.
  Visibility(int width, int height, float farthest);

  /// Draws a triangle with corners (x, y, nearness), in either orientation, under the number
  /// `surface`: at samples in it and on its edges, if it is nearer than what is there. Triangles
  /// that share an edge leave no gap. Corners that are not finite, and triangles without area, draw
  /// nothing.
  void draw(const Vec3& a, const Vec3& b, const Vec3& c, std::int32_t surface);

  /// Draws the whole raster where base + dx x + dy y is above 0 and nearer than what is there.
  void draw_plane(double base, double dx, double dy, std::int32_t surface);

  int width() const { return width_; }
  int height() const { return height_; }
  std::int32_t surface(int i, int j) const { return surface_[index(i, j)]; }
  float nearness(int i, int j) const { return nearness_[index(i, j)]; }

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(i);
  }
  void draw_row(int j, int first, int last, double base, double dx, float low, float high,
                std::int32_t surface);

  int width_, height_;
  std::vector<float> nearness_;
  std::vector<std::int32_t> surface_;
};

}  // namespace supple
