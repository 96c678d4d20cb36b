#include "model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "model/pin_selection.h"
#include "supple/error.h"

namespace supple {
namespace {

Scene scene_of(TetMesh mesh) {
  Scene scene;
  Body body;
  body.mesh = std::move(mesh);
  body.material.model = "corotated";
  body.material.mu = 100;
  body.material.lambda = 50;
  scene.bodies.push_back(body);
  return scene;
}

TEST(Model, ALumpedMassIsAQuarterOfEachTet) {
  const Scene scene = scene_of(generate(TetrahedronGenerator{.edge = 2}));
  const Model model = build_model(scene);
  // The volume of a regular tetrahedron is edge^3 / (6 sqrt 2).
  const double mass = 1000 * 8 / (6 * std::sqrt(2.0));
  for (double m : model.mass) EXPECT_NEAR(m, mass / 4, 1e-9);
}

TEST(Model, ATotalMassReplacesTheDensity) {
  Scene scene = scene_of(generate(BoxGenerator{}));
  scene.bodies[0].mass = 7;
  const Model model = build_model(scene);
  double total = 0;
  for (double m : model.mass) total += m;
  EXPECT_NEAR(total, 7, 1e-12);
}

TEST(Model, EveryTetHasOneLaneAndEveryCornerItsSlot) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {5, 6, 7}}));
  MaterialRegion region;
  region.box = {{-1, -1, -1}, {0, 1, 1}};
  region.material.model = "neo_hookean";
  region.material.mu = 10;
  region.material.lambda = 10;
  scene.bodies[0].regions.push_back(region);
  const Model model = build_model(scene);
  EXPECT_EQ(model.ranges.size(), 2u);
  std::multiset<int> seen;
  for (int tet : model.tet_of_lane) {
    if (tet >= 0) seen.insert(tet);
  }
  ASSERT_EQ(static_cast<int>(seen.size()), model.num_tets);
  for (int t = 0; t < model.num_tets; ++t) EXPECT_EQ(seen.count(t), 1u);

  std::vector<int> vertex_of_slot(static_cast<std::size_t>(model.num_slots), -1);
  for (int v = 0; v < model.num_vertices; ++v) {
    for (int s = model.slot_start[static_cast<std::size_t>(v)];
         s < model.slot_start[static_cast<std::size_t>(v) + 1]; ++s) {
      int& owner =
          vertex_of_slot[static_cast<std::size_t>(model.slot_list[static_cast<std::size_t>(s)])];
      EXPECT_EQ(owner, -1);
      owner = v;
    }
  }
  for (const ElementBlock& block : model.blocks) {
    for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
      const ElementBatch& batch = model.batches()[static_cast<std::size_t>(b)];
      for (int c = 0; c < 4; ++c) {
        for (int lane = 0; lane < lanes; ++lane) {
          const int slot = block.first_slot + batch.slot[c][lane];
          EXPECT_LT(batch.slot[c][lane], block.num_slots);
          EXPECT_EQ(vertex_of_slot[static_cast<std::size_t>(slot)], batch.vertex[c][lane]);
        }
      }
    }
  }
}

TEST(Model, BatchesAreTheTetsOfTheirLanes) {
  const Model model = build_model(scene_of(generate(BoxGenerator{.cells = {5, 6, 7}})));
  ASSERT_NE(model.num_tets % lanes, 0);  // some lanes are empty
  ASSERT_EQ(model.batches().size(), model.num_batches());
  for (std::size_t i = 0; i < model.tet_of_lane.size(); ++i) {
    const ElementBatch& batch = model.batches()[i / lanes];
    const std::size_t lane = i % lanes;
    const bool is_empty = model.tet_of_lane[i] < 0;
    const auto tet =
        static_cast<std::size_t>(is_empty ? ~model.tet_of_lane[i] : model.tet_of_lane[i]);
    const std::array<Vec3, 4> gradients = model.shape_gradients(tet);
    EXPECT_EQ(batch.volume[lane], is_empty ? 0 : model.volume[tet]);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(batch.vertex[c][lane], model.tets[tet][c]);
      for (std::size_t k = 0; k < 3 && c > 0; ++k) {
        EXPECT_EQ(batch.inverse_rest[3 * (c - 1) + k][lane], gradients[c][k]);
      }
    }
  }
}

