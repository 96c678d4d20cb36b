#include "io/run/run_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "io/exports/npy.h"
#include "io/run/frame_table.h"
#include "io/run/test_run.h"
#include "supple/error.h"
#include "supple/version.h"

namespace supple::test {
namespace {

RunOptions options_in(const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  options.scene_file = "small.json";
  options.threads = 1;
  options.preview = false;
  return options;
}

/// Simulates a kill: ends a run in the middle, whatever is on disk then.
struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

RunObserver killer(int frame) {
  return {.frame_done = [frame](int done, const StepReport&) {
    if (done == frame) throw Killed();
  }};
}

void expect_same_run(const std::filesystem::path& one, const std::filesystem::path& two) {
  // Does not print the files if they differ.
  EXPECT_TRUE(bytes_of(one / "positions.npy") == bytes_of(two / "positions.npy"));
  EXPECT_TRUE(table_without_times(one / "frames.csv") == table_without_times(two / "frames.csv"));
}

TEST(RunScene, WritesTheFourFiles) {
  const TestFolder folder;
  RunOptions options = options_in(folder / "out");
  options.preview = true;
  const RunResult result = run_scene(small_scene(), options);
  EXPECT_EQ(result.frames, 12);
  EXPECT_FALSE(result.non_finite_frame);
  EXPECT_EQ(result.totals.milliseconds.size(), 12U);
  EXPECT_EQ(result.files,
            (std::vector<std::string>{"frames.csv", "positions.npy", "preview.png", "run.json"}));
  std::uintmax_t bytes = 0;
  for (const std::string& file : result.files) {
    bytes += std::filesystem::file_size(folder / "out" / file);
  }
  EXPECT_EQ(result.bytes, bytes);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
  const NpyReader positions(folder / "out" / "positions.npy");
  EXPECT_EQ(positions.num_frames(), 13);
  EXPECT_EQ(positions.num_vertices(), 48);
}

TEST(RunScene, ThePositionsAreThoseOfTheSimulation) {
  const TestFolder folder;
  const LoadedScene loaded = small_scene();
  run_scene(loaded, options_in(folder.path()));
  Simulation simulation(loaded.scene, {.threads = 1});
  const NpyReader positions(folder / "positions.npy");
  std::vector<double> read(3 * 48), expected(3 * 48);
  for (int frame = 0; frame <= 12; ++frame) {
    positions.read_frame(frame, read);
    simulation.copy_positions(expected);
    EXPECT_EQ(read, expected) << "frame " << frame;
    simulation.step();
  }
}

TEST(RunScene, TheTableHasARowAFrameWithItsEnergies) {
  const TestFolder folder;
  const LoadedScene loaded = small_scene();
  run_scene(loaded, options_in(folder.path()));
  Simulation simulation(loaded.scene, {.threads = 1});
  std::istringstream table(table_without_times(folder / "frames.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(table, line));
  EXPECT_EQ(line,
            "frame,time,iterations,evaluations,objective,gradient_norm,kinetic_energy,"
            "elastic_energy,pin_energy,gravity_energy,contact_energy,deepest_penetration,inverted,"
            "contacts,unconverged,friction_work,plastic_work,pressure_energy");
  for (int frame = 1; frame <= 12; ++frame) {
    ASSERT_TRUE(std::getline(table, line));
    const StepReport report = simulation.step();
    const Energies energies = simulation.energies();
    std::istringstream row(line);
    std::vector<double> values;
    for (std::string cell; std::getline(row, cell, ',');) values.push_back(std::stod(cell));
    EXPECT_EQ(
        values,
        (std::vector<double>{
            static_cast<double>(frame), simulation.time(), static_cast<double>(report.iterations),
            static_cast<double>(report.evaluations), report.objective, report.gradient_norm,
            energies.kinetic, energies.elastic, energies.pins, energies.gravity,
            report.contact_energy, report.deepest_penetration,
            static_cast<double>(report.inverted_tets), static_cast<double>(report.contacts),
            report.unconverged, report.friction_work, report.plastic_work, energies.pressure}));
  }
  EXPECT_FALSE(std::getline(table, line));
}

TEST(RunScene, TheReportHoldsSceneVersionMachineAndTotals) {
  const TestFolder folder;
  const LoadedScene loaded = small_scene();
  run_scene(loaded, options_in(folder.path()));
  const auto report = nlohmann::ordered_json::parse(bytes_of(folder / "run.json"));
  EXPECT_EQ(report["version"], version());
  EXPECT_EQ(report["scene_file"], "small.json");
  EXPECT_EQ(report["scene"], nlohmann::ordered_json::parse(loaded.settings));
  EXPECT_EQ(report["machine"]["threads"], 1);
  EXPECT_FALSE(report["machine"]["compiler"].get<std::string>().empty());
  EXPECT_EQ(report["totals"]["status"], "complete");
  EXPECT_EQ(report["totals"]["frames"], 12);
  EXPECT_EQ(report["totals"]["tets"], 90);
  EXPECT_GT(report["totals"]["milliseconds"]["median"], 0);
}

TEST(RunScene, TheReportSaysWhatIsNotToBeTrusted) {
  // One sweep on hard rubber leaves it as soft as air.
  const std::vector<Override> starved = {{"/bodies/0/material/young", "1e8"},
                                         {"/solver/method", "vertex_block_descent"},
                                         {"/solver/iterations", "1"}};
  const TestFolder folder;
  const RunResult result = run_scene(small_scene(starved), options_in(folder.path()));
  const auto report = nlohmann::ordered_json::parse(bytes_of(folder / "run.json"));
  ASSERT_EQ(report["warnings"].size(), result.warnings.size());
  bool said = false;
  for (const auto& warning : report["warnings"]) {
    EXPECT_FALSE(warning["text"].get<std::string>().empty());
    ASSERT_EQ(warning["frames"].size(), 2U);
    said = said || warning["code"] == "unconverged";
  }
  EXPECT_TRUE(said) << report["warnings"];
}

TEST(RunScene, ExportsAreWrittenWhereAskedFor) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.exports = {"usda", "obj"};
  const RunResult result = run_scene(small_scene({{"/time/frames", "2"}}), options);
  EXPECT_TRUE(std::filesystem::exists(folder / "animation.usda"));
  EXPECT_TRUE(std::filesystem::exists(folder / "obj" / "frame_0002.obj"));
  EXPECT_NE(std::find(result.files.begin(), result.files.end(), "obj/"), result.files.end());
}

TEST(RunScene, NoFramesIsAnInitialStateAlone) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.preview = true;
  const RunResult result = run_scene(small_scene({{"/time/frames", "0"}}), options);
  EXPECT_EQ(result.frames, 0);
  EXPECT_EQ(NpyReader(folder / "positions.npy").num_frames(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder / "preview.png"));
}

TEST(RunScene, TheNumberOfThreadsDoesNotShow) {
  const TestFolder folder;
  RunOptions options = options_in(folder / "one");
  run_scene(small_scene(), options);
  options.folder = folder / "two";
  options.threads = 2;
  run_scene(small_scene(), options);
  expect_same_run(folder / "one", folder / "two");
}

/// (s - 1)^32 overflows if a vertex is `size` away.
LoadedScene exploding_scene(const std::string& size) {
  const std::string corner = "[" + size + "," + size + "," + size + "]";
  return small_scene(
      {{"/bodies/0/material",
        R"({"model": "valanis_landel", "a": [{"coefficient": 1e5, "power": 2, "about": 1},
                                             {"coefficient": 1, "power": 32, "about": 1}]})"},
       {"/solver/recovery", "\"none\""},
       {"/bodies/0/initial/randomize/box", "[[0, 0, 0], " + corner + "]"}});
}

