#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "sim/test_scenes.h"
#include "supple/compare.h"

namespace supple {
namespace {

LabelledSolver solver(const std::string& label, const std::string& method) {
  LabelledSolver named{.label = label, .settings = {}};
  named.settings.method = from_string<SolverMethod>(method);
  return named;
}

LabelledSolver l_bfgs(const std::string& label, int history, const std::string& initial_hessian) {
  LabelledSolver named = solver(label, "l_bfgs");
  named.settings.history = history;
  named.settings.initial_hessian = from_string<InitialHessian>(initial_hessian);
  return named;
}

/// Relative error after so many iterations, or at the end of a shorter descent.
double error_after(const ConvergenceCurve& curve, int iterations) {
  const auto last = static_cast<int>(curve.points.size()) - 1;
  return curve.points[static_cast<std::size_t>(std::min(iterations, last))].relative_error;
}

/// The comparison of Liu et al. 2017, Fig. 6 to 10, on a generated bar of 9,996 tets in its 30th
/// frame.
TEST(TwistingBar, TheMethodsStandToEachOtherAsThePapersSay) {
  const Scene scene = test::twisting_bar({34, 7, 7}, "neo_hookean");
  Simulation simulation(scene);
  for (int frame = 0; frame < 29; ++frame) simulation.step();
  ASSERT_NEAR(simulation.num_tets(), 10000, 10);
  const std::vector<LabelledSolver> solvers = {l_bfgs("L-BFGS(5)", 5, "laplacian"),
                                               l_bfgs("L-BFGS(2)", 2, "laplacian"),
                                               l_bfgs("identity", 5, "identity"),
                                               l_bfgs("rest", 5, "rest"),
                                               solver("quasi-Newton", "quasi_newton"),
                                               solver("Chebyshev", "chebyshev"),
                                               solver("Newton", "newton")};
  const Comparison comparison =
      compare_solvers(scene, simulation.state(), solvers, {.iterations = 20});
  ASSERT_TRUE(comparison.reference.converged);
  std::map<std::string, const ConvergenceCurve*> curves;
  std::printf("relative error after 5, 8, 10 and 20 iterations\n");
  for (const ConvergenceCurve& curve : comparison.curves) {
    curves[curve.label] = &curve;
    std::printf("%-12s", curve.label.c_str());
    for (const int k : {5, 8, 10, 20}) std::printf("  %8.1e", error_after(curve, k));
    std::printf("\n");
  }
  const auto error = [&](const char* label, int k) { return error_after(*curves.at(label), k); };

  EXPECT_LT(error("L-BFGS(5)", 10), 1e-3);
  for (const char* label : {"L-BFGS(5)", "L-BFGS(2)"}) {
    EXPECT_LT(error(label, 10), 0.3 * error("quasi-Newton", 10)) << label;
    EXPECT_LT(error(label, 20), 0.3 * error("quasi-Newton", 20)) << label;
    EXPECT_LT(error(label, 20), error("Chebyshev", 20)) << label;
  }
  for (const char* label : {"identity", "rest"}) {
    EXPECT_LT(10 * error("L-BFGS(5)", 10), error(label, 10)) << label;
  }
  EXPECT_LT(error("Newton", 8), 1e-8);
}

/// The methods that go from vertex to vertex, plain and with Chebyshev acceleration
/// (docs/solvers.md).
TEST(TwistingBar, AccelerationHelpsTheCoordinateMethods) {
  const Scene scene = test::twisting_bar({34, 7, 7}, "neo_hookean");
  Simulation simulation(scene);
  for (int frame = 0; frame < 29; ++frame) simulation.step();
  std::vector<LabelledSolver> solvers;
  for (const char* method : {"jacobi", "gauss_seidel", "vertex_block_descent"}) {
    solvers.push_back(solver(method, method));
    solvers.back().settings.acceleration = Acceleration::none;
    solvers.push_back(solver(std::string(method) + ", chebyshev", method));
    solvers.back().settings.acceleration = Acceleration::chebyshev;
  }
  solvers.push_back(solver("quasi_newton", "quasi_newton"));
  solvers.push_back(solver("chebyshev", "chebyshev"));
  const Comparison comparison =
      compare_solvers(scene, simulation.state(), solvers, {.iterations = 50});
  std::printf("relative error after 10, 20 and 50 iterations; ms an iteration\n");
  for (const ConvergenceCurve& curve : comparison.curves) {
    std::printf("%-32s", curve.label.c_str());
    for (const int k : {10, 20, 50}) std::printf("  %8.1e", error_after(curve, k));
    const double count = std::max<double>(1, static_cast<double>(curve.points.size()) - 1);
    std::printf("  %6.2f\n", curve.points.back().milliseconds / count);
  }
  for (std::size_t plain = 0; plain < solvers.size(); plain += 2) {
    const ConvergenceCurve& without = comparison.curves[plain];
    const ConvergenceCurve& with = comparison.curves[plain + 1];
    EXPECT_LT(error_after(with, 20), 0.7 * error_after(without, 20)) << with.label;
    EXPECT_LT(error_after(with, 50), 0.1 * error_after(without, 50)) << with.label;
  }
}

// A budget of one iteration a frame: the body lags but stays near the converged one.
TEST(TwistingBar, OneIterationAFrameStaysNearTheMotion) {
  for (const char* material : {"neo_hookean", "stable_neo_hookean"}) {
    for (const double poisson : {0.4, 0.495}) {
      Scene scene = test::twisting_bar({16, 3, 3}, material);
      const auto [mu, lambda] = lame_parameters(1e5, poisson);
      scene.bodies[0].material = {.model = material, .mu = mu, .lambda = lambda};
      scene.solver.iterations = 60;
      Simulation converged(scene);
      scene.solver.iterations = 1;
      Simulation simulation(scene);
      for (int frame = 0; frame < 90; ++frame) {
        converged.step();
        ASSERT_NE(simulation.step().status, StepStatus::non_finite) << material << ", " << frame;
      }
      const std::vector<Vec3> x = test::positions_of(simulation);
      const std::vector<Vec3> reference = test::positions_of(converged);
      double square = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) square += std::pow(x[i][k] - reference[i][k], 2);
      }
      // For a bar four metres long; a bar that came apart would be off by more than its thickness.
      EXPECT_LT(std::sqrt(square / static_cast<double>(x.size())), 0.5) << material << poisson;
    }
  }
}

}  // namespace
}  // namespace supple
