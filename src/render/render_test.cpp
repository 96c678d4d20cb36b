#include "render/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "render/shapes.h"
#include "supple/error.h"

namespace supple {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Camera frontal() { return {{0, 0, 10}, {0, 0, 0}, {0, 1, 0}, 40}; }

int different_pixels(const Image& a, const Image& b) {
  int n = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
    n += a.rgb[i] != b.rgb[i] || a.rgb[i + 1] != b.rgb[i + 1] || a.rgb[i + 2] != b.rgb[i + 2];
  }
  return n;
}

std::array<int, 3> at(const Image& image, int x, int y) {
  const std::uint8_t* p = image.pixel(x, y);
  return {p[0], p[1], p[2]};
}

/// A surface that keeps its arrays alive.
struct Shape {
  TriangleMesh mesh;
  Smoothing smoothing;

  explicit Shape(const ColliderShape& shape)
      : mesh(tessellate(shape, {0, 0, 0}, 1)),
        smoothing(find_smoothing(mesh.vertices, mesh.triangles)) {}
  Drawable drawable(const Colour& colour) const {
    return {mesh.vertices, mesh.triangles, &smoothing, colour, 1, {}};
  }
};

TEST(Render, TheOutlineOfASphereHasTheRightArea) {
  const Shape sphere(SphereShape{{0, 0, 0}, 1.5});
  const Picture with{{sphere.drawable({0.8, 0.1, 0.1})}, {}, {0, 1, 0}};
  const int size = 300;
  const int pixels =
      different_pixels(render(with, frontal(), size, size), render({}, frontal(), size, size));
  // The cone that touches the sphere: sin = 1.5/10.
  const double focal = 0.5 * size / std::tan(20 * std::numbers::pi / 180);
  const double radius = focal * std::tan(std::asin(0.15));
  const double area = std::numbers::pi * radius * radius;
  // 64 facets around lose up to 0.5%. Every pixel that the outline touches counts fully, at most
  // one for each pixel of its length.
  EXPECT_GE(pixels, 0.995 * area);
  EXPECT_LE(pixels, area + 2 * std::numbers::pi * radius);
}

TEST(Render, NearerHidesFarther) {
  const Shape red(SphereShape{{0, 0, 1}, 0.5}), blue(SphereShape{{0, 0, -3}, 1});
  const Colour r{0.8, 0.05, 0.05}, b{0.05, 0.05, 0.8};
  for (const bool red_first : {true, false}) {
    Picture picture;
    picture.drawables = {red.drawable(r), blue.drawable(b)};
    if (!red_first) std::swap(picture.drawables[0], picture.drawables[1]);
    const Image image = render(picture, frontal(), 200, 200);
    const auto middle = at(image, 100, 100);
    EXPECT_GT(middle[0], middle[2] + 50);
    // The far sphere shows beyond the outline of the near one, 15 pixels from the middle.
    const auto beside = at(image, 100 + 18, 100);
    EXPECT_GT(beside[2], beside[0] + 50);
  }
}

TEST(Render, APixelThatAnEdgeHalvesHasTheMeanOfBothSides) {
  // x = 0 projects to the middle of the picture: 101 pixels across, so to the middle of pixel 50.
  const std::vector<Vec3> v{{0, -9, 0}, {9, -9, 0}, {9, 9, 0}, {0, 9, 0}};
  const std::vector<std::array<int, 3>> t{{0, 1, 2}, {0, 2, 3}};
  Picture picture;
  picture.drawables.push_back({v, t, nullptr, {0.1, 0.1, 0.1}, 1, {}});
  const Image image = render(picture, frontal(), 101, 61);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto value = [&](int x) { return from_srgb(image.pixel(x, 30)[c]); };
    EXPECT_GT(value(49), 2 * value(51));
    // Both sides change by less than 1% from pixel to pixel; 8 bits add as much.
    EXPECT_NEAR(value(50), 0.5 * (value(49) + value(51)), 0.02 * value(49));
  }
}

TEST(Render, ShowsManyShadesOfABodyAndItsShadow) {
  const Shape sphere(SphereShape{{0, 1, 0}, 1});
  Picture picture{{sphere.drawable({0.7, 0.3, 0.1})}, Ground{}, {0, 1, 0}};
  picture.ground->radius = 3;
  const Camera camera = fit_camera({{-1, 0, -1}, {1, 2, 1}}, {0, 1, 0}, 1.5);
  const Image image = render(picture, camera, 240, 160);
  std::set<std::array<int, 3>> colours;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) colours.insert(at(image, x, y));
  }
  EXPECT_GT(colours.size(), 500U);
  // The shadow is where the ground is darker than without the sphere.
  Picture empty = picture;
  empty.drawables.clear();
  const Image bare = render(empty, camera, 240, 160);
  int darker = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto p = at(image, x, y), q = at(bare, x, y);
      const bool grey = std::abs(p[0] - p[2]) < 40;
      darker += grey && p[0] + 30 < q[0] ? 1 : 0;
    }
  }
  EXPECT_GT(darker, 500);
}