TEST(RunScene, ANonFiniteFrameEndsTheRunWithWhatCameBefore) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.preview = true;
  const RunResult result = run_scene(exploding_scene("1e30"), options);
  ASSERT_TRUE(result.non_finite_frame);
  EXPECT_EQ(*result.non_finite_frame, 1);
  EXPECT_EQ(result.frames, 0);
  EXPECT_TRUE(result.left_out.empty());
  EXPECT_EQ(NpyReader(folder / "positions.npy").num_frames(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder / "preview.png"));
  const auto report = nlohmann::ordered_json::parse(bytes_of(folder / "run.json"));
  EXPECT_EQ(report["totals"]["status"], "non_finite");
  EXPECT_EQ(report["totals"]["non_finite_frame"], 1);
}

TEST(RunScene, OneThatIsStoppedAfterItsFramesLeavesOutTheRestAndGoesOn) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.preview = true;
  options.exports = {"pc2"};
  bool all_done = false;
  RunObserver observer;
  const LoadedScene scene = small_scene();
  observer.frame_done = [&](int frame, const StepReport&) {
    all_done = frame == scene.scene.time.frames;
  };
  options.stop = [&] { return all_done; };
  const RunResult stopped = run_scene(scene, options, observer);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.frames, scene.scene.time.frames);
  EXPECT_EQ(stopped.left_out.size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(folder / "run.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "pc2"));

  options.stop = nullptr;
  options.resume = folder / "checkpoint.bin";
  const RunResult rest = run_scene(scene, options);
  EXPECT_FALSE(rest.interrupted);
  EXPECT_TRUE(rest.totals.milliseconds.empty());
  EXPECT_TRUE(std::filesystem::exists(folder / "preview.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "pc2"));
}

TEST(RunScene, APictureThatCannotBeDrawnIsLeftOutOfANonFiniteRun) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.preview = true;
  const RunResult result = run_scene(exploding_scene("1e60"), options);
  EXPECT_TRUE(result.non_finite_frame);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].rfind("preview.png: ", 0), 0U) << result.left_out[0];
  EXPECT_EQ(NpyReader(folder / "positions.npy").num_frames(), 1);
}