TEST(Model, BatchesHaveTheRestShapesOfNowWheneverTheyAreAskedFor) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {3, 2, 2}}));
  GrowthSettings growth;
  growth.stretch.keyframes = {{0, 1}, {1, 1.5}};
  growth.box = {{-1, -1, -1}, {0, 1, 1}};
  scene.bodies[0].growth.push_back(growth);
  Model early = build_model(scene), late = build_model(scene);
  const std::vector<ElementBatch> at_start = early.batches();
  ASSERT_TRUE(grow(early, {}, 0.5));
  ASSERT_TRUE(grow(late, {}, 0.5));
  int changed = 0;
  for (std::size_t b = 0; b < early.num_batches(); ++b) {
    const ElementBatch &one = early.batches()[b], &other = late.batches()[b];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      // The content of an empty lane does not matter.
      if (early.tet_of_lane[b * lanes + lane] < 0) continue;
      EXPECT_EQ(one.volume[lane], other.volume[lane]);
      changed += one.volume[lane] != at_start[b].volume[lane] ? 1 : 0;
      for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(one.inverse_rest[i][lane], other.inverse_rest[i][lane]);
      }
    }
  }
  EXPECT_GT(changed, 0);
  EXPECT_LT(changed, early.num_tets);
}

TEST(Model, NumbersThatAllTetsShareAreKeptOnce) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {5, 6, 7}}));
  const Model uniform = build_model(scene);
  EXPECT_EQ(uniform.stiffness.size(), uniform.tets.size());
  EXPECT_EQ(uniform.stiffness.kept().size(), 1U);
  EXPECT_EQ(uniform.stiffness[0], uniform.stiffness[uniform.tets.size() - 1]);
  const ElementRange& range = uniform.ranges[0];
  EXPECT_EQ(range.parameters.size(), static_cast<std::size_t>(range.num_parameters) * lanes);
  for (const std::size_t place : {std::size_t{0}, uniform.tets.size() - 1}) {
    EXPECT_EQ(range.parameter(place, 0), 100);
    EXPECT_EQ(range.parameter(place, 1), 50);
  }
  scene.bodies[0].material.mu.per_tet.assign(uniform.tets.size(), 100);
  scene.bodies[0].material.mu.per_tet.back() = 200;
  const Model mixed = build_model(scene);
  EXPECT_EQ(mixed.stiffness.kept().size(), mixed.tets.size());
  EXPECT_EQ(mixed.stiffness.all(), mixed.stiffness.kept());
  EXPECT_FALSE(mixed.stiffness == uniform.stiffness);
  for (std::size_t i = 0; i < mixed.tet_of_lane.size(); ++i) {
    const int name = mixed.tet_of_lane[i];
    const bool is_last = (name < 0 ? ~name : name) + 1 == mixed.num_tets;
    EXPECT_EQ(mixed.ranges[0].parameter(i, 0), is_last ? 200 : 100);
  }
}

TEST(Model, BlocksAreOfOneSizeAndShareEvenlyAmongTwo) {
  // Boxes of five tets a cell: one batch alone, a full block, one batch more than a block, and one
  // more than four blocks.
  for (const auto& [cells, num_blocks] : {std::pair{1, 1}, {153, 1}, {154, 2}, {615, 6}}) {
    const Model model = build_model(scene_of(generate(BoxGenerator{.cells = {cells, 1, 1}})));
    EXPECT_EQ(static_cast<int>(model.blocks.size()), num_blocks);
    int least = batches_per_block, most = 0, all = 0;
    for (const ElementBlock& block : model.blocks) {
      EXPECT_EQ(block.first_batch, all);
      least = std::min(least, block.num_batches);
      most = std::max(most, block.num_batches);
      all += block.num_batches;
    }
    ASSERT_EQ(all, (model.num_tets + lanes - 1) / lanes);
    EXPECT_LE(most, least + 1) << cells;
    EXPECT_GE(least, 1) << cells;
    EXPECT_LE(most, batches_per_block) << cells;
  }
}

