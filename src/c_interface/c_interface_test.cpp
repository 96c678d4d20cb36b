#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "c_interface/test_plain_c.h"
#include "supple/io.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

namespace {

const std::string block = R"({"supple": 1, "time": {"step": 0.02}, "gravity": [0, 0, 0],
  "bodies": [{"mesh": {"box": {"size": [2, 1, 1], "cells": [4, 2, 2]}},
              "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.3},
              "pins": [{"select": {"box": [[-1.01, -9, -9], [-0.99, 9, 9]]}}]}]})";

struct Destroy {
  void operator()(SuppleScene* scene) const { supple_scene_destroy(scene); }
  void operator()(SuppleSimulation* simulation) const { supple_simulation_destroy(simulation); }
};
using SceneHandle = std::unique_ptr<SuppleScene, Destroy>;
using SimulationHandle = std::unique_ptr<SuppleSimulation, Destroy>;

SceneHandle parse(const std::string& text, const std::vector<SuppleOverride>& overrides = {}) {
  return SceneHandle(supple_scene_parse(text.data(), text.size(), "block.json", nullptr,
                                        overrides.data(), overrides.size()));
}

SimulationHandle simulate(const std::string& text,
                          const std::vector<SuppleOverride>& overrides = {}) {
  return SimulationHandle(supple_simulation_create(parse(text, overrides).get(), 1));
}

std::vector<double> positions_of(const SuppleSimulation* simulation) {
  SuppleCounts counts{.struct_size = sizeof counts};
  EXPECT_EQ(supple_simulation_counts(simulation, &counts), supple_ok);
  std::vector<double> x(static_cast<std::size_t>(counts.vertices) * 3);
  EXPECT_EQ(supple_simulation_copy_positions(simulation, x.data(), x.size()), supple_ok);
  return x;
}

void step(SuppleSimulation* simulation, int frames) {
  for (int i = 0; i < frames; ++i)
    ASSERT_EQ(supple_simulation_step(simulation, nullptr), supple_ok);
}

/// The last error, as "kind where: message".
std::string last_error() {
  return std::to_string(supple_last_error()) + " " + supple_last_error_where() + ": " +
         supple_last_error_message();
}

/// The vertex at the middle of the end that is not pinned, 44 of 45 in a block of 4 x 2 x 2 cells.
int end_vertex(const std::vector<double>& x) {
  std::size_t best = 0;
  const auto miss = [&](std::size_t i) {
    return std::abs(x[3 * i] - 1) + std::abs(x[3 * i + 1]) + std::abs(x[3 * i + 2]);
  };
  for (std::size_t i = 0; i < x.size() / 3; ++i) {
    if (miss(i) < miss(best)) best = i;
  }
  return static_cast<int>(best);
}

TEST(CInterface, RunsInAProgramThatIsPlainC) {
  double lowest = 0;
  ASSERT_EQ(drop_in_plain_c(50, &lowest), supple_ok) << last_error();
  // Backward Euler falls by h^2 g (1 + 2 + ... + n). Ten iterations on a fall without strain leave
  // only rounding.
  EXPECT_NEAR(lowest, -0.5 - 9.81 * 0.01 * 0.01 * (50 * 51 / 2), 1e-9);
}

