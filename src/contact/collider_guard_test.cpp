#include "contact/collider_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "contact/ccd.h"
#include "contact/height_surface.h"
#include "contact/test_meshes.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double layer = 0.01;

std::vector<Collider> kinds() {
  return {
      {"mesh_ball", MeshShape{test_meshes::scaled(test_meshes::sphere(2), {0.4, 0.3, 0.35})}, {}},
      {"burr", MeshShape{test_meshes::scaled(test_meshes::burr(), {0.5, 0.5, 0.5})}, {}},
      {"needle", MeshShape{test_meshes::scaled(test_meshes::sphere(1), {0.6, 0.25, 0.01})}, {}},
      {"thin_walls", MeshShape{test_meshes::thin_walls()}, {}},
      {"ground", test_meshes::bumps(), {}},
      {"plane", PlaneShape{{0.1, 1, 0.2}, 0}, {}},
      {"sphere", SphereShape{{0.1, 0, 0}, 0.3}, {}},
      {"box", BoxShape{{0, 0, 0.05}, {0.5, 0.4, 0.6}, {1, 2, 0}, 20}, {}},
      {"capsule", CapsuleShape{{-0.2, 0, 0}, {0.3, 0.1, 0}, 0.15}, {}},
      {"cylinder", CylinderShape{{0, 0, 0}, {0, 1, 1}, 0.25, 0.5}, {}},
      {"torus", TorusShape{{0, 0, 0}, {1, 3, 0}, 0.35, 0.1}, {}},
      {"hull",
       ConvexHullShape{{{-0.3, -0.2, -0.2}, {0.4, -0.2, 0}, {0, 0.3, 0}, {0, 0, 0.4}}},
       {}}};
}

/// One triangle per body, each on a random way.
struct Flock {
  std::vector<ContactSurface> surfaces;
  std::vector<int> body_of;
  std::vector<double> x, z;
};

/// Triangles of some size that start outside a collider and may end anywhere.
Flock flock(const ColliderObject& collider, unsigned seed, double size, double way,
            std::size_t most) {
  Flock own;
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> side(-1, 1);
  const auto random = [&] { return Vec3{side(engine), side(engine), side(engine)}; };
  const auto distance = [&](const Vec3& p) {
    return collider.surface(p).distance + collider.offset();
  };
  for (int tried = 0; tried < 3000 && own.surfaces.size() < most; ++tried) {
    const Vec3 middle = 0.7 * random(), motion = way * (0.4 * random() - middle);
    const Vec3 corners[3] = {middle + size * random(), middle + size * random(),
                             middle + size * random()};
    bool is_outside = true;
    for (int i = 0; i <= 20; ++i) {
      for (int j = 0; i + j <= 20; ++j) {
        const Vec3 weights{i / 20.0, j / 20.0, 1 - (i + j) / 20.0};
        const Vec3 p = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
        is_outside = is_outside && distance(p) > 0.1 * size;
      }
    }
    if (!is_outside) continue;
    const int body = static_cast<int>(own.surfaces.size()), first = 3 * body;
    own.surfaces.push_back(
        {.triangles = {{first, first + 1, first + 2}}, .segments = {}, .size = 1, .body = body});
    for (const Vec3& corner : corners) {
      const Vec3 end = corner + motion + 0.3 * size * random();
      own.x.insert(own.x.end(), {corner[0], corner[1], corner[2], 0});
      own.z.insert(own.z.end(), {end[0], end[1], end[2], 0});
      own.body_of.push_back(body);
    }
  }
  return own;
}

Vec3 corner(const std::vector<double>& x, int vertex) {
  const std::size_t first = 4 * static_cast<std::size_t>(vertex);
  return {x[first], x[first + 1], x[first + 2]};
}

/// The triangles of a mesh; otherwise none.
TriangleMesh surface_of(const Collider& collider) {
  if (const auto* mesh = std::get_if<MeshShape>(&collider.shape)) return mesh->mesh;
  if (const auto* field = std::get_if<HeightFieldShape>(&collider.shape)) {
    return height_surface(*field, "/height_field");
  }
  return {};
}