TEST(Model, EveryLayerHasEveryTetOnceAndAddsItsStiffness) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {5, 3, 2}}));
  Body& body = scene.bodies[0];
  body.fibers = {FiberSettings{{1, 0, 0}, 10}};
  MaterialSettings arap, volume;
  arap.model = "arap";
  arap.mu = Parameter(3);
  volume.model = "volume";
  volume.mu.per_tet.resize(body.mesh.tets.size());
  for (std::size_t t = 0; t < volume.mu.per_tet.size(); ++t) {
    volume.mu.per_tet[t] = 1 + static_cast<double>(t);
  }
  // The same model twice: each layer has its own range.
  body.layers = {arap, volume, arap};
  const Model model = build_model(scene);
  ASSERT_EQ(model.ranges.size(), 4u);
  for (std::size_t r = 0; r < 4; ++r) {
    const ElementRange& range = model.ranges[r];
    EXPECT_EQ(range.layer, static_cast<int>(r));
    EXPECT_EQ(range.num_fibers, r == 0 ? 1 : 0);  // the fibers are only in layer 0
    std::multiset<int> seen;
    for (int lane = range.first_batch * lanes;
         lane < (range.first_batch + range.num_batches) * lanes; ++lane) {
      const int tet = model.tet_of_lane[static_cast<std::size_t>(lane)];
      if (tet >= 0) seen.insert(tet);
    }
    ASSERT_EQ(static_cast<int>(seen.size()), model.num_tets);
    for (int t = 0; t < model.num_tets; ++t) EXPECT_EQ(seen.count(t), 1u);
  }
  for (std::size_t t = 0; t < model.stiffness.size(); ++t) {
    // corotated: 2 mu + lambda; the others: 2 mu each. The fit's quadrature rounds.
    EXPECT_NEAR(model.stiffness[t], 250 + 6 + 2 * (1 + static_cast<double>(t)) + 6, 1e-10);
  }
}

TEST(Model, ALayerThatCannotBeBuiltIsRefusedAtItsPlace) {
  Scene scene = scene_of(generate(BoxGenerator{}));
  MaterialSettings layer;
  layer.model = "arap";
  layer.mu = 1;
  const auto refused_at = [&](const std::string& where) {
    try {
      build_model(scene);
      ADD_FAILURE() << where;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), where);
    }
  };
  scene.bodies[0].layers.assign(2, layer);
  scene.bodies[0].layers[1].mu = -1;
  refused_at("/bodies/0/layers/1/mu");
  scene.bodies[0].layers[1].mu.per_tet = {1, 2, 3};
  refused_at("/bodies/0/layers/1");
  scene.bodies[0].layers.assign(17, layer);
  refused_at("/bodies/0/layers");
}

TEST(Model, TheLastRegionThatHoldsATetWins) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {4, 1, 1}}));
  for (double mu : {1000.0, 5000.0}) {
    MaterialRegion region;
    region.box = {{0, -1, -1}, {1, 1, 1}};
    region.material = scene.bodies[0].material;
    region.material.mu = mu;
    scene.bodies[0].regions.push_back(region);
  }
  const Model model = build_model(scene);
  ASSERT_EQ(model.ranges.size(), 1u);  // one model, parameters per tet
  // The fit of corotated is k = 2 mu + lambda over any range, because its stress is linear.
  const std::vector<double> stiffness = model.stiffness.all();
  const auto [low, high] = std::minmax_element(stiffness.begin(), stiffness.end());
  EXPECT_NEAR(*low, 2 * 100 + 50, 1e-9);
  EXPECT_NEAR(*high, 2 * 5000 + 50, 1e-9);
}

TEST(Model, AParameterPerTetReachesItsTet) {
  Scene scene = scene_of(generate(BoxGenerator{.cells = {2, 2, 2}}));
  Body& body = scene.bodies[0];
  body.material.lambda = 0;
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    body.material.mu.per_tet.push_back(1 + static_cast<double>(t));
  }
  const Model model = build_model(scene);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    EXPECT_NEAR(model.stiffness[t], 2 * (1 + static_cast<double>(t)), 1e-9);
  }
  body.material.mu.per_tet.pop_back();
  EXPECT_THROW(build_model(scene), Error);
}

TEST(Model, AnUnreferencedVertexHasNoMass) {
  TetMesh mesh = generate(TetrahedronGenerator{});
  mesh.vertices.insert(mesh.vertices.begin(), Vec3{9, 9, 9});
  for (auto& tet : mesh.tets) {
    for (int& vertex : tet) ++vertex;
  }
  const Model model = build_model(scene_of(mesh));
  EXPECT_EQ(model.mass[0], 0);
  EXPECT_GT(model.mass[1], 0);
}