TEST(CInterface, StepsHaveTheBitsOfTheLibrarys) {
  const std::string file = std::string(SUPPLE_SOURCE_DIR) + "/scenes/twisting_bar.json";
  const SuppleOverride iterations{"/solver/iterations", "4"};
  const SceneHandle scene(supple_scene_load(file.c_str(), &iterations, 1));
  ASSERT_TRUE(scene) << last_error();
  const SimulationHandle ours(supple_simulation_create(scene.get(), 1));
  supple::Simulation theirs(supple::load_scene(file, {{"/solver/iterations", "4"}}),
                            {.threads = 1});
  SuppleStepReport report{.struct_size = sizeof report};
  supple::StepReport expected;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(supple_simulation_step(ours.get(), &report), supple_ok);
    expected = theirs.step();
  }
  std::vector<double> x(static_cast<std::size_t>(theirs.num_vertices()) * 3);
  theirs.copy_positions(x);
  EXPECT_EQ(positions_of(ours.get()), x);
  EXPECT_EQ(report.status, supple_step_iteration_limit);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_EQ(report.evaluations, expected.evaluations);
  EXPECT_EQ(report.objective, expected.objective);
  EXPECT_EQ(report.gradient_norm, expected.gradient_norm);
  EXPECT_EQ(report.expected_decrease, expected.expected_decrease);
  EXPECT_EQ(report.unconverged, expected.unconverged);
  EXPECT_GT(report.total_milliseconds, 0);

  double time = 0;
  int64_t frame = 0;
  ASSERT_EQ(supple_simulation_clock(ours.get(), &time, &frame), supple_ok);
  EXPECT_EQ(time, theirs.time());
  EXPECT_EQ(frame, 3);
  SuppleEnergies energies{.struct_size = sizeof energies};
  ASSERT_EQ(supple_simulation_energies(ours.get(), &energies), supple_ok);
  EXPECT_EQ(energies.elastic, theirs.energies().elastic);
  EXPECT_GT(energies.elastic, 0);
}

TEST(CInterface, FloatsAreTheDoublesRounded) {
  const SimulationHandle simulation = simulate(block, {{"/gravity", "[0.1, -9.81, 0.3]"}});
  step(simulation.get(), 2);
  const std::vector<double> x = positions_of(simulation.get());
  std::vector<float> rounded(x.size()), speeds(x.size());
  std::vector<double> v(x.size());
  ASSERT_EQ(supple_simulation_copy_positions_float(simulation.get(), rounded.data(), x.size()),
            supple_ok);
  ASSERT_EQ(supple_simulation_copy_velocities(simulation.get(), v.data(), v.size()), supple_ok);
  ASSERT_EQ(supple_simulation_copy_velocities_float(simulation.get(), speeds.data(), v.size()),
            supple_ok);
  EXPECT_GT(*std::max_element(v.begin(), v.end()), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(rounded[i], static_cast<float>(x[i]));
    EXPECT_EQ(speeds[i], static_cast<float>(v[i]));
  }
}

TEST(CInterface, CountsBodiesAndTrianglesAreThoseOfTheScene) {
  const SimulationHandle simulation = simulate(block);
  SuppleCounts counts{.struct_size = sizeof counts};
  ASSERT_EQ(supple_simulation_counts(simulation.get(), &counts), supple_ok);
  EXPECT_EQ(counts.bodies, 1);
  EXPECT_EQ(counts.vertices, 45);
  EXPECT_EQ(counts.tets, 80);
  EXPECT_EQ(counts.triangles, 2 * (2 * 2 * 2 + 4 * 4 * 2));  // two per cell face: ends and sides
  EXPECT_EQ(counts.threads, 1);
  int32_t first = -1, count = -1;
  ASSERT_EQ(supple_simulation_body(simulation.get(), 0, &first, &count), supple_ok);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(count, 45);
  std::vector<int32_t> triangles(static_cast<std::size_t>(counts.triangles) * 3);
  ASSERT_EQ(supple_simulation_copy_triangles(simulation.get(), triangles.data(), triangles.size()),
            supple_ok);
  // The flux of x through a closed surface that looks outward is three times its volume.
  const std::vector<double> x = positions_of(simulation.get());
  double six_volumes = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const double* a = &x[static_cast<std::size_t>(triangles[t]) * 3];
    const double* b = &x[static_cast<std::size_t>(triangles[t + 1]) * 3];
    const double* c = &x[static_cast<std::size_t>(triangles[t + 2]) * 3];
    six_volumes += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  EXPECT_NEAR(six_volumes / 6, 2, 1e-12);
}

