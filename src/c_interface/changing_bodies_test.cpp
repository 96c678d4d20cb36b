#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

/// Adding and removing bodies from C gives the same results as in the library.
namespace {

const std::string block =
    R"({"mesh": {"box": {"size": [0.5, 0.5, 0.5], "cells": [2, 2, 2]}},
        "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.3}})";
const std::string one = R"({"supple": 1, "bodies": [)" + block + "]}";
const std::string playground =
    R"({"supple": 1, "time": {"step": 0.02}, "colliders": [{"plane": {"offset": -0.3}}],
        "bodies": [)" +
    block + "]}";

struct Destroy {
  void operator()(SuppleSimulation* simulation) const { supple_simulation_destroy(simulation); }
  void operator()(SuppleScene* scene) const { supple_scene_destroy(scene); }
};
using Scene = std::unique_ptr<SuppleScene, Destroy>;

Scene scene_of(const std::string& text, const std::vector<SuppleOverride>& overrides = {}) {
  return Scene(supple_scene_parse(text.data(), text.size(), "scene", nullptr, overrides.data(),
                                  overrides.size()));
}

class ChangingBodies : public testing::Test {
 protected:
  void expect_same_steps(int frames = 3) {
    for (int frame = 0; frame < frames; ++frame) {
      ASSERT_EQ(supple_simulation_step(plain.get(), nullptr), supple_ok);
      cpp.step();
    }
    std::vector<double> x(3 * static_cast<std::size_t>(cpp.num_vertices())), y(x.size());
    ASSERT_EQ(supple_simulation_copy_positions(plain.get(), x.data(), x.size()), supple_ok);
    cpp.copy_positions(y);
    EXPECT_EQ(x, y);
  }

