#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"

/// Position-based methods in whole simulations.
namespace supple {
namespace {

/// A block of 0.4 x 1 x 0.4 m in 324 tets, E = 1.5e5 Pa, that hangs by its top, with drag to bring
/// it to rest.
Scene hanging_block(double poisson) {
  Scene scene;
  scene.time = {.step = 1.0 / 60, .frames = 360, .substeps = 1};
  scene.damping.drag = 6;
  scene.solver.method = SolverMethod::xpbd;
  Body body;
  body.mesh = generate(BoxGenerator{.size = {0.4, 1, 0.4}, .cells = {3, 6, 3}, .tets_per_cell = 6});
  body.material.model = "stable_neo_hookean";
  const auto [mu, lambda] = lame_parameters(1.5e5, poisson);
  body.material.mu = mu;
  body.material.lambda = lambda;
  body.pins.push_back({.box = {{-1, 0.499, -1}, {1, 0.501, 1}}, .stiffness = 1e7});
  scene.bodies.push_back(body);
  return scene;
}

/// How far the bottom has sunk, m.
double sag(const Simulation& simulation) {
  const std::vector<Vec3>& rest = simulation.scene().bodies[0].mesh.vertices;
  const std::vector<Vec3> x = test::positions_of(simulation);
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rest[i][1] > -0.499) continue;
    sum += rest[i][1] - x[i][1];
    ++count;
  }
  return sum / count;
}

double relative_volume(const Simulation& simulation) {
  const std::vector<double> J = simulation.measure(simulation.state().positions).determinant;
  double sum = 0;  // the mean of J; in a lattice of equally large tets, that of the volume
  for (const double j : J) sum += j;
  return sum / static_cast<double>(J.size());
}

/// After six seconds, in which drag of 6/s reduces an oscillation to exp(-18).
double settled_sag(Scene scene, int iterations, int substeps) {
  scene.solver.iterations = iterations;
  scene.time.substeps = substeps;
  Simulation simulation(scene);
  for (int frame = 0; frame < scene.time.frames; ++frame) {
    if (simulation.step().status == StepStatus::non_finite) return NAN;
  }
  return sag(simulation);
}

/// By Newton's method, in a quasi-static step.
double exact_sag(double poisson) {
  Scene scene = hanging_block(poisson);
  scene.solver = {.method = SolverMethod::newton, .iterations = 100};
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.damping.drag = 0;
  Simulation simulation(scene);
  simulation.step();
  return sag(simulation);
}

TEST(Xpbd, TheBlockSagsAsFarAsItShouldForManyStepsAndIterations) {
  const double exact = exact_sag(0.4);
  EXPECT_NEAR(exact, 0.032, 0.002);  // rho g L^2/(2 E) = 0.0327; the clamped top holds some back
  struct Case {
    int iterations, substeps;
    double error;
  };
  // The bounds are those of the issue; docs/position.md says what is reached.
  for (const Case& c : {Case{1, 20, 0.05}, Case{5, 10, 0.05}, Case{10, 10, 0.05}, Case{60, 2, 0.1},
                        Case{60, 1, 0.1}, Case{1, 100, 0.05}}) {
    const double found = settled_sag(hanging_block(0.4), c.iterations, c.substeps);
    EXPECT_NEAR(found / exact, 1, c.error) << c.iterations << " x " << c.substeps;
  }
}

TEST(Xpbd, NothingCollapsesWhateverTheStep) {
  for (const double poisson : {0.3, 0.4, 0.49, 0.4995, 0.5}) {
    for (const auto& [iterations, substeps] :
         {std::pair{1, 1}, {5, 1}, {60, 1}, {200, 1}, {1, 2}, {60, 2}, {1, 20}}) {
      Scene scene = hanging_block(poisson);
      scene.solver.iterations = iterations;
      scene.time.substeps = substeps;
      Simulation simulation(scene);
      for (int frame = 0; frame < 60; ++frame) {
        const StepReport report = simulation.step();
        ASSERT_NE(report.status, StepStatus::non_finite);
        ASSERT_EQ(report.inverted_tets, 0)
            << poisson << ": " << iterations << " x " << substeps << ", frame " << frame;
      }
      // A hanging body grows by (1 - 2 nu) rho g L/(2 E), 1.3 % at 0.3. With one iteration a frame
      // it is far from converged, but still a body.
      EXPECT_NEAR(relative_volume(simulation), 1, iterations > 1 ? 0.03 : 0.1)
          << poisson << ": " << iterations << " x " << substeps;
    }
  }
}

