#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "materials/test_own_energies.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// Bodies with an energy that the program itself defines.
namespace supple {
namespace {

using testing::Artery;
using testing::Gent;
using testing::OwnNeoHookean;
using testing::OwnNeoHookeanWithBoth;
using testing::OwnNeoHookeanWithStress;

constexpr double mu = 3e4, lambda = 1e5;

/// A bar that is twisted and falls, with everything that an element can have besides its material.
Scene bar(const MaterialSettings& material, const std::string& method) {
  Scene scene = test::twisting_bar({6, 2, 2}, "neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = 8;
  scene.bodies[0].material = material;
  scene.bodies[0].fibers = {FiberSettings{.direction = {1, 0.5, 0}, .kappa = 2e4}};
  scene.bodies[0].damping = BodyDamping{.stiffness = 0.002};
  return scene;
}

MaterialSettings built_in() {
  MaterialSettings material;
  material.model = "neo_hookean";
  material.mu = mu;
  material.lambda = lambda;
  return material;
}

double largest_difference(const Simulation& a, const Simulation& b) {
  const std::vector<Vec3> x = test::positions_of(a), y = test::positions_of(b);
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) most = std::max(most, std::abs(x[i][k] - y[i][k]));
  }
  return most;
}

TEST(OwnMaterials, EveryMethodGoesTheWayOfTheSameBuiltInMaterial) {
  for (const Description& solver : list_solvers()) {
    if (!test::runs(solver.name, "neo_hookean") || solver.name == "pbd") continue;
    SCOPED_TRACE(solver.name);
    Simulation expected(bar(built_in(), solver.name));
    Simulation found(bar(own_material(OwnNeoHookean{mu, lambda}), solver.name));
    Simulation with_stress(bar(own_material(OwnNeoHookeanWithBoth{{{mu, lambda}}}), solver.name));
    double moved = 0;
    for (int frame = 0; frame < 6; ++frame) {
      const std::vector<Vec3> before = test::positions_of(expected);
      for (Simulation* simulation : {&expected, &found, &with_stress}) {
        ASSERT_NE(simulation->step().status, StepStatus::failed);
      }
      moved = std::max(moved, std::abs(before.back()[1] - test::positions_of(expected).back()[1]));
      // Rounding, which the methods amplify by the condition of their matrices: 1e-16 of a metre
      // times about 1e3 a frame.
      ASSERT_LT(largest_difference(expected, found), 1e-9) << frame;
      ASSERT_LT(largest_difference(expected, with_stress), 1e-9) << frame;
    }
    EXPECT_GT(moved, 1e-3);
    const Energies e = expected.energies(), f = found.energies();
    EXPECT_NEAR(e.elastic, f.elastic, 1e-8 * (1 + e.elastic));
    const ElementMeasures a = expected.measure(expected.state().positions),
                          b = found.measure(found.state().positions);
    for (std::size_t t = 0; t < a.von_mises.size(); ++t) {
      ASSERT_NEAR(a.von_mises[t], b.von_mises[t], 1e-6 * mu);
    }
  }
}

TEST(OwnMaterials, NewtonsHessianMayBeMendedInEveryWay) {
  for (const char* const definiteness : {"clamp", "absolute", "none", "tikhonov"}) {
    SCOPED_TRACE(definiteness);
    Scene scene = bar(built_in(), "newton"), own = scene;
    scene.bodies[0].initial = own.bodies[0].initial = Stretch{.factors = {0.6, 1.1, 0.7}};
    own.bodies[0].material = own_material(OwnNeoHookeanWithStress{{mu, lambda}});
    scene.solver.definiteness = own.solver.definiteness = from_string<Definiteness>(definiteness);
    Simulation expected(scene), found(own);
    for (int frame = 0; frame < 4; ++frame) {
      expected.step();
      found.step();
      ASSERT_LT(largest_difference(expected, found), 1e-9) << frame;
    }
  }
}

TEST(OwnMaterials, BitsAreThoseOfAnyNumberOfThreads) {
  for (const char* const method : {"l_bfgs", "newton", "vertex_block_descent", "jacobi"}) {
    Scene scene = bar(own_material(Artery{mu, lambda, 8e4, 1.5}), method);
    scene.bodies[0].layers.push_back(own_material(Gent{mu, 50, lambda}));
    test::expect_same_bits_however_run(scene, 3, 3);
  }
}

TEST(OwnMaterials, DirectionsOfTheEnergyStayThoseOfTheBody) {
  // A cube pulled along x; fibers along x take the load, fibers along y do not.
  const auto length = [](const Vec3& fiber) {
    Artery artery{mu, lambda, 5e5, 1};
    artery.fibers[0] = artery.fibers[1] = fiber;
    Scene scene = test::free_block("neo_hookean");
    scene.time.integrator = TimeIntegrator::quasi_static;
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 100;
    Body& body = scene.bodies[0];
    body.material = own_material(artery);
    body.pins.push_back({.box = {{-1, -1, -1}, {-0.249, 1, 1}}, .stiffness = 1e7});
    body.pins.push_back({.box = {{0.249, -1, -1}, {1, 1, 1}}, .stiffness = 2e3});
    body.pins[1].motion.keyframes = {{.time = 0, .translate = {0.2, 0, 0}}};
    Simulation simulation(scene);
    simulation.step();
    double longest = 0;
    for (const Vec3& x : test::positions_of(simulation)) longest = std::max(longest, x[0]);
    return longest + 0.25;
  };
  const double along = length({1, 0, 0}), across = length({0, 1, 0});
  EXPECT_LT(along - 0.5, 0.5 * (across - 0.5)) << along << " " << across;
}

TEST(OwnMaterials, AnIsotropicOneFlowsAndAnotherIsRefused) {
  Scene scene = bar(built_in(), "l_bfgs");
  scene.bodies[0].fibers.clear();
  scene.bodies[0].material.plasticity = PlasticitySettings{.yield = 0.02};
  Scene own = scene;
  own.bodies[0].material = own_material(OwnNeoHookean{mu, lambda});
  own.bodies[0].material.plasticity = PlasticitySettings{.yield = 0.02};
  Simulation expected(scene), found(own);
  test::run(expected, 5);
  test::run(found, 5);
  EXPECT_LT(largest_difference(expected, found), 1e-9);
  EXPECT_NE(expected.state().plastic, SimulationState{}.plastic);
  own.bodies[0].material = own_material(Artery{mu, lambda, 8e4, 1.5});
  own.bodies[0].material.plasticity = PlasticitySettings{};
  EXPECT_EQ(test::place_of([&] { Simulation refused(own); }), "/bodies/0/material");
}

TEST(OwnMaterials, MethodsThatHaveNoFormOfItRefuseIt) {
  for (const char* const method : {"xpbd", "step_and_project", "projective_dynamics"}) {
    Scene scene = test::free_block("arap");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.bodies[0].material = own_material(Gent{});
    try {
      Simulation simulation(scene);
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("own"), std::string::npos) << error.what();
    }
  }
  Scene sheet;
  sheet.bodies.push_back(test::sheet(ClothGenerator{}));
  sheet.bodies[0].material = own_material(Gent{});
  EXPECT_EQ(test::place_of([&] { Simulation refused(sheet); }), "/bodies/0/material/model");
}

