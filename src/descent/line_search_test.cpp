#include "descent/line_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "descent/laplacian.h"
#include "descent/test_problem.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;
using test::test_scene;

TEST(LineSearch, SaysHowItEnded) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), trial(x.size()), trial_gradient(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  const Iterate from{x, gradient, value};
  LineSearchSettings settings;
  Laplacian(problem.model, 1 / (h * h)).compute(problem.objective, from, p);
  LineSearchResult result =
      backtrack({problem.objective, from, p, trial, trial_gradient}, settings);
  ASSERT_EQ(result.end, LineSearchEnd::accepted);
  EXPECT_LT(result.value, value);
  EXPECT_EQ(result.value, problem.objective.value_and_gradient(trial, gradient));

  problem.objective.value_and_gradient(x, gradient);
  EXPECT_EQ(backtrack({problem.objective, from, gradient, trial, trial_gradient}, settings).end,
            LineSearchEnd::not_a_descent);
  // A step of the right direction and any size is cut until it decreases g.
  for (PaddedVector& v : p) {
    for (int k = 0; k < 3; ++k) v[k] *= 1e6;
  }
  result = backtrack({problem.objective, from, p, trial, trial_gradient}, settings);
  ASSERT_EQ(result.end, LineSearchEnd::accepted);
  EXPECT_LT(result.alpha, 1e-3);
  EXPECT_LT(result.value, value);
}

TEST(LineSearch, AStepAMillionTimesTooLongTakesNoMoreTrialsThanItHasDigits) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), trial(x.size()), trial_gradient(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  const Iterate from{x, gradient, value};
  Laplacian(problem.model, 1 / (h * h)).compute(problem.objective, from, p);
  for (PaddedVector& v : p) {
    for (int k = 0; k < 3; ++k) v[k] *= 1e6;
  }
  problem.objective.reset_counters();
  const LineSearchResult result =
      backtrack({problem.objective, from, p, trial, trial_gradient}, LineSearchSettings());
  ASSERT_EQ(result.end, LineSearchEnd::accepted);
  // After the first three, each trial is a tenth of the one before, with one more if the last tenth
  // is not a whole one; halving would take twenty.
  EXPECT_LE(problem.objective.num_evaluations(), 10);
  EXPECT_LT(result.value, value);
}

TEST(LineSearch, AValueThatIsNotFiniteIsARejection) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), trial(x.size()), trial_gradient(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (int k = 0; k < 3; ++k) p[i][k] = -gradient[i][k] * 1e150;  // the energy overflows at first
  }
  LineSearchSettings settings;
  settings.shrink = 1e-10;
  const Iterate start{x, gradient, value};
  const LineSearchResult result =
      backtrack({problem.objective, start, p, trial, trial_gradient}, settings);
  ASSERT_EQ(result.end, LineSearchEnd::accepted);
  EXPECT_TRUE(std::isfinite(result.value));
  EXPECT_LT(result.alpha, 1e-100);
}

/// A deformed body with the direction of the constant matrix, and room for trials.
struct LineProblem : Problem {
  explicit LineProblem(double scale)
      : Problem(test_scene()),
        x(deformed(model, 0.1)),
        gradient(x.size()),
        p(x.size()),
        trial(x.size()),
        trial_gradient(x.size()),
        value(objective.value_and_gradient(x, gradient)) {
    Laplacian(model, 1 / (h * h)).compute(objective, from, p);
    for (PaddedVector& v : p) {
      for (int k = 0; k < 3; ++k) v[k] *= scale;
    }
    slope = objective.algebra().dot(gradient, p);
  }

  LineSearchPlace place() { return {objective, from, p, trial, trial_gradient}; }
  double trial_slope() { return objective.algebra().dot(trial_gradient, p); }

  VectorField x, gradient, p, trial, trial_gradient;
  double value;
  Iterate from{x, gradient, value};
  double slope = 0;
};

/// The trial is x + alpha p, and value and gradient are those there.
void expect_consistent(LineProblem& problem, const LineSearchResult& result) {
  ASSERT_EQ(result.end, LineSearchEnd::accepted);
  EXPECT_EQ(result.slope, problem.slope);
  VectorField gradient(problem.x.size());
  EXPECT_EQ(result.value, problem.objective.value_and_gradient(problem.trial, gradient));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(problem.trial[i][k], problem.x[i][k] + result.alpha * problem.p[i][k]);
      EXPECT_EQ(problem.trial_gradient[i][k], gradient[i][k]);
    }
  }
}

