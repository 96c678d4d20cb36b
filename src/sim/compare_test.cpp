#include "supple/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/test_scenes.h"
#include "supple/error.h"

namespace supple {
namespace {

/// The state of a small twisting bar after some frames.
SimulationState state_of(const Scene& scene, int frames) {
  Simulation simulation(scene, {.threads = 1});
  for (int i = 0; i < frames; ++i) simulation.step();
  return simulation.state();
}

Scene small_bar() { return test::twisting_bar({8, 3, 3}, "neo_hookean"); }

LabelledSolver solver(const std::string& method) {
  LabelledSolver named{.label = method, .settings = {}};
  named.settings.method = from_string<SolverMethod>(method);
  return named;
}

TEST(SolveConverged, HasNoGradientLeft) {
  const Scene scene = small_bar();
  const ConvergedStep step = solve_converged(scene, state_of(scene, 5), 1);
  EXPECT_TRUE(step.converged);
  EXPECT_GT(step.iterations, 1);
  EXPECT_LT(step.objective, step.start_objective);
  // Compared with pin forces of 1e6 N/m times the lag of a frame.
  EXPECT_LT(step.gradient_norm, 1e-6);
}

/// Two cubes of 0.5 m, one of which is held and bears the other by bonds.
Scene bonded_cubes() {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[0].name = "upper";
  scene.bodies[1].name = "lower";
  for (Vec3& vertex : scene.bodies[1].mesh.vertices) vertex[1] -= 0.5;
  const Box upper = bounding_box(scene.bodies[0].mesh.vertices);
  scene.bodies[0].pins.push_back({.box = {{-1, upper.max[1], -1}, {1, upper.max[1], 1}}});
  scene.bonds.push_back({.body = "lower",
                         .select = {.box = {{-1, upper.min[1] - 1e-9, -1}, {1, upper.min[1], 1}}},
                         .to = "upper",
                         .stiffness = 1e4});
  return scene;
}

// Both solve the same problem, with everything that is in it.
TEST(SolveConverged, IsTheStepOfASimulationByNewtonsMethod) {
  Scene growing = small_bar();
  growing.bodies[0].growth.push_back({.stretch = 1.1});
  Scene plastic = small_bar();
  plastic.bodies[0].material.plasticity = PlasticitySettings{.yield = 0.01};
  const std::pair<const char*, Scene> scenes[] = {{"bar", small_bar()},
                                                  {"bonds", bonded_cubes()},
                                                  {"rods", test::hanging_curl()},
                                                  {"springs", test::hanging_cloth()},
                                                  {"folds", test::folded_membrane("corotated")},
                                                  {"fibers", test::fibrous_bar()},
                                                  {"growth", growing},
                                                  {"plasticity", plastic}};
  for (auto [name, scene] : scenes) {
    SCOPED_TRACE(name);
    scene.solver = {.method = SolverMethod::newton, .iterations = 200, .tolerance = 0};
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 6);
    const SimulationState state = simulation.state();
    const ConvergedStep converged = solve_converged(scene, state, 1);
    EXPECT_TRUE(converged.converged);
    test::run(simulation, 1);
    const std::vector<Vec3> stepped = test::positions_of(simulation);
    const Box box = bounding_box(stepped);
    const double size =
        std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    double worst = 0;
    for (std::size_t i = 0; i < converged.positions.size(); ++i) {
      worst = std::max(worst, std::abs(converged.positions[i] - stepped[i / 3][i % 3]));
    }
    // Where both end, the gradient is at its rounding.
    EXPECT_LT(worst, 1e-8 * size);
  }
}

TEST(CompareSolvers, AllStartAtTheSamePlaceAndGoTowardsTheSameAnswer) {
  const Scene scene = small_bar();
  const std::vector<LabelledSolver> solvers = {solver("l_bfgs"), solver("quasi_newton"),
                                               solver("newton")};
  const Comparison comparison =
      compare_solvers(scene, state_of(scene, 5), solvers, {.iterations = 30, .threads = 1});
  ASSERT_EQ(comparison.curves.size(), 3U);
  for (const ConvergenceCurve& curve : comparison.curves) {
    EXPECT_EQ(curve.points.front().iteration, 0);
    EXPECT_EQ(curve.points.front().objective, comparison.reference.start_objective);
    EXPECT_EQ(curve.points.front().relative_error, 1);
    EXPECT_LE(curve.points.size(), 31U);
    EXPECT_GE(curve.evaluations, static_cast<int>(curve.points.size()));
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      EXPECT_EQ(curve.points[k].iteration, static_cast<int>(k));
      EXPECT_GE(curve.points[k].milliseconds, curve.points[k - 1].milliseconds);
    }
    const ConvergencePoint& last = curve.points.back();
    // Quasi-Newton is the slowest of the three: it reduces the error by a factor of 0.63 an
    // iteration.
    EXPECT_LT(last.relative_error, 1e-5) << curve.label;
    // g is a parabola there: an error of 1e-5 in g is an error of 3e-3 of the way in positions.
    EXPECT_LT(last.position_error, 3e-3 * curve.points.front().position_error) << curve.label;
  }
}

