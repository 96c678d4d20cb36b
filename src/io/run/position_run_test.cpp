#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "io/exports/npy.h"
#include "io/run/test_run.h"

/// What a run exports from position-based methods.
namespace supple::test {
namespace {

/// A block of 0.4 x 1 x 0.4 m in 324 tets of E = 1.5e5 Pa, 160 kg, hung by its top.
LoadedScene hanging_block(const std::vector<Override>& overrides) {
  return parse_scene(R"({
    "supple": 1,
    "time": { "step": 0.016666666666666666, "frames": 40, "substeps": 20 },
    "solver": { "method": "xpbd", "iterations": 1 },
    "bodies": [ { "mesh": { "box": { "size": [0.4, 1, 0.4], "cells": [3, 6, 3],
                                     "tets_per_cell": 6 } },
                  "material": { "model": "stable_neo_hookean", "young": 1.5e5, "poisson": 0.4 },
                  "pins": [ { "select": { "box": [[-1, 0.499, -1], [1, 0.501, 1]] },
                              "stiffness": 1e7 } ] } ]
  })",
                     "block.json", {}, overrides);
}

RunOptions options_in(const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  options.scene_file = "block.json";
  options.threads = 1;
  options.preview = false;
  return options;
}

/// The numbers of an array of a .vtu with raw data at its end.
std::vector<double> array_of(const std::filesystem::path& file, const std::string& name) {
  const std::string text = bytes_of(file);
  const std::size_t tag = text.find("Name=\"" + name + "\"");
  if (tag == std::string::npos) return {};
  const std::size_t offset = std::stoul(text.substr(text.find("offset=\"", tag) + 8));
  const std::size_t data = text.find('_', text.find("<AppendedData")) + 1 + offset;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &text.at(data), sizeof bytes);
  std::vector<double> values(bytes / sizeof(double));
  std::memcpy(values.data(), &text.at(data + sizeof bytes), bytes);
  return values;
}

/// Brings the block to rest and exports its frames.
void run_to_rest(const std::string& poisson, const TestFolder& folder) {
  RunOptions options = options_in(folder.path());
  options.exports = {"vtu"};
  const LoadedScene loaded = hanging_block({{"/bodies/0/material/poisson", poisson},
                                            {"/solver/iterations", "200"},
                                            {"/time/substeps", "2"},
                                            {"/time/frames", "100"},
                                            {"/damping/drag", "12"}});
  const RunResult result = run_scene(loaded, options);
  EXPECT_EQ(result.files, (std::vector<std::string>{"animation.pvd", "frames.csv", "positions.npy",
                                                    "run.json", "vtu/"}));
}

TEST(StressesOfARun, AreTheCauchyStressOfTheMaterial) {
  const TestFolder folder;
  run_to_rest("0.4", folder);
  const std::filesystem::path last = folder / "vtu/frame_0100.vtu";
  const std::vector<double> p = array_of(last, "hydrostatic_stress");
  const std::vector<double> d = array_of(last, "deviatoric_stress");
  const std::vector<double> J = array_of(last, "J");
  const std::vector<double> mises = array_of(last, "von_mises");
  ASSERT_EQ(p.size(), 324U);
  ASSERT_EQ(d.size(), 6 * p.size());
  const auto [mu, lambda] = lame_parameters(1.5e5, 0.4);
  double largest = 0;
  for (std::size_t t = 0; t < p.size(); ++t) {
    // p = lambda (J - 1 - mu/lambda). 200 iterations leave some 1e-8 of the forces, and the weight
    // causes stresses of 1e4 Pa: a hundredth of a pascal is 1e-6 of them.
    EXPECT_NEAR(p[t], lambda * (J[t] - 1) - mu, 0.01);
    const double* s = &d[6 * t];
    const double mean = (s[0] + s[1] + s[2]) / 3;
    double squares = 0;
    for (int k = 0; k < 3; ++k) {
      squares += (s[k] - mean) * (s[k] - mean) + 2 * s[k + 3] * s[k + 3];
    }
    EXPECT_NEAR(std::sqrt(1.5 * squares), mises[t], 0.01);
    largest = std::max(largest, mises[t]);
  }
  EXPECT_GT(largest, 8000);  // at the top, from which 9810 Pa hang
  for (const char* name : {"hydrostatic_stress", "deviatoric_stress"}) {
    const std::vector<double> first = array_of(folder / "vtu/frame_0000.vtu", name);
    ASSERT_FALSE(first.empty());
    for (const double value : first) EXPECT_TRUE(std::isnan(value));
  }
}

