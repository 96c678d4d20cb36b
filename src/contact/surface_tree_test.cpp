#include "contact/surface_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "contact/test_allocations.h"
#include "contact/test_meshes.h"
#include "math/vec3.h"

namespace supple {
namespace {

using namespace vec3;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Points {
 public:
  explicit Points(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 in_cube(double half) {
    return {between(-half, half), between(-half, half), between(-half, half)};
  }
  Vec3 unit() {
    for (;;) {
      const Vec3 v = in_cube(1);
      if (norm(v) > 0.1 && norm(v) < 1) return direction(v, {1, 0, 0});
    }
  }

 private:
  std::mt19937 engine_;
};

/// Several bodies in one list of vertices, which move away from their rest positions.
struct World {
  std::vector<BodySurface> bodies;
  std::vector<Vec3> rest;
  VectorField x;

  void add(const TriangleMesh& mesh, bool is_closed) {
    BodySurface body{mesh.triangles, is_closed};
    const int first = static_cast<int>(rest.size());
    for (auto& triangle : body.triangles) {
      for (int& v : triangle) v += first;
    }
    rest.insert(rest.end(), mesh.vertices.begin(), mesh.vertices.end());
    bodies.push_back(body);
    x.resize(rest.size());
  }

  /// size: factor of all lengths. The bodies stand side by side along x, twisted and shaken.
  SurfaceTree deformed(double size, unsigned seed) {
    Points points(seed);
    std::size_t i = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      int last = 0;
      for (const auto& triangle : bodies[b].triangles) {
        for (const int v : triangle) last = std::max(last, v);
      }
      for (; i <= static_cast<std::size_t>(last); ++i) {
        const Vec3& p = rest[i];
        const double turn = 0.5 * p[1];
        const Vec3 moved = Vec3{std::cos(turn) * p[0] + std::sin(turn) * p[2], 1.3 * p[1],
                                std::cos(turn) * p[2] - std::sin(turn) * p[0]} +
                           Vec3{2.5 * static_cast<double>(b), 0, 0} + points.in_cube(0.01);
        for (int k = 0; k < 3; ++k) x[i][k] = size * moved[static_cast<std::size_t>(k)];
      }
    }
    SurfaceTree tree(bodies, rest);
    tree.refit(x);
    return tree;
  }

  Vec3 at(int vertex) const {
    const PaddedVector& p = x[static_cast<std::size_t>(vertex)];
    return {p[0], p[1], p[2]};
  }
  TriangleMesh mesh_of(std::size_t body) const {
    TriangleMesh mesh;
    for (std::size_t i = 0; i < x.size(); ++i) mesh.vertices.push_back(at(static_cast<int>(i)));
    mesh.triangles = bodies[body].triangles;
    return mesh;
  }
};

World world() {
  World world;
  world.add(test_meshes::burr(), true);
  TriangleMesh sheet;
  for (int j = 0; j <= 6; ++j) {
    for (int i = 0; i <= 6; ++i) sheet.vertices.push_back({i / 3.0 - 1, j / 3.0 - 1, 0.1 * i});
  }
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) {
      const int v = 7 * j + i;
      sheet.triangles.insert(sheet.triangles.end(), {{v, v + 1, v + 8}, {v, v + 8, v + 7}});
    }
  }
  world.add(sheet, false);
  world.add(test_meshes::icosahedron(), true);
  TriangleMesh strand{{{0, -1, 0}, {0.1, 0, 0.2}, {0, 1, 0}}, {{0, 1, 1}, {1, 2, 2}}};
  world.add(strand, false);
  return world;
}

