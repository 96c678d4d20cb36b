#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "sim/test_scenes.h"

namespace supple {
namespace {

using test::place_of;
using test::positions_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

Vec3 sum(const Vec3& a, double s, const Vec3& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// A twisting bar about the origin, a hanging cloth two metres to its side, and a strand above.
Scene three_bodies() {
  Scene scene = test::twisting_bar({6, 3, 3}, "neo_hookean");
  scene.gravity = {0, -9.81, 0};
  Body cloth = test::hanging_cloth().bodies[0];
  for (Vec3& x : cloth.mesh.vertices) x[2] += 3;
  scene.bodies.push_back(cloth);
  const SpringMesh line = generate(StrandGenerator{{-1, 2, 0}, {1, 2, 0}, 8});
  Body strand{.name = "strand"};
  strand.mesh.vertices = line.vertices;
  strand.segments = line.segments;
  strand.springs = make_springs(line, {.stiffness = 1e3});
  strand.density = 0.1;
  strand.pins = {{.vertices = {0, 8}}};
  scene.bodies.push_back(strand);
  return scene;
}

/// Compares what a hit says with the positions that anybody can read.
void expect_consistent(const Simulation& simulation, const SurfaceHit& hit) {
  const std::vector<Vec3> x = positions_of(simulation);
  Vec3 point{0, 0, 0};
  for (std::size_t n = 0; n < 3; ++n) {
    point = sum(point, hit.weights[n], x[static_cast<std::size_t>(hit.vertices[n])]);
    EXPECT_GE(hit.vertices[n], simulation.body_vertices()[static_cast<std::size_t>(hit.body)]);
    EXPECT_LT(hit.vertices[n], simulation.body_vertices()[static_cast<std::size_t>(hit.body) + 1]);
  }
  EXPECT_LE(distance(point, hit.point), 1e-14 * 10);
  if (hit.triangle >= 0) {
    EXPECT_EQ(hit.vertices, simulation.surface()[static_cast<std::size_t>(hit.triangle)]);
  }
  EXPECT_EQ(hit.tet >= 0, hit.body == 0);
  if (hit.tet < 0) return;
  const auto& tet = simulation.scene().bodies[0].mesh.tets[static_cast<std::size_t>(hit.tet)];
  for (const int vertex : hit.vertices) {
    EXPECT_EQ(std::count(tet.begin(), tet.end(), vertex), 1);
  }
}

/// The first of all triangles that a ray meets, found with planes and edges; -1: none.
int first_met(const Simulation& simulation, const Vec3& origin, const Vec3& direction) {
  const auto minus = [](const Vec3& a, const Vec3& b) { return sum(a, -1, b); };
  const auto cross = [](const Vec3& a, const Vec3& b) {
    return Vec3{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto dot = [](const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  const std::vector<Vec3> x = positions_of(simulation);
  double nearest = infinity;
  int found = -1;
  for (std::size_t t = 0; t < simulation.surface().size(); ++t) {
    std::array<Vec3, 3> corner;
    for (std::size_t n = 0; n < 3; ++n) {
      corner[n] = x[static_cast<std::size_t>(simulation.surface()[t][n])];
    }
    const Vec3 normal = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]));
    const double away = dot(minus(corner[0], origin), normal) / dot(direction, normal);
    if (!(away >= 0 && away < nearest)) continue;
    const Vec3 point = sum(origin, away, direction);
    bool is_in = true;
    for (std::size_t n = 0; n < 3; ++n) {
      const Vec3 edge = minus(corner[(n + 1) % 3], corner[n]);
      is_in = is_in && dot(cross(edge, minus(point, corner[n])), normal) >= 0;
    }
    if (!is_in) continue;
    nearest = away;
    found = static_cast<int>(t);
  }
  return found;
}

TEST(Raycast, MeetsTheDeformedSurfaceAfterEveryStep) {
  Simulation simulation(three_bodies(), {.threads = 1});
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> side(-1, 1);
  const auto place = [&] { return Vec3{side(engine), side(engine), side(engine)}; };
  int met[3] = {0, 0, 0}, missed = 0;
  for (int frame = 0; frame < 12; ++frame) {
    for (int ray = 0; ray < 60; ++ray) {
      const Vec3 origin = sum({0, 0, 1}, 6, place());
      const Vec3 direction = sum(sum({0, 0, ray % 2 == 0 ? 0.0 : 3.0}, 1.2, place()), -1, origin);
      const auto hit = simulation.raycast(origin, direction);
      ASSERT_EQ(hit ? hit->triangle : -1, first_met(simulation, origin, direction));
      if (!hit) {
        ++missed;
        continue;
      }
      ++met[hit->body];
      expect_consistent(simulation, *hit);
      EXPECT_FALSE(simulation.raycast(origin, direction, hit->distance * (1 - 1e-12)));
      EXPECT_TRUE(simulation.raycast(origin, direction, hit->distance));
    }
    simulation.step();
  }
  EXPECT_GT(met[0], 50);
  EXPECT_GT(met[1], 20);
  EXPECT_EQ(met[2], 0) << "a strand has no thickness";
  EXPECT_GT(missed, 50);
}

TEST(ClosestPoint, IsNearestOfTrianglesAndStrandsAndNegativeInside) {
  Simulation simulation(three_bodies(), {.threads = 1});
  test::run(simulation, 5);
  // The middle of a tet of the bar is inside; its distance is that of the nearest surface point.
  const auto& mesh = simulation.scene().bodies[0].mesh;
  const std::vector<Vec3> x = positions_of(simulation);
  for (const auto& tet : mesh.tets) {
    Vec3 middle{0, 0, 0};
    for (const int v : tet) middle = sum(middle, 0.25, x[static_cast<std::size_t>(v)]);
    const auto hit = simulation.closest_point(middle);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, 0);
    EXPECT_LT(hit->distance, 0);
    EXPECT_NEAR(-hit->distance, distance(hit->point, middle), 1e-15 * 10);
    expect_consistent(simulation, *hit);
  }
  // On both sides of the cloth the distance is positive.
  const auto on_cloth = simulation.raycast({0.1, 5, 3.1}, {0, -1, 0});
  ASSERT_TRUE(on_cloth);
  ASSERT_EQ(on_cloth->body, 1);
  for (const double side : {-1e-3, 1e-3}) {
    const auto hit = simulation.closest_point(sum(on_cloth->point, side, on_cloth->normal));
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, 1);
    EXPECT_NEAR(hit->distance, 1e-3, 1e-15 * 100);
  }
  // A strand is a line with two ends and no triangle.
  const auto on_strand = simulation.closest_point({0.3, 2.5, 0});
  ASSERT_TRUE(on_strand);
  EXPECT_EQ(on_strand->body, 2);
  EXPECT_EQ(on_strand->triangle, -1);
  EXPECT_EQ(on_strand->vertices[1], on_strand->vertices[2]);
  EXPECT_EQ(on_strand->vertices[1], on_strand->vertices[0] + 1);
  expect_consistent(simulation, *on_strand);
  EXPECT_FALSE(simulation.closest_point({0.3, 2.5, 0}, 0.999 * on_strand->distance));
}

TEST(Overlap, FindsBodiesAndVerticesOfAVolume) {
  Simulation simulation(three_bodies(), {.threads = 1});
  test::run(simulation, 3);
  const Box all{{-9, -9, -9}, {9, 9, 9}};
  EXPECT_EQ(simulation.overlap(all), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(simulation.vertices_in(all).size(),
            static_cast<std::size_t>(simulation.num_vertices()));
  // Entirely inside the bar, where there is no surface.
  EXPECT_EQ(simulation.overlap(Box{{-0.01, -0.01, -0.01}, {0.01, 0.01, 0.01}}),
            (std::vector<int>{0}));
  EXPECT_EQ(simulation.overlap(SphereShape{{0, 0, 0}, 0.01}), (std::vector<int>{0}));
  EXPECT_TRUE(simulation.overlap(SphereShape{{0, 9, 0}, 1}).empty());
  const std::vector<Vec3> x = positions_of(simulation);
  const SphereShape ball{x[5], 0.6};
  std::vector<int> expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (distance(x[i], ball.center) <= ball.radius) expected.push_back(static_cast<int>(i));
  }
  EXPECT_GT(expected.size(), 1U);
  EXPECT_EQ(simulation.vertices_in(ball), expected);
}

TEST(Queries, FollowAStateThatIsSetAndASceneThatTakesOver) {
  Simulation simulation(three_bodies(), {.threads = 1});
  const Vec3 above{0, 9, 0}, down{0, -1, 0};
  ASSERT_TRUE(simulation.raycast(above, down));
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.positions.size(); i += 3) state.positions[i] += 50;
  simulation.set_state(state);
  EXPECT_FALSE(simulation.raycast(above, down));
  const auto moved = simulation.raycast({50.07, 9, 0.03}, down);
  ASSERT_TRUE(moved);
  Scene next = simulation.scene();
  next.bodies[0].mesh.tets.erase(next.bodies[0].mesh.tets.begin() + moved->tet);
  simulation.change(next);
  const auto changed = simulation.raycast({50.07, 9, 0.03}, down);
  ASSERT_TRUE(changed);
  expect_consistent(simulation, *changed);
  EXPECT_GT(changed->distance, moved->distance) << "the tet that was met is gone";
}

