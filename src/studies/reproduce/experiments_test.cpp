#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "studies/reproduce/reproduce.h"
#include "studies/reproduce/scenes.h"
#include "supple/error.h"

namespace supple::reproduce {
namespace {

namespace fs = std::filesystem;

/// A paper and one of its experiments.
using Place = std::pair<std::string, std::string>;

class Experiments : public testing::TestWithParam<Place> {};

// Every experiment in quick mode: it measures its claims, says how, and shows a figure or a table.
TEST_P(Experiments, MeasureTheirClaims) {
  const Paper paper = select(find_paper(GetParam().first), {GetParam().second});
  const std::vector<Section> sections = run_experiments(paper, {.quick = true});
  ASSERT_EQ(sections.size(), 1U);
  const Finding& finding = sections[0].finding;
  EXPECT_FALSE(finding.scene.empty());
  EXPECT_FALSE(finding.figures.empty() && finding.tables.empty());
  EXPECT_FALSE(finding.data.empty());
  ASSERT_FALSE(finding.claims.empty());
  for (const Claim& claim : finding.claims) {
    SCOPED_TRACE(claim.text);
    ASSERT_FALSE(claim.outcomes.empty());
    for (const Outcome& outcome : claim.outcomes) {
      // If two methods both reach the minimum, as in a small body, neither is better.
      const bool even = outcome.measured.find("both at rounding") != std::string::npos;
      EXPECT_TRUE(even || !std::isnan(outcome.value))
          << outcome.subject << ": " << outcome.measured;
      EXPECT_EQ(outcome.verdict, judge(claim.criterion, outcome.value));
      EXPECT_FALSE(outcome.measured.empty());
    }
  }
  for (const Figure& figure : finding.figures) {
    EXPECT_NE(figure.svg.empty(), figure.png.empty()) << figure.caption;
    EXPECT_GT(figure.width, 0);
  }
  for (const std::string& note : finding.notes) {
    EXPECT_EQ(note.find("could not be run"), std::string::npos) << note;
    EXPECT_EQ(note.find("ended early"), std::string::npos) << note;
  }
}

std::vector<Place> all_places() {
  std::vector<Place> places;
  for (const Paper& paper : papers()) {
    for (const Experiment& experiment : paper.experiments) {
      places.emplace_back(paper.name, experiment.id);
    }
  }
  return places;
}

INSTANTIATE_TEST_SUITE_P(OfAllPapers, Experiments, testing::ValuesIn(all_places()),
                         [](const auto& test) {
                           return test.param.first + "_" + test.param.second;
                         });

TEST(Reproduce, AnUnknownPaperIsAnErrorThatNamesTheKnownOnes) {
  try {
    find_paper("liu2071");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_NE(error.message().find("did you mean 'liu2017'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(select(find_paper("liu2017"), {"figure_99"}), Error);
}

TEST(Reproduce, SelectedExperimentsKeepThePapersOrder) {
  const Paper paper = select(find_paper("liu2017"), {"figure_14", "figure_2"});
  ASSERT_EQ(paper.experiments.size(), 2U);
  EXPECT_EQ(paper.experiments[0].id, "figure_2");
  EXPECT_EQ(paper.experiments[1].id, "figure_14");
}

// An experiment that fails halfway keeps what it has; its other claims are not measured.
TEST(Reproduce, AFailedExperimentIsReported) {
  Paper paper{"p", "c", {}, false};
  paper.experiments.push_back({"figure_1", "Figure 1: fails", [](Context&, Finding& finding) {
                                 finding.claims = {{"one", {"q", Relation::below, 1}, {}},
                                                   {"two", {"q", Relation::below, 1}, {}}};
                                 finding.claims[0].measure("bar", 0.5, "0.5");
                                 throw Error(ErrorKind::bad_file, "bar.mesh", "is not there");
                               }});
  const std::vector<Section> sections = run_experiments(paper, {});
  const Finding& finding = sections.at(0).finding;
  EXPECT_EQ(finding.claims[0].verdict(), Verdict::holds);
  EXPECT_EQ(finding.claims[1].verdict(), Verdict::not_measured);
  EXPECT_EQ(finding.claims[1].outcomes.at(0).measured, "bar.mesh: is not there");
  EXPECT_EQ(finding.notes.at(0), "The experiment ended early: bar.mesh: is not there");
}

TEST(Reproduce, WritesTheReportAndTheRawNumbers) {
  const fs::path folder = fs::path(SUPPLE_BINARY_DIR) / "reproduce_test";
  fs::remove_all(folder);
  const Paper paper = select(find_paper("liu2017"), {"figure_12"});
  const Result result = reproduce_paper(paper, {.quick = true}, folder);
  EXPECT_EQ(result.files,
            (std::vector<std::string>{"figure_12_convergence.csv", "claims.csv", "report.html"}));
  for (const std::string& file : result.files) EXPECT_GT(fs::file_size(folder / file), 100U);
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  EXPECT_EQ(count, 3U) << "no parts are left";
  fs::remove_all(folder);
}

TEST(Reproduce, AMissingPublishedMeshLeavesTheGeneratedOneMeasured) {
  const Paper paper = select(find_paper("liu2017"), {"figure_8"});
  Context context({.quick = false, .threads = 1, .meshes = "/nowhere"});
  EXPECT_THROW(shaking_bar(context, Origin::published), Error);
  EXPECT_EQ(context.origins().size(), 2U);
  EXPECT_EQ(Context({.quick = true, .threads = 1, .meshes = "/nowhere"}).origins().size(), 1U);
}

// Even with a folder of meshes, the report of a paper that published none does not mention them.
TEST(Reproduce, OnlyAPaperThatPublishedMeshesSpeaksOfThem) {
  EXPECT_TRUE(find_paper("liu2017").published_meshes);
  EXPECT_FALSE(find_paper("macklin2021").published_meshes);
  EXPECT_TRUE(select(find_paper("liu2017"), {"figure_2"}).published_meshes);
}

TEST(Reproduce, TheSameDescentIsRunOnce) {
  int runs = 0;
  Context context({.quick = true}, [&](const std::string& what) {
    if (what.find("plain") != std::string::npos) ++runs;
  });
  const Problem& problem = context.problem("bar", [&] {
    const Scene scene = twisting_bar(context, Origin::generated);
    return make_problem("bar", scene, state_before(scene, 2, 1), 1);
  });
  const auto first = context.descend(problem, {{"plain", "quasi_newton", 5}});
  const auto second = context.descend(problem, {{"plain again", "quasi_newton", 5}});
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(second[0].label, "plain again");
  EXPECT_EQ(first[0].curve.points.size(), second[0].curve.points.size());
  EXPECT_GT(first[0].curve.points.size(), 3U);
}

// 2 mu_c is the fitted stiffness of corotated elasticity, 0.6 mu that of the polynomial material.
TEST(Reproduce, ThePolynomialScenesHaveTheStiffnessThatTheyName) {
  EXPECT_DOUBLE_EQ(0.6 * polynomial_like(20), 40);
}

}  // namespace
}  // namespace supple::reproduce