/// [Moeller & Trumbore 1997] in long doubles, without boxes or shears.
double ray_distance(const Vec3& o, const Vec3& d, const Vec3& a, const Vec3& b, const Vec3& c) {
  using Wide = std::array<long double, 3>;
  const auto minus = [](const Vec3& p, const Vec3& q) {
    return Wide{(long double)p[0] - q[0], (long double)p[1] - q[1], (long double)p[2] - q[2]};
  };
  const auto cross = [](const Wide& p, const Wide& q) {
    return Wide{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
  };
  const auto dot = [](const Wide& p, const Wide& q) {
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  };
  const Wide e = minus(b, a), f = minus(c, a), s = minus(o, a), ray{d[0], d[1], d[2]};
  const Wide p = cross(ray, f);
  const long double det = dot(e, p);
  if (det == 0) return infinity;
  const long double u = dot(s, p) / det;
  const Wide q = cross(s, e);
  const long double v = dot(ray, q) / det, t = dot(f, q) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? static_cast<double>(t) : infinity;
}

class Scales : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(SurfaceTree, Scales, testing::Values(1e-3, 1.0, 1e2));

TEST_P(Scales, ARayMeetsWhatTheNearestOfAllTrianglesIs) {
  const double size = GetParam();
  World scene = world();
  const SurfaceTree tree = scene.deformed(size, 3);
  Points points(4);
  // A few roundings of positions of up to ten lengths.
  const double rounding = 1e-13 * size;
  int met = 0, missed = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Vec3 origin = size * (Vec3{3.75, 0, 0} + points.in_cube(5));
    const Vec3 target = size * (Vec3{points.between(-1, 8.5), 0, 0} + points.in_cube(1.2));
    const Vec3 along = direction(target - origin, {1, 0, 0});
    const double reach = trial % 3 == 0 ? 3 * size : infinity;
    double expected = infinity;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      for (const auto& [i, j, k] : scene.bodies[b].triangles) {
        const double t = ray_distance(origin, along, scene.at(i), scene.at(j), scene.at(k));
        if (t <= reach) expected = std::min(expected, t);
      }
    }
    const SurfacePlace place = tree.raycast(scene.x, origin, along, reach);
    ASSERT_EQ(place.body >= 0, expected < infinity) << trial;
    if (place.body < 0) {
      ++missed;
      continue;
    }
    ++met;
    EXPECT_NEAR(place.distance, expected, rounding);
    const auto& corners = scene.bodies[static_cast<std::size_t>(place.body)]
                              .triangles[static_cast<std::size_t>(place.triangle)];
    Vec3 point{0, 0, 0};
    double sum = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_GE(place.weights[n], 0);
      sum += place.weights[n];
      point = point + place.weights[n] * scene.at(corners[n]);
    }
    EXPECT_NEAR(sum, 1, 1e-15 * 4);
    EXPECT_LE(norm(point - place.point), rounding);
    EXPECT_LE(norm(origin + place.distance * along - place.point), rounding);
    const Vec3 normal = cross(scene.at(corners[1]) - scene.at(corners[0]),
                              scene.at(corners[2]) - scene.at(corners[0]));
    EXPECT_NEAR(dot(place.normal, direction(normal, {0, 0, 0})), 1, 1e-14);
  }
  EXPECT_GT(met, 500);
  EXPECT_GT(missed, 500);
}

TEST_P(Scales, TheClosestPointIsTheNearestOfAllTriangles) {
  const double size = GetParam();
  World scene = world();
  const SurfaceTree tree = scene.deformed(size, 5);
  Points points(6);
  int inside = 0, near_strand = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Vec3 x = size * (Vec3{points.between(-2, 9.5), 0, 0} + points.in_cube(2));
    const double reach = trial % 4 == 0 ? 0.3 * size : infinity;
    double expected = infinity;
    for (const BodySurface& body : scene.bodies) {
      for (const auto& [i, j, k] : body.triangles) {
        const TrianglePoint p =
            nearest_point(triangle_of(scene.at(i), scene.at(j), scene.at(k)), x);
        expected = std::min(expected, std::sqrt(p.squared_distance));
      }
    }
    const SurfacePlace place = tree.closest(scene.x, x, reach);
    ASSERT_EQ(place.body >= 0, expected <= reach);
    if (place.body < 0) continue;
    // Both take the same way to a triangle, but the root of the square is rounded differently.
    EXPECT_NEAR(std::abs(place.distance), expected, 1e-15 * 10 * size);
    EXPECT_NEAR(norm(x - place.point), expected, 1e-15 * 10 * size);
    const auto b = static_cast<std::size_t>(place.body);
    const auto& corners = scene.bodies[b].triangles[static_cast<std::size_t>(place.triangle)];
    Vec3 point{0, 0, 0};
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_GE(place.weights[n], 0);
      point = point + place.weights[n] * scene.at(corners[n]);
    }
    EXPECT_LE(norm(point - place.point), 1e-13 * size);
    const bool is_in =
        scene.bodies[b].is_closed && test_meshes::winding_number(scene.mesh_of(b), x) > 0.5;
    EXPECT_EQ(place.distance < 0, is_in);
    inside += is_in ? 1 : 0;
    near_strand += place.body == 3 ? 1 : 0;
  }
  EXPECT_GT(inside, 50);
  EXPECT_GT(near_strand, 50);
}

