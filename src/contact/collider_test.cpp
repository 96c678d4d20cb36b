#include "contact/collider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "contact/test_meshes.h"
#include "math/vec3.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double pi = 3.14159265358979323846;
constexpr int grid = 120;

/// Orthonormal directions with `axis` as third.
struct Basis {
  Vec3 u, v, w;
  explicit Basis(const Vec3& axis) {
    w = direction(axis, {0, 0, 1});
    const Vec3 other{0.31, -0.77, 0.55};
    u = direction(other - dot(other, w) * w, {1, 0, 0});
    v = cross(w, u);
  }
  Vec3 radial(double angle) const { return std::cos(angle) * u + std::sin(angle) * v; }
};

/// A shape with independent knowledge of it: which points are inside, and points spread over its
/// surface so that all of it is within `spacing` of one (inside the cube that is tested).
struct Case {
  std::string name;
  Collider collider;
  std::function<bool(const Vec3&)> inside;
  std::vector<Vec3> samples;
  double spacing;
};

void add_disc(std::vector<Vec3>& samples, const Basis& b, const Vec3& center, double radius) {
  for (int i = 0; i <= grid; ++i) {
    for (int j = 0; j < 4 * grid; ++j) {
      samples.push_back(center + (radius * i / grid) * b.radial(pi * j / (2 * grid)));
    }
  }
}

void add_tube(std::vector<Vec3>& samples, const Basis& b, const Vec3& from, double height,
              double radius) {
  for (int i = 0; i <= 2 * grid; ++i) {
    for (int j = 0; j < 4 * grid; ++j) {
      samples.push_back(from + (height * i / (2 * grid)) * b.w +
                        radius * b.radial(pi * j / (2 * grid)));
    }
  }
}

void add_ball(std::vector<Vec3>& samples, const Basis& b, const Vec3& center, double radius) {
  for (int i = 0; i <= 2 * grid; ++i) {
    const double polar = pi * i / (2 * grid);
    for (int j = 0; j < 4 * grid; ++j) {
      samples.push_back(center + radius * (std::cos(polar) * b.w +
                                           std::sin(polar) * b.radial(pi * j / (2 * grid))));
    }
  }
}

Case plane_case() {
  // normal . x < offset for the normal as given, which is not unit.
  const Vec3 normal{1, -2, 0.5};
  Case c{"plane", {"", PlaneShape{normal, 0.4}, {}}, {}, {}, 0};
  c.inside = [=](const Vec3& x) { return dot(normal, x) < 0.4; };
  const Basis b(normal);
  const Vec3 foot = (0.4 / dot(normal, normal)) * normal;
  for (int i = -grid; i <= grid; ++i) {
    for (int j = -grid; j <= grid; ++j) {
      c.samples.push_back(foot + (4.0 * i / grid) * b.u + (4.0 * j / grid) * b.v);
    }
  }
  c.spacing = 4.0 / grid;
  return c;
}

Case sphere_case() {
  const Vec3 center{0.2, -0.1, 0.4};
  Case c{"sphere", {"", SphereShape{center, 0.9}, {}}, {}, {}, 0};
  c.inside = [=](const Vec3& x) { return norm(x - center) < 0.9; };
  add_ball(c.samples, Basis({0, 0, 1}), center, 0.9);
  c.spacing = 0.9 * pi / (2 * grid);
  return c;
}

Case box_case() {
  const Vec3 center{-0.2, 0.3, 0.1};
  const Vec3 size{1.2, 0.6, 2};
  const Vec3 axis{1, 1, -0.3};
  Case c{"box", {"", BoxShape{center, size, axis, 37}, {}}, {}, {}, 0};
  const Pose pose = turned(axis, {0, 0, 0}, 37);
  c.inside = [=](const Vec3& x) {
    const Vec3 q = pose.rotate_inverse(x - center);
    return std::abs(q[0]) < 0.6 && std::abs(q[1]) < 0.3 && std::abs(q[2]) < 1;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    for (int i = 0; i <= grid; ++i) {
      for (int j = 0; j <= grid; ++j) {
        Vec3 q;
        q[k] = 0.5 * size[k];
        q[(k + 1) % 3] = size[(k + 1) % 3] * (1.0 * i / grid - 0.5);
        q[(k + 2) % 3] = size[(k + 2) % 3] * (1.0 * j / grid - 0.5);
        c.samples.push_back(center + pose.rotate(q));
        c.samples.push_back(center - pose.rotate(q));
      }
    }
  }
  c.spacing = 2.0 / grid;
  return c;
}

