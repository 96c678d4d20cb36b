#include "io/run/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "io/run/test_run.h"
#include "supple/error.h"
#include "supple/own_material.h"

namespace supple::test {
namespace {

SimulationState some_state() {
  SimulationState state;
  state.time = 0.25;
  state.frame = 7;
  state.positions = {1, -0.0, 1e-310, 4, 5, 6};
  state.velocities = {0.1, 0.2, 0.3, 0.4, 0.5, -1e300};
  return state;
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// The message with which a checkpoint is refused, always as a bad file, and with its name.
std::string refusal(const std::filesystem::path& file, std::uint64_t fingerprint) {
  try {
    read_checkpoint(file, fingerprint);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.where(), file.string());
    return error.message();
  }
  return "accepted";
}

TEST(Checkpoint, KeepsEveryBit) {
  const TestFolder folder;
  write_checkpoint(folder / "c.bin", 42, some_state());
  const SimulationState state = read_checkpoint(folder / "c.bin", 42);
  EXPECT_EQ(state.time, 0.25);
  EXPECT_EQ(state.frame, 7);
  EXPECT_EQ(state.positions, some_state().positions);
  EXPECT_TRUE(std::signbit(state.positions[1]));
  EXPECT_EQ(state.velocities, some_state().velocities);
  EXPECT_FALSE(std::filesystem::exists(folder / "c.bin.part"));
}

TEST(Checkpoint, KeepsWhatAnIntegratorRemembers) {
  for (const bool previous : {false, true}) {
    for (const bool accelerations : {false, true}) {
      const TestFolder folder;
      SimulationState state = some_state();
      if (previous) {
        state.previous_positions = {7, 8, 9, 10, 11, 12};
        state.previous_velocities = {13, 14, 15, 16, 17, 18};
      }
      if (accelerations) state.accelerations = {19, 20, 21, 22, 23, 24};
      write_checkpoint(folder / "c.bin", 42, state);
      const SimulationState read = read_checkpoint(folder / "c.bin", 42);
      EXPECT_EQ(read.positions, state.positions);
      EXPECT_EQ(read.velocities, state.velocities);
      EXPECT_EQ(read.previous_positions, state.previous_positions);
      EXPECT_EQ(read.previous_velocities, state.previous_velocities);
      EXPECT_EQ(read.accelerations, state.accelerations);
    }
  }
}

TEST(Checkpoint, KeepsWhatBodiesAndTetsRemember) {
  const TestFolder folder;
  SimulationState state = some_state();
  state.weights = {1e5, 2e5};
  state.plastic = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5};
  state.unfolding = {-3, 1};
  state.rested = {-1, 0.25, 0};
  state.rods = {1, 0, 0, 0, 1, 0, 2.5};
  write_checkpoint(folder / "c.bin", 42, state);
  const SimulationState read = read_checkpoint(folder / "c.bin", 42);
  EXPECT_EQ(read.positions, state.positions);
  EXPECT_EQ(read.weights, state.weights);
  EXPECT_EQ(read.plastic, state.plastic);
  EXPECT_EQ(read.unfolding, state.unfolding);
  EXPECT_EQ(read.rested, state.rested);
  EXPECT_EQ(read.rods, state.rods);
}

TEST(Checkpoint, OfAnotherSceneIsRefused) {
  const TestFolder folder;
  write_checkpoint(folder / "c.bin", 42, some_state());
  EXPECT_NE(refusal(folder / "c.bin", 43).find("another scene"), std::string::npos);
}

TEST(Checkpoint, CutOffAnywhereIsRefused) {
  const TestFolder folder;
  write_checkpoint(folder / "c.bin", 42, some_state());
  const std::string whole = bytes_of(folder / "c.bin");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(folder / "cut.bin", whole.substr(0, size));
    EXPECT_NE(refusal(folder / "cut.bin", 42), "accepted") << size << " bytes";
  }
  write_bytes(folder / "long.bin", whole + "x");
  EXPECT_NE(refusal(folder / "long.bin", 42), "accepted");
}

TEST(Checkpoint, WithABitFlippedIsRefused) {
  const TestFolder folder;
  write_checkpoint(folder / "c.bin", 42, some_state());
  const std::string whole = bytes_of(folder / "c.bin");
  // Flips a different bit of each byte.
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 9) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    write_bytes(folder / "flipped.bin", flipped);
    EXPECT_NE(refusal(folder / "flipped.bin", 42), "accepted") << "bit " << bit;
  }
}

TEST(Checkpoint, SomethingElseIsRefusedByName) {
  const TestFolder folder;
  write_bytes(folder / "text", std::string(200, 'x'));
  EXPECT_NE(refusal(folder / "text", 0).find("is not a checkpoint"), std::string::npos);
  EXPECT_NE(refusal(folder / "none", 0).find("no such file"), std::string::npos);
  EXPECT_NE(refusal(folder.path(), 0).find("is not a file"), std::string::npos);
}

TEST(Fingerprint, OfAnEnergyOfTheProgramThereIsNone) {
  LoadedScene loaded = small_scene();
  OwnFunctions functions;
  functions.energy_density = [](const Mat3<double>& F) { return squared_norm(F); };
  functions.stress = [](const Mat3<double>& F) { return 2.0 * F; };
  loaded.scene.bodies[0].layers.push_back(own_material(functions));
  EXPECT_THROW(scene_fingerprint(loaded), Error);
}

TEST(Fingerprint, TellsScenesApartButNotTheirNumberOfFrames) {
  const std::uint64_t one = scene_fingerprint(small_scene());
  EXPECT_EQ(one, scene_fingerprint(small_scene({{"/time/frames", "99"}})));
  EXPECT_NE(one, scene_fingerprint(small_scene({{"/time/step", "0.01"}})));
  EXPECT_NE(one, scene_fingerprint(small_scene({{"/bodies/0/velocity", "[0,0,0]"}})));
  // A mesh file whose content changed under the same name.
  LoadedScene moved = small_scene();
  moved.scene.bodies[0].mesh.vertices[0][0] += 1e-9;
  EXPECT_NE(one, scene_fingerprint(moved));
}

}  // namespace
}  // namespace supple::test
