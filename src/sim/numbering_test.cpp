#include "sim/numbering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "supple/simulation.h"

namespace supple {
namespace {

Scene bar_beside_ball() {
  Scene scene;
  for (const TetMesh& mesh : {generate(BoxGenerator{.size = {2, 1, 1}, .cells = {8, 4, 4}}),
                              generate(SphereGenerator{.radius = 1, .cells = 5})}) {
    Body body;
    body.mesh = mesh;
    body.material = {.model = "neo_hookean", .mu = 1000, .lambda = 2000};
    scene.bodies.push_back(body);
  }
  scene.bodies[0].pins = {{.vertices = {0, 5}}};
  scene.bodies[1].velocity = {1, 2, 3};
  return scene;
}

TEST(VertexAdjacency, HoldsEachNeighbourOnceAscending) {
  Scene scene = bar_beside_ball();
  Body strand;
  strand.mesh.vertices = {{0, 5, 0}, {1, 5, 0}, {2, 5, 0}, {9, 9, 9}};
  strand.springs = {{2, 1, 1, 1}, {0, 1, 1, 1}, {1, 2, 1, 1}};
  strand.mass = 1;
  scene.bodies.push_back(strand);
  const Model model = build_model(scene);
  std::vector<std::set<int>> expected(static_cast<std::size_t>(model.num_vertices));
  const auto add = [&](int a, int b) {
    if (a != b) expected[static_cast<std::size_t>(a)].insert(b);
  };
  for (const auto& tet : model.tets) {
    for (const int a : tet) {
      for (const int b : tet) add(a, b);
    }
  }
  for (const auto& spring : model.springs.springs) {
    add(spring.a, spring.b);
    add(spring.b, spring.a);
  }
  const Adjacency found = vertex_adjacency(model);
  ASSERT_EQ(found.start.size(), expected.size() + 1);
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const std::vector<int> row(found.neighbour.begin() + found.start[v],
                               found.neighbour.begin() + found.start[v + 1]);
    EXPECT_EQ(row, std::vector<int>(expected[v].begin(), expected[v].end())) << v;
  }
  EXPECT_EQ(found.start.back(), static_cast<int>(found.neighbour.size()));
}

TEST(Numbering, TheOrderOfTheModelFillsNoMoreThanTheBestOneFound) {
  Model model = build_model(bar_beside_ball());
  const long long best = Laplacian(model, 900).factor_entries();
  const Numbering numbering(model);
  EXPECT_TRUE(model.in_elimination_order);
  EXPECT_EQ(Laplacian(model, 900).factor_entries(), best);
}

TEST(Numbering, BodiesKeepTheirVertices) {
  Model model = build_model(bar_beside_ball());
  const std::vector<int> bodies = model.body_vertices;
  const Numbering numbering(model);
  for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
    for (int vertex = bodies[b]; vertex < bodies[b + 1]; ++vertex) {
      EXPECT_GE(numbering.to_model(vertex), bodies[b]);
      EXPECT_LT(numbering.to_model(vertex), bodies[b + 1]);
    }
  }
}

TEST(Numbering, AFieldComesBack) {
  Model model = build_model(bar_beside_ball());
  const std::vector<Vec3> rest = model.rest;
  const Numbering numbering(model);
  VectorField field(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) field[i].v[k] = rest[i][k];
  }
  const VectorField in_model = numbering.to_model(field);
  std::vector<double> back(3 * rest.size());
  numbering.unpad_to_scene(in_model, back);
  const VectorField again = numbering.to_scene(in_model);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(in_model[i].v[k], model.rest[i][k]);
      EXPECT_EQ(back[3 * i + k], rest[i][k]);
      EXPECT_EQ(again[i].v[k], rest[i][k]);
    }
  }
}

/// The scene with the vertices of its first body in random order; new_place: [num_vertices].
Scene shuffled(const Scene& scene, std::vector<int>& new_place) {
  Scene result = scene;
  Body& body = result.bodies[0];
  new_place.resize(body.mesh.vertices.size());
  for (std::size_t i = 0; i < new_place.size(); ++i) new_place[i] = static_cast<int>(i);
  std::mt19937 random(3);
  std::shuffle(new_place.begin(), new_place.end(), random);
  for (std::size_t i = 0; i < new_place.size(); ++i) {
    body.mesh.vertices[static_cast<std::size_t>(new_place[i])] = scene.bodies[0].mesh.vertices[i];
  }
  const auto move = [&](int& vertex) { vertex = new_place[static_cast<std::size_t>(vertex)]; };
  for (auto& tet : body.mesh.tets) std::for_each(tet.begin(), tet.end(), move);
  for (Pin& pin : body.pins) std::for_each(pin.vertices.begin(), pin.vertices.end(), move);
  return result;
}

TEST(Numbering, TheOrderOfAMeshDoesNotShowInTheMotion) {
  const Scene scene = bar_beside_ball();
  std::vector<int> place;
  Simulation simulation(scene), other(shuffled(scene, place));
  for (int frame = 0; frame < 3; ++frame) {
    simulation.step();
    other.step();
  }
  const auto size = 3 * static_cast<std::size_t>(simulation.num_vertices());
  std::vector<double> x(size), y(size);
  simulation.copy_positions(x);
  other.copy_positions(y);
  for (std::size_t i = 0; i < x.size() / 3; ++i) {
    const std::size_t j = i < place.size() ? static_cast<std::size_t>(place[i]) : i;
    // Ten iterations amplify the differences of sums in another order, but not beyond this part of
    // the bodies' two metres: their factors are in floats.
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[3 * i + k], y[3 * j + k], 2e-6);
  }
}

}  // namespace
}  // namespace supple
