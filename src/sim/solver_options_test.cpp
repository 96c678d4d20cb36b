#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>
#include <variant>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"

/// The initial Hessians, linear solvers and variants of Newton behind the settings.
namespace supple {
namespace {

SolverSettings settings_of(const std::string& method) {
  SolverSettings settings;
  settings.method = from_string<SolverMethod>(method);
  return settings;
}

SolverSettings l_bfgs(const std::string& initial_hessian) {
  SolverSettings settings = settings_of("l_bfgs");
  settings.initial_hessian = from_string<InitialHessian>(initial_hessian);
  return settings;
}

SolverSettings by_cg(SolverSettings settings, int iterations, const std::string& preconditioner) {
  settings.linear_solver = LinearSolver::cg;
  settings.linear_iterations = iterations;
  settings.preconditioner = from_string<PreconditionerType>(preconditioner);
  return settings;
}

TEST(SolverOptions, OnTheTwistingBarTheLaplacianBeatsIdentityAndRestByMoreThanTen) {
  // The paper's "twisting bar", its Figure 7: 10,000 tets, the 30th frame, ten iterations.
  const Scene scene = test::twisting_bar({34, 7, 7}, "neo_hookean");
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 0; frame < 29; ++frame) simulation.step();
  const SimulationState state = simulation.state();
  std::vector<LabelledSolver> solvers;
  for (const char* name : {"laplacian", "identity", "rest", "warped_rest", "frame"}) {
    solvers.push_back({name, l_bfgs(name)});
  }
  solvers.push_back({"newton", settings_of("newton")});
  solvers.push_back({"newton, 5 CG", by_cg(settings_of("newton"), 5, "jacobi")});
  solvers.push_back({"newton, 15 CG", by_cg(settings_of("newton"), 15, "jacobi")});
  solvers.push_back({"laplacian, 15 CG", by_cg(l_bfgs("laplacian"), 15, "jacobi")});
  solvers.push_back({"frame, 5 CG, rest", by_cg(l_bfgs("frame"), 5, "rest")});
  solvers.push_back({"frame, 5 CG, laplacian", by_cg(l_bfgs("frame"), 5, "laplacian")});
  for (const char* name : {"absolute", "tikhonov", "none"}) {
    solvers.push_back({std::string("newton, ") + name, settings_of("newton")});
    solvers.back().settings.definiteness = from_string<Definiteness>(name);
  }
  const Comparison comparison =
      compare_solvers(scene, state, solvers, {.iterations = 10, .threads = 1});
  ASSERT_TRUE(comparison.reference.converged);
  // A descent that ends earlier has converged to rounding.
  const auto error_after = [](const ConvergenceCurve& curve, std::size_t k) {
    return curve.points[std::min(k, curve.points.size() - 1)].relative_error;
  };
  std::vector<double> error;
  for (const ConvergenceCurve& curve : comparison.curves) {
    error.push_back(curve.points.back().relative_error);
    std::printf("%-22s relative error after 2, 5, 10 iterations: %8.1e %8.1e %8.1e, %5.1f ms\n",
                curve.label.c_str(), error_after(curve, 2), error_after(curve, 5), error.back(),
                curve.points.back().milliseconds);
  }
  const double laplacian = error[0], identity = error[1], rest = error[2], warped = error[3],
               frame = error[4];
  EXPECT_GT(laplacian, 1e-9) << "too small to compare with";
  EXPECT_GT(identity, 10 * laplacian);
  EXPECT_GT(rest, 10 * laplacian);
  EXPECT_LT(warped, 0.1 * rest);
  EXPECT_LT(frame, 0.1 * laplacian);
  int needed = 0;
  for (const ConvergencePoint& point : comparison.curves[5].points) {
    if (point.relative_error > 1e-8) needed = point.iteration + 1;
  }
  std::printf("newton: %d iterations to 1e-8\n", needed);
  EXPECT_LE(needed, 8);
  EXPECT_LT(error_after(comparison.curves[7], 5), 0.1 * error_after(comparison.curves[6], 5));
}

TEST(SolverOptions, WhatDoesNotGoTogetherIsRefusedNamingWhatDoes) {
  struct Case {
    const char* key;
    const char* names;
    std::function<void(SolverSettings&)> spoil;
    const char* method = "l_bfgs";
  };
  const std::vector<Case> cases = {
      {"linear_solver", "laplacian, rest, frame",
       [](SolverSettings& s) {
         s.initial_hessian = InitialHessian::identity;
         s.linear_solver = LinearSolver::cg;
       }},
      {"linear_solver", "laplacian, rest, frame",
       [](SolverSettings& s) {
         s.initial_hessian = InitialHessian::warped_rest;
         s.linear_solver = LinearSolver::cg;
       },
       "quasi_newton"},
      {"linear_solver", "direct, cg",
       [](SolverSettings& s) { s.linear_solver = LinearSolver::truncated_cg; }},
      {"linear_iterations", "from 1 to 1000000",
       [](SolverSettings& s) {
         s.linear_solver = LinearSolver::cg;
         s.linear_iterations = 0;
       }},
      {"preconditioner", "none, jacobi, incomplete_cholesky",
       [](SolverSettings& s) {
         s.linear_solver = LinearSolver::cg;
         s.preconditioner = PreconditionerType::rest;
       }},
      {"initial_hessian", "laplacian, identity, rest, warped_rest, frame",
       [](SolverSettings& s) { s.initial_hessian = static_cast<InitialHessian>(5); }},
      {"definiteness", "clamp, absolute, tikhonov, none",
       [](SolverSettings& s) { s.definiteness = static_cast<Definiteness>(4); }, "newton"},
      {"linear_solver", "clamp, absolute, none",
       [](SolverSettings& s) {
         s.definiteness = Definiteness::tikhonov;
         s.linear_solver = LinearSolver::cg;
       },
       "newton"},
  };
  for (const Case& broken : cases) {
    SolverSettings settings = settings_of(broken.method);
    EXPECT_NO_THROW(check_solver(settings));
    broken.spoil(settings);
    try {
      check_solver(settings);
      ADD_FAILURE() << broken.key << ": " << broken.names;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.where(), std::string("/solver/") + broken.key);
      EXPECT_NE(error.message().find(broken.names), std::string::npos) << error.message();
    }
  }
}

