#include "io/run/torn_positions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/exports/npy.h"
#include "io/run/checkpoint.h"
#include "io/run/run_scene.h"
#include "io/run/test_run.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::bytes_of;
using test::TestFolder;

/// Two blocks. A blade cuts the first one in frames 2 to 5.
LoadedScene cut_blocks() {
  const std::string block =
      R"("material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3}})";
  return parse_scene(
      R"({"supple": 1, "time": {"frames": 8}, "bodies": [
           {"mesh": {"box": {"size": [1, 1, 1], "cells": [3, 3, 3]}}, "name": "a", )" +
          block +
          R"(, {"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2], "center": [4, 0, 0]}},
            "name": "b", )" +
          block + R"(], "blades": [{"segment": [[0.05, 1, -1], [0.05, 1, 1]], "cuts": ["a"],
             "motion": {"translate": {"velocity": [0, -12, 0]}}}]})",
      "scene.json", {});
}

RunOptions options_for(const TestFolder& folder) {
  return {.folder = folder.path(), .scene_file = "scene.json", .threads = 1};
}

TEST(TornPositions, CopiesAreWhereTheirOriginsAreUntilTheyAreMade) {
  const TestFolder folder;
  const LoadedScene loaded = cut_blocks();
  run_scene(loaded, options_for(folder));
  EXPECT_FALSE(std::filesystem::exists(folder / "positions.npy.torn"));
  const NpyReader reader(folder / "positions.npy");
  ASSERT_EQ(reader.num_frames(), 9);
  Simulation simulation(loaded.scene, {.threads = 1});
  const int whole = simulation.num_vertices();
  EXPECT_GT(reader.num_vertices(), whole);
  const auto n = static_cast<std::size_t>(reader.num_vertices());
  std::vector<double> all(3 * n);
  for (int frame = 0; frame <= 8; ++frame) {
    if (frame > 0) simulation.step();
    reader.read_frame(frame, all);
    std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
    simulation.copy_positions(x);
    // The vertices of the first body come first; the second body is at the end.
    const std::size_t first = 3 * loaded.scene.bodies[0].mesh.vertices.size();
    EXPECT_TRUE(std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(first), all.begin()))
        << "frame " << frame;
    const std::ptrdiff_t second =
        3 * static_cast<std::ptrdiff_t>(loaded.scene.bodies[1].mesh.vertices.size());
    EXPECT_TRUE(std::equal(x.end() - second, x.end(), all.end() - second)) << "frame " << frame;
  }
  EXPECT_EQ(simulation.num_vertices(), reader.num_vertices());
  // At the start, each copy has the position of another vertex.
  reader.read_frame(0, all);
  for (std::size_t v = 64; v + 27 < n; ++v) {
    bool is_found = false;
    for (std::size_t u = 0; u < 64; ++u) {
      is_found = is_found || std::equal(&all[3 * u], &all[3 * u] + 3, &all[3 * v]);
    }
    EXPECT_TRUE(is_found) << v;
  }
}

TEST(TornPositions, ARunGoesOnFromACheckpointWithTheSameBytes) {
  const TestFolder whole, parts;
  const LoadedScene loaded = cut_blocks();
  run_scene(loaded, options_for(whole));
  RunOptions options = options_for(parts);
  options.checkpoint_every = 4;
  run_scene(parse_scene(loaded.settings, "scene.json", {}, {{"/time/frames", "4"}}), options);
  EXPECT_TRUE(std::filesystem::exists(parts / "positions.npy.torn"));
  options.resume = parts / "checkpoint.bin";
  run_scene(loaded, options);
  EXPECT_EQ(bytes_of(parts / "positions.npy"), bytes_of(whole / "positions.npy"));
  // If the file with the earlier frames is missing, an error says so.
  std::filesystem::remove(parts / "positions.npy.torn");
  try {
    run_scene(loaded, options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_NE(error.where().find("positions.npy.torn"), std::string::npos);
  }
}

TEST(TornPositions, CheckpointsHoldWhatCameApart) {
  const TestFolder folder;
  SimulationState state;
  state.positions = state.velocities = {1, 2, 3};
  state.separated = {{.frame = 3, .event = 0, .body = 1, .first = 4, .second = 9},
                     {.frame = 5, .event = 2, .body = 0, .first = 1, .second = 2}};
  write_checkpoint(folder / "c.bin", 7, state);
  EXPECT_EQ(read_checkpoint(folder / "c.bin", 7).separated, state.separated);
}

TEST(TornPositions, ExportsHaveTheMeshOfTheEnd) {
  const TestFolder folder;
  RunOptions options = options_for(folder);
  options.exports = {"obj", "ply", "usda", "gltf", "pc2", "vtu"};
  EXPECT_NO_THROW(run_scene(cut_blocks(), options));
}

}  // namespace
}  // namespace supple