TEST(Render, TheSameBitsOnAnyNumberOfThreads) {
  const Shape torus(TorusShape{});
  Drawable glass = torus.drawable({0.4, 0.4, 0.4});
  glass.opacity = 0.4;
  const Shape sphere(SphereShape{{0, 0, 0}, 0.6});
  const Picture picture{
      {sphere.drawable({0.2, 0.5, 0.1}), glass}, Ground{{0, 1, 0}, -1}, {0, 1, 0}};
  const Camera camera = fit_camera({{-1, -1, -1}, {1, 1, 1}}, {0, 1, 0}, 1.5);
  Threads three(3);
  EXPECT_EQ(render(picture, camera, 150, 100), render(picture, camera, 150, 100, three));
}

TEST(Render, GlassShowsWhatIsBehind) {
  const Shape front(SphereShape{{0, 0, 3}, 1}), body(SphereShape{{0, 0, 0}, 0.7});
  Drawable glass = front.drawable({0.3, 0.3, 0.3});
  glass.opacity = 0.4;
  const Colour red{0.8, 0.02, 0.02};
  const Image alone = render({{body.drawable(red)}, {}, {0, 1, 0}}, frontal(), 100, 100);
  const Image both = render({{glass, body.drawable(red)}, {}, {0, 1, 0}}, frontal(), 100, 100);
  const auto p = at(both, 50, 50), q = at(alone, 50, 50);
  EXPECT_NE(p, q);
  EXPECT_GT(p[0], p[2] + 40);  // still red
}

TEST(Render, BrokenVerticesSpoilOnlyTheirTriangles) {
  const std::vector<Vec3> good{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  std::vector<Vec3> v = good;
  const std::vector<Vec3> bad{{nan, 0, 0}, {infinity, 0, 0}, {0, -infinity, 0}, {0, 0, nan}};
  v.insert(v.end(), bad.begin(), bad.end());
  std::vector<std::array<int, 3>> t{{0, 1, 2}};
  const Picture expected{{{good, t, nullptr, {0.5, 0.1, 0.1}, 1, {}}}, {}, {0, 1, 0}};
  std::vector<std::array<int, 3>> all = t;
  for (int i = 3; i < static_cast<int>(v.size()); ++i) all.push_back({0, 1, i});
  for (int i = 0; i < 3; ++i) all.push_back({i, i, i});
  const Smoothing smoothing = find_smoothing(v, all);
  const Picture broken{{{v, all, &smoothing, {0.5, 0.1, 0.1}, 1, {}}}, Ground{}, {0, 1, 0}};
  Picture with_ground = expected;
  with_ground.ground = Ground{};
  const Camera camera{{0, 2, 9}, {0, 0, 0}, {0, 1, 0}, 40};
  EXPECT_EQ(different_pixels(render(broken, camera, 90, 60), render(with_ground, camera, 90, 60)),
            0);
}

TEST(Render, HugeTrianglesDoNoHarm) {
  std::vector<Vec3> v{{-1, -1, 0}, {1, -1, 0}};
  std::vector<std::array<int, 3>> t;
  for (const double size : {1e8, 1e20, 1e60, 1e150, 1e200, 1e307}) {
    for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{-1, 1, 1}, Vec3{0, 1, -1}, Vec3{0.1, 0.1, 1}}) {
      v.push_back({size * d[0], size * d[1], size * d[2]});
      t.push_back({0, 1, static_cast<int>(v.size()) - 1});
      if (v.size() > 4) t.push_back({2, 3, static_cast<int>(v.size()) - 1});
    }
  }
  const Smoothing smoothing = find_smoothing(v, t);
  const Picture picture{{{v, t, &smoothing, {0.5, 0.1, 0.1}, 1, {}}}, Ground{}, {0, 1, 0}};
  EXPECT_EQ(render(picture, frontal(), 60, 40).rgb.size(), 60U * 40 * 3);
}

TEST(Render, ATriangleThroughTheViewerIsCut) {
  // One corner behind the eye: what remains reaches the lower rim of the picture.
  const std::vector<Vec3> v{{-1, -1, -5}, {1, -1, -5}, {0, -1, 50}};
  const std::vector<std::array<int, 3>> t{{0, 2, 1}};
  const Picture picture{{{v, t, nullptr, {0.1, 0.1, 0.1}, 1, {}}}, {}, {0, 1, 0}};
  const Image image = render(picture, frontal(), 100, 100);
  const Image empty = render({}, frontal(), 100, 100);
  EXPECT_NE(at(image, 50, 99), at(empty, 50, 99));
  EXPECT_EQ(at(image, 50, 10), at(empty, 50, 10));
}

TEST(Render, RefusesIndicesOutOfRange) {
  const std::vector<Vec3> v{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (const auto& bad : {std::array<int, 3>{0, 1, 3}, std::array<int, 3>{-1, 1, 2}}) {
    const std::vector<std::array<int, 3>> t{bad};
    EXPECT_THROW(render({{{v, t, nullptr, {}, 1, {}}}, {}, {0, 1, 0}}, frontal(), 10, 10), Error);
  }
  const std::vector<std::array<int, 3>> t{{0, 1, 2}};
  const Smoothing wrong;
  EXPECT_THROW(render({{{v, t, &wrong, {}, 1, {}}}, {}, {0, 1, 0}}, frontal(), 10, 10), Error);
  EXPECT_THROW(render({}, frontal(), 0, 10), Error);
}

}  // namespace
}  // namespace supple