/// Sets a value that the option does not take.
struct Spoil {
  void operator()(int* value) const { *value = -1; }
  void operator()(double* value) const { *value = std::nan(""); }
  void operator()(std::pair<double, double>* value) const { value->second = value->first; }
  template <Choice T>
  void operator()(T* value) const {
    *value = static_cast<T>(99);
  }
};

TEST(SolverOptions, EachIsCheckedForTheMethodsThatReadItAndLeftAloneForTheOthers) {
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    for (const SolverOption& option : solver_options()) {
      SolverSettings settings{.method = method};
      std::visit(Spoil{}, option.value(settings));
      if (!option.is_used_by(method)) {
        EXPECT_NO_THROW(check_solver(settings)) << option.key << " with " << method;
        continue;
      }
      try {
        check_solver(settings);
        ADD_FAILURE() << option.key << " with " << method;
      } catch (const Error& error) {
        EXPECT_EQ(error.where(), std::string("/solver/") + option.key);
      }
    }
  }
}

/// All compatible settings, with what a direction needs.
std::vector<SolverSettings> all_variants() {
  std::vector<SolverSettings> list;
  for (const char* method : {"l_bfgs", "quasi_newton", "newton"}) {
    const auto choices = [&](const char* key, const char* fallback) {
      return reads(from_string<SolverMethod>(method), key)
                 ? solver_choices(from_string<SolverMethod>(method), key)
                 : std::vector<std::string>{fallback};
    };
    for (const std::string& hessian : choices("initial_hessian", "laplacian")) {
      for (const std::string& definiteness : choices("definiteness", "clamp")) {
        for (const std::string& solver : choices("linear_solver", "direct")) {
          for (const std::string& preconditioner : choices("preconditioner", "jacobi")) {
            SolverSettings settings = settings_of(method);
            settings.initial_hessian = from_string<InitialHessian>(hessian);
            settings.definiteness = from_string<Definiteness>(definiteness);
            settings.linear_solver = from_string<LinearSolver>(solver);
            settings.preconditioner = from_string<PreconditionerType>(preconditioner);
            // A direct solver has no preconditioner.
            if (solver == "direct" && preconditioner != "jacobi") continue;
            if (!find_conflict(settings)) list.push_back(settings);
          }
        }
      }
    }
  }
  return list;
}

TEST(SolverOptions, EveryVariantStepsABarInContactWithTheGround) {
  const std::vector<SolverSettings> variants = all_variants();
  EXPECT_GE(variants.size(), 50U);
  for (const SolverSettings& settings : variants) {
    Scene scene = test::twisting_bar({6, 2, 2}, "stable_neo_hookean");
    scene.gravity = {0, -9.81, 0};
    scene.bodies[0].fibers = {FiberSettings{{1, 1, 0}, 2e4}};
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
    scene.solver = settings;
    Simulation simulation(scene, {.threads = 1});
    for (int frame = 0; frame < 10; ++frame) {
      const StepReport report = simulation.step();
      EXPECT_NE(report.status, StepStatus::non_finite);
    }
    double farthest = 0;
    for (const Vec3& x : test::positions_of(simulation)) {
      farthest = std::max({farthest, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    }
    EXPECT_LT(farthest, 3) << settings.method << ", " << settings.initial_hessian << ", "
                           << settings.definiteness << ", " << settings.linear_solver << ", "
                           << settings.preconditioner;
  }
}

}  // namespace
}  // namespace supple
