#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"

/// Bodies on colliders: their energy, depth and rest, for every material.
namespace supple {
namespace {

MaterialSettings material(const std::string& model, double young, double poisson) {
  const auto [mu, lambda] = lame_parameters(young, poisson);
  MaterialSettings settings{.model = model, .mu = mu, .lambda = lambda};
  return settings;
}

/// A ball of radius 0.5 m above the ground, turned so that no symmetry helps.
Scene falling_ball(int cells, double height) {
  Scene scene;
  Body ball{.mesh =
                generate(SphereGenerator{.radius = 0.5, .cells = cells, .center = {0, height, 0}})};
  for (Vec3& x : ball.mesh.vertices) {
    const double y = x[1] - height, z = x[2];
    x[1] = height + std::cos(0.5) * y - std::sin(0.5) * z;
    x[2] = std::sin(0.5) * y + std::cos(0.5) * z;
  }
  ball.material = material("stable_neo_hookean", 1e5, 0.4);
  scene.bodies.push_back(std::move(ball));
  scene.colliders.push_back({"ground", PlaneShape{}, {}});
  return scene;
}

double mechanical(Simulation& simulation, const StepReport& report) {
  const Energies e = simulation.energies();
  return e.kinetic + e.elastic + e.pins + e.gravity + report.contact_energy;
}

double fastest(const Simulation& simulation) {
  double largest = 0;
  for (const double v : simulation.state().velocities) largest = std::max(largest, std::abs(v));
  return largest;
}

/// All 2,601 vertices of a sheet come to touch in one step, more than a dense system has room for.
/// Without room for all of them the sheet would sink in by a third more.
TEST(Contact, ASheetThatFallsFlatIsSolvedInTenIterations) {
  const auto depth_of_impact = [](SolverMethod method) {
    const SpringMesh cloth = generate(
        ClothGenerator{.center = {0, 0.05, 0}, .u = {1, 0, 0}, .v = {0, 0, -1}, .cells = {50, 50}});
    Body sheet;
    sheet.mesh.vertices = cloth.vertices;
    sheet.triangles = cloth.triangles;
    sheet.springs = make_springs(cloth, {50, 50, 5});
    sheet.density = 0.2;
    Scene scene;
    scene.bodies = {sheet};
    scene.colliders = {{"floor", PlaneShape{}, {}}};
    scene.time.step = 1.0 / 60;
    scene.solver.method = method;
    Simulation simulation(scene);
    StepReport report;
    for (int frame = 0; frame < 20 && report.contacts == 0; ++frame) report = simulation.step();
    EXPECT_EQ(report.contacts, 2601);
    return report.deepest_penetration;
  };
  const double converged = depth_of_impact(SolverMethod::newton);
  EXPECT_NEAR(depth_of_impact(SolverMethod::l_bfgs), converged, 0.01 * converged);
}

/// All 2,401 vertices below a soft slab come to lie on a hill, more than have columns in the
/// compliance. With only some of them in the matrix it ends 4 mm off.
TEST(Contact, ASlabThatLiesOnAHillIsSolvedInTenIterations) {
  const auto lie = [](SolverMethod method, int threads) {
    Scene scene;
    scene.bodies = {{.mesh = generate(BoxGenerator{
                         .size = {6, 0.2, 6}, .cells = {48, 1, 48}, .center = {0, 0.11, 0}})}};
    scene.bodies[0].material = material("stable_neo_hookean", 3e4, 0.4);
    scene.colliders = {{"hill", SphereShape{.center = {0, -30, 0}, .radius = 30}, {}}};
    scene.time.step = 1.0 / 60;
    scene.solver.method = method;
    Simulation simulation(scene, {.threads = threads});
    StepReport report;
    for (int frame = 0; frame < 20; ++frame) report = simulation.step();
    EXPECT_GE(report.contacts, 2300);
    return simulation.state().positions;
  };
  const std::vector<double> found = lie(SolverMethod::l_bfgs, 1);
  EXPECT_EQ(found, lie(SolverMethod::l_bfgs, 3));
  const std::vector<double> converged = lie(SolverMethod::newton, 2);
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - converged[i]));
  EXPECT_LT(largest, 1e-4);  // m, of 6 m
}

