#include "contact/deepest_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "contact/test_meshes.h"
#include "contact/triangle.h"
#include "math/vec3.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double tolerance = 1e-7;

ColliderObject collider_of(const ColliderShape& shape) { return {{"", shape, {}}, ""}; }

/// About as large as the triangles below, with the centre at 0.
std::vector<ColliderShape> convex_shapes() {
  return {SphereShape{{0, 0, 0}, 0.5}, BoxShape{{0, 0, 0}, {0.6, 0.5, 0.4}, {0, 1, 0.3}, 20},
          CapsuleShape{{-0.3, 0, 0}, {0.3, 0.1, 0}, 0.2},
          CylinderShape{{0, 0, 0}, {0.4, 0.1, 0.2}, 0.3, 0.5}};
}
std::vector<ColliderShape> other_shapes() {
  MeshShape solid{test_meshes::icosahedron()};
  for (Vec3& vertex : solid.mesh.vertices) vertex = 0.3 * vertex;
  return {TorusShape{{0, 0, 0}, {0.1, 1, 0.2}, 0.4, 0.15}, solid};
}

/// Triangles at and in such shapes.
class Triangles {
 public:
  explicit Triangles(unsigned seed) : engine_(seed) {}
  void next(double size, Vec3 (&corners)[3]) {
    const Vec3 center = (0.55 + 0.15 * side_(engine_)) * direction(any(), {0, 0, 1});
    for (Vec3& corner : corners) corner = center + size * any();
  }

 private:
  Vec3 any() { return {side_(engine_), side_(engine_), side_(engine_)}; }
  std::mt19937 engine_;
  std::uniform_real_distribution<double> side_{-1, 1};
};

DeepestPoint deepest(const ColliderObject& collider, const Vec3& a, const Vec3& b,
                     const Depth& wanted = {tolerance}) {
  return deepest_on_edge(collider, AskedCorner::at(collider, a), AskedCorner::at(collider, b),
                         wanted);
}
DeepestPoint deepest(const ColliderObject& collider, const Vec3 (&corners)[3],
                     const Depth& wanted = {tolerance}) {
  const AskedCorner asked[3] = {AskedCorner::at(collider, corners[0]),
                                AskedCorner::at(collider, corners[1]),
                                AskedCorner::at(collider, corners[2])};
  return deepest_on_triangle(collider, asked, wanted);
}

Vec3 place_of(const DeepestPoint& point, const Vec3 (&corners)[3]) {
  return mean_of({point.weights[0], point.weights[1], point.weights[2]}, corners);
}

/// The least distance on a grid of places.
double sampled(const ColliderObject& collider, const Vec3 (&corners)[3], int parts) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= parts; ++i) {
    for (int j = 0; i + j <= parts; ++j) {
      const Vec3 weights{i * 1.0 / parts, j * 1.0 / parts, (parts - i - j) * 1.0 / parts};
      least = std::min(least, collider.surface(mean_of(weights, corners)).distance);
    }
  }
  return least;
}

void expect_weights(const DeepestPoint& found) {
  double sum = 0;
  for (const double weight : found.weights) {
    EXPECT_GE(weight, -1e-15);
    sum += weight;
  }
  EXPECT_NEAR(sum, 1, 1e-15);
}

TEST(DeepestPoint, OfAnEdgeItIsThatOfDenseSamples) {
  std::vector<ColliderShape> shapes = convex_shapes();
  shapes.push_back(other_shapes()[0]);
  Triangles triangles(5);
  for (const ColliderShape& shape : shapes) {
    const ColliderObject collider = collider_of(shape);
    for (int k = 0; k < 50; ++k) {
      Vec3 corners[3];
      triangles.next(0.2, corners);
      const Vec3 &a = corners[0], &b = corners[1];
      const DeepestPoint found = deepest(collider, a, b);
      double least = collider.surface(a).distance;
      constexpr int samples = 4000;
      for (int i = 0; i <= samples; ++i) {
        least = std::min(least, collider.surface(a + i * (1.0 / samples) * (b - a)).distance);
      }
      EXPECT_NEAR(found.distance, least, norm(b - a) / samples) << shape.index() << ' ' << k;
      EXPECT_LE(found.distance, least + tolerance) << shape.index() << ' ' << k;
      expect_weights(found);
    }
  }
}

TEST(DeepestPoint, OfAnEdgeOverAnEdgeTheNormalIsBetweenItsSides) {
  const ColliderObject collider =
      collider_of(BoxShape{{0.3, -0.1 * std::sqrt(2.0), 0}, {0.2, 0.2, 6}, {0, 0, 1}, 45});
  const Vec3 a{-0.4, 0.1, 0.3}, b{0.9, -0.2, -0.6};
  const Vec3 normal = normal_across_edge(collider, a, b, deepest(collider, a, b));
  EXPECT_NEAR(dot(normal, b - a), 0, 1e-12);
  EXPECT_GT(normal[1], 0.9);
}

