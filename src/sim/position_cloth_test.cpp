#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/simulation.h"

/// Cloth as a continuum with xpbd.
namespace supple {
namespace {

using test::folded_membrane;
using test::hanging_membrane;
using test::positions_of;

Scene with_xpbd(Scene scene, int substeps, int iterations) {
  scene.time.substeps = substeps;
  scene.solver = {};
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = iterations;
  return scene;
}

SimulationState shaken_state(const Scene& scene, double distance) {
  SimulationState state = Simulation(scene, {.threads = 1}).state();
  std::mt19937 random(5);
  for (double& x : state.positions) {
    x += distance * (2.0 * static_cast<double>(random()) / 4294967296.0 - 1);
  }
  return state;
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest =
        std::max(largest, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]));
  }
  return largest;
}

std::vector<Vec3> vertices_of(const std::vector<double>& positions) {
  std::vector<Vec3> x(positions.size() / 3);
  for (std::size_t i = 0; i < positions.size(); ++i) x[i / 3][i % 3] = positions[i];
  return x;
}

/// Every material that a membrane takes, with both kinds of bending.
std::vector<Scene> sheets() {
  std::vector<Scene> scenes;
  std::vector<Description> materials = list_materials();
  for (const Description& further : list_membrane_materials()) materials.push_back(further);
  for (const Description& material : materials) {
    if (material.name == "volume") continue;
    for (const bool is_folded : {false, true}) {
      Scene scene = is_folded ? folded_membrane(material.name) : hanging_membrane(material.name);
      scene.name = material.name + (is_folded ? ", dihedral" : ", quadratic");
      scenes.push_back(scene);
    }
  }
  return scenes;
}

TEST(PositionCloth, AConvergedStepIsThatOfNewtonsMethod) {
  for (Scene scene : sheets()) {
    SCOPED_TRACE(scene.name);
    scene.solver.method = SolverMethod::newton;
    const SimulationState state = shaken_state(scene, 0.01);
    const ConvergedStep exact = solve_converged(scene, state, 1);
    ASSERT_TRUE(exact.converged);
    Scene own = with_xpbd(scene, 1, 20000);
    own.solver.tolerance = 1e-9;
    Simulation simulation(own, {.threads = 1});
    simulation.set_state(state);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::converged);
    // For 1 m; the tolerance of both.
    EXPECT_LT(largest_distance(positions_of(simulation), vertices_of(exact.positions)), 1e-8);
  }
}

/// Largest distance of the finally hanging cloth from the exact equilibrium, m.
double settled_error(const Scene& scene, const std::vector<Vec3>& exact) {
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 400);
  return largest_distance(positions_of(simulation), exact);
}

TEST(PositionCloth, WhatItHangsLikeNearsTheEquilibriumWithTheSquareOfTheSubstep) {
  for (const char* model : {"neo_hookean", "orthotropic_stvk"}) {
    for (const bool is_folded : {false, true}) {
      SCOPED_TRACE(model);
      Scene scene = is_folded ? folded_membrane(model) : hanging_membrane(model);
      scene.damping.drag = 5;
      Scene still = scene;
      still.damping.drag = 0;
      still.time.integrator = TimeIntegrator::quasi_static;
      still.solver.method = SolverMethod::newton;
      still.solver.iterations = 400;
      still.solver.tolerance = 1e-10;
      // It starts where the moving cloth ends, because there may be several equilibria.
      Simulation moving(with_xpbd(scene, 80, 1), {.threads = 1});
      test::run(moving, 400);
      Simulation exact(still, {.threads = 1});
      exact.set_state(moving.state());
      exact.step();
      const std::vector<Vec3> x = positions_of(exact);
      std::vector<double> error;
      for (const int substeps : {10, 20, 40}) {
        error.push_back(settled_error(with_xpbd(scene, substeps, 1), x));
      }
      EXPECT_LT(error[2], 2e-3);  // of 1 m
      for (std::size_t i = 1; i < error.size(); ++i) EXPECT_NEAR(error[i - 1] / error[i], 4, 1);
    }
  }
}