TEST(Contact, ABallThatFallsGainsNoEnergyAndComesToRest) {
  for (const char* method : {"l_bfgs", "quasi_newton", "newton", "vertex_block_descent",
                             "gauss_seidel", "jacobi", "gradient_descent", "chebyshev"}) {
    for (const int iterations : {5, 10, 40}) {
      if (iterations != 10 && std::string(method) != "l_bfgs") continue;
      SCOPED_TRACE(std::string(method) + " x " + std::to_string(iterations));
      Scene scene = falling_ball(6, 1.7);
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = iterations;
      scene.damping.drag = 0.5;
      Simulation simulation(scene, {.threads = 1});
      StepReport report;
      const double before = mechanical(simulation, report);
      const double fall = 1.2 * 9.81 * 0.5 * 1000;  // J, at most: 500 kg by 1.2 m
      double highest = before, deepest = 0;
      for (int frame = 0; frame < 150; ++frame) {
        report = simulation.step();
        ASSERT_NE(report.status, StepStatus::non_finite) << "frame " << frame;
        highest = std::max(highest, mechanical(simulation, report));
        deepest = std::max(deepest, report.deepest_penetration);
      }
      EXPECT_LT(highest - before, 0.01 * fall);
      const bool converges = scene.solver.method == SolverMethod::l_bfgs ||
                             scene.solver.method == SolverMethod::newton;
      EXPECT_LT(deepest, converges ? 0.01 : 0.03);
      if (!converges) continue;
      EXPECT_EQ(report.inverted_tets, 0);
      EXPECT_LT(fastest(simulation), 0.05);
    }
  }
}

/// "No accepted iterate raises g" while contacts come and go.
TEST(Contact, NoIterateOfADescentRaisesTheObjective) {
  Scene scene = falling_ball(6, 0.9);
  scene.contact.friction = 0.4;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 9);  // just before it touches
  int checked = 0;
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    if (is_position_based(method)) continue;
    SCOPED_TRACE(method);
    Scene own = scene;
    own.solver.method = method;
    own.solver.iterations = 25;
    own.bodies[0].material = test::soft_material(test::material_of(to_string(method)));
    for (int frames = 0; frames < 3; ++frames) {
      const SimulationState state = simulation.state();
      const ConvergedStep reference = solve_converged(own, state, 1);
      const ConvergenceCurve curve = record_descent(own, state, reference, 1);
      for (std::size_t k = 1; k < curve.points.size(); ++k) {
        const double last = curve.points[k - 1].objective;
        // Rounding errors of g and its terms.
        EXPECT_LE(curve.points[k].objective, last + 1e-13 * (std::abs(last) + curve.energy_scale));
        ++checked;
      }
      test::run(simulation, 1);
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(Contact, AFastBodyDoesNotPassAThinWall) {
  for (const double speed : {5.0, 50.0, 200.0}) {
    for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
      SCOPED_TRACE(std::string(method) + " at " + std::to_string(speed) + " m/s");
      Scene scene = test::free_block("stable_neo_hookean");
      scene.solver.method = from_string<SolverMethod>(method);
      scene.bodies[0].velocity = {speed, 0, 0};
      scene.colliders.push_back({"wall", BoxShape{{2, 0, 0}, {0.1, 8, 8}, {0, 1, 0}, 0}, {}});
      Simulation simulation(scene, {.threads = 1});
      bool touched = false;
      int tunnelled = 0;
      double farthest = 0;
      for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = simulation.step();
        touched = touched || report.contacts > 0;
        tunnelled += report.tunnelled;
        for (const Vec3& x : test::positions_of(simulation)) farthest = std::max(farthest, x[0]);
      }
      EXPECT_TRUE(touched);
      EXPECT_EQ(tunnelled, 0);
      EXPECT_LT(farthest, 2);
    }
  }
}