/// Whether an edge of one passes through the other, or is not proved not to.
bool intersects(const TriangleMesh& mesh, const Vec3 (&corners)[3]) {
  const auto meets = [](const Vec3& from, const Vec3& to, const Vec3& a, const Vec3& b,
                        const Vec3& c) {
    return vertex_face_ccd({from, a, b, c}, {to, a, b, c}).meets;
  };
  for (const auto& t : mesh.triangles) {
    Vec3 other[3];
    for (std::size_t i = 0; i < 3; ++i) other[i] = mesh.vertices[static_cast<std::size_t>(t[i])];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      if (meets(corners[i], corners[j], other[0], other[1], other[2])) return true;
      if (meets(other[i], other[j], corners[0], corners[1], corners[2])) return true;
    }
  }
  return false;
}

/// Least distance along a sampled way, m.
double least(const ColliderObject& collider, const Flock& own, const std::vector<double>& z,
             int body, double until = 1) {
  double distance = 1e300;
  for (int step = 0; step <= 16; ++step) {
    Vec3 corners[3];
    for (int i = 0; i < 3; ++i) {
      const Vec3 start = corner(own.x, 3 * body + i), end = corner(z, 3 * body + i);
      corners[i] = start + (until * step / 16) * (end - start);
    }
    for (int i = 0; i <= 12; ++i) {
      for (int j = 0; i + j <= 12; ++j) {
        const Vec3 p =
            (i / 12.0) * corners[0] + (j / 12.0) * corners[1] + (1 - (i + j) / 12.0) * corners[2];
        distance = std::min(distance, collider.surface(p).distance + collider.offset());
      }
    }
  }
  return distance;
}

class ColliderGuardOf : public testing::TestWithParam<int> {};

TEST_P(ColliderGuardOf, NothingGetsInAndWhatPassesIsLeftAlone) {
  Threads threads(1);
  std::vector<ColliderObject> colliders;
  const Collider kind = kinds()[static_cast<std::size_t>(GetParam())];
  colliders.emplace_back(kind, "/colliders/0");
  colliders[0].inflate(layer);
  // Distances of meshes are slow to sample.
  const std::size_t most = colliders[0].triangles() == nullptr ? 300 : 80;
  for (const double size : {0.02, 0.3}) {
    for (const double way : {0.01, 0.5, 5.0}) {
      const Flock own = flock(colliders[0], 7, size, way, most);
      ColliderGuard guard(own.surfaces, own.body_of, {layer});
      std::vector<double> z = own.z;
      const auto held = guard.hold(colliders, own.x.data(), z.data(), 1, threads);
      int passed = 0, stopped = 0;
      for (int body = 0; body < static_cast<int>(own.surfaces.size()); ++body) {
        const double before = least(colliders[0], own, own.z, body);
        ASSERT_GT(least(colliders[0], own, z, body), 0) << kind.name << " " << body;
        const Vec3 end[3] = {corner(z, 3 * body), corner(z, 3 * body + 1), corner(z, 3 * body + 2)};
        ASSERT_FALSE(intersects(surface_of(kind), end)) << kind.name << " " << body;
        const bool is_held = !held.empty() && held[static_cast<std::size_t>(body)] != 0;
        if (before <= 0) {
          ++stopped;
          ASSERT_TRUE(is_held) << body;
        } else if (before > 0.1 * layer) {
          // A sample misses the least by at most half its spacing: samples of long ways say less.
          ++passed;
          const double missed = 0.5 * (size / 6 + way / 8);
          ASSERT_FALSE(is_held && before > 0.1 * layer + missed) << body << " " << before;
        }
        if (is_held) continue;
        for (int i = 0; i < 3; ++i) ASSERT_EQ(corner(z, 3 * body + i), corner(own.z, 3 * body + i));
      }
      const int enough = static_cast<int>(most) / 30;
      EXPECT_GT(passed, enough);
      EXPECT_TRUE(stopped > enough || way < 0.1) << stopped;
    }
  }
}

