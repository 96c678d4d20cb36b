#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "sim/test_scenes.h"
#include "supple/simulation.h"

/// The effect of very stiff pins (docs/solvers.md, "How exact pins are").
namespace supple {
namespace {

constexpr double speed = 3;  // m/s

/// Two cubic metres with the density of steel, as soft as rubber, held at one end. That end moves
/// at full speed at once.
Scene heavy_block(double stiffness, const std::string& method, bool moves) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.size = {2, 1, 1}, .cells = {8, 4, 4}});
  body.density = 7800;
  body.material.model = "stable_neo_hookean";
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e7, 0.4);
  Pin pin;
  pin.box = {{-1.1, -1, -1}, {-0.99, 1, 1}};
  pin.stiffness = stiffness;
  if (moves) pin.motion.velocity = Vec3{speed, 0, 0};
  body.pins = {pin};
  scene.bodies = {body};
  scene.solver.method = from_string<SolverMethod>(method);
  return scene;
}

/// Largest distance of a pinned vertex from its target, m.
double largest_error(const Scene& scene, int frames) {
  Simulation simulation(scene);
  double most = 0;
  for (int frame = 0; frame < frames; ++frame) {
    EXPECT_NE(simulation.step().status, StepStatus::non_finite);
    const std::vector<Vec3> x = test::positions_of(simulation);
    const double way = scene.bodies[0].pins[0].motion.velocity ? speed * simulation.time() : 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
      const Vec3& rest = scene.bodies[0].mesh.vertices[v];
      if (rest[0] > -0.99) continue;
      most =
          std::max(most, std::hypot(x[v][0] - rest[0] - way, x[v][1] - rest[1], x[v][2] - rest[2]));
    }
  }
  return most;
}

/// Prints the table of docs/solvers.md. The error is the force over the stiffness, down to
/// rounding, with ten iterations and every method.
TEST(StiffPins, HoldToTheForceOverTheirStiffness) {
  for (const char* const method : {"newton", "l_bfgs", "quasi_newton", "chebyshev", "gauss_seidel",
                                   "jacobi", "vertex_block_descent", "xpbd"}) {
    for (const bool moves : {false, true}) {
      std::printf("%s%s:", method, moves ? ", moving" : "");
      double before = 0;
      for (const double stiffness : {1e6, 1e9, 1e12, 1e15}) {
        const double error = largest_error(heavy_block(stiffness, method, moves), 15);
        std::printf(" %.1e", error);
        if (stiffness > 1e9) {
          EXPECT_LT(error, 2e-3 * before + 1e-14) << method;
          EXPECT_GT(error, 0.5e-3 * before - 1e-14) << method;
        }
        before = error;
      }
      std::printf("\n");
      EXPECT_LT(before, 1e-9) << method;
    }
  }
}

/// A pin that starts at full speed puts energy into the block, the same for every stiffness.
TEST(StiffPins, DoTheSameWork) {
  double expected = 0;
  for (const double stiffness : {1e10, 1e12, 1e15}) {
    Scene scene = heavy_block(stiffness, "newton", true);
    scene.solver.iterations = 30;
    scene.solver.tolerance = 1e-9;
    Simulation simulation(scene);
    test::run(simulation, 15);
    const Energies e = simulation.energies();
    const double total = e.kinetic + e.elastic + e.gravity + e.pins;
    if (expected == 0) expected = total;
    EXPECT_NEAR(total, expected, 1e-3 * e.kinetic) << stiffness;
    EXPECT_LT(e.pins, 1e-2 * e.elastic);
  }
}

struct Chain {
  double strain = 0;   ///< largest of any segment
  int iterations = 0;  ///< most in any frame
};

/// 40 segments, 2 m and 2 kg in total, swing down for a second from level.
Chain swing(double stiffness, int iterations) {
  Scene scene;
  const SpringMesh mesh = generate(StrandGenerator{.end = {2, 0, 0}, .segments = 40});
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, SpringSettings{.stiffness = stiffness});
  body.density = 1;
  Pin pin;
  pin.vertices = {0};
  pin.stiffness = 1e12;
  body.pins = {pin};
  scene.bodies = {body};
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = iterations;
  Simulation simulation(scene);
  Chain chain;
  for (int frame = 0; frame < 30; ++frame) {
    chain.iterations = std::max(chain.iterations, simulation.step().iterations);
    const std::vector<Vec3> x = test::positions_of(simulation);
    for (std::size_t s = 0; s + 1 < x.size(); ++s) {
      const double length =
          std::hypot(x[s + 1][0] - x[s][0], x[s + 1][1] - x[s][1], x[s + 1][2] - x[s][2]);
      chain.strain = std::max(chain.strain, std::abs(length / 0.05 - 1));
    }
  }
  return chain;
}

/// Prints the other table of docs/solvers.md.
TEST(StiffSprings, KeepTheirLengthsToTheForceOverTheirStiffness) {
  for (const int iterations : {10, 100}) {
    double before = 0;
    for (const double stiffness : {1e4, 1e5, 1e6, 1e7, 1e8}) {
      const Chain chain = swing(stiffness, iterations);
      std::printf("%d iterations, %.0e N/m: strain %.1e, %d used\n", iterations, stiffness,
                  chain.strain, chain.iterations);
      if (iterations == 100 && stiffness > 1e4) {
        EXPECT_NEAR(chain.strain, 0.1 * before, 0.01 * before);
        EXPECT_LT(chain.iterations, 100);
      }
      before = chain.strain;
    }
  }
}

}  // namespace
}  // namespace supple