TEST(Contact, WhatStartsDeepInsideComesOutSlowly) {
  Scene scene = falling_ball(4, -1);
  Simulation simulation(scene, {.threads = 1});
  double speed = 0, lowest = 0;
  for (int frame = 0; frame < 90; ++frame) {
    simulation.step();
    speed = std::max(speed, fastest(simulation));
  }
  for (const Vec3& x : test::positions_of(simulation)) lowest = std::min(lowest, x[1]);
  // It moves by its diagonal of 1.7 m twice a second, and elastic waves add to that.
  EXPECT_LT(speed, 2 * 2 * 1.73);
  EXPECT_GT(lowest, -0.01);
}

/// Contact stiffness is chosen automatically, so that nobody has to choose it.
TEST(Contact, BodiesOfAnySizeMassAndStiffnessRestOnTheSurface) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    for (const double density : {100.0, 10000.0}) {
      for (const double stiffness : {30.0, 3000.0}) {  // in weights per area
        SCOPED_TRACE(testing::Message() << size << " m, " << density << " kg/m^3, " << stiffness);
        Scene scene = test::free_block("neo_hookean");
        for (Vec3& x : scene.bodies[0].mesh.vertices) {
          x = {2 * size * x[0], 2 * size * (x[1] + 0.26), 2 * size * x[2]};
        }
        scene.bodies[0].density = density;
        scene.bodies[0].material = material("neo_hookean", stiffness * density * 9.81 * size, 0.4);
        scene.gravity = {0, -9.81, 0};
        scene.damping.drag = 1;
        scene.colliders.push_back({"ground", PlaneShape{}, {}});
        Simulation simulation(scene, {.threads = 1});
        StepReport report;
        for (int frame = 0; frame < 150 * std::max(1.0, std::sqrt(size) / 3); ++frame) {
          report = simulation.step();
        }
        EXPECT_GT(report.contacts, 0);
        EXPECT_LT(report.deepest_penetration, 1e-3 * size);
        EXPECT_LT(fastest(simulation), 0.02 * std::sqrt(9.81 * size));
        EXPECT_EQ(report.inverted_tets, 0);
      }
    }
  }
}

TEST(Contact, NoIntegratorGainsEnergyOnASphere) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = falling_ball(4, 1.6);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.colliders = {{"sphere", SphereShape{{0.1, 0, 0}, 1}, {}}};
    Simulation simulation(scene, {.threads = 1});
    StepReport report;
    const double before = mechanical(simulation, report);
    double highest = before;
    for (int frame = 0; frame < 60; ++frame) {
      report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite);
      highest = std::max(highest, mechanical(simulation, report));
    }
    // The energy of the fall to the first contact and beyond is some 5 kJ.
    EXPECT_LT(highest - before, 0.05 * 5000);
  }
}

/// The energy that such a step gains lies in the elements, and no velocity can pay for it.
TEST(Contact, AStepThatWouldGainEnergyInAnImpactIsTakenByBackwardEuler) {
  for (const char* integrator : {"implicit_midpoint", "newmark", "bdf2"}) {
    SCOPED_TRACE(integrator);
    Scene scene = test::free_block("corotated");
    for (Vec3& x : scene.bodies[0].mesh.vertices) {
      x = {2 * x[0], 2 * std::cos(0.35) * x[1] - 2 * std::sin(0.35) * x[2],
           2 * std::sin(0.35) * x[1] + 2 * std::cos(0.35) * x[2]};
      x[1] += 1.2;
    }
    scene.bodies[0].material = material("corotated", 3e5, 0.49);
    scene.bodies[0].velocity = Vec3{0, -14, 0};
    scene.gravity = {0, -9.81, 0};
    scene.colliders.push_back({"ground", PlaneShape{}, {}});
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 1});
    StepReport report;
    const double before = mechanical(simulation, report);
    int steady = 0;
    for (int frame = 0; frame < 60; ++frame) {
      report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite);
      EXPECT_LT(mechanical(simulation, report), 1.01 * before);
      EXPECT_LE(report.steady_substeps, 1);
      steady += report.steady_substeps;
    }
    if (std::string(integrator) == "implicit_midpoint") {
      EXPECT_GT(steady, 0);
    }
    EXPECT_DOUBLE_EQ(simulation.time(), 60 * scene.time.step);
  }
}