TEST(LineSearch, TheStrongWolfeConditionsHoldWhateverTheScaleOfTheDirection) {
  LineSearchSettings settings;
  for (const double scale : {1e-4, 0.03, 1.0, 40.0, 1e5}) {
    for (const double curvature : {0.9, 0.1}) {
      settings.curvature = curvature;
      LineProblem problem(scale);
      const LineSearchResult result = strong_wolfe(problem.place(), settings);
      expect_consistent(problem, result);
      EXPECT_LE(result.value,
                problem.value + settings.sufficient_decrease * result.alpha * problem.slope)
          << scale;
      EXPECT_LE(std::abs(problem.trial_slope()), curvature * std::abs(problem.slope)) << scale;
    }
  }
}

TEST(LineSearch, ATrialThatIsThereIsNotMadeAgain) {
  for (const double scale : {1.0, 40.0, -1.0}) {
    LineProblem plain(scale), ahead(scale);
    LineSearchPlace place = ahead.place();
    place.known.is_ahead = true;
    ahead.objective.algebra().step(ahead.x, 1, ahead.p, ahead.trial);
    const LineSearchSettings settings;
    for (const auto& search :
         {+[](const LineSearchPlace&at, const LineSearchSettings&s) { return backtrack(at, s); },
          +[](const LineSearchPlace&at, const LineSearchSettings&) { return whole_step(at); }}) {
      const LineSearchResult expected = search(plain.place(), settings),
                             result = search(place, settings);
      EXPECT_EQ(result.end, expected.end);
      EXPECT_EQ(result.alpha, expected.alpha);
      EXPECT_EQ(result.value, expected.value);
      if (result.end == LineSearchEnd::accepted) expect_consistent(ahead, result);
      ahead.objective.algebra().step(ahead.x, 1, ahead.p, ahead.trial);
    }
    // What stands in `trial` is evaluated: with x itself there, g is g(x).
    ahead.trial = ahead.x;
    EXPECT_EQ(whole_step(place).value, ahead.value);
  }
  // A search that brackets comes back to the whole step after other lengths.
  for (const double scale : {0.03, 1.0, 40.0}) {
    LineProblem problem(scale);
    LineSearchPlace place = problem.place();
    place.known.is_ahead = true;
    problem.objective.algebra().step(problem.x, 1, problem.p, problem.trial);
    expect_consistent(problem, exact_search(place));
  }
}

TEST(LineSearch, TheExactOneEndsWhereTheSlopeVanishes) {
  for (const double scale : {0.01, 1.0, 100.0}) {
    LineProblem problem(scale);
    const LineSearchResult result = exact_search(problem.place());
    expect_consistent(problem, result);
    EXPECT_LE(std::abs(problem.trial_slope()), 1e-6 * std::abs(problem.slope)) << scale;
  }
}

TEST(LineSearch, TheExactLengthScalesInverselyWithTheDirection) {
  LineProblem one(1), two(2);
  const double alpha_one = exact_search(one.place()).alpha;
  const double alpha_two = exact_search(two.place()).alpha;
  // The slope is at most 1e-6 of the first one, so the length is about as exact.
  EXPECT_NEAR(2 * alpha_two, alpha_one, 1e-5 * alpha_one);
}

LineSearchSettings without_search() {
  LineSearchSettings settings;
  settings.type = LineSearchType::none;
  return settings;
}

TEST(LineSearch, WithoutOneTheWholeStepIsTakenUphillToo) {
  LineProblem problem(-1);
  const LineSearchResult result =
      search_line(problem.place(), StepRule::line_search, without_search());
  expect_consistent(problem, result);
  EXPECT_EQ(result.alpha, 1);
  EXPECT_GT(result.value, problem.value);
}

TEST(LineSearch, WithoutOneAStepToWhereNothingIsFiniteIsReported) {
  LineProblem problem(1e200);
  EXPECT_EQ(search_line(problem.place(), StepRule::line_search, without_search()).end,
            LineSearchEnd::non_finite);
}

TEST(LineSearch, TheRuleOfDecreaseTakesAStepThatIsNoDescentOnlyIfItEndsLower) {
  LineProblem up(-1e-3);
  EXPECT_EQ(search_line(up.place(), StepRule::decrease, {}).end, LineSearchEnd::exhausted);
  LineProblem far(50);
  const LineSearchResult result = search_line(far.place(), StepRule::decrease, {});
  expect_consistent(far, result);
  EXPECT_LE(result.value, far.value);
  EXPECT_LT(result.alpha, 1);
}

}  // namespace
}  // namespace supple
