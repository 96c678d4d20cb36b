#include "descent/minimise.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/newton.h"
#include "descent/test_problem.h"

namespace supple {
namespace {

using test::h;
using test::Problem;
using test::test_scene;

TEST(Minimiser, EveryIterateIsLowerThanTheLast) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  LBfgs direction(problem.model, std::make_unique<Laplacian>(problem.model, 1 / (h * h)), 5);
  double last = std::numeric_limits<double>::infinity();
  for (int iterations : {1, 2, 4, 8, 16, 32}) {
    SolverSettings settings;
    settings.iterations = iterations;
    VectorField z = problem.y;
    const MinimiseReport report = minimiser.run(problem.objective, direction, settings, z);
    EXPECT_LE(report.value, last);
    last = report.value;
    EXPECT_LE(report.iterations, iterations);
  }
}

TEST(Minimiser, LBfgsAroundMultigridConvergesToTheSameMinimum) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  const auto value_after = [&](Precision precision, int iterations) {
    LBfgs direction(problem.model,
                    std::make_unique<Laplacian>(problem.model, 1 / (h * h), precision), 5);
    SolverSettings settings;
    settings.iterations = iterations;
    VectorField z = problem.y;
    return minimiser.run(problem.objective, direction, settings, z).value;
  };
  // The same to the rounding of a sum of some hundred terms, and hardly slower on the way there: a
  // matrix that leaves a tenth of an error adds to what an iteration leaves in any case. On large
  // bodies, errors of 1e-3 to 1e-6 take 1.0 to 1.05 times the iterations (docs/notes), which is up
  // to 1.7 times the error after the same number.
  const double best = value_after(Precision::full, 200);
  EXPECT_NEAR(value_after(Precision::multigrid, 200), best, 1e-13 * best);
  for (const int iterations : {1, 5, 10}) {
    const double exact = value_after(Precision::full, iterations) - best;
    EXPECT_GT(exact, 1e-12 * best);
    EXPECT_LT(value_after(Precision::multigrid, iterations) - best, 2 * exact);
  }
}

TEST(Minimiser, NewtonConvergesToRoundingInFewIterations) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Newton newton(problem.model);
  SolverSettings settings;
  settings.iterations = 20;
  settings.tolerance = 1e-10;
  VectorField z = problem.y;
  const MinimiseReport report = minimiser.run(problem.objective, newton, settings, z);
  EXPECT_EQ(report.status, StepStatus::converged);
}

TEST(Minimiser, AStartThatIsNotFiniteIsReported) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Newton newton(problem.model);
  VectorField z = problem.y;
  z[3][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(minimiser.run(problem.objective, newton, SolverSettings{}, z).status,
            StepStatus::non_finite);
}

TEST(Minimiser, EveryIterateIsShownOnce) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Laplacian direction(problem.model, 1 / (h * h));
  SolverSettings settings;
  settings.iterations = 7;
  VectorField z = problem.y, last;
  std::vector<double> values, norms;
  const MinimiseReport report =
      minimiser.run(problem.objective, direction, settings, z,
                    {.visit = [&](int iteration, const Iterate& at, double gradient_norm) {
                      EXPECT_EQ(iteration, static_cast<int>(values.size()));
                      if (iteration == 0) {
                        EXPECT_EQ(at.x[5][1], problem.y[5][1]);
                      }
                      values.push_back(at.value);
                      norms.push_back(gradient_norm);
                      last = at.x;
                    }});
  ASSERT_EQ(values.size(), 8U);
  EXPECT_EQ(values.back(), report.value);
  EXPECT_EQ(norms.front(), report.start_gradient_norm);
  EXPECT_EQ(norms.back(), report.gradient_norm);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(last[i][0], z[i][0]);
}

TEST(Minimiser, PastItsDeadlineAStepEndsWithWhatItHas) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Laplacian direction(problem.model, 1 / (h * h));
  SolverSettings settings;
  settings.iterations = 1000;
  VectorField z = problem.y;
  const MinimiseReport report = minimiser.run(problem.objective, direction, settings, z,
                                              {.deadline = std::chrono::steady_clock::now()});
  EXPECT_EQ(report.status, StepStatus::out_of_time);
  EXPECT_EQ(report.iterations, 0);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(z[i][0], problem.y[i][0]);
}

TEST(Minimiser, AFarDeadlineChangesNothing) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Laplacian direction(problem.model, 1 / (h * h));
  VectorField free = problem.y, bounded = problem.y;
  minimiser.run(problem.objective, direction, {}, free);
  const MinimiseReport report =
      minimiser.run(problem.objective, direction, {}, bounded,
                    {.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)});
  EXPECT_EQ(report.iterations, SolverSettings{}.iterations);
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_EQ(free[i][1], bounded[i][1]);
}

/// Goes uphill until it is told to start again.
class Mistaken final : public Direction {
 public:
  bool compute(Objective&, const Iterate& at, VectorField& p) override {
    ++computed;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (int k = 0; k < 3; ++k) p[i][k] = (lost ? 1e-9 : -1e-9) * at.gradient[i][k];
    }
    return true;
  }
  bool restart() override {
    const bool another = lost;
    lost = false;
    return another;
  }
  bool lost = true;
  int computed = 0;
};

TEST(Minimiser, ADirectionThatLeadsNowhereMayStartAgain) {
  Problem problem(test_scene());
  Minimiser minimiser(problem.model.num_vertices);
  Mistaken direction;
  SolverSettings settings;
  settings.iterations = 3;
  VectorField z = problem.y;
  const MinimiseReport report = minimiser.run(problem.objective, direction, settings, z);
  EXPECT_EQ(report.status, StepStatus::iteration_limit);
  EXPECT_EQ(direction.computed, 4);
  EXPECT_GT(report.expected_decrease, 0);
}

}  // namespace
}  // namespace supple