TEST(DeepestPoint, OfATriangleOverABallItIsTheNearestToItsCentre) {
  const Vec3 center{0.5, -0.3, 0.1};
  const ColliderObject collider = collider_of(SphereShape{center, 0.25});
  const Vec3 corners[3] = {{0, 0.1, -0.5}, {1.2, 0, 0}, {0.2, -0.1, 0.9}};
  const DeepestPoint found = deepest(collider, corners);
  Triangle triangle{{corners[0], corners[1], corners[2]}, {}};
  triangle.normal = direction(cross(corners[1] - corners[0], corners[2] - corners[0]), {0, 1, 0});
  const double expected = std::sqrt(nearest_point(triangle, center).squared_distance) - 0.25;
  EXPECT_GE(found.distance, expected - 1e-15);
  EXPECT_LE(found.distance, expected + tolerance);
  expect_weights(found);
  AskedCorner asked[3];
  for (int k = 0; k < 3; ++k) asked[k] = AskedCorner::at(collider, corners[k]);
  const Vec3 normal = normal_across_triangle(collider, asked, found);
  EXPECT_NEAR(dot(normal, triangle.normal), -1, 1e-14);  // the ball is above
}

/// The nearest surface is that of a side of the needle, whose normal is nearly level.
TEST(DeepestPoint, OfATriangleThatANeedlePiercesTheNormalPointsToItsTip) {
  const ColliderObject collider = collider_of(ConvexHullShape{
      {{0, 0, 0}, {0.05, -1, 0.05}, {-0.05, -1, 0.05}, {0.05, -1, -0.05}, {-0.05, -1, -0.05}}});
  for (const double tilt : {-0.5, -0.2, 0.0, 0.2, 0.5}) {
    SCOPED_TRACE(tilt);
    const Vec3 corners[3] = {{-1, -0.03 - tilt, -1}, {1, -0.03 + tilt, -1}, {0.1, -0.03, 1}};
    const DeepestPoint found = deepest(collider, corners);
    EXPECT_LT(found.distance, 0);
    AskedCorner asked[3];
    for (int k = 0; k < 3; ++k) asked[k] = AskedCorner::at(collider, corners[k]);
    EXPECT_GT(normal_across_triangle(collider, asked, found)[1], 0.8);
  }
}

TEST(DeepestPoint, OfATriangleThatABoxPiercesItIsBehindItsEdge) {
  // A box on its edge, along z at (0.3, 0). The part of the triangle between the box's upper sides
  // is deepest right below the edge, 0.05 m times cos 45, at y = -0.05.
  const double half_diagonal = 0.1 * std::sqrt(2.0);
  const ColliderObject collider =
      collider_of(BoxShape{{0.3, -half_diagonal, 0}, {0.2, 0.2, 6}, {0, 0, 1}, 45});
  const Vec3 corners[3] = {{-0.5, -0.05, -0.4}, {1.3, -0.05, -0.7}, {0.2, -0.05, 0.9}};
  const DeepestPoint found = deepest(collider, corners);
  EXPECT_NEAR(found.distance, -0.05 * std::sqrt(0.5), tolerance);
  EXPECT_NEAR(place_of(found, corners)[0], 0.3, 2 * tolerance);  // it falls by 0.7 m per metre
}

TEST(DeepestPoint, OfATriangleThatACapsuleTouchesItIsUnderItsEnd) {
  // Its axis meets the triangle's plane y = 0 at an angle of 45 degrees; the ball at its end is 0.1
  // above the plane.
  const ColliderObject collider = collider_of(CapsuleShape{{0.3, 0.3, 0}, {0.8, 0.8, 0}, 0.2});
  const Vec3 corners[3] = {{-0.5, 0, -0.4}, {1.3, 0, -0.7}, {0.2, 0, 0.9}};
  const DeepestPoint found = deepest(collider, corners);
  EXPECT_NEAR(found.distance, 0.1, tolerance);
  // Over this length a distance of 0.3 + x increases by no more than the tolerance.
  EXPECT_NEAR(norm(place_of(found, corners) - Vec3{0.3, 0, 0}), 0, std::sqrt(0.6 * tolerance));
}

TEST(DeepestPoint, OfATriangleInARingItIsAtItsCircle) {
  const ColliderObject collider = collider_of(TorusShape{{0, 0, 0}, {0, 1, 0}, 0.5, 0.2});
  // It cuts the circle of the ring once, at x = 0.5.
  const Vec3 corners[3] = {{0.35, -0.1, 0}, {0.6, -0.1, 0}, {0.5, 0.15, 0}};
  const DeepestPoint found = deepest(collider, corners);
  EXPECT_NEAR(found.distance, -0.2, tolerance);
}