TEST(Xpbd, AnIncompressibleBodyKeepsItsVolumeUnderItsWeight) {
  for (const auto& [iterations, substeps] : {std::pair{1, 20}, {5, 10}, {60, 2}}) {
    Scene scene = hanging_block(0.5);
    scene.solver.iterations = iterations;
    scene.time.substeps = substeps;
    Simulation simulation(scene);
    for (int frame = 0; frame < 120; ++frame) simulation.step();
    EXPECT_NEAR(relative_volume(simulation), 1, 0.01) << iterations << " x " << substeps;
    EXPECT_GT(sag(simulation), 0.01);  // it hangs, so it is not a rigid body
  }
}

TEST(Xpbd, ABodyAtRestStaysExactlyAtRest) {
  for (const char* projection : {"stress", "block"}) {
    for (const double poisson : {0.4, 0.5}) {
      Scene scene = hanging_block(poisson);
      scene.gravity = {0, 0, 0};
      scene.solver.projection = from_string<XpbdProjection>(projection);
      scene.solver.iterations = 2;
      scene.time.substeps = 5;
      Simulation simulation(scene);
      for (int frame = 0; frame < 20; ++frame) simulation.step();
      const std::vector<Vec3>& rest = scene.bodies[0].mesh.vertices;
      const std::vector<Vec3> x = test::positions_of(simulation);
      double largest = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          largest = std::max(largest, std::abs(x[i][k] - rest[i][k]));
        }
      }
      // Rounding: 200 visits that each cancel stresses of mu, 1e-16 of the body's size per visit.
      EXPECT_LT(largest, 1e-12) << projection << ", " << poisson;
    }
  }
}

/// The iterations are raised to reach a converged step: only the default projection has the minimum
/// of g as its fixed point.
TEST(Xpbd, ItConvergesToTheMinimumThatNewtonFinds) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    Scene scene = hanging_block(0.45);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.damping.drag = 0;
    scene.time.substeps = 4;
    scene.solver.iterations = 5;
    Simulation simulation(scene);
    for (int frame = 0; frame < 5; ++frame) simulation.step();
    const std::vector<LabelledSolver> solvers = {{"stress", scene.solver}};
    const Comparison comparison =
        compare_solvers(scene, simulation.state(), solvers, {.iterations = 200});
    const ConvergencePoint& last = comparison.curves[0].points.back();
    EXPECT_LT(last.position_error, 1e-10) << integrator;
    EXPECT_LT(last.gradient_norm, 1e-8 * comparison.curves[0].points.front().gradient_norm)
        << integrator;
  }
}

TEST(Xpbd, EachFormHasItsOwnErrorInOneLargeStep) {
  Scene scene = hanging_block(0.4);
  scene.time.substeps = 2;
  Simulation simulation(scene);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  std::vector<LabelledSolver> solvers;
  for (const char* projection : {"stress", "block", "sequential"}) {
    solvers.push_back({projection, scene.solver});
    solvers.back().settings.projection = from_string<XpbdProjection>(projection);
  }
  const Comparison comparison =
      compare_solvers(scene, simulation.state(), solvers, {.iterations = 300});
  std::vector<double> error;
  for (const ConvergenceCurve& curve : comparison.curves) {
    error.push_back(curve.points.back().position_error);
  }
  // The multipliers of the paper's forms add up along gradients that turn, so they end beside the
  // minimum, the sequential form farthest.
  EXPECT_LT(error[0], 1e-9);
  EXPECT_GT(error[1], 1e-6);
  EXPECT_GT(error[2], 10 * error[1]);
}

TEST(Xpbd, TheErrorFallsWithTheSquareOfTheSubstep) {
  // One iteration each, which leaves an error of order h^2.
  const double exact = exact_sag(0.4);
  std::vector<double> error;
  for (const int substeps : {10, 20, 40, 80}) {
    error.push_back(std::abs(settled_sag(hanging_block(0.4), 1, substeps) - exact));
  }
  for (std::size_t i = 1; i < error.size(); ++i) {
    EXPECT_NEAR(error[i - 1] / error[i], 4, 1) << i;
  }
}