TEST(Contact, FrictionHoldsUpToItsAngle) {
  const double mu = 0.5;  // 26.57 degrees
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    for (const double degrees : {25.5, 35.0}) {
      SCOPED_TRACE(std::string(method) + " at " + std::to_string(degrees));
      const double angle = degrees * std::acos(-1.0) / 180;
      Scene scene = test::free_block("stable_neo_hookean");
      scene.bodies[0].material = material("stable_neo_hookean", 1e6, 0.3);
      // The slope is level and gravity is tilted.
      scene.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
      scene.colliders.push_back({"slope", PlaneShape{{0, 1, 0}, -0.25}, {}});
      scene.contact.friction = mu;
      scene.time.step = 1.0 / 60;
      scene.solver.method = from_string<SolverMethod>(method);
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 20;
        scene.solver.iterations = 1;
      }
      Simulation simulation(scene, {.threads = 1});
      test::run(simulation, 60);
      std::vector<Vec3> x = test::positions_of(simulation);
      const double at_one = x[0][0];
      test::run(simulation, 60);
      x = test::positions_of(simulation);
      const double way = x[0][0] - at_one;
      const double slide = 9.81 * (std::sin(angle) - mu * std::cos(angle));
      if (slide < 0) {
        // At 96 % of its angle some corners slip until all bear their share. Ten iterations of
        // L-BFGS leave more of that.
        EXPECT_LT(std::abs(way), scene.solver.method == SolverMethod::l_bfgs ? 1e-3 : 5e-5);
      } else {
        // From rest: 3/2 a t^2 in the second second, except that the first frames have no earlier
        // normal force and the body settles.
        EXPECT_NEAR(way, 1.5 * slide, 0.1 * slide);
      }
    }
  }
}

TEST(Contact, FrictionHoldsSmallBodiesAsItHoldsLargeOnes) {
  const double degrees = 20, mu = 0.5;
  const double angle = degrees * std::acos(-1.0) / 180;
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    for (const double size : {1e-3, 1e-2, 0.5}) {
      SCOPED_TRACE(std::string(method) + ", " + std::to_string(size) + " m");
      Scene scene = test::free_block("stable_neo_hookean");
      double low = 0, high = 0;
      for (Vec3& x : scene.bodies[0].mesh.vertices) {
        for (double& c : x) c *= 2 * size;
        low = std::min(low, x[1]);
        high = std::max(high, x[1]);
      }
      ASSERT_NEAR(high - low, size, 1e-9 * size);
      scene.bodies[0].material = material("stable_neo_hookean", 2e6 * size, 0.3);
      scene.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
      scene.colliders.push_back({"slope", PlaneShape{{0, 1, 0}, low}, {}});
      scene.contact.friction = mu;
      // In each step a body falls by the same share of its size.
      scene.time.step = std::sqrt(2 * size) / 60;
      scene.solver.method = from_string<SolverMethod>(method);
      if (scene.solver.method == SolverMethod::xpbd) {
        scene.time.substeps = 20;
        scene.solver.iterations = 1;
      } else {
        scene.solver.iterations = 20;
      }
      Simulation simulation(scene, {.threads = 1});
      test::run(simulation, 60);
      const double at_start = test::positions_of(simulation)[0][0];
      test::run(simulation, 60);
      const double way = test::positions_of(simulation)[0][0] - at_start;
      // In sizes per second. Newton's line search stops at rounding, at 1 mm before all corners
      // bear their share.
      const bool is_left = scene.solver.method == SolverMethod::newton && size == 1e-3;
      EXPECT_LT(std::abs(way), (is_left ? 3e-3 : 1e-6) * size * 60 * scene.time.step);
    }
  }
}