TEST(OwnMaterials, TheMaterialChangesWhileItRuns) {
  Simulation simulation(bar(built_in(), "l_bfgs"));
  test::run(simulation, 2);
  simulation.set_material(0, own_material(Gent{mu, 50, lambda}));
  test::run(simulation, 2);
  const std::vector<Vec3> before = test::positions_of(simulation);
  EXPECT_EQ(test::place_of([&] { simulation.set_material(0, {.model = "own"}); }),
            "/bodies/0/material");
  test::run(simulation, 2);
  simulation.set_material(0, built_in());
  test::run(simulation, 2);
}

/// A Gent body that is pulled so hard that a whole step would go beyond the end of its chains.
TEST(OwnMaterials, StepsAreShortenedWhereTheEnergyEnds) {
  for (const char* const method : {"l_bfgs", "newton", "gauss_seidel", "vertex_block_descent"}) {
    SCOPED_TRACE(method);
    Scene scene = test::free_block("neo_hookean");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 30;
    Body& body = scene.bodies[0];
    body.material = own_material(Gent{1e4, 0.8, 1e5});
    body.pins.push_back({.box = {{-1, -1, -1}, {-0.249, 1, 1}}, .stiffness = 1e7});
    body.pins.push_back({.box = {{0.249, -1, -1}, {1, 1, 1}}, .stiffness = 1e4});
    body.pins[1].motion.keyframes = {{.time = 0, .translate = {2, 0, 0}}};
    Simulation simulation(scene);
    test::run(simulation, 60);
    double longest = 0;
    for (const Vec3& x : test::positions_of(simulation)) longest = std::max(longest, x[0]);
    EXPECT_GT(longest, 0.4);
    // Chains end at I1 - 3 - 2 log J = 0.8: a stretch of some 1.7.
    EXPECT_LT(longest, 0.75);
    EXPECT_TRUE(std::isfinite(simulation.energies().elastic));
  }
}

TEST(OwnMaterials, AnEnergyThatThrowsFailsTheStep) {
  const auto calls_left = std::make_shared<std::atomic<int>>(std::numeric_limits<int>::max());
  OwnFunctions functions;
  functions.energy_density = [calls_left](const Mat3<double>& F) {
    if (calls_left->fetch_sub(1) == 0) throw std::runtime_error("no such deformation");
    const double J = determinant(F);
    return 0.5 * mu * (squared_norm(F) - 3) - mu * (J - 1) + 0.5 * lambda * (J - 1) * (J - 1);
  };
  functions.stress = [](const Mat3<double>& F) {
    return mu * F + (lambda * (determinant(F) - 1) - mu) * cofactor(F);
  };
  for (const char* const method : {"l_bfgs", "newton", "vertex_block_descent"}) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(threads));
      Simulation simulation(bar(own_material(functions), method), {.threads = threads});
      test::run(simulation, 2);
      const SimulationState before = simulation.state();
      *calls_left = 1000;
      EXPECT_EQ(simulation.step().status, StepStatus::failed);
      *calls_left = std::numeric_limits<int>::max();
      EXPECT_EQ(simulation.state().positions, before.positions);
      EXPECT_THROW(simulation.check_step(), std::runtime_error);
      test::run(simulation, 2);
    }
  }
}

TEST(OwnMaterials, ABodyThatIsInsideOutUnfolds) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].material = own_material(OwnNeoHookean{mu, lambda});
  scene.bodies[0].initial = Randomize{.box = {{-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}}, .seed = 4};
  scene.damping.drag = 2;
  scene.solver.iterations = 20;
  Simulation simulation(scene);
  test::run(simulation, 150);
  EXPECT_LT(test::distance_to_rest(simulation, scene.bodies[0].mesh.vertices), 1e-3);
}

}  // namespace
}  // namespace supple