Case capsule_case() {
  const Vec3 a{-0.5, 0.2, 0.7}, b{0.6, -0.4, -0.2};
  const double radius = 0.45;
  Case c{"capsule", {"", CapsuleShape{a, b, radius}, {}}, {}, {}, 0};
  const Basis basis(b - a);
  const double length = norm(b - a);
  c.inside = [=](const Vec3& x) {
    const double t = std::clamp(dot(x - a, basis.w), 0.0, length);
    return norm(x - (a + t * basis.w)) < radius;
  };
  add_tube(c.samples, basis, a, length, radius);
  for (double side : {-1.0, 1.0}) {
    for (int i = 0; i <= grid; ++i) {
      const double polar = 0.5 * pi * i / grid;
      for (int j = 0; j < 4 * grid; ++j) {
        c.samples.push_back((side < 0 ? a : b) +
                            radius * ((side * std::cos(polar)) * basis.w +
                                      std::sin(polar) * basis.radial(pi * j / (2 * grid))));
      }
    }
  }
  c.spacing = 0.01;  // length / 240 = 0.006, radius * pi / 240 = 0.006
  return c;
}

Case cylinder_case() {
  const Vec3 center{0.1, 0.2, -0.3}, axis{0.3, 1, 0.8};
  const double radius = 0.7, height = 1.1;
  Case c{"cylinder", {"", CylinderShape{center, axis, radius, height}, {}}, {}, {}, 0};
  const Basis basis(axis);
  c.inside = [=](const Vec3& x) {
    const double y = dot(x - center, basis.w);
    return std::abs(y) < 0.5 * height && norm(x - center - y * basis.w) < radius;
  };
  const Vec3 low = center - (0.5 * height) * basis.w;
  add_tube(c.samples, basis, low, height, radius);
  add_disc(c.samples, basis, low, radius);
  add_disc(c.samples, basis, low + height * basis.w, radius);
  c.spacing = 0.015;  // radius / 120 = 0.006 and radius * pi / 240 = 0.01
  return c;
}

Case torus_case() {
  const Vec3 center{0, -0.1, 0.2}, axis{-0.4, 1, 0.5};
  const double major = 0.9, minor = 0.35;
  Case c{"torus", {"", TorusShape{center, axis, major, minor}, {}}, {}, {}, 0};
  const Basis basis(axis);
  c.inside = [=](const Vec3& x) {
    const double y = dot(x - center, basis.w);
    const double rho = norm(x - center - y * basis.w);
    return std::hypot(rho - major, y) < minor;
  };
  for (int i = 0; i < 4 * grid; ++i) {
    const Vec3 out = basis.radial(pi * i / (2 * grid));
    for (int j = 0; j < 2 * grid; ++j) {
      const double turn = pi * j / grid;
      c.samples.push_back(center + (major + minor * std::cos(turn)) * out +
                          (minor * std::sin(turn)) * basis.w);
    }
  }
  c.spacing = 0.02;  // 1.25 * pi / 240 = 0.016 and 0.35 * pi / 120 = 0.009
  return c;
}

Case mesh_case() {
  const TriangleMesh mesh = test_meshes::burr();
  Case c{"mesh", {"", MeshShape{mesh}, {}}, {}, {}, 0};
  c.inside = [=](const Vec3& x) { return test_meshes::winding_number(mesh, x) > 0.5; };
  const int n = 20;
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        Vec3 p{0, 0, 0};
        const int weights[3] = {i, j, n - i - j};
        for (std::size_t k = 0; k < 3; ++k) {
          p = p + (1.0 * weights[k] / n) * mesh.vertices[static_cast<std::size_t>(t[k])];
        }
        c.samples.push_back(p);
      }
    }
  }
  c.spacing = 1.0 / n;
  return c;
}

void add_triangle(std::vector<Vec3>& samples, const Vec3& a, const Vec3& b, const Vec3& c, int n) {
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      samples.push_back((1.0 / n) * (double(i) * a + double(j) * b + double(n - i - j) * c));
    }
  }
}

