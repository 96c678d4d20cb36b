#include "contact/height_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "contact/closed_surface.h"
#include "contact/mesh_distance.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;

HeightFieldShape waves(int nx, int nz, double cell) {
  HeightFieldShape shape{.nx = nx, .nz = nz, .cell = cell};
  for (int j = 0; j < nz; ++j) {
    for (int i = 0; i < nx; ++i)
      shape.heights.push_back(0.3 * std::sin(0.7 * i) * std::cos(0.9 * j));
  }
  return shape;
}

TEST(HeightSurface, IsClosedAndRunsThroughItsHeights) {
  for (const auto& [nx, nz] : {std::pair{2, 2}, {2, 7}, {9, 2}, {12, 10}}) {
    const HeightFieldShape shape = waves(nx, nz, 0.25);
    const TriangleMesh mesh = height_surface(shape, "test");
    const TriangleMesh closed = closed_surface(mesh, "test");
    EXPECT_EQ(closed.triangles, mesh.triangles) << "it is not inside out";
    const auto ground = height_ground(shape, "test");
    ASSERT_EQ(ground.vertices.size(), static_cast<std::size_t>(nx * nz));
    EXPECT_EQ(ground.triangles.size(), static_cast<std::size_t>(2 * (nx - 1) * (nz - 1)));
    for (int j = 0; j < nz; ++j) {
      for (int i = 0; i < nx; ++i) {
        const auto v = static_cast<std::size_t>(nx * j + i);
        EXPECT_EQ(ground.vertices[v], (Vec3{(i - 0.5 * (nx - 1)) * 0.25, shape.heights[v],
                                            (j - 0.5 * (nz - 1)) * 0.25}));
      }
    }
  }
}

TEST(HeightSurface, WhatIsDeepInTheGroundComesOutUpward) {
  const HeightFieldShape shape = waves(41, 41, 0.25);
  const MeshDistance distance({height_surface(shape, "test")}, "test");
  for (const double depth : {0.5, 1.0, 2.5, 4.0}) {
    for (const double x : {-0.4, 0.0, 0.3}) {
      const SurfacePoint found = distance.surface({x, -0.3 - depth, 0.1});
      EXPECT_LT(found.distance, 0);
      EXPECT_GT(found.normal[1], 0.3) << x << " " << depth;
      EXPECT_GE(found.point[1], -0.3);
    }
  }
}

TEST(HeightSurface, RefusesWhatIsNoGrid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](HeightFieldShape shape) -> std::string {
    try {
      height_surface(shape, "/f");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      return error.where();
    }
    return "nothing";
  };
  EXPECT_EQ(refused(waves(3, 3, 1)), "nothing");
  EXPECT_EQ(refused({}), "/f/heights");
  EXPECT_EQ(refused(waves(1, 9, 1)), "/f/heights");
  EXPECT_EQ(refused(waves(9, 1, 1)), "/f/heights");
  EXPECT_EQ(refused({.nx = 1 << 30, .nz = 1 << 30}), "/f/heights");
  EXPECT_EQ(refused({.nx = 1025, .nz = 1024}), "/f/heights");
  EXPECT_EQ(refused({.nx = -2, .nz = -2}), "/f/heights");
  EXPECT_EQ(refused({.nx = 2, .nz = 2, .heights = {0, 0, 0}}), "/f/heights");
  EXPECT_EQ(refused({.nx = 3, .nz = 2, .heights = {0, 0, 0, 0, nan, 0}}), "/f/heights/1/1");
  EXPECT_EQ(refused(waves(3, 3, 0)), "/f/cell");
  EXPECT_EQ(refused(waves(3, 3, nan)), "/f/cell");
  HeightFieldShape shape = waves(3, 3, 1);
  shape.axis = {0, 0, 0};
  EXPECT_EQ(refused(shape), "/f/axis");
  shape = waves(3, 3, 1);
  shape.center = {0, nan, 0};
  EXPECT_EQ(refused(shape), "/f/center");
}

}  // namespace
}  // namespace supple