TEST(Xpbd, EverySeedRecoversTheRestShape) {
  for (const double poisson : {0.4, 0.5}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Scene scene = hanging_block(poisson);
      scene.gravity = {0, 0, 0};
      Body& body = scene.bodies[0];
      body.pins.clear();
      body.initial = Randomize{{{-0.4, -1, -0.4}, {0.4, 1, 0.4}}, seed};
      scene.solver.iterations = 20;
      scene.damping.drag = 2;
      Simulation simulation(scene);
      double distance = 1;
      for (int frame = 0; frame < 600 && distance > 1e-3; ++frame) {
        ASSERT_NE(simulation.step().status, StepStatus::non_finite) << seed << " " << frame;
        distance = test::distance_to_rest(simulation, body.mesh.vertices);
      }
      EXPECT_LE(distance, 1e-3) << "Poisson's ratio " << poisson << ", seed " << seed;
    }
  }
}

TEST(Xpbd, AFlattenedBodyRecovers) {
  for (const int axis : {0, 1, 2}) {
    Scene scene = hanging_block(0.5);
    scene.gravity = {0, 0, 0};
    scene.bodies[0].pins.clear();
    scene.bodies[0].initial = Flatten{axis};
    scene.solver.iterations = 20;
    scene.damping.drag = 2;
    Simulation simulation(scene);
    double distance = 1;
    for (int frame = 0; frame < 600 && distance > 1e-3; ++frame) {
      ASSERT_NE(simulation.step().status, StepStatus::non_finite);
      distance = test::distance_to_rest(simulation, scene.bodies[0].mesh.vertices);
    }
    EXPECT_LE(distance, 1e-3) << axis;
  }
}

TEST(Xpbd, SliversDoNotTearABodyApart) {
  // A layer of cells a hundredth as thick as the others, with light vertices, starting from a
  // plane.
  for (const char* projection : {"stress", "block", "sequential"}) {
    Scene scene = hanging_block(0.5);
    scene.gravity = {0, 0, 0};
    Body& body = scene.bodies[0];
    body.pins.clear();
    body.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {5, 5, 5}, .tets_per_cell = 6});
    for (Vec3& x : body.mesh.vertices) {
      if (std::abs(x[1] - 0.1) < 1e-9) x[1] = -0.098;
    }
    body.initial = Randomize{{{-0.5, 0, -0.5}, {0.5, 0, 0.5}}, 1};
    scene.solver.projection = from_string<XpbdProjection>(projection);
    scene.solver.iterations = 20;
    scene.damping.drag = 2;
    Simulation simulation(scene);
    double largest = 0;
    for (int frame = 0; frame < 300; ++frame) {
      ASSERT_NE(simulation.step().status, StepStatus::non_finite) << projection;
      for (const Vec3& x : test::positions_of(simulation)) {
        for (const double value : x) largest = std::max(largest, std::abs(value));
      }
    }
    EXPECT_LT(largest, 3) << projection;  // spikes would leave the body's neighbourhood
    // Some slivers of the layer stay folded. `stress` moves them along F and cof F alone while they
    // are far from rest and ends with 0.94 of the volume, the others with 1.00 and 1.01.
    const double folded = projection == std::string("stress") ? 0.07 : 0.05;
    EXPECT_NEAR(relative_volume(simulation), 1, folded) << projection;
  }
}

TEST(Xpbd, AnIncompressibleStepIsStationaryWithItsMultipliers) {
  // The reported |grad g|, with the forces of the multipliers, falls like that of a compressible
  // body.
  Scene scene = hanging_block(0.5);
  scene.time.substeps = 10;
  for (const char* projection : {"stress", "sequential"}) {
    scene.solver.projection = from_string<XpbdProjection>(projection);
    scene.solver.iterations = 400;
    Simulation simulation(scene);
    StepReport report;
    for (int frame = 0; frame < 20; ++frame) report = simulation.step();
    const double left = report.gradient_norm / report.start_gradient_norm;
    if (scene.solver.projection == XpbdProjection::stress) {
      EXPECT_LT(left, 1e-4);
    } else {
      EXPECT_GT(left, 1e-2);  // its multipliers act along the gradients of the way
    }
  }
}

