#include "sim/drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sim/test_scenes.h"
#include "supple/warnings.h"

namespace supple {
namespace {

/// A bar that is held at one end and swings under its weight for half a second.
Scene swinging_bar(const std::string& method, int iterations, double size = 1) {
  Scene scene;
  scene.time = {.step = std::sqrt(size) / 30, .frames = 30};
  Body body;
  body.mesh = generate(BoxGenerator{.size = {size, size / 4, size / 4}, .cells = {15, 2, 2}});
  const auto [mu, lambda] = lame_parameters(3e5 * size, 0.45);
  body.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  body.pins.push_back(Pin{.box = {{-size, -size, -size}, {-0.4 * size, size, size}},
                          .stiffness = 3e5 * size * size});
  scene.bodies.push_back(body);
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = iterations;
  return scene;
}

struct Motion {
  double drift = 0;
  std::vector<std::vector<double>> positions;
  bool warns = false;
};

Motion motion_of(const Scene& scene) {
  Simulation simulation(scene, {.threads = 1});
  RunWatch watch(scene);
  Motion motion;
  for (int i = 0; i < scene.time.frames; ++i) {
    const StepReport report = simulation.step();
    watch.add(i + 1, report, simulation.energies());
    motion.drift = report.drift;
    motion.positions.push_back(simulation.state().positions);
  }
  for (const Warning& warning : watch.warnings()) motion.warns |= warning.code == "unconverged";
  return motion;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

/// Largest distance from the run with 40 iterations of Newton, over the largest displacement.
double measured(const Scene& scene, const Motion& motion) {
  Scene converged = scene;
  converged.solver = {.method = SolverMethod::newton, .iterations = 40};
  const Motion right = motion_of(converged);
  const std::vector<double> rest = Simulation(scene, {.threads = 1}).state().positions;
  double off = 0, moved = 0;
  for (std::size_t f = 0; f < motion.positions.size(); ++f) {
    off = std::max(off, distance(motion.positions[f], right.positions[f]));
    moved = std::max(moved, distance(right.positions[f], rest));
  }
  return off / moved;
}

TEST(Drift, IsWhatConvergedStepsSayWithinAFactorOfTwo) {
  for (const char* method : {"l_bfgs", "quasi_newton", "vertex_block_descent", "xpbd"}) {
    for (const int iterations : {4, 8}) {
      Scene scene = swinging_bar(method, iterations);
      if (scene.solver.method == SolverMethod::xpbd) scene.time.substeps = 5;
      const Motion motion = motion_of(scene);
      const double truth = measured(scene, motion);
      SCOPED_TRACE(testing::Message() << method << " x " << iterations << ": drift " << motion.drift
                                      << ", measured " << truth);
      EXPECT_GT(motion.drift, truth / 2 - 0.005);
      EXPECT_LT(motion.drift, truth * 2 + 0.005);
    }
  }
}

TEST(Drift, GoesByTheIntegratorOfTheBody) {
  for (const TimeIntegrator integrator :
       {TimeIntegrator::bdf2, TimeIntegrator::newmark, TimeIntegrator::implicit_midpoint}) {
    for (const char* method : {"l_bfgs", "quasi_newton"}) {
      for (const int iterations : {5, 10, 20}) {
        Scene scene = swinging_bar(method, iterations);
        scene.time.integrator = integrator;
        const Motion motion = motion_of(scene);
        const double truth = measured(scene, motion);
        SCOPED_TRACE(testing::Message()
                     << to_string(integrator) << ", " << method << " x " << iterations << ": drift "
                     << motion.drift << ", measured " << truth << ", warns " << motion.warns);
        EXPECT_GT(motion.drift, truth / 2 - 0.005);
        EXPECT_LT(motion.drift, truth * 2 + 0.005);
        EXPECT_TRUE(motion.warns || truth <= 0.06);
        EXPECT_TRUE(!motion.warns || truth >= 0.02);
      }
    }
  }
}

TEST(Drift, DependsOnNoUnits) {
  const double metre = motion_of(swinging_bar("quasi_newton", 5)).drift;
  ASSERT_GT(metre, 0.01);
  // Powers of four: lengths, times and masses then differ only in their exponents.
  for (const double size : {1.0 / 1024, 64.0}) {
    EXPECT_NEAR(motion_of(swinging_bar("quasi_newton", 5, size)).drift / metre, 1, 1e-3) << size;
  }
}

TEST(Drift, IsNothingWhereStepsAreConvergedAndWhereNothingIsHeldOrMoves) {
  EXPECT_LT(motion_of(swinging_bar("newton", 20)).drift, 1e-6);
  Scene free = swinging_bar("quasi_newton", 2);
  free.bodies[0].pins.clear();
  EXPECT_EQ(motion_of(free).drift, 0);
  Scene still = swinging_bar("quasi_newton", 2);
  still.gravity = {0, 0, 0};
  EXPECT_EQ(motion_of(still).drift, 0);
}

TEST(Drift, BeginsAnewWithAState) {
  Simulation simulation(swinging_bar("quasi_newton", 3), {.threads = 1});
  for (int i = 0; i < 20; ++i) simulation.step();
  const double before = simulation.step().drift;
  simulation.set_state(simulation.state());
  EXPECT_LT(simulation.step().drift, 0.5 * before);
}

TEST(Drift, IsOfTheBodyThatIsOffTheMost) {
  Scene scene = swinging_bar("quasi_newton", 3);
  const double alone = motion_of(scene).drift;
  // Beside it is one that hardly moves.
  Body other = scene.bodies[0];
  for (Vec3& x : other.mesh.vertices) x[1] += 5;
  for (Pin& pin : other.pins) pin.box = {{-9, 4, -9}, {9, 6, 9}};
  scene.bodies.push_back(other);
  EXPECT_NEAR(motion_of(scene).drift, alone, 0.1 * alone);
}

// Steps that act a little too soft, each by too little for a warning.
TEST(Drift, WarnsOfWhatAddsUp) {
  int quiet = 0, wrong = 0;
  for (const int iterations : {3, 4, 5, 6, 8, 10, 15, 20}) {
    for (const char* method : {"l_bfgs", "quasi_newton"}) {
      const Scene scene = swinging_bar(method, iterations);
      const Motion motion = motion_of(scene);
      const double truth = measured(scene, motion);
      SCOPED_TRACE(testing::Message() << method << " x " << iterations << ": drift " << motion.drift
                                      << ", measured " << truth << ", warns " << motion.warns);
      if (truth > 0.06) {
        ++wrong;
        EXPECT_TRUE(motion.warns);
      }
      if (truth < 0.02) {
        ++quiet;
        EXPECT_FALSE(motion.warns);
      }
    }
  }
  EXPECT_GE(wrong, 3);
  EXPECT_GE(quiet, 3);
}

TEST(Drift, IsNotSaidOfWhatTouchesOrHasNoEnergyToAsk) {
  Scene touching = swinging_bar("quasi_newton", 3);
  touching.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.12}, {}});
  EXPECT_LT(motion_of(touching).drift, 0.01);
  Scene incompressible = swinging_bar("xpbd", 1);
  incompressible.bodies[0].material.lambda = std::numeric_limits<double>::infinity();
  EXPECT_EQ(motion_of(incompressible).drift, 0);
}

}  // namespace
}  // namespace supple
