#include "render/scene_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/bounds.h"
#include "supple/error.h"

namespace supple {
namespace {

struct Example {
  ViewedScene scene;
  std::vector<double> positions;
  Threads threads{1};

  Example() {
    const TetMesh mesh = generate(BoxGenerator{{1, 1, 1}, {2, 2, 2}, {0, 1, 0}});
    scene.bodies.push_back({0, static_cast<int>(mesh.vertices.size()), surface_triangles(mesh)});
    for (const Vec3& x : mesh.vertices) positions.insert(positions.end(), x.begin(), x.end());
    scene.rest = positions;
    Bounds bounds;
    bounds.add(std::span<const double>(positions));
    scene.motion = bounds.box();
    scene.duration = 1;
  }
  Image draw(double time = 0) { return SceneView(scene, threads).draw(positions, time, 120, 90); }
};

double mean(const Image& image) {
  double sum = 0;
  for (const auto v : image.rgb) sum += v;
  return sum / static_cast<double>(image.rgb.size());
}

TEST(SceneView, TheBodyIsInTheMiddleInItsColour) {
  Example example;
  const Image image = example.draw();
  const std::uint8_t* p = image.pixel(60, 45);
  EXPECT_GT(p[0], p[1] + 30);  // the first colour is orange
  EXPECT_GT(p[1], p[2] + 20);
}

TEST(SceneView, APlaneBecomesTheGroundAndTakesAShadow) {
  Example example;
  const double without = mean(example.draw());
  example.scene.colliders.push_back({"ground", PlaneShape{{0, 2, 0}, 1}, {}});  // y = 0.5
  const Image on_ground = example.draw();
  EXPECT_LT(mean(on_ground), without - 1);
  // A wall is not a ground.
  example.scene.colliders[0].shape = PlaneShape{{0, 0, 1}, -1};
  EXPECT_NE(example.draw(), on_ground);
}

TEST(SceneView, EveryShapeOfColliderIsDrawn) {
  const Example plain;
  const TriangleMesh tetrahedron{{{0.6, 1, 0.6}, {1, 1, 0.6}, {0.6, 1.4, 0.6}, {0.6, 1, 1}},
                                 {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const std::vector<ColliderShape> shapes{PlaneShape{{0, 0, 1}, -1},
                                          SphereShape{{1, 1, 0}, 0.3},
                                          BoxShape{{1, 1, 0}, {0.3, 0.3, 0.3}},
                                          CapsuleShape{{1, 1, 0}, {1, 1.4, 0}, 0.2},
                                          CylinderShape{{1, 1, 0}, {0, 1, 0}, 0.2, 0.4},
                                          TorusShape{{0, 1, 0}, {0, 1, 0}, 0.9, 0.2},
                                          MeshShape{tetrahedron}};
  for (const ColliderShape& shape : shapes) {
    Example with;
    with.scene.colliders.push_back({"it", shape, {}});
    // No collider of the same extent without triangles is available for comparison. So the test
    // checks only that the pictures differ, and that the collider moves.
    Motion motion;
    motion.velocity = Vec3{0.3, 0.2, 0.1};
    Example moving;
    moving.scene.colliders.push_back({"it", shape, motion});
    const Image start = moving.draw(0), later = moving.draw(1);
    EXPECT_NE(start, later) << shape.index();
    Example base;
    EXPECT_NE(with.draw(), base.draw()) << shape.index();
  }
}

TEST(SceneView, TheGroundMovesWithItsPlane) {
  Example example;
  Motion motion;
  motion.velocity = Vec3{0, -0.4, 0};
  example.scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, 0.5}, motion});
  EXPECT_NE(example.draw(0), example.draw(1));
  EXPECT_EQ(example.draw(0.5), example.draw(0.5));
}

TEST(SceneView, ALargeColliderDoesNotMakeTheBodySmall) {
  Example small, large;
  large.scene.colliders.push_back({"floor", BoxShape{{0, -99.5, 0}, {1000, 200, 1000}}, {}});
  const Image image = large.draw();
  int body = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    body += image.rgb[i] > image.rgb[i + 2] + 60 ? 1 : 0;
  }
  EXPECT_GT(body, 120 * 90 / 50);
}

TEST(SceneView, RefusesWhatDoesNotFit) {
  Example example;
  const SceneView view(example.scene, example.threads);
  EXPECT_THROW(view.draw(std::vector<double>(3), 0, 10, 10), Error);
  example.scene.bodies[0].triangles[0][0] = 1000;
  EXPECT_THROW(SceneView(example.scene, example.threads), Error);
  example.scene.bodies[0].triangles.clear();
  example.scene.bodies[0].num_vertices = 1000;
  EXPECT_THROW(SceneView(example.scene, example.threads), Error);
}

TEST(Bounds, LeaveOutWhatIsNotFinite) {
  Bounds bounds;
  EXPECT_TRUE(bounds.empty());
  bounds.add({1, 2, std::nan("")});
  EXPECT_TRUE(bounds.empty());
  bounds.add({1, 2, 3});
  bounds.add({1e300, 0, 0});
  EXPECT_EQ(bounds.box().min, (Vec3{1, 2, 3}));
  EXPECT_EQ(bounds.box().max, (Vec3{1, 2, 3}));
}

}  // namespace
}  // namespace supple