TEST(CompareSolvers, AnIterationIsThatOfTheSimulation) {
  Scene scene = small_bar();
  scene.solver.iterations = 7;
  Simulation simulation(scene, {.threads = 1});
  for (int i = 0; i < 5; ++i) simulation.step();
  const std::vector<LabelledSolver> solvers = {solver("l_bfgs")};
  const Comparison comparison =
      compare_solvers(scene, simulation.state(), solvers, {.iterations = 7, .threads = 1});
  simulation.step();
  EXPECT_EQ(comparison.curves[0].positions, simulation.state().positions);
}

TEST(CompareSolvers, TheThreadsDoNotMatter) {
  const Scene scene = small_bar();
  const SimulationState state = state_of(scene, 3);
  const std::vector<LabelledSolver> solvers = {solver("l_bfgs")};
  const Comparison one = compare_solvers(scene, state, solvers, {.iterations = 5, .threads = 1});
  const Comparison two = compare_solvers(scene, state, solvers, {.iterations = 5, .threads = 2});
  EXPECT_EQ(one.curves[0].positions, two.curves[0].positions);
  EXPECT_EQ(one.reference.positions, two.reference.positions);
}

TEST(CompareSolvers, WhatCannotRunIsNamed) {
  const Scene scene = small_bar();
  std::vector<LabelledSolver> solvers = {solver("l_bfgs"), solver("l_bfgs")};
  solvers[1].label = "bad one";
  solvers[1].settings.history = -1;
  try {
    compare_solvers(scene, state_of(scene, 0), solvers);
    FAIL() << "a negative history was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bad one: /solver/history"), std::string::npos);
  }
}

TEST(ApparentStiffness, OfAConvergedStepIsThatOfTheMaterial) {
  const Scene scene = small_bar();
  const SimulationState state = state_of(scene, 5);
  const ConvergedStep step = solve_converged(scene, state, 1);
  const ApparentStiffness stiffness = apparent_stiffness(scene, state, step.positions, 1);
  EXPECT_TRUE(stiffness.defined);
  EXPECT_EQ(stiffness.ratio, 1);
  EXPECT_EQ(stiffness.position_error, 0);
}

TEST(ApparentStiffness, OfTheConvergedStepOfAnotherMaterialIsThatMaterials) {
  const Scene scene = small_bar();
  const SimulationState state = state_of(scene, 5);
  for (const double factor : {0.2, 0.9, 1.3, 6.0}) {
    const ConvergedStep step = solve_converged(scale_stiffness(scene, factor), state, 1);
    const ApparentStiffness stiffness = apparent_stiffness(scene, state, step.positions, 1);
    EXPECT_TRUE(stiffness.defined) << factor;
    // The search ends at steps of 1e-5 in the logarithm of the ratio.
    EXPECT_NEAR(stiffness.ratio, factor, 1e-4 * factor);
    EXPECT_LT(stiffness.unexplained, 1e-3) << factor;
    EXPECT_GT(stiffness.position_error, 0) << factor;
  }
}

TEST(ApparentStiffness, OfAFewIterationsIsLow) {
  // From x_0 = y, where the elastic forces have not acted yet, a budget that is too small leaves
  // the body softer than its material.
  Scene scene = small_bar();
  scene.solver.method = SolverMethod::gradient_descent;
  scene.solver.iterations = 3;
  const SimulationState state = state_of(scene, 5);
  const ConvergedStep converged = solve_converged(scene, state, 1);
  const ConvergenceCurve curve = record_descent(scene, state, converged, 1);
  const ApparentStiffness stiffness = apparent_stiffness(scene, state, curve.positions, 1);
  EXPECT_LT(stiffness.ratio, 0.9);
  EXPECT_GT(stiffness.position_error, 0);
}

TEST(ApparentStiffness, OfABodyInFreeFlightIsNotDefined) {
  const Scene scene = test::free_block("corotated");
  const SimulationState state = state_of(scene, 0);
  const ConvergedStep step = solve_converged(scene, state, 1);
  EXPECT_FALSE(apparent_stiffness(scene, state, step.positions, 1).defined);
}

TEST(ScaleStiffness, ScalesTheElasticEnergyAndNothingElse) {
  const Scene scene = small_bar();
  const SimulationState state = state_of(scene, 4);
  Simulation plain(scene, {.threads = 1}), scaled(scale_stiffness(scene, 3), {.threads = 1});
  plain.set_state(state);
  scaled.set_state(state);
  const Energies one = plain.energies(), three = scaled.energies();
  EXPECT_GT(one.elastic, 0);
  // Rounding of a sum of a few hundred tets.
  EXPECT_NEAR(three.elastic, 3 * one.elastic, 1e-12 * three.elastic);
  EXPECT_EQ(three.pins, one.pins);
  EXPECT_EQ(three.kinetic, one.kinetic);
}

}  // namespace
}  // namespace supple