TEST(CInterface, AHeldVertexComesToItsTargetAndSpringsBackWhenReleased) {
  const SimulationHandle simulation = simulate(block, {{"/damping/drag", "5"}});
  const std::vector<double> rest = positions_of(simulation.get());
  const int32_t vertex = end_vertex(rest);
  const auto at = [&] {
    const std::vector<double> x = positions_of(simulation.get());
    const auto i = static_cast<std::size_t>(vertex) * 3;
    return std::vector<double>(x.begin() + static_cast<long>(i),
                               x.begin() + static_cast<long>(i) + 3);
  };
  const std::vector<double> target{1.2, 0.3, -0.1};
  // The body resists with about young * area / length = 5e4 N/m: a spring of 1e8 N/m gives way by
  // a thousandth of the pull at most.
  ASSERT_EQ(supple_simulation_hold(simulation.get(), 0, &vertex, target.data(), 1, 1e8), supple_ok);
  step(simulation.get(), 100);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(at()[c], target[c], 1e-3);
  ASSERT_EQ(supple_simulation_hold(simulation.get(), 0, nullptr, nullptr, 0, 0), supple_ok);
  step(simulation.get(), 400);
  // In eight seconds a drag of 5/s reduces the swing to a few millimetres.
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(at()[c], rest[static_cast<std::size_t>(vertex) * 3 + c], 1e-2);
  }
}

/// The distance of the end vertex from x = 1.4, where the tests of changes hold it.
double distance_to_target(const SuppleSimulation* simulation, int vertex) {
  return std::abs(positions_of(simulation)[static_cast<std::size_t>(vertex) * 3] - 1.4);
}

TEST(CInterface, AChangeKeepsWhatIsHeld) {
  const SimulationHandle simulation = simulate(block);
  const int32_t vertex = end_vertex(positions_of(simulation.get()));
  const double target[3] = {1.4, 0, 0};
  ASSERT_EQ(supple_simulation_hold(simulation.get(), 0, &vertex, target, 1, 1e8), supple_ok);
  const SceneHandle softer = parse(block, {{"/bodies/0/material/young", "2e4"}});
  ASSERT_EQ(supple_simulation_change(simulation.get(), softer.get(), 0), supple_ok);
  step(simulation.get(), 30);
  EXPECT_LT(distance_to_target(simulation.get(), vertex), 1e-2);

  // Without the scene's pins, and with the vertex released while the change waits, nothing holds
  // the body.
  const SceneHandle loose = parse(block, {{"/bodies/0/pins", "[]"}});
  ASSERT_EQ(supple_simulation_change(simulation.get(), loose.get(), 2), supple_ok);
  ASSERT_EQ(supple_simulation_hold(simulation.get(), 0, nullptr, nullptr, 0, 0), supple_ok);
  std::vector<int> seen;
  for (int i = 0; i < 4; ++i) {
    SuppleStepReport report{.struct_size = sizeof report};
    ASSERT_EQ(supple_simulation_step(simulation.get(), &report), supple_ok);
    seen.push_back(report.change);
  }
  EXPECT_EQ(seen, (std::vector<int>{supple_change_waiting, supple_change_waiting,
                                    supple_change_done, supple_change_none}));
  SuppleEnergies energies{.struct_size = sizeof energies};
  ASSERT_EQ(supple_simulation_energies(simulation.get(), &energies), supple_ok);
  EXPECT_EQ(energies.pins, 0);
}

