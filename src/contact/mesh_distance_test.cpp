#include "contact/mesh_distance.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "contact/closed_surface.h"
#include "contact/test_meshes.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;
using test_meshes::burr;
using test_meshes::icosahedron;
using test_meshes::winding_number;

class Points {
 public:
  explicit Points(unsigned seed) : engine_(seed) {}
  Vec3 in_cube(double half) {
    std::uniform_real_distribution<double> side(-half, half);
    Vec3 x;
    for (double& c : x) c = side(engine_);
    return x;
  }

 private:
  std::mt19937 engine_;
};

const Vec3& vertex(const TriangleMesh& mesh, int i) {
  return mesh.vertices[static_cast<std::size_t>(i)];
}

/// Least distance to points spread over the triangle, which is an upper bound of the distance.
double sampled_distance(const Triangle& t, const Vec3& x, int n) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      const Vec3 p = (1.0 / n) * (double(i) * t.corner[0] + double(j) * t.corner[1] +
                                  double(n - i - j) * t.corner[2]);
      least = std::min(least, norm(x - p));
    }
  }
  return least;
}

TEST(Triangle, ItsNearestPointIsThatOfDenseSamples) {
  Points points(1);
  int features[7] = {};
  for (int trial = 0; trial < 400; ++trial) {
    Triangle t{{points.in_cube(1), points.in_cube(1), points.in_cube(1)}, {}};
    t.normal = direction(cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]), {0, 0, 0});
    const Vec3 x = points.in_cube(2);
    const TrianglePoint nearest = nearest_point(t, x);
    ++features[nearest.feature];
    const double distance = std::sqrt(nearest.squared_distance);
    EXPECT_NEAR(norm(x - nearest.point), distance, 1e-14 * 10);
    const double sampled = sampled_distance(t, x, 60);
    EXPECT_LE(distance, sampled + 1e-13);
    // Samples are at most 1/60 of an edge (at most 2 sqrt 3) apart.
    EXPECT_GE(distance, sampled - 2 * std::sqrt(3.0) / 60);
  }
  for (int feature : features) EXPECT_GT(feature, 5) << "a feature that was hardly ever nearest";
}

TEST(MeshDistance, ATessellatedSphereIsNearlyASphere) {
  const TriangleMesh mesh = test_meshes::sphere(5);
  const MeshDistance distance({mesh}, "test");
  // A chord of an edge e = pi/2 / 32 is at most e^2/8 below the unit sphere, a triangle's centre
  // e^2/6 and a little more where the projection stretched it: 6e-4 in all.
  const double tolerance = 1e-3;
  Points points(2);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 x = points.in_cube(1.5);
    const double r = norm(x);
    const SurfacePoint found = distance.surface(x);
    EXPECT_NEAR(found.distance, r - 1, tolerance);
    EXPECT_NEAR(norm(found.normal), 1, 1e-14 * 10);
    // Facets are turned by at most about e/2 from the sphere; near the centre this is magnified.
    if (r > 0.5) {
      EXPECT_GT(dot(found.normal, (1 / r) * x), 0.995);
    }
  }
}

void expect_exact(const TriangleMesh& mesh, const Vec3& offset_center, double half, int count) {
  const MeshDistance distance({mesh}, "test");
  Points points(3);
  int inside = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 x = offset_center + points.in_cube(half);
    const SurfacePoint found = distance.surface(x);
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : mesh.triangles) {
      Triangle t{{vertex(mesh, a), vertex(mesh, b), vertex(mesh, c)}, {}};
      t.normal = direction(cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]), {0, 0, 0});
      least = std::min(least, nearest_point(t, x).squared_distance);
    }
    EXPECT_NEAR(std::abs(found.distance), std::sqrt(least), 1e-13);
    EXPECT_NEAR(norm(x - found.distance * found.normal - found.point), 0, 1e-12);
    // Nearer to the surface than this, the winding number is a half, up to rounding.
    if (std::abs(found.distance) < 1e-9) continue;
    const double winding = winding_number(mesh, x);
    EXPECT_EQ(found.distance<0, winding> 0.5) << x[0] << " " << x[1] << " " << x[2];
    if (winding > 0.5) {
      ++inside;
      EXPECT_FALSE(distance.outside_box(x));
    }
    EXPECT_LE(distance.distance_to_box(x), std::max(found.distance, 0.0) + 1e-13);
  }
  // The sharpest spike fills 0.9 percent of the directions at its tip.
  EXPECT_GT(inside, count / 500);
  EXPECT_LT(inside, count - count / 500);
}