TEST(RunScene, ASceneThatCannotBeSimulatedLeavesNothing) {
  const TestFolder folder;
  LoadedScene loaded = small_scene();
  loaded.scene.bodies[0].material.mu = -1;
  try {
    run_scene(loaded, options_in(folder / "out" / "deep"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where().rfind("small.json: /bodies/0/material", 0), 0U) << error.where();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(RunScene, AnUnknownExportIsRefusedBeforeAnythingIsWritten) {
  const TestFolder folder;
  RunOptions options = options_in(folder / "out");
  options.exports = {"usd"};
  EXPECT_THROW(run_scene(small_scene(), options), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(RunScene, AFolderThatCannotBeMadeIsABadFile) {
  const TestFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"file", "file/below"}) {
    try {
      run_scene(small_scene(), options_in(folder / name));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    }
  }
  EXPECT_EQ(bytes_of(folder / "file"), "x");
}

TEST(RunScene, AKilledRunWithoutCheckpointLeavesNoParts) {
  const TestFolder folder;
  EXPECT_THROW(run_scene(small_scene(), options_in(folder / "out"), killer(5)), Killed);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Resume, GoesOnToTheSameBits) {
  const TestFolder folder;
  run_scene(small_scene(), options_in(folder / "whole"));
  for (const int killed_at : {4, 5, 6, 11}) {
    RunOptions options = options_in(folder / "killed");
    options.checkpoint_every = 2;
    EXPECT_THROW(run_scene(small_scene(), options, killer(killed_at)), Killed);
    EXPECT_FALSE(std::filesystem::exists(folder / "killed" / "positions.npy"));
    options.resume = folder / "killed" / "checkpoint.bin";
    const RunResult result = run_scene(small_scene(), options);
    EXPECT_EQ(result.start.first_frame, killed_at / 2 * 2 + 1);
    EXPECT_EQ(result.frames, 12);
    expect_same_run(folder / "whole", folder / "killed");
    std::filesystem::remove_all(folder / "killed");
  }
}

TEST(Resume, CanBeKilledAndResumedAgain) {
  const TestFolder folder;
  run_scene(small_scene(), options_in(folder / "whole"));
  RunOptions options = options_in(folder / "killed");
  options.checkpoint_every = 3;
  EXPECT_THROW(run_scene(small_scene(), options, killer(4)), Killed);
  options.resume = folder / "killed" / "checkpoint.bin";
  EXPECT_THROW(run_scene(small_scene(), options, killer(5)), Killed);
  EXPECT_THROW(run_scene(small_scene(), options, killer(8)), Killed);
  options.threads = 2;
  run_scene(small_scene(), options);
  expect_same_run(folder / "whole", folder / "killed");
}

TEST(Resume, OfAFinishedRunMakesItLonger) {
  const TestFolder folder;
  run_scene(small_scene(), options_in(folder / "whole"));
  RunOptions options = options_in(folder / "short");
  options.checkpoint_every = 4;
  run_scene(small_scene({{"/time/frames", "9"}}), options);
  options.resume = folder / "short" / "checkpoint.bin";
  run_scene(small_scene(), options);
  expect_same_run(folder / "whole", folder / "short");
}

TEST(Resume, WithEverySolverGoesOnToTheSameBits) {
  for (const Description& solver : list_solvers()) {
    const TestFolder folder;
    std::vector<Override> overrides = {{"/solver/method", solver.name}};
    if (solver.name == "projective_dynamics") {  // it does not run every material
      overrides.push_back({"/bodies/0/material", R"({"model": "arap", "mu": 4e4})"});
    } else if (solver.name == "xpbd" || solver.name == "step_and_project") {
      overrides.push_back({"/bodies/0/material/model", "stable_neo_hookean"});
    }
    const LoadedScene loaded = small_scene(overrides);
    run_scene(loaded, options_in(folder / "whole"));
    RunOptions options = options_in(folder / "killed");
    options.checkpoint_every = 5;
    EXPECT_THROW(run_scene(loaded, options, killer(7)), Killed);
    options.resume = folder / "killed" / "checkpoint.bin";
    run_scene(loaded, options);
    SCOPED_TRACE(solver.name);
    expect_same_run(folder / "whole", folder / "killed");
  }
}

TEST(Resume, WithEveryIntegratorGoesOnToTheSameBits) {
  for (const Description& integrator : list_integrators()) {
    const TestFolder folder;
    std::vector<Override> overrides = {{"/time/integrator", integrator.name}};
    if (integrator.name == "symplectic_euler" || integrator.name == "forward_euler") {
      overrides.push_back({"/time/substeps", "200"});  // or they blow up
    }
    if (integrator.name == "quasi_static") {
      overrides.push_back({"/bodies/0/velocity", "[0, 0, 0]"});
      overrides.push_back({"/bodies/0/pins", R"([{"select": {"vertices": [0, 1, 2]},
          "motion": {"translate": {"velocity": [0.5, 0, 0]}}}])"});
    }
    const LoadedScene loaded = small_scene(overrides);
    run_scene(loaded, options_in(folder / "whole"));
    RunOptions options = options_in(folder / "killed");
    options.checkpoint_every = 5;
    EXPECT_THROW(run_scene(loaded, options, killer(7)), Killed);
    options.resume = folder / "killed" / "checkpoint.bin";
    run_scene(loaded, options);
    SCOPED_TRACE(integrator.name);
    expect_same_run(folder / "whole", folder / "killed");
  }
}

TEST(Resume, NeedsTheSameSceneAndItsParts) {
  const TestFolder folder;
  RunOptions options = options_in(folder / "killed");
  options.checkpoint_every = 4;
  EXPECT_THROW(run_scene(small_scene(), options, killer(9)), Killed);
  options.resume = folder / "killed" / "checkpoint.bin";
  const auto kind = [&](const LoadedScene& loaded) {
    try {
      run_scene(loaded, options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::non_finite;
  };
  EXPECT_EQ(kind(small_scene({{"/solver/iterations", "11"}})), ErrorKind::bad_file);
  EXPECT_EQ(kind(small_scene({{"/time/frames", "7"}})), ErrorKind::invalid_input);
  std::filesystem::remove(folder / "killed" / "frames.csv.part");
  EXPECT_EQ(kind(small_scene()), ErrorKind::bad_file);
}

TEST(FrameTable, WithRowsMissingCannotBeResumed) {
  const TestFolder folder;
  const std::filesystem::path file = folder / "frames.csv";
  { FrameTable(file).append(1, 0.5, {}, {}); }
  EXPECT_NO_THROW(FrameTable::resume(file, 1));
  EXPECT_NO_THROW(FrameTable::resume(file, 0));
  EXPECT_THROW(FrameTable::resume(file, 1), Error);  // cut by the previous call
  std::ofstream(folder / "frames.csv.part") << "something else\n1,\n";
  EXPECT_THROW(FrameTable::resume(file, 1), Error);
}

TEST(RunTotals, PercentilesAreOfTheNearestRank) {
  RunTotals totals;
  EXPECT_EQ(totals.percentile(0.5), 0);
  for (int i = 100; i > 0; --i) totals.add(i, {.total_milliseconds = static_cast<double>(i)});
  EXPECT_EQ(totals.percentile(0.5), 50);
  EXPECT_EQ(totals.percentile(0.99), 99);
  EXPECT_EQ(totals.percentile(1), 100);
  EXPECT_EQ(totals.percentile(0), 1);
}

TEST(RunTotals, RememberTheWorstFrame) {
  RunTotals totals;
  totals.add(1, {.gradient_norm = 1e-10, .start_gradient_norm = 1e-10, .inverted_tets = 3});
  totals.add(2, {.gradient_norm = 5, .start_gradient_norm = 10, .inverted_tets = 1});
  totals.add(3, {.gradient_norm = 0, .start_gradient_norm = 0});
  EXPECT_EQ(totals.worst_residual, 5);
  EXPECT_EQ(totals.worst_relative, 0.5);
  EXPECT_EQ(totals.worst_frame, 2);
  EXPECT_EQ(totals.max_inverted_tets, 3);
}

}  // namespace
}  // namespace supple::test
