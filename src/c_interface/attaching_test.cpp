#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

/// Attachments and reads of one body from C: each gives the same results as the library.
namespace {

const std::string blocks = R"({"supple": 1, "time": {"step": 0.02}, "bodies": [
  {"name": "a", "mesh": {"box": {"size": [2, 1, 1], "cells": [4, 2, 2]}},
   "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.3}},
  {"name": "b", "mesh": {"box": {"center": [0, 3, 0], "cells": [2, 2, 2]}},
   "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.3}}]})";

class Attaching : public testing::Test {
 protected:
  Attaching() {
    SuppleScene* scene =
        supple_scene_parse(blocks.data(), blocks.size(), "blocks", nullptr, nullptr, 0);
    plain.reset(supple_simulation_create(scene, 1));
    supple_scene_destroy(scene);
    cpp = std::make_unique<supple::Simulation>(supple::parse_scene(blocks, "blocks", {}).scene,
                                               supple::SimulationOptions{.threads = 1});
  }

  void expect_same_steps(int frames = 3) {
    for (int frame = 0; frame < frames; ++frame) {
      ASSERT_EQ(supple_simulation_step(plain.get(), nullptr), supple_ok);
      cpp->step();
    }
    std::vector<double> x(3 * static_cast<std::size_t>(cpp->num_vertices())), y(x.size());
    ASSERT_EQ(supple_simulation_copy_positions(plain.get(), x.data(), x.size()), supple_ok);
    cpp->copy_positions(y);
    EXPECT_EQ(x, y);
  }

  struct Destroy {
    void operator()(SuppleSimulation* simulation) const { supple_simulation_destroy(simulation); }
  };
  std::unique_ptr<SuppleSimulation, Destroy> plain;
  std::unique_ptr<supple::Simulation> cpp;
};

TEST_F(Attaching, HoldsMovesAndLetsGoAsTheLibraryDoes) {
  const std::vector<int32_t> vertices{3, 7};
  std::vector<double> targets{-1, 0, 0, 1, 0.5, 0};
  std::vector<supple::Vec3> places{{-1, 0, 0}, {1, 0.5, 0}};
  SuppleAttachment side = 0, point = 0, inside = 0;
  ASSERT_EQ(
      supple_simulation_attach(plain.get(), 0, vertices.data(), targets.data(), 2, 1e4, &side),
      supple_ok);
  const supple::Attachment of_side = cpp->attach(0, vertices, places, 1e4);
  SuppleSurfaceHit hit{.struct_size = sizeof hit};
  const std::array<double, 3> from{0.1, 9, 0.1}, down{0, -1, 0}, to{0.2, 4, 0};
  ASSERT_EQ(supple_simulation_raycast(plain.get(), from.data(), down.data(), 20, &hit), supple_ok);
  ASSERT_EQ(supple_simulation_attach_at(plain.get(), &hit, to.data(), 1e4, &point), supple_ok);
  const supple::Attachment of_point = cpp->attach(*cpp->raycast(from, down, 20), to, 1e4);
  const std::array<double, 4> weights{0.1, 0.2, 0.3, 0.4};
  ASSERT_EQ(
      supple_simulation_attach_in_tet(plain.get(), 3, weights.data(), to.data(), 1e2, &inside),
      supple_ok);
  cpp->attach(3, weights, to, 1e2);
  SuppleAttachment tie = 0;
  ASSERT_EQ(supple_simulation_attach_to_body(plain.get(), 0, vertices.data(), 2, 1, 0, &tie),
            supple_ok);
  cpp->attach(0, vertices, 1);
  expect_same_steps();
  ASSERT_EQ(supple_simulation_attach_to_body(plain.get(), 0, vertices.data(), 2, 0, 0, &tie),
            supple_invalid_input);
  EXPECT_EQ(std::string(supple_last_error_where()), "to");

  targets[1] = places[0][1] = 0.25;
  ASSERT_EQ(supple_simulation_set_targets(plain.get(), side, targets.data(), 2), supple_ok);
  cpp->set_targets(of_side, places);
  const supple::Pose pose{.translation = {0, 0.1, 0}};
  ASSERT_EQ(supple_simulation_set_target_pose(plain.get(), point, pose.rotation.data(),
                                              pose.translation.data()),
            supple_ok);
  cpp->set_targets(of_point, pose);
  expect_same_steps();

  std::array<double, 3> force{};
  ASSERT_EQ(supple_simulation_attachment_force(plain.get(), side, force.data()), supple_ok);
  EXPECT_EQ(force, cpp->force(of_side));
  size_t count = 0;
  std::array<double, 9> forces{};
  ASSERT_EQ(supple_simulation_attachment_forces(plain.get(), point, forces.data(), 2, &count),
            supple_ok);
  const std::vector<supple::Vec3> expected = cpp->forces(of_point);
  EXPECT_EQ(count, expected.size());
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(forces[i], i < 6 ? expected[i / 3][i % 3] : 0);

  ASSERT_EQ(supple_simulation_detach(plain.get(), side), supple_ok);
  cpp->detach(of_side);
  int32_t is_attached = -1;
  ASSERT_EQ(supple_simulation_is_attached(plain.get(), side, &is_attached), supple_ok);
  EXPECT_EQ(is_attached, 0);
  ASSERT_EQ(supple_simulation_is_attached(plain.get(), point, &is_attached), supple_ok);
  EXPECT_EQ(is_attached, 1);
  EXPECT_EQ(supple_simulation_detach(plain.get(), side), supple_invalid_input);
  EXPECT_EQ(std::string(supple_last_error_where()), "attachment");
  expect_same_steps();
}

TEST_F(Attaching, HoldingTheSameVerticesAgainMovesTheTargets) {
  const int32_t vertex = 3;
  const std::vector<int> vertices{3};
  const std::array<double, 3> here{-1, 0, 0}, there{-1, 0.3, 0};
  ASSERT_EQ(supple_simulation_hold(plain.get(), 0, &vertex, here.data(), 1, 1e4), supple_ok);
  const supple::Attachment held = cpp->attach(0, vertices, std::vector<supple::Vec3>{here}, 1e4);
  expect_same_steps();
  ASSERT_EQ(supple_simulation_hold(plain.get(), 0, &vertex, there.data(), 1, 1e4), supple_ok);
  cpp->set_target(held, there);
  expect_same_steps();
  ASSERT_EQ(supple_simulation_hold(plain.get(), 0, nullptr, nullptr, 0, 0), supple_ok);
  cpp->detach(held);
  expect_same_steps();
}

TEST_F(Attaching, ReadsOneBodyIntoTheCallersMemory) {
  ASSERT_EQ(supple_simulation_set_velocity(plain.get(), 1, std::array<double, 3>{1, 2, 3}.data()),
            supple_ok);
  cpp->set_velocity(1, {1, 2, 3});
  expect_same_steps();
  const std::size_t count = 27, stride = 5;
  std::vector<double> wide(count * stride), expected(wide);
  std::vector<float> narrow(count * stride), expected_narrow(narrow);
  const auto* const self = plain.get();
  const auto n = static_cast<int32_t>(stride);
  EXPECT_EQ(supple_simulation_body_positions(self, 1, wide.data(), wide.size(), n), supple_ok);
  cpp->body_positions(1, expected, 5);
  EXPECT_EQ(wide, expected);
  EXPECT_EQ(supple_simulation_body_velocities(self, 1, wide.data(), wide.size(), n), supple_ok);
  cpp->body_velocities(1, expected, 5);
  EXPECT_EQ(wide, expected);
  EXPECT_EQ(supple_simulation_body_normals(self, 1, wide.data(), wide.size(), n), supple_ok);
  cpp->body_normals(1, expected, 5);
  EXPECT_EQ(wide, expected);
  EXPECT_EQ(supple_simulation_body_positions_float(self, 1, narrow.data(), narrow.size(), n),
            supple_ok);
  cpp->body_positions(1, expected_narrow, 5);
  EXPECT_EQ(narrow, expected_narrow);
  EXPECT_EQ(supple_simulation_body_velocities_float(self, 1, narrow.data(), narrow.size(), n),
            supple_ok);
  cpp->body_velocities(1, expected_narrow, 5);
  EXPECT_EQ(narrow, expected_narrow);
  EXPECT_EQ(supple_simulation_body_normals_float(self, 1, narrow.data(), narrow.size(), n),
            supple_ok);
  cpp->body_normals(1, expected_narrow, 5);
  EXPECT_EQ(narrow, expected_narrow);

  std::array<double, 3> min{}, max{};
  EXPECT_EQ(supple_simulation_body_bounds(self, 1, min.data(), max.data()), supple_ok);
  EXPECT_EQ(min, cpp->body_bounds(1).min);
  EXPECT_EQ(max, cpp->body_bounds(1).max);
  int32_t first = -1, triangles = -1;
  EXPECT_EQ(supple_simulation_body_triangles(self, 1, &first, &triangles), supple_ok);
  EXPECT_EQ(first, cpp->body_triangles(1).first);
  EXPECT_EQ(triangles, cpp->body_triangles(1).count);

  EXPECT_EQ(supple_simulation_body_positions(self, 1, wide.data(), 80, 3), supple_invalid_input);
  EXPECT_EQ(supple_simulation_body_positions(self, 2, wide.data(), 81, 3), supple_invalid_input);
  EXPECT_EQ(supple_simulation_body_positions(self, 1, nullptr, 81, 3), supple_invalid_input);
  EXPECT_EQ(supple_simulation_body_bounds(self, 1, nullptr, max.data()), supple_invalid_input);
}

TEST_F(Attaching, AMissingPointerIsAnErrorAndChangesNothing) {
  const int32_t vertex = 0;
  const std::array<double, 9> numbers{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double* const some = numbers.data();
  SuppleAttachment attachment = 0;
  SuppleSimulation* const self = plain.get();
  EXPECT_EQ(supple_simulation_attach(nullptr, 0, &vertex, some, 1, 1, &attachment),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach(self, 0, nullptr, some, 1, 1, &attachment),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach(self, 0, &vertex, nullptr, 1, 1, &attachment),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach(self, 0, &vertex, some, 1, 1, nullptr), supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach_at(self, nullptr, some, 1, &attachment), supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach_in_tet(self, 0, nullptr, some, 1, &attachment),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_attach_to_body(self, 0, nullptr, 1, 1, 0, &attachment),
            supple_invalid_input);
  EXPECT_EQ(attachment, 0U);
  ASSERT_EQ(supple_simulation_attach(self, 0, &vertex, some, 1, 1, &attachment), supple_ok);
  EXPECT_NE(attachment, 0U);
  EXPECT_EQ(supple_simulation_set_targets(self, attachment, nullptr, 1), supple_invalid_input);
  EXPECT_EQ(supple_simulation_set_target_pose(self, attachment, nullptr, some),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_is_attached(self, attachment, nullptr), supple_invalid_input);
  EXPECT_EQ(supple_simulation_attachment_force(self, attachment, nullptr), supple_invalid_input);
  EXPECT_EQ(supple_simulation_attachment_forces(self, attachment, nullptr, 0, nullptr),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_set_targets(self, 0, some, 1), supple_invalid_input);
}

}  // namespace