/// Any three of the points make a side if no other point is outside of it.
Case hull_case() {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> side(-0.9, 0.9);
  ConvexHullShape shape;
  for (int i = 0; i < 25; ++i) shape.points.push_back({side(engine), side(engine), side(engine)});
  const std::vector<Vec3> p = shape.points;
  Case c{"hull", {"", shape, {}}, {}, {}, 0.05};
  std::vector<std::pair<Vec3, double>> planes;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        if (i >= j) continue;
        for (const double sign : {-1.0, 1.0}) {
          const Vec3 n = sign * direction(cross(p[j] - p[i], p[k] - p[i]), {0, 0, 0});
          const bool is_side = std::all_of(p.begin(), p.end(),
                                           [&](const Vec3& x) { return dot(n, x - p[i]) < 1e-12; });
          if (!is_side) continue;
          planes.emplace_back(n, dot(n, p[i]));
          add_triangle(c.samples, p[i], p[j], p[k], 50);
        }
      }
    }
  }
  c.inside = [planes](const Vec3& x) {
    return std::all_of(planes.begin(), planes.end(),
                       [&](const auto& plane) { return dot(plane.first, x) < plane.second; });
  };
  return c;
}

/// A field of 5 x 4 heights, turned and moved. Its walls end inside the cube that is tested.
Case height_field_case() {
  HeightFieldShape shape{.nx = 5,
                         .nz = 4,
                         .heights = {0.1, 0.2, -0.1, 0.3, 0,    0.3, 0.6,  0.2, 0, 0.1,
                                     0,   0.1, 0.5,  0.4, -0.2, 0.2, -0.1, 0.3, 0, 0.2},
                         .cell = 0.4,
                         .center = {0.1, -0.1, 0.05},
                         .axis = {1, 2, 0.3},
                         .degrees = 35};
  Case c{"height_field", {"", shape, {}}, {}, {}, 0.05};
  const Pose pose = turned(shape.axis, {0, 0, 0}, shape.degrees);
  const auto point = [=](int i, int j) {
    return Vec3{0.4 * (i - 2), shape.heights[static_cast<std::size_t>(5 * j + i)], 0.4 * (j - 1.5)};
  };
  const auto placed = [=](const Vec3& q) { return shape.center + pose.rotate(q); };
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 4; ++i) {
      for (const auto& [k, l] : {std::pair{1, 0}, {0, 1}}) {
        add_triangle(c.samples, placed(point(i, j)), placed(point(i + 1, j + 1)),
                     placed(point(i + k, j + l)), 15);
      }
    }
  }
  const auto add_wall = [&](const Vec3& a, const Vec3& b) {
    for (int i = 0; i <= 15; ++i) {
      const Vec3 top = (i / 15.0) * a + (1 - i / 15.0) * b;
      for (int j = 0; j <= 120; ++j) {
        c.samples.push_back(placed({top[0], top[1] - 3.0 * j / 120, top[2]}));
      }
    }
  };
  for (int i = 0; i < 4; ++i) {
    add_wall(point(i, 0), point(i + 1, 0));
    add_wall(point(i, 3), point(i + 1, 3));
  }
  for (int j = 0; j < 3; ++j) {
    add_wall(point(0, j), point(0, j + 1));
    add_wall(point(4, j), point(4, j + 1));
  }
  c.inside = [=](const Vec3& x) {
    const Vec3 q = pose.rotate_inverse(x - shape.center);
    const double u = q[0] / 0.4 + 2, v = q[2] / 0.4 + 1.5;
    if (!(u > 0 && u < 4 && v > 0 && v < 3)) return false;
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    const double s = u - i, t = v - j;
    // Between the corners 0 0 and 1 1, and the one of the other two that is on the side of the
    // point.
    const double a = point(i, j)[1], d = point(i + 1, j + 1)[1];
    const double b = point(i + 1, j)[1], e = point(i, j + 1)[1];
    const double height = s > t ? a + s * (b - a) + t * (d - b) : a + t * (e - a) + s * (d - e);
    return q[1] < height;
  };
  return c;
}

