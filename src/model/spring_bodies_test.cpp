#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "model/model.h"
#include "supple/error.h"

namespace supple {
namespace {

Body body_of(const SpringMesh& mesh) {
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {100, 50, 10});
  return body;
}

Model model_of(const Body& body) {
  Scene scene;
  scene.bodies.push_back(body);
  return build_model(scene);
}

double total_mass(const Body& body) {
  const Model model = model_of(body);
  return std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
}

TEST(SpringBodies, ACornerOfATriangleGetsAThirdOfItsMass) {
  Body body;
  body.mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}};
  body.triangles = {{0, 1, 2}, {1, 3, 2}};  // 2 m^2 each
  body.springs = {{0, 1, 1, 1}};
  body.density = 0.3;
  const Model model = model_of(body);
  const double third = 0.3 * 2 / 3;
  const double expected[4] = {third, 2 * third, 2 * third, third};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(model.mass[i], expected[i], 1e-15);
  EXPECT_EQ(model.num_tets, 0);
}

TEST(SpringBodies, HaveTheMassOfTheirMeasure) {
  Body cloth = body_of(generate(ClothGenerator{.u = {2, 0, 0}, .v = {0, 0, 3}, .cells = {7, 5}}));
  cloth.density = 0.2;
  EXPECT_NEAR(total_mass(cloth), 0.2 * 6, 1e-14);
  cloth.mass = 7;
  EXPECT_NEAR(total_mass(cloth), 7, 1e-13);
  // Bending springs lie along the segments and weigh nothing.
  Body strand = body_of(generate(StrandGenerator{{0, 0, 0}, {0, 4, 0}, 9}));
  strand.density = 0.01;
  EXPECT_NEAR(total_mass(strand), 0.04, 1e-16);
  // Without segments, every spring carries mass in proportion to its rest length.
  Body net = strand;
  net.segments.clear();
  net.springs = {{0, 1, 5, 3}, {1, 2, 5, 1}};
  const Model model = model_of(net);
  EXPECT_DOUBLE_EQ(model.mass[0], 0.01 * 1.5);
  EXPECT_DOUBLE_EQ(model.mass[1], 0.01 * 2);
  EXPECT_DOUBLE_EQ(model.mass[2], 0.01 * 0.5);
  EXPECT_EQ(model.mass[3], 0);
}

TEST(SpringBodies, SpringsAreNumberedInTheModel) {
  Scene scene;
  scene.bodies = {body_of(generate(StrandGenerator{.segments = 3})),
                  body_of(generate(ClothGenerator{.cells = {2, 2}}))};
  const Model model = build_model(scene);
  ASSERT_EQ(model.springs.size(), scene.bodies[0].springs.size() + scene.bodies[1].springs.size());
  std::size_t s = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    for (const Spring& spring : scene.bodies[b].springs) {
      const SpringSet::Spring& found = model.springs.springs[s++];
      EXPECT_EQ(found.a, model.body_vertices[b] + spring.a);
      EXPECT_EQ(found.b, model.body_vertices[b] + spring.b);
      EXPECT_EQ(found.stiffness, spring.stiffness);
      EXPECT_EQ(found.rest_length, spring.rest_length);
    }
  }
  EXPECT_EQ(model.springs.start.size(), static_cast<std::size_t>(model.num_vertices) + 1);
  EXPECT_EQ(model.springs.start.back(), static_cast<int>(2 * model.springs.size()));
}

TEST(SpringBodies, WhatIsWrongWithOneIsNamed) {
  const Body good = body_of(generate(ClothGenerator{.cells = {2, 2}}));
  const auto refused = [&](auto change, const std::string& where, const std::string& message) {
    Body body = good;
    change(body);
    try {
      model_of(body);
      ADD_FAILURE() << "not refused: " << where;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), where);
      EXPECT_NE(error.message().find(message), std::string::npos) << error.message();
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](Body& b) { b.springs[3].b = 9; }, "/bodies/0/springs/3", "no vertex 9");
  refused([](Body& b) { b.springs[2].a = -1; }, "/bodies/0/springs/2", "no vertex -1");
  refused([](Body& b) { b.springs[1].b = b.springs[1].a; }, "/bodies/0/springs/1", "twice");
  refused([](Body& b) { b.springs[5].stiffness = 0; }, "/bodies/0/springs/5/stiffness", "N/m");
  refused([&](Body& b) { b.springs[5].stiffness = nan; }, "/bodies/0/springs/5/stiffness", "N/m");
  refused([](Body& b) { b.springs[0].rest_length = -1; }, "/bodies/0/springs/0/rest_length", "0 m");
  refused([](Body& b) { b.triangles[1][2] = 99; }, "/bodies/0/triangles/1", "no vertex 99");
  refused([](Body& b) { b.segments = {{0, 0}}; }, "/bodies/0/segments/0", "twice");
  refused([&](Body& b) { b.mesh.vertices[4][1] = nan; }, "/bodies/0/mesh", "vertex 4");
  refused([](Body& b) { b.density = 0; }, "/bodies/0/density", "kg/m^2");
  refused([](Body& b) { b.mass = -1; }, "/bodies/0/mass", "positive mass");
  refused([](Body& b) { b.fibers = {FiberSettings{}}; }, "/bodies/0/fiber", "springs");
  refused([](Body& b) { b.regions.emplace_back(); }, "/bodies/0/regions", "springs");
  refused([](Body& b) { b.layers.emplace_back(); }, "/bodies/0/layers", "springs");
  refused([](Body& b) { b.springs.clear(); }, "/bodies/0/mesh", "no tetrahedra");
  refused(
      [](Body& b) {
        b.mesh.vertices.push_back({5, 5, 5});
        b.springs.push_back({0, 9, 1, 1});
      },
      "/bodies/0/springs/" + std::to_string(good.springs.size()), "has no mass");
}

}  // namespace
}  // namespace supple