TEST(PinSelection, AListCostsItsOwnLengthWhateverTheBodys) {
  constexpr int count = 200'000;
  const std::vector<Vec3> rest(count, Vec3{1, 2, 3});
  std::vector<Pin> pins(count);
  for (int i = 0; i < count; ++i) pins[static_cast<std::size_t>(i)].vertices = {count - 1 - i};
  const auto start = std::chrono::steady_clock::now();
  PinSet set;
  add_pins(pins, rest, 7, "", {}, set);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(set.pins.size(), pins.size());
  EXPECT_EQ(set.pins.front().vertex, count + 6);
  EXPECT_EQ(set.pins.back().vertex, 7);
  // It takes a twentieth of a second; looking at all vertices for each pin takes over a minute.
  EXPECT_LT(spent.count(), 10);
}

TEST(PinSelection, AVertexOfAListAndOfABoxIsPinnedOnce) {
  const std::vector<Vec3> rest{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  PinSet set;
  add_pins({{.box = {{0.5, -1, -1}, {2.5, 1, 1}}, .vertices = {3, 1, 3}}}, rest, 0, "", {}, set);
  std::vector<int> vertices;
  for (const PinnedVertex& pin : set.pins) vertices.push_back(pin.vertex);
  EXPECT_EQ(vertices, (std::vector<int>{1, 2, 3}));
}

TEST(Model, WhatCannotBeBuiltIsRefusedWithItsPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto place = [](const Scene& scene) -> std::string {
    try {
      build_model(scene);
    } catch (const Error& error) {
      return error.where();
    }
    return "";
  };
  const Scene good = scene_of(generate(BoxGenerator{}));
  EXPECT_EQ(place(good), "");
  Scene scene = good;
  scene.bodies[0].density = -1;
  EXPECT_EQ(place(scene), "/bodies/0/density");
  scene = good;
  scene.bodies[0].mass = nan;
  EXPECT_EQ(place(scene), "/bodies/0/mass");
  scene = good;
  scene.bodies[0].fibers = {FiberSettings{{0, 0, 0}, 1}};
  EXPECT_EQ(place(scene), "/bodies/0/fiber/direction");
  scene = good;
  scene.bodies[0].pins.push_back({.box = {{5, 5, 5}, {6, 6, 6}}, .vertices = {}, .motion = {}});
  EXPECT_EQ(place(scene), "/bodies/0/pins/0/select");
  scene.bodies[0].pins[0] = {.box = {}, .vertices = {100000}, .motion = {}};
  EXPECT_EQ(place(scene), "/bodies/0/pins/0/vertices");
  scene = good;
  scene.bodies[0].material.mu = -5;
  EXPECT_EQ(place(scene).rfind("/bodies/0/material", 0), 0u);
  scene = good;
  scene.bodies.clear();
  EXPECT_EQ(place(scene), "/bodies");
}

TEST(InitialState, EachKindOfStartIsWhatItSays) {
  Scene scene = scene_of(generate(BoxGenerator{.size = {2, 2, 2}, .center = {1, 1, 1}}));
  scene.bodies[0].velocity = {1, 2, 3};
  const Model model = build_model(scene);
  scene.bodies[0].initial = Stretch{{2, 1, 0.5}};
  State state = initial_state(scene, model);
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    EXPECT_DOUBLE_EQ(state.x[i][0], 1 + 2 * (model.rest[i][0] - 1));
    EXPECT_DOUBLE_EQ(state.x[i][2], 1 + 0.5 * (model.rest[i][2] - 1));
    EXPECT_DOUBLE_EQ(state.v[i][1], 2);
  }
  scene.bodies[0].initial = Flatten{1};
  state = initial_state(scene, model);
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    EXPECT_DOUBLE_EQ(state.x[i][1], 1);
    EXPECT_DOUBLE_EQ(state.x[i][0], model.rest[i][0]);
  }
  scene.bodies[0].initial = Randomize{{{-1, 5, 0}, {1, 6, 0}}, 3};
  state = initial_state(scene, model);
  const State again = initial_state(scene, model);
  bool moved = false;
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    EXPECT_GE(state.x[i][1], 5);
    EXPECT_LT(state.x[i][1], 6);
    EXPECT_EQ(state.x[i][2], 0);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(state.x[i][k], again.x[i][k]);
    moved = moved || state.x[i][0] != state.x[0][0];
  }
  EXPECT_TRUE(moved);
}

}  // namespace
}  // namespace supple