TEST(Queries, NameTheArgumentThatIsWrong) {
  const Simulation simulation(test::free_block("neo_hookean"), {.threads = 1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 o{0, 0, 0}, d{1, 0, 0};
  EXPECT_EQ(place_of([&] { simulation.raycast({nan, 0, 0}, d); }), "origin");
  EXPECT_EQ(place_of([&] { simulation.raycast({infinity, 0, 0}, d); }), "origin");
  EXPECT_EQ(place_of([&] { simulation.raycast(o, {0, nan, 0}); }), "direction");
  EXPECT_EQ(place_of([&] { simulation.raycast(o, {0, 0, 0}); }), "direction");
  EXPECT_EQ(place_of([&] { simulation.raycast(o, d, -1); }), "max_distance");
  EXPECT_EQ(place_of([&] { simulation.raycast(o, d, nan); }), "max_distance");
  EXPECT_EQ(place_of([&] { simulation.closest_point({0, 0, nan}); }), "point");
  EXPECT_EQ(place_of([&] { simulation.closest_point(o, -1e-9); }), "max_distance");
  EXPECT_EQ(place_of([&] { simulation.overlap(Box{{0, 0, 0}, {1, nan, 1}}); }), "box.max");
  EXPECT_EQ(place_of([&] { simulation.overlap(Box{{0, 2, 0}, {1, 1, 1}}); }), "box");
  EXPECT_EQ(place_of([&] { simulation.vertices_in(SphereShape{o, -1}); }), "sphere.radius");
  EXPECT_EQ(place_of([&] { simulation.overlap(SphereShape{{nan, 0, 0}, 1}); }), "sphere.center");
}

TEST(Queries, GiveSeveralThreadsTheSameAnswers) {
  Simulation simulation(three_bodies(), {.threads = 1});
  for (int frame = 0; frame < 5; ++frame) {
    simulation.step();
    std::array<std::vector<double>, 4> found;
    std::vector<std::thread> threads;
    for (auto& distances : found) {
      threads.emplace_back([&distances, &simulation] {
        for (int ray = 0; ray < 50; ++ray) {
          const auto hit = simulation.raycast({0.02 * ray - 0.5, 5, 0.03}, {0, -1, 0});
          distances.push_back(hit ? hit->distance : -1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& distances : found) EXPECT_EQ(distances, found[0]);
  }
}

}  // namespace
}  // namespace supple
