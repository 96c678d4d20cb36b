#include "model/renumber.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace supple {
namespace {

/// A solid with regions, fibres, layers and pins, and a cloth.
Scene two_bodies() {
  Scene scene;
  Body solid;
  solid.mesh = generate(BoxGenerator{.cells = {4, 3, 3}});
  solid.material = {.model = "corotated", .mu = 100, .lambda = 50};
  solid.layers = {{.model = "arap", .mu = 10}};
  solid.regions = {{.box = {{-1, -1, -1}, {0, 1, 1}},
                    .material = {.model = "neo_hookean", .mu = 20, .lambda = 30}}};
  solid.fibers = {FiberSettings{.direction = {0, 1, 0}, .kappa = 5}};
  solid.pins = {{.vertices = {3, 0, 7}}};
  Body cloth;
  const SpringMesh net = generate(ClothGenerator{.cells = {5, 4}});
  cloth.mesh.vertices = net.vertices;
  cloth.triangles = net.triangles;
  cloth.springs = make_springs(net, {.stiffness = 100, .shear = 10, .bending = 1});
  cloth.pins = {{.vertices = {2}}};
  scene.bodies = {solid, cloth};
  return scene;
}

/// A permutation of each body's vertices among themselves.
std::vector<int> shuffled_bodies(const Model& model) {
  std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    std::shuffle(order.begin() + model.body_vertices[b], order.begin() + model.body_vertices[b + 1],
                 random);
  }
  return order;
}

/// What belongs to a vertex, in the order in which sums run over it.
struct AtVertex {
  Vec3 rest;
  double mass;
  std::vector<int> slots;
  std::vector<int> spring_ends;
  bool operator==(const AtVertex&) const = default;
};

AtVertex at_vertex(const Model& model, int vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  const auto part = [](const std::vector<int>& list, const std::vector<int>& start, std::size_t i) {
    return std::vector<int>(list.begin() + start[i], list.begin() + start[i + 1]);
  };
  return {model.rest[v], model.mass[v], part(model.slot_list, model.slot_start, v),
          part(model.springs.incident, model.springs.start, v)};
}

TEST(Renumber, EveryVertexKeepsWhatItHas) {
  const Model before = build_model(two_bodies());
  const std::vector<int> order = shuffled_bodies(before);
  Model after = before;
  renumber_vertices(order, after);
  for (int k = 0; k < after.num_vertices; ++k) {
    EXPECT_EQ(at_vertex(after, k), at_vertex(before, order[static_cast<std::size_t>(k)]));
  }
}

TEST(Renumber, ElementsSpringsAndPinsNameTheSameVertices) {
  const Model before = build_model(two_bodies());
  const std::vector<int> order = shuffled_bodies(before);
  Model after = before;
  after.batches();  // builds them with the old numbers, which must be forgotten
  renumber_vertices(order, after);
  const auto old = [&](int vertex) { return order[static_cast<std::size_t>(vertex)]; };
  for (std::size_t t = 0; t < before.tets.size(); ++t) {
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(old(after.tets[t][c]), before.tets[t][c]);
  }
  for (std::size_t b = 0; b < before.num_batches(); ++b) {
    for (int i = 0; i < 4 * lanes; ++i) {
      EXPECT_EQ(old(after.batches()[b].vertex[i / lanes][i % lanes]),
                before.batches()[b].vertex[i / lanes][i % lanes]);
    }
  }
  for (std::size_t p = 0; p < before.pins.pins.size(); ++p) {
    EXPECT_EQ(old(after.pins.pins[p].vertex), before.pins.pins[p].vertex);
  }
  for (std::size_t s = 0; s < before.springs.size(); ++s) {
    EXPECT_EQ(old(after.springs.springs[s].a), before.springs.springs[s].a);
    EXPECT_EQ(old(after.springs.springs[s].b), before.springs.springs[s].b);
  }
}

}  // namespace
}  // namespace supple
