#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "program.h"

/// The program `supple` seen from outside: exit codes, messages, files.
namespace supple::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Wrong {
  std::vector<std::string> arguments;
  int code;
  const char* message;  ///< a part of it
};

TEST(CommandLine, WrongInputEndsWithItsCodeAndAMessage) {
  const Workplace place;
  place.write("good.json", falling_block);
  place.write("syntax.json", "{ \"supple\": 1,\n }");
  place.write("key.json", R"({"supple": 1, "bodis": []})");
  place.write("mesh.json", R"({"supple": 1, "bodies": [{"mesh": {"file": "broken.mesh"},
    "material": {"model": "polynomial", "mu": 1}}]})");
  place.write("nomesh.json", R"({"supple": 1, "bodies": [{"mesh": {"file": "none.mesh"},
    "material": {"model": "polynomial", "mu": 1}}]})");
  place.write("broken.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n2\n0 0 0 0\n");
  place.write("binary.json", std::string("\x00\x01\x02\xff", 4));
  place.write("empty.json", "");
  place.write("file", "not a folder");
  const std::vector<Wrong> cases = {
      {{}, 2, "no command given; expected run or compare or view or reproduce or bench or list"},
      {{"rnu", "good.json"}, 2, "did you mean 'run'?"},
      {{"--verson"}, 2, "did you mean '--version'?"},
      {{"run"}, 2, "SCENE is required"},
      {{"run", "good.json", "--frmes", "3"}, 2, "did you mean '--frames'?"},
      {{"run", "good.json", "other.json"}, 2, "other.json"},
      {{"run", "good.json", "--frames", "-1"}, 2, "--frames"},
      {{"run", "good.json", "--frames", "many"}, 2, "--frames"},
      {{"run", "good.json", "--frames"}, 2, "--frames"},
      {{"run", "good.json", "--threads", "0"}, 2, "--threads"},
      {{"run", "good.json", "--threads", "5000"}, 2, "--threads"},
      {{"run", "good.json", "--checkpoint", "0"}, 2, "--checkpoint"},
      {{"run", "good.json", "--set", "/time/frames"}, 2, "expected PATH=VALUE"},
      {{"run", "good.json", "--set", "time/frames=3"}, 2, "not a JSON pointer"},
      {{"run", "good.json", "--set", "/time/frames=x"}, 2, "good.json: /time/frames: expected"},
      {{"run", "good.json", "--set", "/bodies/3/mass=1"}, 2, "not an index into a list of 1"},
      {{"run", "good.json", "--export", "usd"}, 2, "did you mean 'usda'?"},
      {{"run", "good.json", "--export", "usda,onj"}, 2, "no export format 'onj'"},
      {{"run", "syntax.json"}, 2, "syntax.json:2:2: not valid JSON"},
      {{"run", "binary.json"}, 2, "binary.json:1:1"},
      {{"run", "empty.json"}, 2, "empty.json:1:1"},
      {{"run", "key.json"}, 2, "key.json: /bodis: unknown key; did you mean 'bodies'?"},
      {{"run", "none.json"}, 3, "none.json: there is no such file"},
      {{"run", "."}, 3, "is not a file"},
      {{"run", "mesh.json"}, 3, "broken.mesh:"},
      {{"run", "nomesh.json"}, 3, "none.mesh: there is no such file"},
      {{"run", "good.json", "-o", ""}, 2, "--output: is empty; expected a folder"},
      {{"run", "good.json", "--output="}, 2, "--output"},
      {{"run", "good.json", "--resume", ""}, 2, "--resume: is empty; expected a checkpoint"},
      {{"run", ""}, 2, "SCENE: is empty; expected a scene file"},
      {{"compare", "good.json", "-o", ""}, 2, "--output: is empty"},
      {{"bench", "--quick", "-o", ""}, 2, "--output: is empty"},
      {{"reproduce", "liu2017", "-o", ""}, 2, "--output: is empty"},
      {{"view", ""}, 2, "SCENE: is empty"},
      {{"view", "--token", ""}, 2, "--token: is empty"},
      {{"run", "good.json", "-o", "file"}, 3, "file: is not a folder"},
      {{"run", "good.json", "-o", "file/below"}, 3, "file/below"},
      {{"run", "good.json", "--resume", "none.bin"}, 3, "none.bin: there is no such file"},
      {{"run", "good.json", "--resume", "good.json"}, 3, "good.json: is not a checkpoint"},
      {{"list"}, 2, "WHAT is required"},
      {{"list", "solver"}, 2, "did you mean 'solvers'?"},
  };
  const auto files_before = std::distance(std::filesystem::directory_iterator(place.path()), {});
  for (const Wrong& wrong : cases) {
    std::string shown;
    for (const std::string& word : wrong.arguments) shown += " " + word;
    SCOPED_TRACE("supple" + shown);
    const Outcome outcome = run(place.path(), wrong.arguments);
    EXPECT_EQ(outcome.code, wrong.code);
    EXPECT_EQ(outcome.err.rfind("supple: ", 0), 0U) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, wrong.message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place.path()), {}), files_before);
  }
}