/// Whether any of a triangle is in a box, by cutting it by plane after plane [Sutherland & Hodgman
/// 1974].
bool clips(const Box& box, const Vec3& a, const Vec3& b, const Vec3& c) {
  std::vector<Vec3> polygon{a, b, c}, cut;
  for (std::size_t plane = 0; plane < 6 && !polygon.empty(); ++plane) {
    const std::size_t k = plane / 2;
    const auto inside = [&](const Vec3& p) {
      return plane % 2 == 0 ? p[k] - box.min[k] : box.max[k] - p[k];
    };
    cut.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
      const double u = inside(p), v = inside(q);
      if (u >= 0) cut.push_back(p);
      if ((u < 0) != (v < 0)) cut.push_back(p + (u / (u - v)) * (q - p));
    }
    polygon = cut;
  }
  return !polygon.empty();
}

TEST(BoxAndTriangle, OverlapWhereACutLeavesSomething) {
  Points points(7);
  int count[2] = {0, 0};
  for (int trial = 0; trial < 20000; ++trial) {
    Box box;
    const Vec3 p = points.in_cube(1), q = points.in_cube(1);
    for (std::size_t k = 0; k < 3; ++k) {
      box.min[k] = std::min(p[k], q[k]);
      box.max[k] = std::max(p[k], q[k]);
    }
    const Vec3 a = points.in_cube(1.5), b = points.in_cube(1.5), c = points.in_cube(1.5);
    const Vec3& last = trial % 5 == 0 ? b : c;
    const bool expected = clips(box, a, b, last);
    EXPECT_EQ(overlaps(box, a, b, last), expected) << trial;
    ++count[expected ? 1 : 0];
  }
  EXPECT_GT(count[0], 2000);
  EXPECT_GT(count[1], 2000);
}

TEST_P(Scales, VolumesFindTheBodiesThatTheyTouchOrThatHoldThem) {
  const double size = GetParam();
  World scene = world();
  const SurfaceTree tree = scene.deformed(size, 8);
  Points points(9);
  std::vector<int> found;
  int held = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const Vec3 center = size * (Vec3{points.between(-2, 9.5), 0, 0} + points.in_cube(1.5));
    const double radius = size * points.between(0.01, trial % 5 == 0 ? 4.0 : 0.4);
    const Vec3 half{radius, 0.5 * radius, 0.8 * radius};
    const Box box{center - half, center + half};
    std::vector<int> in_box, in_sphere;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      bool touches_box = false, touches_sphere = false;
      for (const auto& [i, j, k] : scene.bodies[b].triangles) {
        const Triangle t = triangle_of(scene.at(i), scene.at(j), scene.at(k));
        touches_box = touches_box || clips(box, t.corner[0], t.corner[1], t.corner[2]);
        touches_sphere =
            touches_sphere || nearest_point(t, center).squared_distance <= radius * radius;
      }
      const bool is_in =
          scene.bodies[b].is_closed && test_meshes::winding_number(scene.mesh_of(b), center) > 0.5;
      if (touches_box || is_in) in_box.push_back(static_cast<int>(b));
      if (touches_sphere || is_in) in_sphere.push_back(static_cast<int>(b));
      held += is_in && !touches_box ? 1 : 0;
    }
    tree.overlap(scene.x, box, found);
    EXPECT_EQ(found, in_box);
    tree.overlap(scene.x, SphereShape{center, radius}, found);
    EXPECT_EQ(found, in_sphere);
  }
  EXPECT_GT(held, 10);
}

TEST(SurfaceTree, NoRayPassesBetweenTrianglesThatShareAnEdge) {
  // At edges and corners, from far away and along the axes, where boxes and triangles end together.
  World scene = world();
  scene.bodies.resize(1);
  const SurfaceTree tree = scene.deformed(1, 10);
  Points points(11);
  int met = 0;
  for (int trial = 0; trial < 30000; ++trial) {
    const auto& triangles = scene.bodies[0].triangles;
    const auto& corners = triangles[static_cast<std::size_t>(trial) % triangles.size()];
    const Vec3 a = scene.at(corners[0]), b = scene.at(corners[1]);
    const Vec3 target = trial % 3 == 0 ? a : a + points.between(0, 1) * (b - a);
    Vec3 along = points.unit();
    if (trial % 5 == 0) along = {0, 0, 1};
    if (trial % 5 == 1) along = direction(Vec3{0, 1, 1e-12}, {});
    const double away = trial % 2 == 0 ? 3 : 1000;
    const Vec3 origin = target - away * along;
    const Vec3 toward = direction(target - origin, {});
    // By rounding, a ray that grazes the outline can miss; one that goes deep into the body cannot.
    constexpr double deep = 1e-3;
    const Vec3 behind = target + deep * toward;
    if (test_meshes::winding_number(scene.mesh_of(0), behind) < 0.5) continue;
    const SurfacePlace place = tree.raycast(scene.x, origin, toward, infinity);
    ASSERT_EQ(place.body, 0) << trial;
    EXPECT_LT(place.distance, norm(behind - origin));
    ++met;
  }
  EXPECT_GT(met, 5000);
}