/// The distance of a ball, with a gradient whose length is not 1.
Case function_case() {
  Case c = sphere_case();
  c.name = "function";
  const Vec3 center{0.2, -0.1, 0.4};
  c.collider.shape = DistanceShape{[center](const Vec3& x, Vec3& gradient) {
    gradient = 3.0 * (x - center);
    return norm(x - center) - 0.9;
  }};
  return c;
}

std::vector<Case> cases() {
  return {plane_case(), sphere_case(), box_case(),  capsule_case(),      cylinder_case(),
          torus_case(), mesh_case(),   hull_case(), height_field_case(), function_case()};
}

std::vector<Vec3> random_points(unsigned seed, int count, double half) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> side(-half, half);
  std::vector<Vec3> points(static_cast<std::size_t>(count));
  for (Vec3& x : points) {
    for (double& c : x) c = side(engine);
  }
  return points;
}

void expect_unit(const Vec3& n) { EXPECT_NEAR(norm(n), 1, 1e-14); }

TEST(Collider, TheDistanceIsThatOfDenseSamplesWithTheRightSign) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject collider(c.collider, "test");
    int inside = 0;
    for (const Vec3& x : random_points(1, 300, 1)) {
      const SurfacePoint found = collider.surface(x);
      EXPECT_EQ(found.distance < 0, c.inside(x));
      inside += found.distance < 0;
      double squared = std::numeric_limits<double>::infinity();
      for (const Vec3& s : c.samples) squared = std::min(squared, dot(x - s, x - s));
      const double sampled = std::sqrt(squared);
      EXPECT_LE(std::abs(found.distance), sampled + 1e-12);
      EXPECT_GE(std::abs(found.distance), sampled - c.spacing);
    }
    EXPECT_GT(inside, 10);
    EXPECT_LT(inside, 290);
  }
}

TEST(Collider, TheProjectionLiesOnTheSurfaceAlongTheNormal) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject collider(c.collider, "test");
    for (const Vec3& x : random_points(2, 2000, 1.5)) {
      const SurfacePoint found = collider.surface(x);
      expect_unit(found.normal);
      // Rounding of coordinates of about 1.
      EXPECT_NEAR(norm(x - found.distance * found.normal - found.point), 0, 1e-13);
      EXPECT_NEAR(collider.surface(found.point).distance, 0, 1e-13);
    }
  }
}

TEST(Collider, TheNormalIsTheGradientOfTheDistance) {
  const double e = 1e-5;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject collider(c.collider, "test");
    int compared = 0;
    for (const Vec3& x : random_points(3, 500, 1.5)) {
      const Vec3 n = collider.surface(x).normal;
      Vec3 gradient{};
      bool smooth = true;
      for (std::size_t k = 0; k < 3; ++k) {
        Vec3 a = x, b = x;
        a[k] -= e;
        b[k] += e;
        const SurfacePoint low = collider.surface(a), high = collider.surface(b);
        gradient[k] = (high.distance - low.distance) / (2 * e);
        // A medial surface passes between the two, or their curvature is as strong as that of a
        // spike.
        smooth = smooth && dot(low.normal, n) > 1 - 1e-7 && dot(high.normal, n) > 1 - 1e-7;
      }
      if (!smooth) continue;
      ++compared;
      // Second order of e over radii of curvature above 0.02, and rounding 1e-16 / e.
      EXPECT_NEAR(norm(gradient - n), 0, 1e-6);
      EXPECT_NEAR(norm(gradient), 1, 1e-6);
    }
    EXPECT_GT(compared, 450);
  }
}

/// Points that wander, each from near the one before.
std::vector<Vec3> wandering_points(int count, double step) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal(0, step);
  std::vector<Vec3> points{{0.9, 0.8, 0.7}};
  while (static_cast<int>(points.size()) < count) {
    Vec3 next = points.back();
    for (double& x : next) x = 0.998 * (x + normal(random));
    points.push_back(next);
  }
  return points;
}

