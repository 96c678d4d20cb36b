#include "studies/compare/compare_scene.h"

#include <gtest/gtest.h>

#include "studies/compare/convergence_plot.h"

namespace supple {
namespace {

/// Two solvers: one reaches the converged answer, the other goes below it by rounding.
Comparison known_comparison() {
  Comparison comparison;
  comparison.reference.objective = 2;
  comparison.reference.start_objective = 10;
  ConvergenceCurve curve;
  curve.label = "l_bfgs:history=5,initial_hessian=rest";
  curve.points = {{0, 0.5, 10, 7, 1, 0.1}, {1, 1.25, 2, 1e-9, 0, 1e-12}};
  comparison.curves.push_back(curve);
  curve.label = "newton";
  curve.points = {{0, 0.5, 10, 7, 1, 0.1}, {1, 60, 2, 1e-9, -1e-17, 1e-13}};
  comparison.curves.push_back(curve);
  return comparison;
}

TEST(ConvergenceCsv, HasARowForEachIterateAndQuotesWhatHoldsACommma) {
  EXPECT_EQ(convergence_csv(known_comparison()),
            "solver,iteration,milliseconds,objective,gradient_norm,relative_error,position_error\n"
            "\"l_bfgs:history=5,initial_hessian=rest\",0,0.5000,10,7,1,0.1\n"
            "\"l_bfgs:history=5,initial_hessian=rest\",1,1.2500,2,1e-09,0,1e-12\n"
            "newton,0,0.5000,10,7,1,0.1\n"
            "newton,1,60.0000,2,1e-09,-1e-17,1e-13\n");
}

TEST(ConvergenceFigure, ShowsBothErrorsAgainstIterationsAndTimeWithoutRounding) {
  const plot::Figure figure = convergence_figure("bar", 3, known_comparison());
  ASSERT_EQ(figure.charts.size(), 4U);
  const plot::Series& relative = figure.charts[0].series[1];
  EXPECT_EQ(relative.name, "newton");
  EXPECT_EQ(relative.y, std::vector<double>{1});  // the second point is below rounding
  EXPECT_EQ(figure.charts[1].series[0].x, std::vector<double>{0.5});
  EXPECT_EQ(figure.charts[3].series[1].x, (std::vector<double>{0.5, 60}));
  EXPECT_EQ(figure.charts[3].series[1].y, (std::vector<double>{0.1, 1e-13}));
}

}  // namespace
}  // namespace supple
