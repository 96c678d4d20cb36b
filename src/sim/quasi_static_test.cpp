#include <gtest/gtest.h>

#include <cmath>

#include "model/model.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/warnings.h"

/// Equilibrium at every time.
namespace supple {
namespace {

/// A bar along x of 0.2 m^2 and 2 m, its left end held; 200 kg.
Scene held_bar(const std::string& material) {
  Scene scene = test::free_block(material);
  Body& body = scene.bodies[0];
  body.mesh = generate(BoxGenerator{.size = {2, 0.4, 0.5}, .cells = {8, 2, 2}});
  body.density = 500;
  Pin pin;
  pin.box = {{-1.01, -1, -1}, {-0.99, 1, 1}};
  pin.stiffness = 1e5;
  body.pins.push_back(pin);
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 200;
  return scene;
}

/// Sum of the forces of a body's pin on its vertices, N.
Vec3 force_of_pin(const Simulation& simulation, std::size_t pin) {
  const Scene& scene = simulation.scene();
  const Pin& settings = scene.bodies[0].pins[pin];
  const std::vector<Vec3>& rest = scene.bodies[0].mesh.vertices;
  const std::vector<Vec3> x = test::positions_of(simulation);
  const Vec3 speed = settings.motion.velocity.value_or(Vec3{});
  Vec3 force{};
  for (std::size_t i = 0; i < rest.size(); ++i) {
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      inside = inside && rest[i][k] >= settings.box.min[k] && rest[i][k] <= settings.box.max[k];
    }
    if (!inside) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      force[k] += settings.stiffness * (rest[i][k] + simulation.time() * speed[k] - x[i][k]);
    }
  }
  return force;
}

TEST(QuasiStatic, AHangingBarIsInEquilibrium) {
  for (const std::string material : {"neo_hookean", "corotated", "stvk"}) {
    Scene scene = held_bar(material);
    scene.gravity = {9.81, 0, 0};  // along the bar
    Simulation simulation(scene);
    const StepReport report = simulation.step();
    const double weight = 200 * 9.81;
    // Rounding of 1e-16 m times 1e5 N/m at each of 81 vertices, with a margin.
    EXPECT_LT(report.gradient_norm, 1e-8) << material;
    const Vec3 force = force_of_pin(simulation, 0);
    EXPECT_NEAR(force[0], -weight, 1e-6) << material;
    EXPECT_NEAR(force[1], 0, 1e-6) << material;
    // Small strains: rho g L^2/(2 E) at the end, plus the pins' weight / (9 k). Strains of up to a
    // tenth make the stress nonlinear by about as much.
    const std::vector<Vec3> x = test::positions_of(simulation);
    double end = 0;
    for (const Vec3& point : x) end = std::max(end, point[0]);
    const double sag = 500 * 9.81 * 4 / (2 * 1e5) + weight / (9 * 1e5);
    EXPECT_NEAR(end - 1, sag, 0.2 * sag) << material;
    for (const double v : simulation.state().velocities) EXPECT_EQ(v, 0);
    // It is there already.
    EXPECT_EQ(simulation.energies().kinetic, 0);
    simulation.step();
    const std::vector<Vec3> later = test::positions_of(simulation);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(later[i][0], x[i][0], 1e-12) << material;
  }
}

TEST(QuasiStatic, AStretchedBarPullsBothEndsAlike) {
  Scene scene = held_bar("neo_hookean");
  scene.gravity = {0, 0, 0};
  Pin other = scene.bodies[0].pins[0];
  other.box = {{0.99, -1, -1}, {1.01, 1, 1}};
  other.motion.velocity = Vec3{1, 0, 0};
  scene.bodies[0].pins.push_back(other);
  Simulation simulation(scene);
  double last = 0;
  for (int i = 0; i < 12; ++i) {
    const StepReport report = simulation.step();
    EXPECT_LT(report.gradient_norm, 1e-8);
    const Vec3 left = force_of_pin(simulation, 0), right = force_of_pin(simulation, 1);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(left[k], -right[k], 1e-6);
    EXPECT_GT(right[0], last) << "it should pull more the further it is stretched";
    last = right[0];
  }
  // E A times a strain of 1/30 s times 12 over 2 m, less what the pins give. The ends cannot
  // contract, which stiffens the bar, and its section shrinks, which softens it.
  EXPECT_NEAR(last, 1e5 * 0.2 * 0.2, 0.2 * 1e5 * 0.2 * 0.2);
}

TEST(QuasiStatic, DoesNotDependOnMassesWithoutGravityNorOnTheStep) {
  Scene scene = held_bar("corotated");
  scene.gravity = {0, -9.81, 0};
  scene.bodies[0].density = 5;  // so that it bends little
  Simulation one(scene);
  one.step();
  scene.time.step = 7;
  scene.time.substeps = 3;
  Simulation two(scene);
  two.step();
  const std::vector<Vec3> a = test::positions_of(one), b = test::positions_of(two);
  double sag = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sag = std::max(sag, scene.bodies[0].mesh.vertices[i][1] - a[i][1]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[i][k], b[i][k], 1e-9);
  }
  EXPECT_GT(sag, 1e-3);
}

/// A straight chain of 2 m at rest, without resistance to bending, held at `pinned`.
Scene straight_chain(const Vec3& end, const std::vector<int>& pinned, bool inextensible,
                     double stiffness = 2e4) {
  constexpr int segments = 20;
  const SpringMesh mesh = generate(StrandGenerator{.end = end, .segments = segments});
  Scene scene;
  scene.gravity = {0, -9.81, 0};
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 20;
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {.stiffness = stiffness, .inextensible = inextensible});
  body.density = 0.1;
  body.pins.push_back({});
  body.pins.back().vertices = pinned;
  scene.bodies.push_back(std::move(body));
  return scene;
}