TEST(Collider, WhatIsKnownOfAPlaceChangesNoAnswer) {
  for (Case& c : cases()) {
    SCOPED_TRACE(c.name);
    c.collider.motion.rotate = Rotation{.axis = {1, 2, 3}, .degrees_per_second = 90};
    ColliderObject collider(c.collider, "test");
    int clear = 0, inside = 0;
    for (const double step : {0.003, 0.1}) {
      Clearance of_point, of_ball;
      int frame = 0;
      for (const Vec3& x : wandering_points(1500, step)) {
        collider.move(0.01 * ++frame, 0.01);
        SurfacePoint expected{7, {0, 0, 0}, {0, 0, 0}}, found = expected;
        EXPECT_EQ(collider.penetration(x, found, of_point), collider.penetration(x, expected));
        EXPECT_EQ(found.distance, expected.distance);
        EXPECT_EQ(found.point, expected.point);
        inside += expected.distance < 0 ? 1 : 0;
        const double distance = collider.surface(x).distance;
        EXPECT_LE(collider.at_least(x, of_point), distance);
        if (collider.clear_of(x, 0.1, of_ball)) {
          ++clear;
          EXPECT_GT(distance, 0.1);
        } else {
          EXPECT_FALSE(collider.clear_of(x, 0.1));
        }
      }
    }
    EXPECT_GT(clear, 50);
    EXPECT_GT(inside, 50);
  }
}

TEST(Collider, NearSurfaceIsTheSurfaceWithinItsBall) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject collider(c.collider, "test");
    const std::vector<Vec3> offsets = random_points(5, 20, 0.1);
    for (const Vec3& center : random_points(6, 200, 1.2)) {
      const NearSurface near(collider, {center, 0.2}, 1);
      for (const Vec3& offset : offsets) {
        const Vec3 x = center + offset;
        const SurfacePoint found = near.surface(x), expected = collider.surface(x);
        // Of two triangles that are as near, either may be found.
        EXPECT_NEAR(found.distance, expected.distance, 1e-12);
        EXPECT_LE(near.at_least(), expected.distance);
      }
    }
  }
}

TEST(Collider, PenetrationAndClearanceAgreeWithTheDistance) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject collider(c.collider, "test");
    int clear = 0;
    int inside = 0;
    for (const Vec3& x : random_points(4, 1500, 1.3)) {
      const SurfacePoint expected = collider.surface(x);
      SurfacePoint found{7, {0, 0, 0}, {0, 0, 0}};
      if (collider.penetration(x, found)) {
        ++inside;
        EXPECT_EQ(found.distance, expected.distance);
        EXPECT_EQ(found.point, expected.point);
        EXPECT_LT(expected.distance, 0);
      } else {
        EXPECT_EQ(found.distance, 7);
        EXPECT_GE(expected.distance, 0);
      }
      if (collider.clear_of(x, 0.2)) {
        ++clear;
        EXPECT_GT(expected.distance, 0.2);
      }
    }
    EXPECT_GT(clear, 50);
    EXPECT_GT(inside, 50);
  }
}

/// A point where the shape has no single nearest point of its surface, and the distance there.
struct Degenerate {
  Collider collider;
  Vec3 x;
  double distance;
};