TEST(MeshDistance, AnIcosahedronsSignIsThatOfItsWindingNumber) {
  expect_exact(icosahedron(), {0, 0, 0}, 2.5, 3000);
}

TEST(MeshDistance, ABurrsSignIsThatOfItsWindingNumber) {
  expect_exact(burr(), {0, 0, 0}, 1.1, 5000);
}

TEST(MeshDistance, TheSignHoldsNearVerticesAndEdges) {
  for (const TriangleMesh& mesh : {icosahedron(), burr()}) {
    for (double near : {0.1, 1e-3, 1e-6}) {
      expect_exact(mesh, mesh.vertices[2], near, 1500);
      expect_exact(mesh, mesh.vertices[mesh.vertices.size() - 2], near, 1500);
      const auto& t = mesh.triangles[mesh.triangles.size() / 2];
      expect_exact(mesh, 0.5 * (vertex(mesh, t[0]) + vertex(mesh, t[1])), near, 1500);
      expect_exact(mesh, 0.3 * vertex(mesh, t[1]) + 0.7 * vertex(mesh, t[2]), near, 1500);
    }
  }
}

TEST(MeshDistance, OnItsFeaturesTheDistanceIsZeroAndTheNormalPointsOut) {
  const TriangleMesh mesh = icosahedron();
  const MeshDistance distance({mesh}, "test");
  const auto expect_surface = [&](const Vec3& x) {
    const SurfacePoint found = distance.surface(x);
    EXPECT_NEAR(found.distance, 0, 1e-15 * 4);
    EXPECT_NEAR(norm(found.normal), 1, 1e-14);
    EXPECT_GT(dot(found.normal, x), 0.7 * norm(x));
  };
  for (const Vec3& x : mesh.vertices) expect_surface(x);
  for (const auto& [a, b, c] : mesh.triangles) {
    expect_surface(0.5 * (vertex(mesh, a) + vertex(mesh, b)));
    expect_surface((1.0 / 3) * (vertex(mesh, a) + vertex(mesh, b) + vertex(mesh, c)));
  }
  // The centre is equally far from all twenty faces: phi^2 / sqrt 3 for edges of 2.
  const double phi = 0.5 * (1 + std::sqrt(5.0));
  const SurfacePoint center = distance.surface({0, 0, 0});
  EXPECT_NEAR(center.distance, -phi * phi / std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(norm(center.normal), 1, 1e-14);
}

TEST(MeshDistance, SizeAndPlaceDoNotMatter) {
  for (double size : {1e-30, 1e-6, 1e6, 1e90}) {
    TriangleMesh mesh = icosahedron();
    for (Vec3& x : mesh.vertices) x = size * x;
    const MeshDistance scaled({mesh}, "test");
    const MeshDistance unit({icosahedron()}, "test");
    Points points(4);
    for (int i = 0; i < 100; ++i) {
      const Vec3 x = points.in_cube(2);
      EXPECT_NEAR(scaled.surface(size * x).distance / size, unit.surface(x).distance, 1e-13);
    }
  }
}

TEST(MeshDistance, PointsThatAreNotFiniteAreNotInside) {
  const MeshDistance distance({icosahedron()}, "test");
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vec3& x :
       {Vec3{nan, 0, 0}, Vec3{0, infinity, 0}, Vec3{-infinity, nan, infinity}, Vec3{0, 0, 1e300}}) {
    EXPECT_TRUE(distance.outside_box(x));
    EXPECT_FALSE(distance.surface(x).distance < 0);
  }
}

