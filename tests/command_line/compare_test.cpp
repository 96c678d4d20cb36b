#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "program.h"

namespace supple::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Compare, WritesTheErrorsOfEverySolverAndItsPlots) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome =
      run(place.path(), {"compare", "block.json", "--frame", "6", "--solver", "l_bfgs:history=2",
                         "--solver", "quasi_newton", "--solver", "newton", "--iterations", "12",
                         "-o", "out", "--threads", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "quasi_newton")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "iterations of Newton's method")) << outcome.out;

  const std::vector<std::string> rows = lines_of(bytes_of(place / "out/convergence.csv"));
  ASSERT_GT(rows.size(), 3U);
  EXPECT_EQ(rows[0],
            "solver,iteration,milliseconds,objective,gradient_norm,relative_error,position_error");
  EXPECT_EQ(rows[1].rfind("l_bfgs:history=2,0,", 0), 0U) << "a comma in a label is quoted";
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const std::string& row) { return row.rfind("newton,0,", 0) == 0; }),
            1);
  EXPECT_EQ(bytes_of(place / "out/convergence.png").substr(1, 3), "PNG");
  EXPECT_TRUE(contains(bytes_of(place / "out/convergence.svg"), "<svg"));
  EXPECT_TRUE(contains(bytes_of(place / "out/compare.json"), "\"newton_iterations\""));
}

TEST(Compare, WhatCannotBeComparedIsRefused) {
  const Workplace place;
  place.write("block.json", falling_block);
  const auto message = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"compare", "block.json", "-o", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(place.path(), arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_FALSE(std::filesystem::exists(place / "out"));
    return outcome.err;
  };
  EXPECT_TRUE(contains(message({"--frame", "1"}), "--solver is required"));
  EXPECT_TRUE(contains(message({"--solver", "newton"}), "--frame is required"));
  EXPECT_TRUE(contains(message({"--frame", "0", "--solver", "newton"}), "--frame"));
  EXPECT_TRUE(contains(message({"--frame", "1", "--solver", "newtn"}), "did you mean 'newton'"));
  EXPECT_TRUE(contains(message({"--frame", "1", "--solver", "newton", "--solver", "newton"}),
                       "newton is given twice"));
  EXPECT_TRUE(contains(message({"--frame", "1", "--solver", "newton:history=3"}),
                       "newton does not use it; used by l_bfgs"));
  EXPECT_TRUE(contains(message({"--frame", "1", "--solver", "l_bfgs:history=-1"}), "/history"));
}

TEST(Honesty, SaysHowStiffTheBodyActs) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome =
      run(place.path(), {"run", "block.json", "-o", "out", "--honesty", "--frames", "12"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "times as stiff as its material")) << outcome.out;
  const std::vector<std::string> rows = lines_of(bytes_of(place / "out/honesty.csv"));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0], "frame,apparent_stiffness,defined,unexplained,position_error,relative_error");
  EXPECT_EQ(rows[5].rfind("12,", 0), 0U) << rows[5];
  EXPECT_TRUE(contains(bytes_of(place / "out/run.json"), "\"apparent_stiffness\""));
}

}  // namespace
}  // namespace supple::test