TEST(Collider, DegeneratePointsHaveAValidNormal) {
  const Vec3 o{0, 0, 0}, y{0, 1, 0};
  const TriangleMesh cube = [] {
    TriangleMesh mesh;
    for (int i = 0; i < 8; ++i) {
      mesh.vertices.push_back({i & 1 ? 1. : -1., i & 2 ? 1. : -1., i & 4 ? 1. : -1.});
    }
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
  }();
  const std::vector<Degenerate> points = {
      {{"", SphereShape{o, 2}, {}}, o, -2},
      {{"", SphereShape{o, 2}, {}}, {0, 1e-310, 0}, -2},
      {{"", SphereShape{o, 2}, {}}, {1e-170, 0, 1e-170}, -2},
      {{"", BoxShape{o, {2, 2, 2}, y, 0}, {}}, o, -1},
      {{"", BoxShape{o, {2, 2, 2}, y, 0}, {}}, {0.5, 0.5, -0.5}, -0.5},
      {{"", BoxShape{o, {2, 2, 2}, y, 0}, {}}, {1, 1, 1}, 0},
      {{"", BoxShape{o, {2, 2, 2}, y, 0}, {}}, {1, 0, 1 + 1e-170}, 0},
      {{"", CapsuleShape{o, y, 0.5}, {}}, {0, 0.3, 0}, -0.5},
      {{"", CapsuleShape{o, y, 0.5}, {}}, y, -0.5},
      {{"", CapsuleShape{y, y, 0.5}, {}}, y, -0.5},
      {{"", CapsuleShape{y, y, 0.5}, {}}, {0, 3, 0}, 1.5},
      {{"", CylinderShape{o, y, 0.5, 4}, {}}, o, -0.5},
      {{"", CylinderShape{o, y, 0.5, 4}, {}}, {0, 1.8, 0}, 1.8 - 2},
      {{"", CylinderShape{o, y, 0.5, 4}, {}}, {0, -7, 0}, 5},
      {{"", CylinderShape{o, y, 1, 2}, {}}, o, -1},
      {{"", CylinderShape{o, y, 1, 2}, {}}, {0, 1, 1}, 0},
      {{"", TorusShape{o, y, 1, 0.3}, {}}, o, 0.7},
      {{"", TorusShape{o, y, 1, 0.3}, {}}, {0, 1, 0}, std::sqrt(2.0) - 0.3},
      {{"", TorusShape{o, y, 1, 0.3}, {}}, {1, 0, 0}, -0.3},
      {{"", MeshShape{cube}, {}}, o, -1},
      {{"", MeshShape{cube}, {}}, {0.5, 0.5, 0.5}, -0.5},
      {{"", MeshShape{cube}, {}}, {1, 1, 1}, 0},
      {{"", MeshShape{cube}, {}}, {1, 1, 0.2}, 0},
      {{"", MeshShape{cube}, {}}, {1, 0, 0}, 0},
  };
  for (const Degenerate& p : points) {
    SCOPED_TRACE(testing::Message() << "shape " << p.collider.shape.index() << " at " << p.x[0]
                                    << " " << p.x[1] << " " << p.x[2]);
    const ColliderObject collider(p.collider, "test");
    const SurfacePoint found = collider.surface(p.x);
    EXPECT_NEAR(found.distance, p.distance, 1e-14);
    expect_unit(found.normal);
    EXPECT_NEAR(norm(p.x - found.distance * found.normal - found.point), 0, 1e-14);
    EXPECT_NEAR(collider.surface(found.point).distance, 0, 1e-14);
  }
}

TEST(Collider, OnItsAxisARoundShapeIsExactHoweverFarAway) {
  // The radial direction there consists of rounding, but must stay perpendicular to the axis.
  const Vec3 axis = direction({1, 2, 3}, {0, 0, 1});
  const Collider torus{"", TorusShape{{0, 0, 0}, axis, 1, 0.3}, {}};
  const Collider cylinder{"", CylinderShape{{0, 0, 0}, axis, 1, 1e6}, {}};
  for (double along : {1.0, 100.0, 1e4}) {
    const Vec3 x = along * axis;
    EXPECT_NEAR(ColliderObject(torus, "test").surface(x).distance, std::hypot(along, 1) - 0.3,
                1e-15 * 10 * along);
    const SurfacePoint found = ColliderObject(cylinder, "test").surface(x);
    EXPECT_NEAR(found.distance, -1, 1e-15 * 10 * along);
    EXPECT_NEAR(dot(found.normal, axis), 0, 1e-14);
  }
}

TEST(Collider, AMovedColliderIsItsRestShapeSeenInItsFrame) {
  Motion motion;
  motion.rotate = Rotation{{1, -2, 0.5}, {0.4, 0.1, -0.3}, 50};
  motion.velocity = Vec3{0.2, -0.7, 0.1};
  const double t = 1.7, h = 0.05;
  const Pose end = evaluate(motion, t), start = evaluate(motion, t - h);
  for (Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ColliderObject rest(c.collider, "test");
    c.collider.motion = motion;
    ColliderObject moved(c.collider, "test");
    moved.move(t, h);
    for (const Vec3& q : random_points(5, 100, 1.3)) {
      const SurfacePoint at_rest = rest.surface(q);
      const SurfacePoint found = moved.surface(end.apply(q));
      EXPECT_NEAR(found.distance, at_rest.distance, 1e-13);
      // If the distance has no gradient, rounding decides; none of these points is at such a place.
      EXPECT_NEAR(norm(found.normal - end.rotate(at_rest.normal)), 0, 1e-11);
      EXPECT_NEAR(norm(found.point - end.apply(at_rest.point)), 0, 1e-11);
      EXPECT_NEAR(norm(moved.displacement(end.apply(q)) - (end.apply(q) - start.apply(q))), 0,
                  1e-14 * 10);
      EXPECT_NEAR(norm(moved.carried(start.apply(q)) - end.apply(q)), 0, 1e-14 * 10);
    }
  }
}