TEST(SurfaceTree, NoRayPassesBetweenBoxesThatEndAtAnEdge) {
  // Cells with edges along the axes, and rays that tilt so little that rounding decides on which
  // side of an edge they are.
  World scene;
  TriangleMesh sheet;
  for (int j = 0; j <= 12; ++j) {
    for (int i = 0; i <= 12; ++i) sheet.vertices.push_back({i / 7.0, j / 7.0, 0});
  }
  for (int j = 0; j < 12; ++j) {
    for (int i = 0; i < 12; ++i) {
      const int v = 13 * j + i;
      sheet.triangles.insert(sheet.triangles.end(), {{v, v + 1, v + 14}, {v, v + 14, v + 13}});
    }
  }
  scene.add(sheet, false);
  for (std::size_t i = 0; i < scene.x.size(); ++i) {
    for (int k = 0; k < 3; ++k) scene.x[i][k] = scene.rest[i][static_cast<std::size_t>(k)];
  }
  SurfaceTree tree(scene.bodies, scene.rest);
  tree.refit(scene.x);
  Points points(13);
  for (int trial = 0; trial < 100000; ++trial) {
    const double away = trial % 2 == 0 ? 1 : 1000;
    const Vec3 target{(1 + trial % 11) / 7.0, points.between(0.1, 1.6), 0};
    const Vec3 along = direction(Vec3{points.between(-1e-3, 1e-3), 0, -1}, {});
    const Vec3 origin = target - away * along;
    ASSERT_EQ(tree.raycast(scene.x, origin, along, infinity).body, 0) << trial;
  }
}

TEST(SurfaceTree, TrianglesWithoutAreaAreSegmentsAndPoints) {
  World scene;
  scene.add({{{0, 0, 0}, {1, 0, 0}, {0.25, 0, 0}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}},
             {{0, 1, 2}, {3, 4, 5}, {0, 2, 1}}},
            true);
  for (std::size_t i = 0; i < scene.x.size(); ++i) {
    for (int k = 0; k < 3; ++k) scene.x[i][k] = scene.rest[i][static_cast<std::size_t>(k)];
  }
  SurfaceTree tree(scene.bodies, scene.rest);
  tree.refit(scene.x);
  EXPECT_EQ(tree.raycast(scene.x, {0.5, 1, 0}, {0, -1, 0}, infinity).body, -1);
  EXPECT_EQ(tree.raycast(scene.x, {-1, 0, 0}, {1, 0, 0}, infinity).body, -1);
  const SurfacePlace on_segment = tree.closest(scene.x, {0.5, 3, 4}, infinity);
  EXPECT_EQ(on_segment.distance, 5);
  EXPECT_EQ(on_segment.point, (Vec3{0.5, 0, 0}));
  EXPECT_EQ(on_segment.normal, (Vec3{0, 0, 0}));
  const SurfacePlace on_point = tree.closest(scene.x, {5, 5, 7}, infinity);
  EXPECT_EQ(on_point.distance, 2);
  EXPECT_EQ(on_point.triangle, 1);
  EXPECT_EQ(on_point.weights[0] + on_point.weights[1] + on_point.weights[2], 1);
}

TEST(SurfaceTree, NothingIsThereWithoutBodies) {
  SurfaceTree tree({{}, {}}, {});
  const VectorField x;
  tree.refit(x);
  EXPECT_EQ(tree.raycast(x, {0, 0, 0}, {1, 0, 0}, infinity).body, -1);
  EXPECT_EQ(tree.closest(x, {0, 0, 0}, infinity).body, -1);
  std::vector<int> found{7};
  tree.overlap(x, Box{{-1, -1, -1}, {1, 1, 1}}, found);
  EXPECT_TRUE(found.empty());
}

TEST(SurfaceTree, RefittingAndAskingAllocateNothing) {
  World scene = world();
  SurfaceTree tree = scene.deformed(1, 12);
  tree.refit(scene.x);
  const long before = num_allocations();
  tree.refit(scene.x);
  int met = 0;
  for (int i = 0; i < 100; ++i) {
    met += tree.raycast(scene.x, {0.1 * i, 0.3, 5}, {0, 0, -1}, infinity).body >= 0 ? 1 : 0;
    met += tree.closest(scene.x, {0.1 * i, 2, 0}, infinity).body >= 0 ? 1 : 0;
  }
  EXPECT_EQ(num_allocations(), before);
  EXPECT_GT(met, 150);
}

}  // namespace
}  // namespace supple