/// If rest shapes change, measures are those of their frame and not of the last one.
TEST(MeasuresOfARun, AreThoseOfTheirFrame) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.exports = {"vtu"};
  const LoadedScene loaded = hanging_block(
      {{"/time/frames", "4"},
       {"/bodies/0/material/plasticity", R"({ "yield": 0.001, "creep": 3 })"},
       {"/bodies/0/growth", R"([ { "stretch": { "keyframes": [ { "time": 0, "value": 1 },
                                               { "time": 0.1, "value": 1.5 } ] } } ])"}});
  run_scene(loaded, options);
  Simulation simulation(loaded.scene, {.threads = 1});
  for (int frame = 0; frame <= 4; ++frame) {
    if (frame > 0) simulation.step();
    const ElementMeasures expected = simulation.measure(simulation.state().positions);
    const std::filesystem::path file =
        folder.path() / ("vtu/frame_000" + std::to_string(frame) + ".vtu");
    EXPECT_EQ(array_of(file, "J"), expected.determinant) << frame;
    EXPECT_EQ(array_of(file, "von_mises"), expected.von_mises) << frame;
    EXPECT_EQ(array_of(file, "plastic_strain"), expected.plastic_strain) << frame;
    EXPECT_GT(*std::max_element(expected.plastic_strain.begin(), expected.plastic_strain.end()),
              frame > 0 ? 1e-4 : -1);
  }
}

TEST(StressesOfARun, CarryTheWeightOfAnIncompressibleBody) {
  const TestFolder folder;
  run_to_rest("0.5", folder);
  const std::filesystem::path last = folder / "vtu/frame_0100.vtu";
  const std::vector<double> p = array_of(last, "hydrostatic_stress");
  const std::vector<double> d = array_of(last, "deviatoric_stress");
  ASSERT_EQ(d.size(), 6 * p.size());
  // The virial theorem: at rest the volume times the mean of sigma_yy is the sum, over all masses,
  // of m g times the depth below the pins. The mean depth is half the (stretched) height, which
  // gives 0.5 rho g L = 4905 Pa. Lumped masses make that exact up to the stretch of 2 % and the
  // give of the pins.
  double mean = 0;
  for (std::size_t t = 0; t < p.size(); ++t) mean += (p[t] + d[6 * t + 1]) / 324;
  const NpyReader reader(folder / "positions.npy");
  std::vector<double> x(3 * static_cast<std::size_t>(reader.num_vertices())), rest(x.size());
  reader.read_frame(0, rest);
  reader.read_frame(100, x);
  const Scene scene = hanging_block({}).scene;
  double moment = 0;
  for (const auto& tet : scene.bodies[0].mesh.tets) {
    for (const int v : tet)
      moment += 0.16 / 324 / 4 * (0.5 - x[3 * static_cast<std::size_t>(v) + 1]);
  }
  const double expected = 1000 * 9.81 * moment / 0.16;
  EXPECT_NEAR(expected, 4905, 150);
  EXPECT_NEAR(mean, expected, 0.005 * expected);
  // Each layer of cells carries what hangs below it: the top one 11/12 of the weight.
  double top = 0;
  int count = 0;
  for (std::size_t t = 0; t < p.size(); ++t) {
    double height = 0;
    for (const int v : scene.bodies[0].mesh.tets[t]) {
      height += rest[3 * static_cast<std::size_t>(v) + 1] / 4;
    }
    if (height < 1.0 / 3) continue;
    top += p[t] + d[6 * t + 1];
    ++count;
  }
  EXPECT_EQ(count, 54);
  // Cauchy stress refers to the current area. A strain of rho g L/E = 6.5 % makes it that much
  // smaller where the clamped top does not hold it.
  EXPECT_NEAR(top / count, 9810 * 11.0 / 12, 0.06 * 9810);
}

TEST(StressesOfARun, AreOnlyThoseOfFramesThatItSimulated) {
  const TestFolder folder;
  RunOptions options = options_in(folder.path());
  options.exports = {"vtu"};
  options.checkpoint_every = 3;
  run_scene(hanging_block({{"/time/frames", "3"}}), options);
  options.resume = folder / "checkpoint.bin";
  run_scene(hanging_block({{"/time/frames", "5"}}), options);
  for (const auto& [frame, known] : {std::pair{0, false}, {3, false}, {4, true}, {5, true}}) {
    const std::string name = "vtu/frame_000" + std::to_string(frame) + ".vtu";
    const std::vector<double> p = array_of(folder / name.c_str(), "hydrostatic_stress");
    ASSERT_EQ(p.size(), 324U);
    for (const double value : p) EXPECT_EQ(!std::isnan(value), known) << frame;
  }
}

TEST(StressesOfARun, AreLeftOutWhereTheSolverHasNoMultipliers) {
  for (const char* method : {"l_bfgs", "pbd"}) {
    const TestFolder folder;
    RunOptions options = options_in(folder.path());
    options.exports = {"vtu"};
    run_scene(hanging_block({{"/time/frames", "1"}, {"/solver/method", method}}), options);
    EXPECT_EQ(array_of(folder / "vtu/frame_0001.vtu", "J").size(), 324U);
    EXPECT_TRUE(array_of(folder / "vtu/frame_0001.vtu", "hydrostatic_stress").empty()) << method;
  }
}