/// With contacts a hundred times stiffer than the body, the errors of ten iterations leave more
/// force than the block weighs, and friction follows that force.
TEST(Contact, AStiffBlockSlidesAsFastAsCoulombSays) {
  for (const char* model : {"neo_hookean", "corotated"}) {
    for (const double young : {5e6, 1e9}) {
      SCOPED_TRACE(std::string(model) + ", Pa: " + std::to_string(young));
      const double angle = 35 * std::acos(-1.0) / 180;
      Scene scene = test::free_block("neo_hookean");
      scene.bodies[0].material = material(model, young, 0.4);
      scene.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
      scene.colliders.push_back({"slope", PlaneShape{{0, 1, 0}, -0.25}, {}});
      scene.contact.friction = 0.5;
      scene.time.step = 1.0 / 30;
      Simulation simulation(scene, {.threads = 1});
      const auto speed = [&] {
        const std::vector<double> v = simulation.state().velocities;
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); i += 3) sum += v[i];
        return 3 * sum / static_cast<double>(v.size());
      };
      test::run(simulation, 15);
      const double before = speed();
      test::run(simulation, 30);
      const double gain = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
      EXPECT_NEAR(speed() - before, gain, 0.05 * gain);
    }
  }
}

/// In contacts that bear a stiff block, the material counts only up to a point. Stiffer contacts
/// would come and go in a descent of ten iterations, and friction with them.
TEST(Contact, AStiffBlockStopsBelowTheAngleOfFriction) {
  for (const double young : {1e7, 1e8, 1e9}) {
    SCOPED_TRACE(young);
    const double angle = 25 * std::acos(-1.0) / 180;
    Scene scene = test::free_block("neo_hookean");
    scene.bodies[0].mesh = generate(BoxGenerator{.size = {0.5, 0.5, 0.5}, .cells = {5, 5, 5}});
    scene.bodies[0].material = material("neo_hookean", young, 0.4);
    scene.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    scene.colliders.push_back({"slope", PlaneShape{{0, 1, 0}, -0.25}, {}});
    scene.contact.friction = 0.5;
    scene.time.step = 1.0 / 30;
    Simulation simulation(scene, {.threads = 1});
    // It slides freely in the first step, which has no normal force before it. Friction stops it
    // within 0.15 m/s / (0.5 g cos - g sin) = 0.5 s.
    test::run(simulation, 30);
    const std::vector<Vec3> before = test::positions_of(simulation);
    test::run(simulation, 30);
    const std::vector<Vec3> x = test::positions_of(simulation);
    EXPECT_LT(std::abs(x[0][0] - before[0][0]), 2e-3);
  }
}

/// Friction holds a resting body with springs a thousand times stiffer than its own, so the
/// direction has to know them.
TEST(Contact, ABallRestsWithFrictionAtAnEvaluationAnIteration) {
  Scene scene = test::free_block("stable_neo_hookean");
  scene.bodies[0].mesh = generate(SphereGenerator{.radius = 0.5, .cells = 12});
  scene.bodies[0].material = material("stable_neo_hookean", 5e4, 0.4);
  scene.gravity = {0, -9.81, 0};
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.52}, {}});
  scene.contact.friction = 0.5;
  scene.damping.drag = 1;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 60);
  int evaluations = 0, contacts = 0;
  for (int frame = 0; frame < 20; ++frame) {
    const StepReport report = simulation.step();
    evaluations += report.evaluations;
    contacts = report.contacts;
  }
  EXPECT_GT(contacts, 40);
  EXPECT_LT(evaluations, 20 * 12);
}