TEST(Xpbd, EnergiesRefuseAnIncompressibleBodyAndPointHere) {
  for (const Description& solver : list_solvers()) {
    Scene scene = hanging_block(0.5);
    scene.solver = {};
    scene.solver.method = from_string<SolverMethod>(solver.name);
    const bool runs =
        solver.name == "xpbd" || solver.name == "step_and_project" || solver.name == "pbd";
    try {
      const Simulation simulation(scene);
      EXPECT_TRUE(runs) << solver.name;
    } catch (const Error& error) {
      EXPECT_FALSE(runs) << solver.name << ": " << error.what();
      EXPECT_EQ(error.where(), "/bodies/0/material");
      EXPECT_NE(error.message().find("xpbd"), std::string::npos) << error.message();
    }
  }
}

TEST(Xpbd, AMaterialWithoutConstraintsIsRefusedWithThoseThatHaveThem) {
  Scene scene = hanging_block(0.4);
  scene.bodies[0].material = test::soft_material("neo_hookean");
  try {
    const Simulation simulation(scene);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/bodies/0/material");
    EXPECT_NE(error.message().find("arap, stable_neo_hookean"), std::string::npos)
        << error.message();
  }
}

TEST(Xpbd, ItNeedsInertia) {
  Scene scene = hanging_block(0.4);
  scene.damping.drag = 0;
  scene.time.integrator = TimeIntegrator::quasi_static;
  try {
    const Simulation simulation(scene);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/time/integrator");
  }
}

std::vector<double> after_frames(const Scene& scene, int frames, int threads) {
  Simulation simulation(scene, {.threads = threads});
  for (int frame = 0; frame < frames; ++frame) simulation.step();
  return simulation.state().positions;
}

TEST(Xpbd, TheBitsAreThoseOfOneThread) {
  for (const char* order : {"parts", "colours", "cells"}) {
    for (const char* precision : {"double", "float"}) {
      Scene scene = hanging_block(0.45);
      // Large enough for several parts.
      scene.bodies[0].mesh =
          generate(BoxGenerator{.size = {0.4, 1, 0.4}, .cells = {8, 20, 8}, .tets_per_cell = 6});
      scene.solver.iterations = 3;
      scene.time.substeps = 2;
      scene.solver.order = from_string<XpbdOrder>(order);
      scene.solver.precision = from_string<XpbdPrecision>(precision);
      const std::vector<double> one = after_frames(scene, 3, 1);
      EXPECT_EQ(one, after_frames(scene, 3, 2)) << order << ", " << precision;
      EXPECT_EQ(one, after_frames(scene, 3, 3)) << order << ", " << precision;
    }
  }
}

TEST(Xpbd, EveryOrderReachesTheSameStep) {
  std::vector<double> first;
  for (const char* order : {"parts", "colours", "cells", "natural"}) {
    Scene scene = hanging_block(0.45);
    scene.time.substeps = 4;
    scene.solver.iterations = 200;  // to rounding
    scene.solver.order = from_string<XpbdOrder>(order);
    const std::vector<double> x = after_frames(scene, 3, 1);
    if (first.empty()) first = x;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], first[i], 1e-9) << order;
  }
}

TEST(Xpbd, KeptMultipliersBeginAnewEachFrameSoThatAStateIsWhole) {
  Scene scene = hanging_block(0.4);
  scene.solver.multipliers = XpbdMultipliers::kept;
  scene.solver.iterations = 1;
  scene.time.substeps = 20;
  Simulation through(scene);
  for (int frame = 0; frame < 3; ++frame) through.step();
  const SimulationState middle = through.state();
  for (int frame = 0; frame < 3; ++frame) through.step();
  Simulation resumed(scene);
  resumed.set_state(middle);
  for (int frame = 0; frame < 3; ++frame) resumed.step();
  EXPECT_EQ(through.state().positions, resumed.state().positions);
}

TEST(Xpbd, ATargetOfTheToleranceEndsTheStep) {
  Scene scene = hanging_block(0.4);
  scene.solver.iterations = 500;
  scene.solver.tolerance = 1e-3;
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_LT(report.iterations, 500);
  EXPECT_LE(report.gradient_norm, 1e-3 * report.start_gradient_norm);
}

}  // namespace
}  // namespace supple
