#include <gtest/gtest.h>

#include "program.h"

namespace supple::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ReproduceCommand, WritesOnePageAndTheNumbersBehindIt) {
  const Workplace place;
  const Outcome outcome = run(place.path(), {"reproduce", "liu2017", "--quick", "-o", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "16/16")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "claims: ")) << outcome.out;
  const std::string page = bytes_of(place / "out/report.html");
  for (const char* title :
       {"Table 1", "Figure 2", "Figure 6", "Figure 7", "Figure 8", "Figure 9", "Figure 10",
        "Figure 11", "Figure 12", "Figure 13", "Figure 14", "Thesis Figure 5.1",
        "Thesis Figure 5.3", "Thesis Figure 7.4", "thesis Figure 7.5", "thesis Figure 7.6",
        "Thesis Figure 7.8", "Thesis Table 7.1"}) {
    EXPECT_TRUE(contains(page, title)) << title;
  }
  const std::string claims = bytes_of(place / "out/claims.csv");
  EXPECT_EQ(claims.rfind("experiment,claim,criterion,subject,value,measured,verdict", 0), 0U);
}

TEST(ReproduceCommand, MacklinsPaperOnGeneratedMeshes) {
  const Workplace place;
  const Outcome outcome = run(place.path(), {"reproduce", "macklin2021", "--quick", "-o", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "6/6")) << outcome.out;
  const std::string page = bytes_of(place / "out/report.html");
  for (const char* title :
       {"Table 1", "Figure 2", "Figure 4", "Figure 5", "Figure 6", "Figure 7", "Figure 8"}) {
    EXPECT_TRUE(contains(page, title)) << title;
  }
  EXPECT_FALSE(contains(page, "ended early"));
  EXPECT_FALSE(contains(bytes_of(place / "out/claims.csv"), "not measured"));
}

TEST(ReproduceCommand, OneExperimentAlone) {
  const Workplace place;
  const Outcome outcome = run(
      place.path(), {"reproduce", "liu2017", "--quick", "--only", "thesis_table_7_1", "-o", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(place / "out/thesis_table_7_1_condition_numbers.csv"));
  EXPECT_FALSE(contains(bytes_of(place / "out/claims.csv"), "figure_6"));
}

TEST(ReproduceCommand, WhatIsNotKnownIsRefusedNamingWhatIs) {
  const Workplace place;
  const Outcome paper = run(place.path(), {"reproduce", "liu2018", "-o", "out"});
  EXPECT_EQ(paper.code, 2);
  EXPECT_TRUE(contains(paper.err, "liu2017")) << paper.err;
  const Outcome other = run(place.path(), {"reproduce", "macklin2020", "-o", "out"});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "macklin2021")) << other.err;
  const Outcome only =
      run(place.path(), {"reproduce", "liu2017", "--only", "figure_66", "-o", "out"});
  EXPECT_EQ(only.code, 2);
  EXPECT_TRUE(contains(only.err, "figure_6")) << only.err;
  const Outcome meshes = run_after("SUPPLE_PAPER_MESHES=/nowhere; export SUPPLE_PAPER_MESHES",
                                   place.path(), {"reproduce", "liu2017", "--quick", "-o", "out"});
  EXPECT_EQ(meshes.code, 3);
  EXPECT_TRUE(contains(meshes.err, "/nowhere")) << meshes.err;
  EXPECT_FALSE(std::filesystem::exists(place / "out"));
}

}  // namespace
}  // namespace supple::test
