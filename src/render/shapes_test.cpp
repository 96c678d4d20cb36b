#include "render/shapes.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "render/vec.h"

namespace supple {
namespace {

using namespace vec;
constexpr double pi = std::numbers::pi;

/// A sixth of the sum of det [a b c]: the volume within a closed surface that points outward.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    sum += dot(mesh.vertices[static_cast<std::size_t>(t[0])],
               cross(mesh.vertices[static_cast<std::size_t>(t[1])],
                     mesh.vertices[static_cast<std::size_t>(t[2])]));
  }
  return sum / 6;
}

void expect_closed(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  ASSERT_FALSE(edges.empty());
  for (const auto& [edge, uses] : edges) {
    EXPECT_EQ(uses, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

TEST(Shapes, AreClosedPointOutwardAndHaveTheirVolume) {
  const Vec3 c{0.3, -0.2, 0.5}, axis{1, 2, -1};
  struct Case {
    ColliderShape shape;
    double volume;
    double tolerance;  // of the volume
  };
  // 64 chords around lose 0.16% of a circle's area, 32 around a tube 0.64%, 96 0.07%.
  const std::vector<Case> cases{
      {SphereShape{c, 0.7}, 4 * pi / 3 * 0.343, 6e-3},
      {BoxShape{c, {1, 2, 3}, axis, 33}, 6, 1e-12},
      {CapsuleShape{c, {1, 1, 1}, 0.4}, pi * 0.16 * length(Vec3{1, 1, 1} - c) + 4 * pi / 3 * 0.064,
       6e-3},
      {CapsuleShape{c, c, 0.4}, 4 * pi / 3 * 0.064, 6e-3},
      {CylinderShape{c, axis, 0.5, 2}, pi * 0.25 * 2, 2e-3},
      {TorusShape{c, axis, 1, 0.3}, 2 * pi * pi * 0.09, 9e-3},
  };
  for (const Case& k : cases) {
    const TriangleMesh mesh = tessellate(k.shape, {}, 1);
    SCOPED_TRACE(k.shape.index());
    if (const auto* capsule = std::get_if<CapsuleShape>(&k.shape);
        !capsule || capsule->a != capsule->b) {
      expect_closed(mesh);
    }
    EXPECT_NEAR(volume(mesh), k.volume, k.tolerance * k.volume);
  }
}

TEST(Shapes, APlaneIsASquareAboutTheNearestPoint) {
  const TriangleMesh mesh = tessellate(PlaneShape{{0, 0, 2}, 6}, {1, 2, 10}, 4);
  ASSERT_EQ(mesh.vertices.size(), 4U);
  for (const Vec3& x : mesh.vertices) {
    EXPECT_NEAR(x[2], 3, 1e-14);  // the offset is along the normal as given, of length 2
    EXPECT_NEAR(std::abs(x[0] - 1), 4, 1e-14);
    EXPECT_NEAR(std::abs(x[1] - 2), 4, 1e-14);
  }
  for (const auto& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[static_cast<std::size_t>(t[0])];
    EXPECT_GT(cross(mesh.vertices[static_cast<std::size_t>(t[1])] - a,
                    mesh.vertices[static_cast<std::size_t>(t[2])] - a)[2],
              0);
  }
}

TEST(Shapes, AMeshIsItself) {
  const TriangleMesh given{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  const TriangleMesh mesh = tessellate(MeshShape{given}, {}, 1);
  EXPECT_EQ(mesh.vertices, given.vertices);
  EXPECT_EQ(mesh.triangles, given.triangles);
}

}  // namespace
}  // namespace supple