struct Outcome {
  nlohmann::json report;
  double share;
};

Outcome outcome_of(const std::vector<Override>& overrides) {
  const TestFolder folder;
  const RunResult result = run_scene(hanging_block(overrides), options_in(folder.path()));
  return {nlohmann::json::parse(bytes_of(folder / "run.json")), result.unbalanced_share};
}

void expect_verdict(const Outcome& outcome, bool too_large) {
  EXPECT_EQ(outcome.share > too_large_share, too_large) << outcome.share;
  EXPECT_EQ(outcome.report["totals"]["unbalanced_share"], outcome.share);
  EXPECT_EQ(outcome.report["totals"]["step_too_large"], too_large);
  bool said = false;
  for (const auto& warning : outcome.report["warnings"]) {
    said = said || warning["code"] == "step_too_large";
  }
  EXPECT_EQ(said, too_large);
}

const std::vector<Override> one_large_step = {
    {"/solver/projection", "sequential"}, {"/solver/iterations", "60"}, {"/time/substeps", "1"}};

TEST(TooLargeSteps, AreNoticedWhateverThePins) {
  for (const char* stiffness : {"1e7", "1e4"}) {
    std::vector<Override> overrides = one_large_step;
    overrides.push_back({"/bodies/0/pins/0/stiffness", stiffness});
    expect_verdict(outcome_of(overrides), true);
  }
}

TEST(TooLargeSteps, OfOneIterationAreNoticedWithTheStressFormAndAllAtOnce) {
  expect_verdict(outcome_of({{"/time/substeps", "1"}}), true);
  expect_verdict(outcome_of({{"/time/substeps", "1"}, {"/solver/method", "step_and_project"}}),
                 true);
}

TEST(TooLargeSteps, AreNotSeenWhereTheBodyHangsAsItShould) {
  expect_verdict(outcome_of({}), false);
  expect_verdict(outcome_of({{"/solver/iterations", "60"}, {"/time/substeps", "2"}}), false);
  expect_verdict(outcome_of({{"/solver/precision", "float"}}), false);
}

TEST(TooLargeSteps, OfABodyThatPinsSqueezeAreHeldAgainstWhatTheyPress) {
  const auto squeezed = [](const char* substeps, const char* iterations) {
    return outcome_of({{"/gravity", "[0, 0, 0]"},
                       {"/bodies/0/material/poisson", "0.5"},
                       {"/bodies/0/pins",
                        R"([ { "select": { "box": [[-1, 0.499, -1], [1, 0.501, 1]] } },
                             { "select": { "box": [[-1, -0.501, -1], [1, -0.499, 1]] },
                               "motion": { "translate": { "velocity": [0, 0.3, 0] } } } ])"},
                       {"/time/substeps", substeps},
                       {"/solver/iterations", iterations}});
  };
  // The shares are 0.04 and 2.5. Without the forces of the pins they would be 2.5 and 95.
  expect_verdict(squeezed("10", "2"), false);
  expect_verdict(squeezed("1", "1"), true);
}

TEST(TooLargeSteps, AreNotSeenInRounding) {
  for (const char* gravity : {"[0, -9.81, 0]", "[0, 0, 0]"}) {
    for (const char* precision : {"double", "float"}) {
      const Outcome outcome = outcome_of(
          {{"/bodies/0/pins", "null"}, {"/gravity", gravity}, {"/solver/precision", precision}});
      EXPECT_LT(outcome.share, too_large_share) << gravity << " " << precision;
    }
  }
}

TEST(TooLargeSteps, AreNoMatterOfMethodsThatReadNoMaterialOrDescend) {
  for (const char* method : {"pbd", "l_bfgs"}) {
    const Outcome outcome = outcome_of({{"/solver/method", method}, {"/time/frames", "5"}});
    EXPECT_EQ(outcome.share, 0);
    EXPECT_FALSE(outcome.report["totals"].contains("unbalanced_share"));
  }
}

TEST(ConstraintGroups, OfARunStandInItsReport) {
  const Outcome outcome = outcome_of({{"/time/frames", "0"}, {"/solver/order", "colours"}});
  const nlohmann::json& groups = outcome.report["constraint_groups"];
  ASSERT_FALSE(groups.empty());
  int sum = 0;
  for (const auto& group : groups) {
    EXPECT_EQ(group["of"], "tets");
    sum += group["size"].get<int>();
  }
  EXPECT_EQ(sum, 324);
  EXPECT_FALSE(outcome_of({{"/time/frames", "0"}, {"/solver/method", "newton"}})
                   .report.contains("constraint_groups"));
}

}  // namespace
}  // namespace supple::test