TEST(ClosedSurface, AnInsideOutMeshIsTurned) {
  TriangleMesh mesh = icosahedron();
  for (auto& t : mesh.triangles) std::swap(t[0], t[2]);
  const MeshDistance distance({mesh}, "test");
  EXPECT_LT(distance.surface({0.1, 0.2, 0}).distance, 0);
  EXPECT_GT(distance.surface({3, 0.2, 0}).distance, 0);
}

TEST(ClosedSurface, EqualVerticesAreJoinedWhereThatClosesTheMesh) {
  const TriangleMesh whole = icosahedron();
  TriangleMesh soup;  // as an STL file gives it
  for (const auto& t : whole.triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (int i : t) soup.vertices.push_back(vertex(whole, i));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  const MeshDistance a({soup}, "test");
  const MeshDistance b({whole}, "test");
  Points points(5);
  for (int i = 0; i < 200; ++i) {
    const Vec3 x = points.in_cube(2.2);
    EXPECT_NEAR(a.surface(x).distance, b.surface(x).distance, 1e-14 * 10);
  }
}

TEST(ClosedSurface, ACavityIsOutside) {
  TriangleMesh mesh = test_meshes::sphere(3);
  const TriangleMesh outer = mesh;
  for (const Vec3& x : outer.vertices) mesh.vertices.push_back(0.5 * x);
  const int shift = static_cast<int>(outer.vertices.size());
  for (const auto& [a, b, c] : outer.triangles) {
    mesh.triangles.push_back({a + shift, c + shift, b + shift});
  }
  const MeshDistance shell({mesh}, "test");
  EXPECT_GT(shell.surface({0.01, 0, 0}).distance, 0.4);
  EXPECT_LT(shell.surface({0.75, 0, 0}).distance, -0.2);
}

TEST(ClosedSurface, BrokenMeshesAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_refusal = [](const TriangleMesh& mesh, const std::string& part) {
    try {
      closed_surface(mesh, "/colliders/3/mesh");
      ADD_FAILURE() << "accepted: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), "/colliders/3/mesh");
      EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
    }
  };
  expect_refusal({}, "no triangles");
  TriangleMesh mesh = icosahedron();
  mesh.triangles.pop_back();
  expect_refusal(mesh, "is in 1 triangle;");
  mesh = icosahedron();
  std::swap(mesh.triangles[4][0], mesh.triangles[4][1]);
  expect_refusal(mesh, "runs in the same direction");
  mesh = icosahedron();
  mesh.triangles.push_back(mesh.triangles[7]);
  expect_refusal(mesh, "is in 3 triangles");
  mesh = icosahedron();
  mesh.triangles[5][1] = 12;
  expect_refusal(mesh, "triangle 5: there is no vertex 12; expected 0 to 11");
  mesh.triangles[5][1] = -1;
  expect_refusal(mesh, "triangle 5: there is no vertex -1");
  mesh = icosahedron();
  mesh.triangles[5] = {3, 3, 4};
  expect_refusal(mesh, "triangle 5 (3, 3, 4) has no area");
  mesh = icosahedron();
  mesh.vertices[1][2] = nan;
  expect_refusal(mesh, "vertex 1");
  mesh.vertices[1][2] = 1e200;
  expect_refusal(mesh, "vertex 1");
  mesh = icosahedron();
  for (Vec3& x : mesh.vertices) x[2] = 0;  // closed, but flat
  expect_refusal(mesh, "no ");
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 1}};
  expect_refusal(mesh, "no volume");
  mesh.vertices.clear();
  expect_refusal(mesh, "there is no vertex 0");
}

}  // namespace
}  // namespace supple