TEST(CInterface, AfterAChangeThatFailedThePinsOfTheSceneHold) {
  const SimulationHandle simulation = simulate(block);
  const std::vector<double> rest = positions_of(simulation.get());
  const int32_t vertex = end_vertex(rest);
  const double target[3] = {1.4, 0, 0};
  // Finite at stretches of 1, which the reader checks. The mean over 0.5 to 1.5 is not finite,
  // which is noticed when it is built.
  const std::string beyond =
      R"({"model": "valanis_landel", "a": [{"coefficient": 1e308, "power": 4, "about": 1}]})";
  const SceneHandle bad =
      parse(block, {{"/bodies/0/pins", "[]"}, {"/bodies/0/material", beyond.c_str()}});
  ASSERT_TRUE(bad) << last_error();
  ASSERT_EQ(supple_simulation_change(simulation.get(), bad.get(), 1), supple_ok);
  ASSERT_EQ(supple_simulation_hold(simulation.get(), 0, &vertex, target, 1, 1e8), supple_ok);
  SuppleStepReport report{.struct_size = sizeof report};
  for (int i = 0; i < 2; ++i) supple_simulation_step(simulation.get(), &report);
  ASSERT_EQ(report.change, supple_change_failed);
  EXPECT_NE(supple_simulation_check_change(simulation.get()), supple_ok);
  EXPECT_EQ(supple_simulation_check_change(simulation.get()), supple_ok);
  step(simulation.get(), 50);
  EXPECT_LT(distance_to_target(simulation.get(), vertex), 1e-2);
  // The first vertex is at the end that the scene pins.
  EXPECT_NEAR(positions_of(simulation.get())[0], rest[0], 1e-1);
}

TEST(CInterface, FaultsOfASceneAreTold) {
  EXPECT_FALSE(parse("{\"supple\": 1,"));
  EXPECT_EQ(supple_last_error(), supple_invalid_input);
  EXPECT_EQ(last_error().find("1 block.json:1:"), 0U) << last_error();

  EXPECT_FALSE(parse(block, {{"/bodies/0/material/poisson", "0.6"}}));
  EXPECT_EQ(std::string(supple_last_error_where()), "block.json: /bodies/0/material/poisson");

  EXPECT_EQ(supple_scene_load("no/such/scene.json", nullptr, 0), nullptr);
  EXPECT_EQ(supple_last_error(), supple_bad_file);

  EXPECT_FALSE(parse(block, {{"/bodies/0/mesh", R"({"file": "none.mesh"})"}}));
  EXPECT_EQ(supple_last_error(), supple_bad_file);

  EXPECT_EQ(supple_simulation_create(parse(block).get(), -1), nullptr);
  EXPECT_EQ(supple_last_error(), supple_invalid_input);
}

TEST(CInterface, SettingsHaveEveryDefault) {
  const SceneHandle scene = parse(block);
  const std::string settings = supple_scene_settings(scene.get());
  EXPECT_NE(settings.find("\"integrator\""), std::string::npos);
  EXPECT_TRUE(parse(settings)) << last_error();
}

TEST(CInterface, AnOlderCallersStructIsFilledAsFarAsItGoes) {
  const SimulationHandle simulation = simulate(block);
  // As from a header in which a step's report ended before its times.
  SuppleStepReport report;
  std::memset(&report, 0x55, sizeof report);
  report.struct_size = offsetof(SuppleStepReport, total_milliseconds);
  ASSERT_EQ(supple_simulation_step(simulation.get(), &report), supple_ok) << last_error();
  EXPECT_EQ(report.struct_size, offsetof(SuppleStepReport, total_milliseconds));
  EXPECT_GT(report.iterations, 0);
  EXPECT_LT(report.iterations, 1000);
  SuppleStepReport untouched;
  std::memset(&untouched, 0x55, sizeof untouched);
  EXPECT_EQ(report.total_milliseconds, untouched.total_milliseconds);
  EXPECT_EQ(report.contact_milliseconds, untouched.contact_milliseconds);
}