TEST(QuasiStatic, AStraightChainThatNothingHoldsSidewaysHangsDown) {
  for (const Vec3& end : {Vec3{2, 0, 0}, Vec3{2, 0, 1}, Vec3{2, 0.5, 1}, Vec3{1, 2, 0}}) {
    for (const bool inextensible : {false, true}) {
      Simulation simulation(straight_chain(end, {0}, inextensible));
      StepReport report;
      for (int frame = 0; frame < 12; ++frame) report = simulation.step();
      EXPECT_LT(report.gradient_norm, 1e-8) << end[2] << inextensible;
      const std::vector<Vec3> x = test::positions_of(simulation);
      const double length = std::hypot(end[0], end[1], end[2]);
      for (const Vec3& point : x) EXPECT_NEAR(std::hypot(point[0], point[2]), 0, 1e-6);
      EXPECT_NEAR(x.back()[1], -length, 2e-3 * length) << end[2] << inextensible;
    }
  }
}

TEST(QuasiStatic, AStraightChainHeldAtBothEndsSags) {
  Simulation simulation(straight_chain({2, 0, 0}, {0, 20}, false));
  const StepReport report = simulation.step();
  EXPECT_LT(report.gradient_norm, 1e-8);
  // A string of tension T = k (8/3) (sag/L)^2 sags by w L^2/(8 T). w is its weight per length and k
  // its stiffness per strain.
  const std::vector<Vec3> x = test::positions_of(simulation);
  const double k = 2e4 * 0.1, w = 0.1 * 9.81;
  const double sag = 2 * std::cbrt(3 * w * 2 / (64 * k));
  EXPECT_NEAR(-x[10][1], sag, 0.02 * sag);
}

bool says_unconverged(const Scene& scene, int frames, double& lowest_end) {
  Simulation simulation(scene);
  RunWatch watch(scene);
  for (int frame = 1; frame <= frames; ++frame) {
    const StepReport report = simulation.step();
    watch.add(frame, report, simulation.energies());
  }
  lowest_end = test::positions_of(simulation).back()[1];
  bool said = false;
  for (const Warning& warning : watch.warnings()) said = said || warning.code == "unconverged";
  return said;
}

TEST(QuasiStatic, AChainThatStaysWhereItIsIsSaidNotToBeConverged) {
  for (const LinearSolver linear : {LinearSolver::direct, LinearSolver::cg}) {
    Scene scene = straight_chain({2, 0, 0}, {0}, false);
    scene.solver.definiteness = Definiteness::none;
    scene.solver.linear_solver = linear;
    double low = 0;
    const bool said = says_unconverged(scene, 20, low);
    EXPECT_EQ(said, low > -1.9) << low;
  }
}

TEST(QuasiStatic, AChainThatCreepsTooSlowlyToBeSeenIsSaidNotToBeConverged) {
  // Held in the middle: the upper half should fall.
  Scene scene = straight_chain({-0.09, 0.86, 0.5}, {10}, false, 1.15e6);
  scene.bodies[0].density = 1;
  scene.solver.method = SolverMethod::quasi_newton;
  scene.solver.iterations = 10;
  double end = 0;
  EXPECT_TRUE(says_unconverged(scene, 20, end));
  EXPECT_GT(end, 0.8);  // otherwise this test shows nothing
}

TEST(QuasiStatic, WhatHasNoEquilibriumOfItsOwnIsRefused) {
  const auto refusal = [](const auto& spoil) -> std::pair<std::string, std::string> {
    Scene scene = held_bar("corotated");
    spoil(scene);
    try {
      Simulation simulation(scene);
    } catch (const Error& error) {
      return {error.where(), error.message()};
    }
    return {"accepted", ""};
  };
  EXPECT_EQ(refusal([](Scene&) {}).first, "accepted");
  const auto without_pins = refusal([](Scene& s) { s.bodies[0].pins.clear(); });
  EXPECT_EQ(without_pins.first, "/time/integrator");
  EXPECT_NE(without_pins.second.find("body 'block'"), std::string::npos) << without_pins.second;
  const auto second_body = refusal([](Scene& s) {
    Body free = s.bodies[0];
    free.name = "free";
    free.pins.clear();
    s.bodies.push_back(free);
  });
  EXPECT_NE(second_body.second.find("body 'free'"), std::string::npos) << second_body.second;
  // Two parts in one mesh; only one is held.
  const auto second_part = refusal([](Scene& s) {
    TetMesh& mesh = s.bodies[0].mesh;
    const int first = static_cast<int>(mesh.vertices.size());
    for (const Vec3& x : {Vec3{5, 0, 0}, Vec3{6, 0, 0}, Vec3{5, 1, 0}, Vec3{5, 0, 1}}) {
      mesh.vertices.push_back(x);
    }
    mesh.tets.push_back({first, first + 1, first + 2, first + 3});
  });
  EXPECT_EQ(second_part.first, "/time/integrator");
  // Any of its vertices.
  EXPECT_TRUE(second_part.second.find("lies at (5, ") != std::string::npos ||
              second_part.second.find("lies at (6, ") != std::string::npos)
      << second_part.second;
  EXPECT_EQ(refusal([](Scene& s) { s.damping.drag = 0.5; }).first, "/damping/drag");
  EXPECT_EQ(refusal([](Scene& s) {
              s.bodies[0].velocity = {0, 1, 0};
            }).first,
            "/bodies/0/velocity");
  EXPECT_EQ(refusal([](Scene& s) { s.solver.start = DescentStart::extrapolated; }).first,
            "/solver/start");
}

}  // namespace
}  // namespace supple
