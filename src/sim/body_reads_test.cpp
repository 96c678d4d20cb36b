#include <gtest/gtest.h>

#include <cmath>

#include "sim/test_scenes.h"
#include "supple/error.h"

/// One body into the caller's memory.
namespace supple {
namespace {

using test::place_of;

/// A block, cloth and a strand, in this order, moving.
Scene mixed() {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].velocity = {0.3, 0.2, -0.1};
  scene.bodies.push_back(test::cloth_body());
  Body strand;
  strand.name = "strand";
  strand.mesh.vertices = {{0, 2, 0}, {0, 2.5, 0}, {0, 3, 0}};
  strand.springs = {{0, 1, 100, 0.5}, {1, 2, 100, 0.5}};
  strand.segments = {{0, 1}, {1, 2}};
  scene.bodies.push_back(strand);
  return scene;
}

TEST(BodyReads, AreTheBodysPartOfTheWholeFieldsInAnyStride) {
  Simulation simulation(mixed(), {.threads = 1});
  test::run(simulation, 5);
  std::vector<double> x(static_cast<std::size_t>(simulation.num_vertices()) * 3), v(x.size());
  simulation.copy_positions(x);
  simulation.copy_velocities(v);
  for (int body = 0; body < 3; ++body) {
    const auto first =
        static_cast<std::size_t>(simulation.body_vertices()[static_cast<std::size_t>(body)]);
    const auto count =
        static_cast<std::size_t>(simulation.body_vertices()[static_cast<std::size_t>(body) + 1]) -
        first;
    for (const std::size_t stride : {3U, 4U, 8U}) {
      std::vector<double> wide(count * stride, -7), wide_v(wide);
      std::vector<float> narrow(wide.size(), -7), narrow_v(narrow);
      simulation.body_positions(body, wide, static_cast<int>(stride));
      simulation.body_positions(body, narrow, static_cast<int>(stride));
      simulation.body_velocities(body, wide_v, static_cast<int>(stride));
      // The last vertex needs no room after it.
      simulation.body_velocities(body, std::span(narrow_v).first((count - 1) * stride + 3),
                                 static_cast<int>(stride));
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < stride; ++k) {
          const std::size_t at = stride * i + k, from = 3 * (first + i) + k;
          EXPECT_EQ(wide[at], k < 3 ? x[from] : -7);
          EXPECT_EQ(narrow[at], k < 3 ? static_cast<float>(x[from]) : -7);
          EXPECT_EQ(wide_v[at], k < 3 ? v[from] : -7);
          EXPECT_EQ(narrow_v[at], k < 3 ? static_cast<float>(v[from]) : -7);
        }
      }
    }
  }
}

TEST(BodyReads, NormalsOfABlockPointOutwards) {
  Simulation simulation(mixed(), {.threads = 1});
  const auto& vertices = simulation.scene().bodies[0].mesh.vertices;
  std::vector<double> normals(3 * vertices.size());
  std::vector<float> narrow(normals.size());
  simulation.body_normals(0, normals);
  simulation.body_normals(0, narrow);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    int sides = 0;
    for (const double x : vertices[i]) sides += std::abs(x) > 0.24 ? 1 : 0;
    double length = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double n = normals[3 * i + k];
      length += n * n;
      // Areas in floats have seven digits.
      EXPECT_NEAR(n, static_cast<double>(narrow[3 * i + k]), 1e-6);
      if (sides == 1) {  // in the middle of a side the triangles lie in one plane
        const double expected =
            std::abs(vertices[i][k]) > 0.24 ? std::copysign(1, vertices[i][k]) : 0;
        EXPECT_NEAR(n, expected, 1e-12);
      }
      if (sides > 1 && std::abs(vertices[i][k]) > 0.24) {
        EXPECT_GT(n * vertices[i][k], 0);
      }
    }
    EXPECT_NEAR(length, sides > 0 ? 1 : 0, 1e-12);
  }
  std::vector<double> of_strand(9, 5);
  simulation.body_normals(2, of_strand);
  EXPECT_EQ(of_strand, std::vector<double>(9, 0));
}

TEST(BodyReads, BoundsAndTrianglesAreTheBodys) {
  Simulation simulation(mixed(), {.threads = 1});
  const Box box = simulation.body_bounds(0);
  EXPECT_EQ(box.min, (Vec3{-0.25, -0.25, -0.25}));
  EXPECT_EQ(box.max, (Vec3{0.25, 0.25, 0.25}));
  EXPECT_EQ(simulation.body_bounds(2).max, (Vec3{0, 3, 0}));
  int next = 0;
  for (int body = 0; body < 3; ++body) {
    const Simulation::TriangleRange range = simulation.body_triangles(body);
    EXPECT_EQ(range.first, next);
    next += range.count;
    for (int t = range.first; t < next; ++t) {
      for (const int v : simulation.surface()[static_cast<std::size_t>(t)]) {
        EXPECT_GE(v, simulation.body_vertices()[static_cast<std::size_t>(body)]);
        EXPECT_LT(v, simulation.body_vertices()[static_cast<std::size_t>(body) + 1]);
      }
    }
  }
  EXPECT_EQ(next, static_cast<int>(simulation.surface().size()));
  EXPECT_EQ(simulation.body_triangles(2).count, 0);
}

TEST(BodyReads, RoomThatDoesNotFitIsRefusedWithWhatWould) {
  Simulation simulation(mixed(), {.threads = 1});
  std::vector<float> room(8);
  EXPECT_EQ(place_of([&] { simulation.body_positions(2, room); }), "out");
  EXPECT_EQ(place_of([&] { simulation.body_normals(2, room, 4); }), "out");
  EXPECT_EQ(place_of([&] { simulation.body_velocities(2, room, 2); }), "stride");
  for (const int body : {-1, 3}) {
    EXPECT_EQ(place_of([&] { simulation.body_positions(body, room); }), "/bodies");
    EXPECT_EQ(place_of([&] { simulation.body_bounds(body); }), "/bodies");
    EXPECT_EQ(place_of([&] { simulation.body_triangles(body); }), "/bodies");
  }
  try {
    simulation.body_positions(2, room, 8);
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("19 to 24 numbers (3 vertices, 8 apart), there is for 8"),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace supple