TEST(CInterface, AStructOfUnknownSizeIsRefusedAndNothingIsDone) {
  const SimulationHandle simulation = simulate(block);
  for (const std::size_t size : {std::size_t{0}, sizeof(SuppleStepReport) + 8}) {
    SuppleStepReport report{.struct_size = size};
    EXPECT_EQ(supple_simulation_step(simulation.get(), &report), supple_invalid_input);
    EXPECT_EQ(last_error(), "1 report: has struct_size " + std::to_string(size) +
                                ": expected the size of the struct, at most " +
                                std::to_string(sizeof report) + " in this version of the library");
    SuppleCounts counts{.struct_size = size};
    EXPECT_EQ(supple_simulation_counts(simulation.get(), &counts), supple_invalid_input);
    SuppleEnergies energies{.struct_size = size};
    EXPECT_EQ(supple_simulation_energies(simulation.get(), &energies), supple_invalid_input);
    const SuppleSimulationOptions options{.struct_size = size};
    EXPECT_EQ(supple_simulation_create_with(parse(block).get(), &options), nullptr);
    EXPECT_EQ(supple_last_error_where(), std::string("options"));
  }
  int64_t frame = -1;
  ASSERT_EQ(supple_simulation_clock(simulation.get(), nullptr, &frame), supple_ok);
  EXPECT_EQ(frame, 0);
}

TEST(CInterface, HeaderAndLibrarySayTheSameVersion) {
  EXPECT_EQ(supple_version_number(), SUPPLE_VERSION_NUMBER);
  EXPECT_EQ(supple_version(), std::to_string(SUPPLE_VERSION_MAJOR) + "." +
                                  std::to_string(SUPPLE_VERSION_MINOR) + "." +
                                  std::to_string(SUPPLE_VERSION_PATCH));
  EXPECT_GE(SUPPLE_VERSION_NUMBER, 200);
}

TEST(CInterface, AHostsTasksGiveTheSameBits) {
  struct Host {
    int regions = 0;
  } host;
  SuppleSimulationOptions options{.struct_size = sizeof options, .threads = 3};
  options.tasks.user = &host;
  options.tasks.run = [](void* user, int32_t count, void (*task)(void*, int32_t), void* context) {
    ++static_cast<Host*>(user)->regions;
    for (int32_t i = count - 1; i >= 0; --i) task(context, i);
  };
  // Large enough for regions of several pieces.
  const SceneHandle scene = parse(block, {{"/bodies/0/mesh/box/cells", "[16, 8, 8]"}});
  const SimulationHandle hosted(supple_simulation_create_with(scene.get(), &options));
  ASSERT_TRUE(hosted) << last_error();
  const SimulationHandle own(supple_simulation_create_with(scene.get(), nullptr));
  ASSERT_TRUE(own) << last_error();
  step(hosted.get(), 3);
  step(own.get(), 3);
  EXPECT_EQ(positions_of(hosted.get()), positions_of(own.get()));
  EXPECT_GT(host.regions, 0);
}