std::vector<double> masses_of(const Body& body) {
  std::vector<double> mass(body.mesh.vertices.size(), 0.0);
  for (const auto& t : body.triangles) {
    Vec3 u{}, v{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& origin = body.mesh.vertices[static_cast<std::size_t>(t[0])];
      u[k] = body.mesh.vertices[static_cast<std::size_t>(t[1])][k] - origin[k];
      v[k] = body.mesh.vertices[static_cast<std::size_t>(t[2])][k] - origin[k];
    }
    const double area = 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                         u[0] * v[1] - u[1] * v[0]);
    for (const int vertex : t) mass[static_cast<std::size_t>(vertex)] += body.density * area / 3;
  }
  return mass;
}

TEST(PositionCloth, AFreeClothKeepsItsMomentum) {
  for (Scene scene : sheets()) {
    SCOPED_TRACE(scene.name);
    scene.bodies[0].pins.clear();
    scene.gravity = {0, 0, 0};
    Scene own = with_xpbd(scene, 2, 2);
    Simulation simulation(own, {.threads = 1});
    SimulationState state = shaken_state(scene, 0.02);
    simulation.set_state(state);
    test::run(simulation, 5);
    state = simulation.state();
    const std::vector<double> mass = masses_of(scene.bodies[0]);
    double sum[3] = {0, 0, 0}, size = 0;
    for (std::size_t i = 0; i < state.velocities.size(); ++i) {
      sum[i % 3] += mass[i / 3] * state.velocities[i];
      size += mass[i / 3] * std::abs(state.velocities[i]);
    }
    ASSERT_GT(size, 1e-4);
    for (const double own_sum : sum) EXPECT_LT(std::abs(own_sum), 1e-12 * size);
  }
}

/// A flat cloth of uneven triangles, a third of them slivers, turned and far from the origin.
Body poor_sheet(unsigned seed) {
  Body body = test::sheet({.u = {0.6, 0, 0}, .v = {0, 0.48, 0.64}, .cells = {12, 9}});
  std::mt19937 random(seed);
  const auto uniform = [&] { return 2.0 * static_cast<double>(random()) / 4294967296.0 - 1; };
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(2e5, 0.3);
  const Vec3 far{uniform(), 3 * uniform(), uniform()};
  for (Vec3& x : body.mesh.vertices) {
    const double along = 0.012 * uniform(), across = 0.02 * uniform();
    x = {(seed % 3 == 0 ? 0.03 : 1.0) * (x[0] + along) + far[0], x[1] + 0.6 * across + far[1],
         x[2] + 0.8 * across + far[2]};
  }
  return body;
}

TEST(PositionCloth, AtRestItStaysAtRestToTheLastBit) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const BendingModel bending : {BendingModel::quadratic, BendingModel::dihedral}) {
      for (const char* precision : {"double", "float"}) {
        for (const char* multipliers : {"zero", "kept"}) {
          Scene scene;
          scene.gravity = {0, 0, 0};
          scene.bodies = {poor_sheet(seed)};
          scene.bodies[0].membrane->bending_model = bending;
          scene.bodies[0].material.model = seed % 2 == 0 ? "neo_hookean" : "stable_neo_hookean";
          scene = with_xpbd(scene, 4, 3);
          scene.solver.precision = from_string<XpbdPrecision>(precision);
          scene.solver.multipliers = from_string<XpbdMultipliers>(multipliers);
          Simulation simulation(scene, {.threads = 1});
          const SimulationState before = simulation.state();
          test::run(simulation, 3);
          EXPECT_TRUE(simulation.state().positions == before.positions) << seed << precision;
        }
      }
    }
  }
}