TEST(Collider, AColliderAtRestDoesNotMoveAtAll) {
  ColliderObject collider({"", SphereShape{{1, 2, 3}, 0.7}, {}}, "test");
  collider.move(12.3, 0.1);
  EXPECT_EQ(collider.displacement({0.1, 0.7, -1.3}), (Vec3{0, 0, 0}));
}

TEST(Collider, BrokenShapesAreRejectedWithTheirPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Vec3 o{0, 0, 0}, y{0, 1, 0}, bad{0, nan, 0};
  Motion motion;
  motion.rotate = Rotation{o, o, 1};
  const std::vector<std::pair<Collider, std::string>> broken = {
      {{"", PlaneShape{o, 0}, {}}, "/c/plane/normal"},
      {{"", PlaneShape{bad, 0}, {}}, "/c/plane/normal"},
      {{"", PlaneShape{y, infinity}, {}}, "/c/plane/offset"},
      {{"", PlaneShape{{1e-200, 0, 0}, 1}, {}}, "/c/plane/offset"},
      {{"", SphereShape{bad, 1}, {}}, "/c/sphere/center"},
      {{"", SphereShape{o, 0}, {}}, "/c/sphere/radius"},
      {{"", SphereShape{o, -1}, {}}, "/c/sphere/radius"},
      {{"", SphereShape{o, nan}, {}}, "/c/sphere/radius"},
      {{"", SphereShape{o, 1e200}, {}}, "/c/sphere/radius"},
      {{"", BoxShape{bad, {1, 1, 1}, y, 0}, {}}, "/c/box/center"},
      {{"", BoxShape{o, {1, 0, 1}, y, 0}, {}}, "/c/box/size"},
      {{"", BoxShape{o, {1, 1, 1}, o, 0}, {}}, "/c/box/axis"},
      {{"", BoxShape{o, {1, 1, 1}, y, nan}, {}}, "/c/box/degrees"},
      {{"", CapsuleShape{bad, y, 1}, {}}, "/c/capsule/a"},
      {{"", CapsuleShape{o, bad, 1}, {}}, "/c/capsule/b"},
      {{"", CapsuleShape{o, y, 0}, {}}, "/c/capsule/radius"},
      {{"", CylinderShape{bad, y, 1, 1}, {}}, "/c/cylinder/center"},
      {{"", CylinderShape{o, o, 1, 1}, {}}, "/c/cylinder/axis"},
      {{"", CylinderShape{o, y, 0, 1}, {}}, "/c/cylinder/radius"},
      {{"", CylinderShape{o, y, 1, -2}, {}}, "/c/cylinder/height"},
      {{"", TorusShape{bad, y, 1, 0.3}, {}}, "/c/torus/center"},
      {{"", TorusShape{o, o, 1, 0.3}, {}}, "/c/torus/axis"},
      {{"", TorusShape{o, y, 1, 0}, {}}, "/c/torus/minor"},
      {{"", TorusShape{o, y, 0, 0.3}, {}}, "/c/torus/major"},
      {{"", TorusShape{o, y, 1, 1}, {}}, "/c/torus/major"},
      {{"", MeshShape{}, {}}, "/c/mesh"},
      {{"", ConvexHullShape{{o, y, {1, 0, 0}}}, {}}, "/c/convex_hull/points"},
      {{"", HeightFieldShape{}, {}}, "/c/height_field/heights"},
      {{"", DistanceShape{}, {}}, "/c/distance"},
      {{.shape = SphereShape{o, 1}, .friction = -0.1}, "/c/friction"},
      {{.shape = SphereShape{o, 1}, .friction = nan}, "/c/friction"},
      {{"", SphereShape{o, 1}, motion}, "/c/motion"},
  };
  for (const auto& [collider, where] : broken) {
    try {
      const ColliderObject object(collider, "/c");
      ADD_FAILURE() << "accepted: " << where;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), where) << error.message();
    }
  }
}

}  // namespace
}  // namespace supple