TEST(CInterface, NullsAreRefused) {
  EXPECT_EQ(supple_scene_load(nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(supple_scene_parse(nullptr, 0, nullptr, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(supple_scene_parse(block.data(), block.size(), nullptr, nullptr, nullptr, 1), nullptr);
  EXPECT_FALSE(parse(block, {{nullptr, "1"}}));
  EXPECT_FALSE(parse(block, {{"/name", nullptr}}));
  EXPECT_EQ(last_error(), "1 overrides: value: is NULL");
  EXPECT_EQ(supple_scene_settings(nullptr), nullptr);
  EXPECT_EQ(supple_simulation_create(nullptr, 1), nullptr);
  supple_scene_destroy(nullptr);
  supple_simulation_destroy(nullptr);

  double number = 0;
  float single = 0;
  int32_t index = 0;
  SuppleCounts counts{.struct_size = sizeof counts};
  SuppleEnergies energies{.struct_size = sizeof energies};
  const SimulationHandle simulation = simulate(block);
  SuppleSimulation* const none = nullptr;
  for (const SuppleError error :
       {supple_simulation_step(none, nullptr), supple_simulation_counts(none, &counts),
        supple_simulation_counts(simulation.get(), nullptr),
        supple_simulation_clock(none, &number, nullptr),
        supple_simulation_body(none, 0, &index, &index),
        supple_simulation_energies(none, &energies),
        supple_simulation_energies(simulation.get(), nullptr),
        supple_simulation_copy_positions(none, &number, 1),
        supple_simulation_copy_positions(simulation.get(), nullptr, 135),
        supple_simulation_copy_velocities(none, &number, 1),
        supple_simulation_copy_positions_float(none, &single, 1),
        supple_simulation_copy_velocities_float(simulation.get(), nullptr, 135),
        supple_simulation_copy_triangles(none, &index, 1),
        supple_simulation_hold(none, 0, &index, &number, 1, 1),
        supple_simulation_hold(simulation.get(), 0, nullptr, &number, 1, 1),
        supple_simulation_hold(simulation.get(), 0, &index, nullptr, 1, 1),
        supple_simulation_change(none, nullptr, 0),
        supple_simulation_change(simulation.get(), nullptr, 0),
        supple_simulation_check_change(none)}) {
    EXPECT_EQ(error, supple_invalid_input);
    EXPECT_NE(last_error().find("is NULL"), std::string::npos) << last_error();
  }
  EXPECT_EQ(supple_simulation_clock(simulation.get(), nullptr, nullptr), supple_ok);
}

TEST(CInterface, WrongSizesAndIndicesAreRefused) {
  const SimulationHandle simulation = simulate(block);
  std::vector<double> x(135);
  std::vector<int32_t> triangles(3);
  EXPECT_EQ(supple_simulation_copy_positions(simulation.get(), x.data(), 134),
            supple_invalid_input);
  EXPECT_EQ(last_error(), "1 out: has 134 numbers: expected 135");
  EXPECT_EQ(supple_simulation_copy_triangles(simulation.get(), triangles.data(), 3),
            supple_invalid_input);
  for (const int32_t body : {-1, 1}) {
    EXPECT_EQ(supple_simulation_body(simulation.get(), body, nullptr, nullptr),
              supple_invalid_input);
    EXPECT_EQ(supple_simulation_hold(simulation.get(), body, nullptr, nullptr, 0, 1),
              supple_invalid_input);
  }
  const std::vector<double> targets(6, 0.0);
  const auto hold = [&](std::vector<int32_t> vertices, double stiffness) {
    return supple_simulation_hold(simulation.get(), 0, vertices.data(), targets.data(),
                                  vertices.size(), stiffness);
  };
  EXPECT_EQ(hold({45}, 1), supple_invalid_input);
  EXPECT_EQ(hold({-1}, 1), supple_invalid_input);
  EXPECT_EQ(hold({3, 3}, 1), supple_invalid_input);
  EXPECT_EQ(hold({3}, 0), supple_invalid_input);
  EXPECT_EQ(hold({3}, std::nan("")), supple_invalid_input);
  const double nowhere[3] = {std::nan(""), 0, 0};
  const int32_t vertex = 3;
  EXPECT_EQ(supple_simulation_hold(simulation.get(), 0, &vertex, nowhere, 1, 1),
            supple_invalid_input);
  EXPECT_EQ(supple_simulation_hold(simulation.get(), 0, &vertex, targets.data(), 5000, 1),
            supple_invalid_input);
  const SceneHandle other = parse(block, {{"/bodies/0/mesh/box/cells", "[3, 2, 2]"}});
  EXPECT_EQ(supple_simulation_change(simulation.get(), other.get(), 0), supple_invalid_input);
  EXPECT_EQ(supple_simulation_change(simulation.get(), other.get(), -1), supple_invalid_input);
  // None of these calls has changed anything: the block stays at rest.
  const std::vector<double> before = positions_of(simulation.get());
  step(simulation.get(), 2);
  const std::vector<double> after = positions_of(simulation.get());
  // At rest forces are zero except for rounding.
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-14);
}

TEST(CInterface, EachThreadHasItsOwnLastError) {
  EXPECT_EQ(supple_simulation_create(nullptr, 1), nullptr);
  SuppleError there = supple_unexpected;
  std::thread([&] { there = supple_last_error(); }).join();
  EXPECT_EQ(there, supple_ok);
  EXPECT_EQ(supple_last_error(), supple_invalid_input);
}

}  // namespace
