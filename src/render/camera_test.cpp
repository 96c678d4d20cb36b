#include "render/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "render/vec.h"

namespace supple {
namespace {

using namespace vec;

TEST(Camera, SeesTheWholeBoxAndFillsThePicture) {
  const std::vector<Box> boxes{{{-2, -0.5, -0.5}, {2, 0.5, 0.5}},
                               {{-1, 3, -4}, {1, 30, 4}},
                               {{100, 100, 100}, {101, 101, 101}},
                               {{-1e-6, 0, 0}, {1e-6, 1e-6, 1e-6}}};
  for (const Vec3& up : {Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 0}}) {
    for (const Box& box : boxes) {
      const double width = 640, height = 360;
      const Projection projection(fit_camera(box, up, width / height), width, height);
      double widest = 0;
      for (int i = 0; i < 8; ++i) {
        const Vec3 x{(i & 1) != 0 ? box.max[0] : box.min[0], (i & 2) != 0 ? box.max[1] : box.min[1],
                     (i & 4) != 0 ? box.max[2] : box.min[2]};
        const Vec3 c = projection.to_camera(x);
        ASSERT_GT(c[2], projection.near());
        const Vec3 p = projection.to_picture(c);
        widest = std::max({widest, std::abs(p[0] / width - 0.5), std::abs(p[1] / height - 0.5)});
      }
      // A margin of 7%; the padding of boxes far from the origin takes a little more.
      EXPECT_LE(widest, 0.5 * 0.93 + 1e-9);
      EXPECT_GE(widest, 0.5 * 0.93 - 1e-3);
      EXPECT_GT(dot(projection.up(), unit(up, {})), 0.8);
      EXPECT_LT(dot(projection.forward(), unit(up, {})), -0.1);  // from above
    }
  }
}

TEST(Camera, ABrokenBoxStillGivesAView) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Box& box : {Box{{nan, 0, 0}, {1, 1, 1}}, Box{{-infinity, 0, 0}, {infinity, 1, 1}},
                         Box{{1, 1, 1}, {-1, -1, -1}}, Box{}}) {
    const Camera camera = fit_camera(box, {0, 0, 0}, 1.5);
    EXPECT_TRUE(finite(camera.eye));
    EXPECT_TRUE(finite(camera.target));
    EXPECT_GT(length(camera.target - camera.eye), 0);
  }
}

TEST(Projection, RaysMeetWhatTheyShow) {
  const Camera camera{{3, 4, 5}, {0.5, 0, 0}, {0, 1, 0}, 35};
  const Projection projection(camera, 800, 600);
  const Vec3 x{0.2, -0.3, 0.4};
  const Vec3 p = projection.to_picture(projection.to_camera(x));
  const Vec3 ray = projection.ray(p[0], p[1]);
  const Vec3 d = x - projection.eye();
  EXPECT_NEAR(length(cross(unit(ray, {}), unit(d, {}))), 0, 1e-14);  // rounding
  EXPECT_GT(dot(ray, d), 0);
}

}  // namespace
}  // namespace supple