TEST_P(ColliderGuardOf, WhatSlidesGoesOnSliding) {
  Threads threads(1);
  std::vector<ColliderObject> colliders;
  colliders.emplace_back(kinds()[static_cast<std::size_t>(GetParam())], "/colliders/0");
  colliders[0].inflate(layer);
  // A vertex close to the surface that moves along it and slightly inwards.
  const SurfacePoint foot = colliders[0].surface({0.3, 0.6, 0.2});
  const Vec3 start = foot.point + (0.5 * layer - layer) * foot.normal;
  const Vec3 along = direction(cross(foot.normal, {0.3, 0.1, 0.9}), {1, 0, 0});
  const Vec3 end = start + 0.002 * along - (2 * layer) * foot.normal;
  const std::vector<double> x{start[0], start[1], start[2], 0};
  std::vector<double> z{end[0], end[1], end[2], 0};
  ColliderGuard guard({}, {0}, {layer});
  ASSERT_FALSE(guard.hold(colliders, x.data(), z.data(), 1, threads).empty());
  const Vec3 moved = corner(z, 0) - start;
  EXPECT_GT(dot(moved, along), 0.0015);
  EXPECT_GT(colliders[0].surface(corner(z, 0)).distance + layer, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ColliderGuardOf,
                         testing::Range(0, static_cast<int>(kinds().size())), [](const auto& kind) {
                           return kinds()[static_cast<std::size_t>(kind.param)].name;
                         });

TEST(ColliderGuard, TheMiddleOfAStepIsFollowedToItsEnd) {
  Threads threads(1);
  std::vector<ColliderObject> colliders;
  colliders.emplace_back(Collider{"ground", PlaneShape{}, {}}, "/colliders/0");
  colliders[0].inflate(layer);
  const std::vector<double> x{0, 0.1, 0, 0};
  // The middle is outside, the end 5 cm inside.
  std::vector<double> z{0.3, 0.025, 0, 0};
  ColliderGuard guard({}, {0}, {layer});
  ASSERT_FALSE(guard.hold(colliders, x.data(), z.data(), 0.5, threads).empty());
  EXPECT_NEAR(2 * z[1] - x[1], 0.1 * layer, 1e-12);
  EXPECT_EQ(z[0], 0.3);
}

TEST(ColliderGuard, WhatTouchesAtTheStartIsMovedOutAndWhatIsInsideIsRefused) {
  std::vector<ColliderObject> colliders;
  colliders.emplace_back(Collider{"ground", PlaneShape{}, {}}, "/colliders/0");
  const std::vector<ContactSurface> surface{
      {.triangles = {{0, 1, 2}}, .segments = {}, .size = 1, .body = 0}};
  ColliderGuard guard(surface, {0, 0, 0}, {layer});
  std::vector<double> x{0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 1, 0};
  EXPECT_THROW(guard.require_outside(colliders, x.data()), Error);
  guard.start_outside(colliders, x.data());
  EXPECT_NO_THROW(guard.require_outside(colliders, x.data()));
  EXPECT_NEAR(x[1], 0.35 * layer, 1e-15);
  EXPECT_NEAR(x[5], 0.35 * layer, 1e-15);
  EXPECT_EQ(x[9], 0.5);
  guard.inflate(colliders, 0);
  EXPECT_NEAR(colliders[0].offset(), 0.35 * layer, 1e-12);
  guard.inflate(colliders, 1);
  EXPECT_EQ(colliders[0].offset(), layer);
  x[5] = -2 * layer;
  guard.start_outside(colliders, x.data());
  try {
    guard.require_outside(colliders, x.data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/bodies/0");
    EXPECT_NE(std::string(error.what()).find("/colliders/0"), std::string::npos);
  }
}

}  // namespace
}  // namespace supple