TEST(DeepestPoint, OfATriangleNoSampleIsDeeper) {
  Triangles triangles(7);
  for (const ColliderShape& shape : convex_shapes()) {
    const ColliderObject collider = collider_of(shape);
    for (int k = 0; k < 200; ++k) {
      Vec3 corners[3];
      triangles.next(k % 2 == 0 ? 0.1 : 0.4, corners);
      const DeepestPoint found = deepest(collider, corners);
      constexpr int parts = 60;
      const double least = sampled(collider, corners, parts);
      double side = 0;
      for (int i = 0; i < 3; ++i) side = std::max(side, norm(corners[i] - corners[(i + 1) % 3]));
      EXPECT_LE(found.distance, least + tolerance) << shape.index() << ' ' << k;
      EXPECT_NEAR(found.distance, least, side / parts) << shape.index() << ' ' << k;
      EXPECT_LE(found.at_least, least) << shape.index() << ' ' << k;
      EXPECT_GE(found.at_least, found.distance - tolerance) << shape.index() << ' ' << k;
      EXPECT_NEAR(collider.surface(place_of(found, corners)).distance, found.distance, 1e-14);
      expect_weights(found);
    }
  }
}

TEST(DeepestPoint, OfATriangleAtWhatIsNotConvexItIsTheLeastBesideAGridsLeast) {
  // The triangles are as small as a part of the shape: one as large as a ring may have two lowest
  // places, and the grid may take the wrong one.
  Triangles triangles(8);
  for (const ColliderShape& shape : other_shapes()) {
    const ColliderObject collider = collider_of(shape);
    for (int k = 0; k < 50; ++k) {
      Vec3 corners[3];
      triangles.next(0.1, corners);
      const DeepestPoint found = deepest(collider, corners);
      EXPECT_LE(found.distance, sampled(collider, corners, 60) + tolerance) << k;
      EXPECT_EQ(found.at_least, found.distance);
      expect_weights(found);
    }
  }
}

TEST(DeepestPoint, IsSoughtOnlyAsFarAsItIsWanted) {
  const ColliderObject collider = collider_of(SphereShape{{0, 0, 0}, 0.5});
  const Vec3 corners[3] = {{-0.5, 0.7, -0.4}, {0.6, 0.7, -0.3}, {0.1, 0.7, 0.6}};
  constexpr double least = 0.2;
  // A place that is not below the level is not wanted.
  const DeepestPoint above = deepest(collider, corners, {.tolerance = 0, .level = 0.1});
  EXPECT_GE(above.at_least, 0.1);
  EXPECT_GT(above.distance, least + 1e-4);
  // Beyond 0.05 m half of the excess is enough.
  for (const DeepestPoint& far :
       {deepest(collider, corners, {.tolerance = 0, .near = 0.05}),
        deepest(collider, corners[0], corners[1], {.tolerance = 0, .near = 0.05})}) {
    EXPECT_GT(far.at_least, 0.05);
    EXPECT_GT(far.distance, far.at_least);
    EXPECT_LE(far.distance - far.at_least, 0.5 * (far.at_least - 0.05));
  }
}

TEST(DeepestPoint, OfWhatIsFarItRisesNoFasterThanTheDistance) {
  Triangles triangles(9);
  std::mt19937 engine(10);
  std::uniform_real_distribution<double> side(-1, 1);
  int counts[2] = {};
  for (const ColliderShape& shape : convex_shapes()) {
    const ColliderObject collider = collider_of(shape);
    for (int k = 0; k < 400; ++k) {
      Vec3 corners[3];
      triangles.next(k % 2 == 0 ? 0.1 : 0.3, corners);
      const int count = k % 4 < 2 ? 2 : 3;
      constexpr double near = 0.001;
      const DeepestPoint found =
          count == 2 ? deepest(collider, corners[0], corners[1], {.tolerance = 1e-5, .near = near})
                     : deepest(collider, corners, {.tolerance = 1e-5, .near = near});
      if (!(found.at_least > near)) continue;
      ++counts[count - 2];
      EXPECT_LE(norm(found.rise), 1 + 1e-14);
      for (int i = 0; i < 20; ++i) {
        const Vec3 moved =
            corners[i % count] + 0.5 * Vec3{side(engine), side(engine), side(engine)};
        const double bound = found.at_least + dot(found.rise, moved - corners[i % count]);
        EXPECT_GE(collider.surface(moved).distance, bound - 1e-14) << shape.index() << ' ' << k;
      }
    }
  }
  EXPECT_GT(std::min(counts[0], counts[1]), 100);
}

}  // namespace
}  // namespace supple