TEST(PositionCloth, RestIsStable) {
  for (const unsigned seed : {1U, 2U, 3U, 6U}) {
    for (const BendingModel bending : {BendingModel::quadratic, BendingModel::dihedral}) {
      for (const int iterations : {-1, 1, 5}) {  // -1: one, and multipliers are kept
        Scene scene;
        scene.gravity = {0, 0, 0};
        scene.bodies = {poor_sheet(seed)};
        scene.bodies[0].membrane->bending_model = bending;
        scene = with_xpbd(scene, 5, std::abs(iterations));
        if (iterations < 0) scene.solver.multipliers = XpbdMultipliers::kept;
        const SimulationState rest = Simulation(scene, {.threads = 1}).state();
        Simulation simulation(scene, {.threads = 1});
        simulation.set_state(shaken_state(scene, 1e-6));
        test::run(simulation, 60);
        EXPECT_LT(largest_distance(positions_of(simulation), vertices_of(rest.positions)), 1e-4)
            << seed;
      }
    }
  }
}

TEST(PositionCloth, TheNumberOfThreadsChangesNoBit) {
  for (const BendingModel bending : {BendingModel::quadratic, BendingModel::dihedral}) {
    Scene scene = hanging_membrane("neo_hookean");
    const SpringMesh mesh = generate(ClothGenerator{.cells = {40, 40}});
    scene.bodies[0].mesh.vertices = mesh.vertices;
    scene.bodies[0].triangles = mesh.triangles;
    scene.bodies[0].pins[0].vertices = {0, 40};
    scene.bodies[0].membrane->bending_model = bending;
    scene = with_xpbd(scene, 3, 2);
    const auto result = [&](int threads) {
      Simulation simulation(scene, {.threads = threads});
      test::run(simulation, 3);
      return simulation.state().positions;
    };
    const std::vector<double> one = result(1);
    EXPECT_EQ(one, result(2));
    EXPECT_EQ(one, result(3));
  }
}

TEST(PositionCloth, OtherWaysOfXpbdReachTheSameStep) {
  for (const bool is_folded : {false, true}) {
    const Scene scene = is_folded ? folded_membrane("corotated") : hanging_membrane("corotated");
    const auto after = [&](const auto& change) {
      Scene own = with_xpbd(scene, 4, 200);
      change(own.solver);
      Simulation simulation(own, {.threads = 1});
      test::run(simulation, 3);
      return positions_of(simulation);
    };
    const std::vector<Vec3> plain = after([](SolverSettings&) {});
    const std::vector<Vec3> kept =
        after([](SolverSettings& s) { s.multipliers = XpbdMultipliers::kept; });
    const std::vector<Vec3> floats =
        after([](SolverSettings& s) { s.precision = XpbdPrecision::float32; });
    EXPECT_LT(largest_distance(plain, kept), 1e-7);
    EXPECT_LT(largest_distance(plain, floats), 2e-4);  // rounding in floats, over h
  }
}

double elastic_at_rest(Scene scene) {
  scene.bodies[0].initial = AtRest{};
  return Simulation(scene, {.threads = 1}).energies().elastic;
}

TEST(PositionCloth, CrumpledCollapsedAndTurnedInsideOutItRecovers) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    for (const Scene& sheet : sheets()) {
      SCOPED_TRACE(sheet.name);
      Scene scene = sheet;
      scene.gravity = {0, 0, 0};
      scene.bodies[0].pins.clear();
      scene.damping.drag = 2;
      if (seed % 2 == 0) {
        scene.bodies[0].initial = Randomize{{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, seed};
      } else {
        scene.bodies[0].initial = Flatten{static_cast<int>(seed / 2) % 3};
      }
      scene = with_xpbd(scene, 4, 5);
      Simulation simulation(scene, {.threads = 1});
      const double rest = elastic_at_rest(scene);
      // A line has no side towards which it could open.
      simulation.set_state(shaken_state(scene, 1e-3));
      const double before = simulation.energies().elastic - rest;
      for (int frame = 0; frame < 120; ++frame) {
        ASSERT_NE(simulation.step().status, StepStatus::non_finite);
      }
      const Energies after = simulation.energies();
      EXPECT_LT(after.elastic - rest + after.kinetic, 0.1 * before + 1e-6) << seed;
    }
  }
}

}  // namespace
}  // namespace supple