TEST(CommandLine, HelpOfEveryCommandHasAnExample) {
  const Workplace place;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"list", "--help"}}) {
    const Outcome outcome = run(place.path(), arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "Example")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome help = run(place.path(), {"run", "--help"});
  for (const char* option :
       {"-o", "--frames", "--export", "--threads", "--set", "--checkpoint", "--resume"}) {
    EXPECT_TRUE(contains(help.out, option)) << option;
  }
}

TEST(CommandLine, RunSaysWhatAPositionBasedMethodDidAndWhenItsStepIsTooLarge) {
  const Workplace place;
  place.write("block.json", R"({"supple": 1, "time": {"step": 0.016, "frames": 20, "substeps": 20},
    "solver": {"method": "xpbd", "iterations": 1},
    "bodies": [{"mesh": {"box": {"size": [0.4, 1, 0.4], "cells": [3, 6, 3]}},
      "material": {"model": "stable_neo_hookean", "young": 1.5e5, "poisson": 0.4},
      "pins": [{"select": {"box": [[-1, 0.49, -1], [1, 0.51, 1]]}, "stiffness": 1e7}]}]})");
  const Outcome good = run(place.path(), {"run", "block.json"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(contains(good.out, "  groups           1 of tets: 270\n")) << good.out;
  EXPECT_FALSE(contains(good.out, "warning")) << good.out;
  const Outcome bad =
      run(place.path(), {"run", "block.json", "--set", "/solver/projection=sequential", "--set",
                         "/solver/iterations=60", "--set", "/time/substeps=2"});
  EXPECT_EQ(bad.code, 0) << bad.err;
  EXPECT_TRUE(contains(bad.out, "  warning          the step is too large")) << bad.out;
  EXPECT_TRUE(contains(bad.out, "take the projection stress or more substeps")) << bad.out;
}

TEST(CommandLine, VersionIsOneLine) {
  const Workplace place;
  const Outcome outcome = run(place.path(), {"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.rfind("supple ", 0), 0U);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

TEST(CommandLine, ListPrintsALineEach) {
  const Workplace place;
  const std::vector<std::pair<const char*, std::vector<const char*>>> lists = {
      {"materials",
       {"corotated", "arap", "stvk", "neo_hookean", "stable_neo_hookean", "mooney_rivlin",
        "polynomial", "spline", "valanis_landel", "spring"}},
      {"solvers",
       {"l_bfgs", "quasi_newton", "projective_dynamics", "newton", "gradient_descent", "jacobi",
        "gauss_seidel", "vertex_block_descent", "chebyshev", "xpbd", "pbd", "step_and_project"}},
      {"options", {"iterations", "history", "line_search/type", "precision"}},
      {"integrators",
       {"backward_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static",
        "symplectic_euler", "forward_euler"}},
      {"scenes", {"twisting_bar.json", "twisting bar"}},
      {"formats", {".mesh", ".msh", ".vtu", ".obj", "usda", "gltf", "mp4"}}};
  for (const auto& [what, names] : lists) {
    const Outcome outcome = run(place.path(), {"list", what});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* name : names) EXPECT_TRUE(contains(outcome.out, name)) << outcome.out;
    const auto lines = std::count(outcome.out.begin(), outcome.out.end(), '\n');
    EXPECT_GE(lines, static_cast<long>(what == std::string("scenes") ? 6 : names.size()));
  }
}

TEST(CommandLine, ScenesOfAnotherFolderAreListedWhereTheEnvironmentSays) {
  const Workplace place;
  place.write("mine.json", falling_block);
  const Outcome found =
      run_after("SUPPLE_SCENES=.; export SUPPLE_SCENES", place.path(), {"list", "scenes"});
  EXPECT_EQ(found.out, "./mine.json  falling block\n");
  const Outcome missing =
      run_after("SUPPLE_SCENES=none; export SUPPLE_SCENES", place.path(), {"list", "scenes"});
  EXPECT_EQ(missing.code, 3);
}

TEST(Run, WritesToOutNameUnlessTold) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome = run(place.path(), {"run", "block.json", "--frames", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* file : {"positions.npy", "frames.csv", "run.json", "preview.png"}) {
    EXPECT_TRUE(std::filesystem::exists(place / "out/block" / file)) << file;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place / "out/block"), {}), 4);
}

TEST(Run, OptionsReachTheSceneAndTheOutput) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome =
      run(place.path(), {"run", "block.json", "-o", "there/deep", "--frames", "3", "--export",
                         "usda,ply", "--export", "obj", "--threads", "1", "--set",
                         "/solver/iterations=7", "--set", "/solver/line_search/shrink=0.25"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string report = bytes_of(place / "there/deep/run.json");
  EXPECT_TRUE(contains(report, "\"frames\": 3"));
  EXPECT_TRUE(contains(report, "\"iterations\": 7"));
  EXPECT_TRUE(contains(report, "\"shrink\": 0.25"));
  EXPECT_TRUE(contains(report, "\"threads\": 1"));
  EXPECT_TRUE(std::filesystem::exists(place / "there/deep/animation.usda"));
  EXPECT_TRUE(std::filesystem::exists(place / "there/deep/ply/frame_0003.ply"));
  EXPECT_TRUE(std::filesystem::exists(place / "there/deep/obj/frame_0000.obj"));
}

TEST(Run, PrintsProgressAndATable) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome = run(place.path(), {"run", "block.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, "\r"));
  EXPECT_FALSE(contains(outcome.out, "\x1b"));
  EXPECT_TRUE(contains(outcome.out, "frame 20/20 (100 %)")) << outcome.out;
  for (const char* part : {"frames/s", "left", "median", "99th percentile", "local", "solve",
                           "contact", "rest", "iterations", "evaluations", "worst residual",
                           "inverted tets", "positions.npy", "out/block"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " is not in\n" << outcome.out;
  }
}

TEST(Run, RedrawsOneLineOnATerminal) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome = run_on_terminal(place.path(), {"run", "block.json"}, 40);
  ASSERT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\r["));
  EXPECT_TRUE(contains(outcome.out, "\r\x1b[K")) << "the bar is taken away";
  // No drawn line is wider than the terminal, or redrawing would leave parts of it behind.
  std::size_t begin = outcome.out.find("\r[");
  while (begin != std::string::npos) {
    const std::size_t end = outcome.out.find("\x1b[K", begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LT(end - begin - 1, 40U);
    begin = outcome.out.find("\r[", end);
  }
}

TEST(Run, ANonFiniteStateEndsWithFourAndTheFrame) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome = run(
      place.path(),
      {"run", "block.json", "-o", "out", "--set",
       R"(/bodies/0/material={"model": "valanis_landel", "a": [{"coefficient": 1e5, "power": 2, "about": 1}, {"coefficient": 1, "power": 32, "about": 1}]})",
       "--set", R"(/solver/recovery="none")", "--set",
       "/bodies/0/initial/randomize/box=[[0,0,0],[1e30,1e30,1e30]]"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "supple: block.json: frame 1 ")) << outcome.err;
  for (const char* file : {"positions.npy", "frames.csv", "run.json", "preview.png"}) {
    EXPECT_TRUE(std::filesystem::exists(place / "out" / file)) << file;
  }
}

TEST(Run, AFileThatMayNotGrowEndsWithThreeAndLeavesNothing) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome =
      run_after("ulimit -f 8", place.path(), {"run", "block.json", "-o", "out"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "positions.npy: cannot be written")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(place / "out"));
}

TEST(Run, AReaderThatGoesAwayDoesNotEndIt) {
  const Workplace place;
  place.write("block.json", falling_block);
  for (const char* shell : {"exec 1>&-", "\"$@\" | head -c 1; exit 0"}) {
    const Outcome outcome = run_after(shell, place.path(), {"run", "block.json", "-o", "out"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(std::filesystem::exists(place / "out/run.json"));
    std::filesystem::remove_all(place / "out");
  }
}

TEST(CommandLine, AnOutputThatIsFullIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  const Workplace place;
  EXPECT_EQ(run_after("exec >/dev/full", place.path(), {"list", "materials"}).code, 3);
}

}  // namespace
}  // namespace supple::test