  std::unique_ptr<SuppleSimulation, Destroy> plain{
      supple_simulation_create(scene_of(playground).get(), 1)};
  supple::Simulation cpp{supple::parse_scene(playground, "scene", {}).scene, {.threads = 1}};
};

TEST_F(ChangingBodies, ComeAndGoAsInTheLibrary) {
  expect_same_steps();
  const Scene thrown = scene_of(one, {{"/bodies/0/transform", R"({"translate": [0, 1, 0]})"},
                                      {"/bodies/0/velocity", "[0, -2, 0]"}});
  supple::Body body = supple::parse_scene(one, "scene", {}).scene.bodies[0];
  body.name.clear();
  for (supple::Vec3& x : body.mesh.vertices) x[1] += 1;
  body.velocity = {0, -2, 0};
  SuppleBody added = 0, again = 0, first = 0;
  ASSERT_EQ(supple_simulation_add_body(plain.get(), thrown.get(), &added), supple_ok);
  const supple::BodyHandle handle = cpp.add_body(body);
  expect_same_steps(8);

  ASSERT_EQ(supple_simulation_body_handle(plain.get(), 0, &first), supple_ok);
  ASSERT_EQ(supple_simulation_change_bodies(plain.get(), &first, 1, thrown.get(), &again, 1),
            supple_ok)
      << supple_last_error_message();
  cpp.change_bodies({{cpp.handle(0)}}, {{body}});
  expect_same_steps();
  int32_t index = -1, is_alive = -1;
  ASSERT_EQ(supple_simulation_body_index(plain.get(), added, &index), supple_ok);
  EXPECT_EQ(index, 0);
  EXPECT_EQ(cpp.index(handle), 0);
  ASSERT_EQ(supple_simulation_is_alive(plain.get(), first, &is_alive), supple_ok);
  EXPECT_EQ(is_alive, 0);
  ASSERT_EQ(supple_simulation_is_alive(plain.get(), again, &is_alive), supple_ok);
  EXPECT_EQ(is_alive, 1);

  uint64_t data = 1;
  ASSERT_EQ(supple_simulation_user_data(plain.get(), again, &data), supple_ok);
  EXPECT_EQ(data, 0U);
  ASSERT_EQ(supple_simulation_set_user_data(plain.get(), again, 1ULL << 63), supple_ok);
  ASSERT_EQ(supple_simulation_remove_body(plain.get(), added), supple_ok);
  cpp.remove_body(handle);
  ASSERT_EQ(supple_simulation_user_data(plain.get(), again, &data), supple_ok);
  EXPECT_EQ(data, 1ULL << 63);
  expect_same_steps();
}

TEST_F(ChangingBodies, ABodySleepsUntilItIsWoken) {
  const Scene scene = scene_of(one, {{"/time/sleep_after", "0.1"}, {"/gravity", "[0, 0, 0]"}});
  const std::unique_ptr<SuppleSimulation, Destroy> still(supple_simulation_create(scene.get(), 1));
  SuppleStepReport report{.struct_size = sizeof report};
  for (int frame = 0; frame < 5; ++frame) {
    ASSERT_EQ(supple_simulation_step(still.get(), &report), supple_ok);
  }
  EXPECT_EQ(report.sleeping_bodies, 1);
  int32_t asleep = -1;
  ASSERT_EQ(supple_simulation_is_asleep(still.get(), 0, &asleep), supple_ok);
  EXPECT_EQ(asleep, 1);
  ASSERT_EQ(supple_simulation_wake(still.get(), 0), supple_ok);
  ASSERT_EQ(supple_simulation_is_asleep(still.get(), 0, &asleep), supple_ok);
  EXPECT_EQ(asleep, 0);
  EXPECT_EQ(supple_simulation_is_asleep(still.get(), 1, &asleep), supple_invalid_input);
  EXPECT_EQ(supple_simulation_is_asleep(still.get(), 0, nullptr), supple_invalid_input);
  EXPECT_EQ(supple_simulation_wake(still.get(), -1), supple_invalid_input);
}

TEST_F(ChangingBodies, WhatIsHeldStaysHeldAndLeavesWithItsBody) {
  const Scene thrown = scene_of(one, {{"/bodies/0/transform", R"({"translate": [2, 1, 0]})"}});
  SuppleBody first = 0, added = 0;
  ASSERT_EQ(supple_simulation_body_handle(plain.get(), 0, &first), supple_ok);
  ASSERT_EQ(supple_simulation_add_body(plain.get(), thrown.get(), &added), supple_ok);
  const int32_t vertex = 3;
  const double target[3] = {2, 1, 0};
  ASSERT_EQ(supple_simulation_hold(plain.get(), 0, &vertex, target, 1, 1e4), supple_ok);
  ASSERT_EQ(supple_simulation_hold(plain.get(), 1, &vertex, target, 1, 1e4), supple_ok);
  ASSERT_EQ(supple_simulation_remove_body(plain.get(), first), supple_ok);
  // The same body is still held by the same attachment, so letting go releases it.
  const double before = [&] {
    SuppleEnergies energies{.struct_size = sizeof energies};
    supple_simulation_energies(plain.get(), &energies);
    return energies.pins;
  }();
  EXPECT_GT(before, 0);
  ASSERT_EQ(supple_simulation_hold(plain.get(), 0, nullptr, nullptr, 0, 0), supple_ok);
  SuppleEnergies energies{.struct_size = sizeof energies};
  ASSERT_EQ(supple_simulation_energies(plain.get(), &energies), supple_ok);
  EXPECT_EQ(energies.pins, 0);
}

TEST_F(ChangingBodies, ComeApartAsInTheLibrary) {
  expect_same_steps();
  const std::vector<double> corners{0.01, -9, -9, 0.01, 9, -9, 0.01, 0, 30};
  const std::vector<std::array<supple::Vec3, 3>> triangle{
      {supple::Vec3{0.01, -9, -9}, supple::Vec3{0.01, 9, -9}, supple::Vec3{0.01, 0, 30}}};
  int32_t separated = 0;
  ASSERT_EQ(supple_simulation_cut(plain.get(), corners.data(), 1, nullptr, 0, &separated),
            supple_ok);
  EXPECT_EQ(separated, cpp.cut(triangle));
  EXPECT_GT(separated, 0);
  SuppleCounts counts{.struct_size = sizeof counts};
  ASSERT_EQ(supple_simulation_counts(plain.get(), &counts), supple_ok);
  EXPECT_EQ(counts.vertices, cpp.num_vertices());
  EXPECT_GT(counts.vertices, 27);
  expect_same_steps();
  const std::vector<int32_t> pair{0, 1};
  const SuppleError error = supple_simulation_separate(plain.get(), 0, pair.data(), 1, &separated);
  const std::vector<std::array<int, 2>> same{{0, 1}};
  if (error == supple_ok) {
    EXPECT_EQ(separated, cpp.separate(0, same));
  } else {
    EXPECT_STREQ(supple_last_error_where(), "elements");
  }
  const int32_t absent = 4;
  EXPECT_EQ(supple_simulation_cut(plain.get(), corners.data(), 1, &absent, 1, nullptr),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_cut(plain.get(), nullptr, 1, nullptr, 0, nullptr),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_separate(plain.get(), 0, nullptr, 1, nullptr), supple_invalid_input);
}

TEST_F(ChangingBodies, WhatCannotBeDoneIsSaid) {
  const Scene two = scene_of(R"({"supple": 1, "bodies": [)" + block + "," + block + "]}");
  const Scene named = scene_of(one, {{"/bodies/0/name", "ball"}});
  SuppleBody first = 0, added[2] = {0, 0};
  ASSERT_EQ(supple_simulation_body_handle(plain.get(), 0, &first), supple_ok);
  const auto where = [](SuppleError error) -> std::string {
    EXPECT_EQ(error, supple_invalid_input);
    return supple_last_error_where();
  };
  EXPECT_EQ(where(supple_simulation_add_body(plain.get(), two.get(), added)), "scene");
  EXPECT_EQ(where(supple_simulation_add_body(plain.get(), nullptr, added)), "scene");
  EXPECT_EQ(where(supple_simulation_change_bodies(plain.get(), nullptr, 0, two.get(), added, 1)),
            "added");
  EXPECT_EQ(where(supple_simulation_change_bodies(plain.get(), nullptr, 1, nullptr, nullptr, 0)),
            "removed");
  EXPECT_EQ(where(supple_simulation_remove_body(plain.get(), first)), "/bodies");
  EXPECT_EQ(where(supple_simulation_remove_body(plain.get(), 0)), "body");
  EXPECT_EQ(where(supple_simulation_user_data(plain.get(), first, nullptr)), "data");
  EXPECT_EQ(where(supple_simulation_body_index(plain.get(), 7, nullptr)), "body");
  EXPECT_EQ(where(supple_simulation_body_handle(plain.get(), 1, added)), "/bodies");
  EXPECT_EQ(where(supple_simulation_body_handle(plain.get(), 0, nullptr)), "body");
  EXPECT_EQ(where(supple_simulation_is_alive(plain.get(), first, nullptr)), "is_alive");
  ASSERT_EQ(supple_simulation_add_body(plain.get(), named.get(), nullptr), supple_ok);
  EXPECT_EQ(where(supple_simulation_add_body(plain.get(), named.get(), added)), "/bodies/2/name");
  ASSERT_EQ(supple_simulation_change_bodies(plain.get(), nullptr, 0, two.get(), added, 2),
            supple_ok);
  EXPECT_NE(added[0], added[1]);
  SuppleCounts counts{.struct_size = sizeof counts};
  ASSERT_EQ(supple_simulation_counts(plain.get(), &counts), supple_ok);
  EXPECT_EQ(counts.bodies, 4);
}

}  // namespace