/// Soon every vertex will be in both colliders, and the contacts of a small body are all kept.
TEST(Contact, WhatFallsIntoTwoCollidersAtOnceRests) {
  Scene scene = test::free_block("stable_neo_hookean");
  scene.bodies[0].mesh = generate(BoxGenerator{.size = {0.5, 0.5, 0.5}, .cells = {2, 2, 2}});
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"ground", PlaneShape{{0, 1, 0}, -0.6}, {}},
                     {"table", BoxShape{.center = {0, -1.1, 0}, .size = {4, 1, 4}}, {}}};
  scene.damping.drag = 1;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 120);
  EXPECT_LT(fastest(simulation), 0.01);
  double lowest = 1;
  for (const Vec3& x : test::positions_of(simulation)) lowest = std::min(lowest, x[1]);
  EXPECT_NEAR(lowest, -0.6, 1e-3);
}

/// One body of two pieces: a force on one does not move the other.
TEST(Contact, PiecesOfABodyThatAreApartFallAsTwoBodies) {
  const auto piece = [](double x, double height) {
    return generate(
        BoxGenerator{.size = {0.4, 0.4, 0.4}, .cells = {4, 4, 4}, .center = {x, height, 0}});
  };
  Scene one = test::free_block("stable_neo_hookean");
  one.gravity = {0, -9.81, 0};
  one.colliders.push_back({"ground", PlaneShape{}, {}});
  one.damping.drag = 1;
  one.solver.iterations = 40;
  Scene two = one;
  two.bodies.push_back(two.bodies[0]);
  two.bodies[0].mesh = piece(0, 0.3);
  two.bodies[1].mesh = piece(1, 0.5);
  TetMesh both = piece(0, 0.3);
  const TetMesh other = piece(1, 0.5);
  const int first = static_cast<int>(both.vertices.size());
  both.vertices.insert(both.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& tet : other.tets)
    both.tets.push_back({tet[0] + first, tet[1] + first, tet[2] + first, tet[3] + first});
  one.bodies[0].mesh = both;
  Simulation together(one, {.threads = 1}), apart(two, {.threads = 1});
  test::run(together, 60);
  test::run(apart, 60);
  const std::vector<Vec3> x = test::positions_of(together), y = test::positions_of(apart);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i][1], y[i][1], 2e-3) << i;
}

/// The energy that the body gets in this way is work, so it is not taken back.
TEST(Contact, AMovingGroundDragsABodyAlong) {
  for (const char* method : {"l_bfgs", "newton", "xpbd"}) {
    SCOPED_TRACE(method);
    Scene scene = test::free_block("stable_neo_hookean");
    scene.gravity = {0, -9.81, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.contact.friction = 0.8;
    Motion belt;
    belt.velocity = Vec3{1, 0, 0};
    scene.colliders.push_back({"belt", PlaneShape{{0, 1, 0}, -0.25}, belt});
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 30);
    const double before = test::positions_of(simulation)[0][0];
    test::run(simulation, 30);
    // It has the belt's speed after 1/(0.8 g) = 0.13 s, except for the creep of friction.
    EXPECT_NEAR(test::positions_of(simulation)[0][0] - before, 1, 0.01);
  }
}

/// After an impact, contacts come and go from iteration to iteration. When pairs of such steps were
/// kept, ten iterations of the second frame left ten times the error that quasi_newton leaves.
TEST(Contact, WhatLBfgsRemembersOfContactsThatSetInDoesNotHoldItUp) {
  Scene scene = falling_ball(10, 1.7);
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 1; frame <= 17; ++frame) {
    ASSERT_NE(simulation.step().status, StepStatus::non_finite);
  }
  const std::vector<LabelledSolver> solvers{{"with pairs", {.method = SolverMethod::l_bfgs}},
                                            {"without", {.method = SolverMethod::quasi_newton}}};
  for (int frame = 18; frame <= 22; ++frame) {
    SCOPED_TRACE("frame " + std::to_string(frame));
    const Comparison comparison =
        compare_solvers(scene, simulation.state(), solvers, {.iterations = 20, .threads = 1});
    for (const std::size_t k : {10U, 20U}) {
      EXPECT_LT(comparison.curves[0].points.at(k).relative_error,
                comparison.curves[1].points.at(k).relative_error);
    }
    simulation.step();
  }
}

}  // namespace
}  // namespace supple
