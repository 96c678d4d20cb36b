#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "supple/error.h"
#include "supple/scene.h"

namespace supple {
namespace {

Vec3 cross_of(const SpringMesh& mesh, const std::array<int, 3>& t) {
  const auto at = [&](int i) {
    return mesh.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
  };
  const Vec3 a = at(0), b = at(1), c = at(2);
  const Vec3 u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

template <class Generator>
void refuses(const Generator& generator, const std::string& part) {
  try {
    generate(generator);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Cloth, HasTheSpringsOfItsCells) {
  const SpringMesh mesh = generate(ClothGenerator{.cells = {4, 3}});
  EXPECT_EQ(mesh.vertices.size(), 5U * 4);
  EXPECT_EQ(mesh.triangles.size(), 2U * 12);
  EXPECT_EQ(mesh.structural.size(), 4U * 4 + 5 * 3);
  EXPECT_EQ(mesh.shear.size(), 2U * 12);
  EXPECT_EQ(mesh.bending.size(), 3U * 4 + 5 * 2);
  EXPECT_TRUE(mesh.segments.empty());
  std::set<std::array<int, 2>> seen;
  for (const auto* kind : {&mesh.structural, &mesh.shear, &mesh.bending}) {
    for (auto ends : *kind) {
      if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
      EXPECT_TRUE(seen.insert(ends).second) << ends[0] << " " << ends[1];
    }
  }
}

TEST(Cloth, LiesBetweenItsSides) {
  const SpringMesh mesh = generate(
      ClothGenerator{.center = {1, 2, 3}, .u = {2, 0, 0}, .v = {0, 3, 0}, .cells = {8, 6}});
  EXPECT_EQ(mesh.vertices.front(), (Vec3{0, 0.5, 3}));
  EXPECT_EQ(mesh.vertices[8], (Vec3{2, 0.5, 3}));
  EXPECT_EQ(mesh.vertices.back(), (Vec3{2, 3.5, 3}));
  double area = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 n = cross_of(mesh, t);
    EXPECT_NEAR(n[0], 0, 1e-15);
    EXPECT_NEAR(n[1], 0, 1e-15);
    EXPECT_GT(n[2], 0);  // the front faces along u x v
    area += 0.5 * n[2];
  }
  EXPECT_NEAR(area, 6, 1e-13);  // rounding of 96 terms
}

TEST(Cloth, SpringsHaveTheLengthsOfTheirKind) {
  const SpringMesh mesh =
      generate(ClothGenerator{.u = {4, 0, 0}, .v = {0, 0, -4}, .cells = {4, 4}});
  const std::vector<Spring> springs = make_springs(mesh, {100, 50, 10});
  ASSERT_EQ(springs.size(), mesh.structural.size() + mesh.shear.size() + mesh.bending.size());
  for (const Spring& spring : springs) {
    const double expected = spring.stiffness == 100 ? 1 : spring.stiffness == 50 ? std::sqrt(2) : 2;
    EXPECT_NEAR(spring.rest_length, expected, 1e-15);
  }
  EXPECT_EQ(make_springs(mesh, {100, 0, 0}).size(), mesh.structural.size());
}

TEST(Strand, IsAChainWithBendingSprings) {
  const SpringMesh mesh = generate(StrandGenerator{{1, 0, 0}, {1, -2, 0}, 4});
  ASSERT_EQ(mesh.vertices.size(), 5U);
  EXPECT_EQ(mesh.vertices.front(), (Vec3{1, 0, 0}));
  EXPECT_EQ(mesh.vertices.back(), (Vec3{1, -2, 0}));
  EXPECT_EQ(mesh.segments.size(), 4U);
  EXPECT_EQ(mesh.structural, mesh.segments);
  EXPECT_EQ(mesh.bending.size(), 3U);
  EXPECT_TRUE(mesh.triangles.empty());
  for (const Spring& spring : make_springs(mesh, {100, 0, 10})) {
    EXPECT_DOUBLE_EQ(spring.rest_length, spring.stiffness == 100 ? 0.5 : 1);
  }
}

TEST(Polyline, GoesThroughItsPointsAndRoundWhereClosed) {
  const PolylineGenerator open{.points = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}}};
  EXPECT_EQ(generate(open).vertices, open.points);
  EXPECT_EQ(generate(open).segments, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(generate(open).bending.size(), 2U);
  const SpringMesh ring = generate(PolylineGenerator{.points = open.points, .closed = true});
  EXPECT_EQ(ring.segments.back(), (std::array<int, 2>{3, 0}));
  EXPECT_EQ(ring.bending.size(), 4U);
}

TEST(Helix, LiesOnItsCylinderAndClimbsByItsPitch) {
  const SpringMesh mesh = generate(HelixGenerator{
      .radius = 2, .pitch = 3, .turns = 2, .segments = 40, .axis = {0, 0, 1}, .center = {1, 0, 5}});
  ASSERT_EQ(mesh.vertices.size(), 41U);
  for (const Vec3& x : mesh.vertices) EXPECT_NEAR(std::hypot(x[0] - 1, x[1]), 2, 1e-13);
  EXPECT_NEAR(mesh.vertices.front()[2], 5, 1e-13);
  EXPECT_NEAR(mesh.vertices[20][2], 8, 1e-13);
  // Right-handed: counter-clockwise seen from where it goes.
  const Vec3 &a = mesh.vertices[0], &b = mesh.vertices[1];
  EXPECT_GT((a[0] - 1) * b[1] - a[1] * (b[0] - 1), 0);
  const std::vector<Spring> springs = make_springs(mesh, 7.0);
  ASSERT_EQ(springs.size(), 40U);
  EXPECT_NEAR(springs[3].stiffness * springs[3].rest_length, 7, 1e-12);
}

TEST(Icosphere, IsAClosedSurfaceThatLooksOut) {
  const Vec3 center{1, -2, 3};
  const SpringMesh mesh =
      generate(IcosphereGenerator{.radius = 2, .subdivisions = 2, .center = center});
  ASSERT_EQ(mesh.triangles.size(), 320U);
  // Euler: vertices - edges + triangles = 2, and each edge has two triangles.
  EXPECT_EQ(mesh.structural.size(), 480U);
  EXPECT_EQ(mesh.vertices.size(), 162U);
  for (const Vec3& x : mesh.vertices) {
    EXPECT_NEAR(std::hypot(x[0] - center[0], x[1] - center[1], x[2] - center[2]), 2, 1e-14);
  }
  for (const auto& t : mesh.triangles) {
    const Vec3 n = cross_of(mesh, t), &x = mesh.vertices[static_cast<std::size_t>(t[0])];
    double out = 0;
    for (std::size_t k = 0; k < 3; ++k) out += n[k] * (x[k] - center[k]);
    EXPECT_GT(out, 0);
  }
}

TEST(SpringMeshes, BadParametersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses(ClothGenerator{.cells = {0, 4}}, "cells/0");
  refuses(ClothGenerator{.cells = {4, -1}}, "cells/1");
  refuses(ClothGenerator{.center = {nan, 0, 0}}, "center");
  refuses(ClothGenerator{.u = {1, 0, 0}, .v = {2, 0, 0}}, "parallel");
  refuses(ClothGenerator{.u = {0, 0, 0}}, "length above 0");
  refuses(ClothGenerator{.cells = {100000, 100000}}, "springs");
  refuses(StrandGenerator{.start = {1, 1, 1}, .end = {1, 1, 1}}, "end");
  refuses(StrandGenerator{.segments = 0}, "segments");
  refuses(StrandGenerator{.segments = 2'000'000'000}, "springs");
  refuses(PolylineGenerator{.points = {{0, 0, 0}}}, "at least two");
  refuses(PolylineGenerator{.points = {{0, 0, 0}, {1, 0, 0}}, .closed = true}, "at least three");
  refuses(PolylineGenerator{.points = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}}, "are the same");
  refuses(PolylineGenerator{.points = {{0, 0, 0}, {1, nan, 0}}}, "points");
  refuses(HelixGenerator{.radius = 0}, "radius");
  refuses(HelixGenerator{.pitch = nan}, "pitch");
  refuses(HelixGenerator{.pitch = 0}, "pitch");
  refuses(HelixGenerator{.turns = -1}, "turns");
  refuses(HelixGenerator{.turns = 1e300}, "segments");
  refuses(HelixGenerator{.segments = 0}, "segments");
  refuses(HelixGenerator{.segments = 2'000'000'000}, "springs");
  refuses(HelixGenerator{.axis = {0, 0, 0}}, "axis");
  refuses(IcosphereGenerator{.radius = 0}, "radius");
  refuses(IcosphereGenerator{.subdivisions = -1}, "subdivisions");
  refuses(IcosphereGenerator{.subdivisions = 40}, "springs");
  const SpringMesh mesh = generate(StrandGenerator{});
  EXPECT_THROW(make_springs(mesh, {0, 0, 0}), Error);
  EXPECT_THROW(make_springs(mesh, {1, -1, 0}), Error);
  EXPECT_THROW(make_springs(mesh, {1, 0, nan}), Error);
  EXPECT_THROW(make_springs(mesh, 0.0), Error);
  EXPECT_THROW(make_springs(mesh, nan), Error);
  SpringMesh broken = mesh;
  broken.structural.push_back({0, 99});
  EXPECT_THROW(make_springs(broken, {1, 0, 0}), Error);
}

}  // namespace
}  // namespace supple
