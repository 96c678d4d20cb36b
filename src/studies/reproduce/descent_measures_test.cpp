#include <gtest/gtest.h>

#include <cmath>

#include "studies/reproduce/convergence.h"
#include "studies/reproduce/csv.h"
#include "studies/reproduce/descent.h"
#include "supple/error.h"

namespace supple::reproduce {
namespace {

/// Errors 1, 1e-2, 1e-4, 1e-6 at 0, 10, 20, 30 ms.
Descent known(const std::string& label, double factor = 1e-2) {
  Descent descent{.label = label, .solver = "l_bfgs", .error = "", .curve = {}};
  double error = 1;
  for (int k = 0; k < 4; ++k, error *= factor) {
    descent.curve.points.push_back(
        {.iteration = k, .milliseconds = 10.0 * k, .relative_error = error});
  }
  return descent;
}

Descent failed(const std::string& label) {
  return {.label = label, .solver = "newton", .error = "cannot run", .curve = {}};
}

// Exact up to rounding: the errors are powers of ten, and interpolation uses their logarithm.
constexpr double rounding = 1e-12;

TEST(DescentMeasures, ErrorsAreThoseOfTheIteration) {
  EXPECT_DOUBLE_EQ(error_after(known("a"), 2), 1e-4);
  EXPECT_DOUBLE_EQ(error_after(known("a"), 100), 1e-6) << "it ended before";
  EXPECT_TRUE(std::isnan(error_after(failed("b"), 1)));
}

TEST(DescentMeasures, ErrorsBelowRoundingCountAsRounding) {
  Descent descent = known("a");
  descent.curve.points.back().relative_error = -1e-18;
  EXPECT_DOUBLE_EQ(error_after(descent, 3), smallest_error);
}

TEST(DescentMeasures, ErrorAtATimeIsTheBestUpToThen) {
  EXPECT_DOUBLE_EQ(error_at_time(known("a"), 19.9), 1e-2);
  EXPECT_DOUBLE_EQ(error_at_time(known("a"), 20), 1e-4);
  EXPECT_TRUE(std::isnan(error_at_time(failed("b"), 20)));
  EXPECT_TRUE(std::isnan(error_at_time(known("a"), std::nan(""))));
}

TEST(DescentMeasures, IterationsToAnErrorAreInterpolatedInItsLogarithm) {
  EXPECT_NEAR(iterations_to(known("a"), 1e-3), 1.5, rounding);
  EXPECT_NEAR(iterations_to(known("a"), 1e-5), 2.5, rounding);
  EXPECT_TRUE(std::isinf(iterations_to(known("a"), 1e-7)));
  EXPECT_TRUE(std::isnan(iterations_to(failed("b"), 1e-3)));
}

TEST(DescentMeasures, TimeToAnErrorIsThatOfTheWholeIteration) {
  EXPECT_DOUBLE_EQ(milliseconds_to(known("a"), 1e-3), 20);
  EXPECT_TRUE(std::isinf(milliseconds_to(known("a"), 1e-7)));
}

TEST(DescentMeasures, TheMedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(median({1, std::nan(""), 3})));
}

TEST(DescentMeasures, RatiosCarryTheirNumbers) {
  const std::vector<Descent> descents{known("fast", 1e-3), known("slow"), failed("none")};
  const Curves curves(descents);
  const Measured measured = curves.error_ratio("fast", "slow", 1);
  EXPECT_NEAR(measured.value, 0.1, rounding);
  EXPECT_EQ(measured.text, "fast: 1.0e-03, slow: 0.01; ratio 0.1");
  EXPECT_NEAR(curves.iterations_ratio("fast", "slow", 1e-5).value, 2.0 / 3, rounding);
  EXPECT_DOUBLE_EQ(curves.time_ratio("slow", "fast", 1e-5).value, 1.5);
}

TEST(DescentMeasures, WhatWasNotRunIsNotMeasured) {
  const std::vector<Descent> descents{known("slow"), failed("none")};
  const Curves curves(descents);
  const Measured measured = curves.error_ratio("none", "slow", 2);
  EXPECT_TRUE(std::isnan(measured.value));
  EXPECT_EQ(measured.text, "none was not run");
  ASSERT_EQ(failures("bar", descents).size(), 1U);
  EXPECT_EQ(failures("bar", descents)[0], "bar, none (newton): could not be run: cannot run");
}

TEST(DescentMeasures, TheBestOfTheOthersIsNeverTheOneThatDidNotRun) {
  const std::vector<Descent> descents{failed("none"), known("slow"), known("fast", 1e-3)};
  const Curves curves(descents);
  EXPECT_EQ(curves.fewest_iterations_but("slow", 1e-4), "fast");
  EXPECT_EQ(curves.soonest_but("fast", 1e-4), "slow");
  EXPECT_THROW(curves["other"], Error);
}

TEST(DescentMeasures, CsvCellsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_row({"a", "b, c", "say \"d\""}), "a,\"b, c\",\"say \"\"d\"\"\"\n");
  std::string text;
  append_csv(text, "bar", {known("a, b")});
  append_csv(text, "bar", {failed("c")});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
  EXPECT_NE(text.find("bar,\"a, b\",1,10.0000,"), std::string::npos) << text;
}

}  // namespace
}  // namespace supple::reproduce
