#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "base/index.h"
#include "model/model.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::positions_of;

FiberSettings along_x(double kappa, double activation = 0) {
  FiberSettings fiber;
  fiber.direction = {1, 0, 0};
  fiber.kappa = kappa;
  fiber.activation = activation;
  return fiber;
}

/// One cell, pinned by almost nothing, solved for rest.
Scene cube(const FiberSettings& fiber) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.name = "cube";
  body.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {1, 1, 1}});
  body.material.model = "corotated";
  body.material.mu = 1e4;
  body.fibers = {fiber};
  Pin pin;
  pin.vertices.resize(body.mesh.vertices.size());
  std::iota(pin.vertices.begin(), pin.vertices.end(), 0);
  pin.stiffness = 1e-6;
  body.pins = {pin};
  scene.bodies.push_back(body);
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 100;
  scene.solver.tolerance = 1e-12;
  return scene;
}

double length_of(const Simulation& simulation) {
  double low = 1e9, high = -1e9;
  for (const Vec3& x : positions_of(simulation)) {
    low = std::min(low, x[0]);
    high = std::max(high, x[0]);
  }
  return high - low;
}

/// Without lambda each stretch is independent: mu (s - 1)^2 + kappa/2 (s - (1 - a))^2 is least at
///   s = (2 mu + kappa (1 - a))/(2 mu + kappa).
TEST(Muscles, ACubeContractsByItsShareOfTheStiffness) {
  for (const double a : {0.0, 0.3, 0.8}) {
    const double kappa = 3e4, mu = 1e4;
    Simulation simulation(cube(along_x(kappa, a)), {.threads = 1});
    simulation.step();
    EXPECT_NEAR(length_of(simulation), (2 * mu + kappa * (1 - a)) / (2 * mu + kappa), 1e-9) << a;
  }
}

TEST(Muscles, FollowTheirActivationOverTime) {
  FiberSettings fiber = along_x(3e4);
  fiber.activation.keyframes = {{0, 0}, {1, 0.5}, {2, 0}};
  Scene scene = cube(fiber);
  scene.time.step = 0.25;
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 1; frame <= 8; ++frame) {
    simulation.step();
    const double t = 0.25 * frame, a = 0.5 * (t < 1 ? t : 2 - t);
    // The descent ends when it would gain less than the rounding of mu V, 4 * 2e-16 * 1e4 J: a
    // strain of 2e-8 with a stiffness of 5e4 Pa, and ten times that if tets are not alike.
    EXPECT_NEAR(length_of(simulation), (2e4 + 3e4 * (1 - a)) / 5e4, 1e-6) << t;
  }
}

Scene muscle(const FiberSettings& fiber) {
  Scene scene = test::twisting_bar({4, 2, 2}, "neo_hookean");
  scene.bodies[0].fibers = {fiber};
  return scene;
}

TEST(Muscles, AFieldOfOneDirectionHasTheBitsOfThatDirection) {
  FiberSettings fiber;
  fiber.direction = {1, 2, 2};
  fiber.kappa = 5e4;
  const Scene plain = muscle(fiber);
  Scene field = plain;
  field.bodies[0].fibers[0].directions.assign(plain.bodies[0].mesh.tets.size(), {1, 2, 2});
  field.bodies[0].fibers[0].direction = {0, 0, 1};
  Scene idle = plain;
  idle.bodies[0].fibers[0].activation.keyframes = {{0, 0}};
  Simulation a(plain, {.threads = 1}), b(field, {.threads = 1}), c(idle, {.threads = 1});
  for (int i = 0; i < 3; ++i) {
    a.step();
    b.step();
    c.step();
  }
  test::expect_same_bits(a, b);
  test::expect_same_bits(a, c);
}

TEST(Muscles, RadialFibersPointAwayFromTheirAxis) {
  Scene scene = muscle(along_x(1));
  scene.bodies[0].fibers[0].radial = RadialFibers{{0, 0, 2}, {0.1, -3, 7}};
  const Model model = build_model(scene);
  int num_seen = 0;
  for (const ElementRange& range : model.ranges) {
    for (int i = 0; i < range.num_batches * lanes; ++i) {
      const int tet = model.tet_of_lane[at(range.first_batch * lanes + i)];
      if (tet < 0) continue;
      ++num_seen;
      Vec3 away{-0.1, 3, 0};
      for (const int vertex : model.tets[at(tet)]) {
        for (std::size_t k = 0; k < 2; ++k) away[k] += 0.25 * model.rest[at(vertex)][k];
      }
      const double size = std::hypot(away[0], away[1]);
      for (int k = 0; k < 3; ++k) {
        const double found = range.fibers[at((i / lanes * 4 + k) * lanes + i % lanes)];
        EXPECT_NEAR(found, away[at(k)] / size, 1e-15);
      }
    }
  }
  EXPECT_EQ(num_seen, model.num_tets);
}

TEST(Muscles, ALaplaceFieldAlongABarActsAsItsAxis) {
  Scene scene = muscle(along_x(5e4));
  Scene field = scene;
  const Box box = bounding_box(scene.bodies[0].mesh.vertices);
  LaplaceFibers& laplace = field.bodies[0].fibers[0].laplace.emplace();
  laplace.from.box = {{box.min[0] - 1, -9, -9}, {box.min[0] + 1e-9, 9, 9}};
  laplace.to.box = {{box.max[0] - 1e-9, -9, -9}, {box.max[0] + 1, 9, 9}};
  scene.solver.method = field.solver.method = SolverMethod::newton;
  scene.solver.iterations = field.solver.iterations = 30;
  Simulation a(scene, {.threads = 1}), b(field, {.threads = 1});
  a.step();
  b.step();
  const std::vector<Vec3> x = positions_of(a), y = positions_of(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], y[i][k], 1e-10);
  }
  // The field survives when a material is exchanged or the scene is built anew.
  b.set_material(0, scene.bodies[0].material);
  b.change(b.scene());
  b.step();
}

/// Comparisons build the scene themselves.
TEST(Muscles, ALaplaceFieldIsThereWhereStepsAreCompared) {
  Scene scene = muscle(along_x(5e4));
  const SimulationState state = Simulation(scene, {.threads = 1}).state();
  const ConvergedStep plain = solve_converged(scene, state, 1);
  const Box box = bounding_box(scene.bodies[0].mesh.vertices);
  LaplaceFibers& laplace = scene.bodies[0].fibers[0].laplace.emplace();
  laplace.from.box = {{box.min[0] - 1, -9, -9}, {box.min[0] + 1e-9, 9, 9}};
  laplace.to.box = {{box.max[0] - 1e-9, -9, -9}, {box.max[0] + 1, 9, 9}};
  const ConvergedStep field = solve_converged(scene, state, 1);
  EXPECT_NEAR(field.objective, plain.objective, 1e-9 * plain.objective);
  EXPECT_NEAR(apparent_stiffness(scene, state, field.positions, 1).position_error, 0, 1e-9);
}

TEST(Muscles, EveryMethodOfDescentComesToTheSameStep) {
  FiberSettings fiber = along_x(1e5);
  fiber.activation.keyframes = {{0, 0}, {0.1, 0.4}};
  int num_run = 0;
  for (const Description& solver : list_solvers()) {
    Scene scene = test::twisting_bar({4, 2, 2}, "arap");
    scene.bodies[0].fibers = {fiber};
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 100;
    Simulation newton(scene, {.threads = 1});
    scene.solver.method = from_string<SolverMethod>(solver.name);
    scene.solver.iterations = 3000;
    scene.solver.tolerance = 1e-10;
    if (test::place_of([&] { Simulation unused(scene); }) != "nothing") continue;
    if (!test::minimises(solver.name)) continue;
    ++num_run;
    Simulation simulation(scene, {.threads = 1});
    for (int i = 0; i < 2; ++i) {
      newton.step();
      simulation.step();
    }
    const std::vector<Vec3> expected = positions_of(newton), found = positions_of(simulation);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        worst = std::max(worst, std::abs(found[i][k] - expected[i][k]));
      }
    }
    EXPECT_LT(worst, solver.name == "gradient_descent" ? 1e-4 : 1e-6) << solver.name;
  }
  EXPECT_EQ(num_run, 10);
}

/// With constraints, too, whether the contraction stays or changes.
TEST(Muscles, XpbdContractsAsNewtonsMethodDoes) {
  for (const bool stays : {true, false}) {
    for (const XpbdMultipliers kept : {XpbdMultipliers::zero, XpbdMultipliers::kept}) {
      Scene scene = test::twisting_bar({4, 2, 2}, "arap");
      scene.bodies[0].fibers = {along_x(1e5, 0.4)};
      if (!stays) scene.bodies[0].fibers[0].activation.keyframes = {{0, 0}, {0.1, 0.4}};
      scene.time.substeps = 2;
      scene.solver.method = SolverMethod::newton;
      scene.solver.iterations = 100;
      Simulation newton(scene, {.threads = 1});
      scene.solver.method = SolverMethod::xpbd;
      scene.solver.iterations = 2000;
      scene.solver.multipliers = kept;
      Simulation xpbd(scene, {.threads = 1});
      test::run(newton, 3);
      test::run(xpbd, 3);
      const std::vector<Vec3> x = positions_of(newton), y = positions_of(xpbd);
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], y[i][k], 1e-6) << stays;
      }
    }
  }
  Scene other = test::twisting_bar({4, 2, 2}, "arap");
  other.bodies[0].fibers = {along_x(1e5)};
  other.bodies[0].fibers[0].activation.keyframes = {{0, 0}, {1, 0.4}};
  other.solver.method = SolverMethod::step_and_project;
  EXPECT_EQ(test::place_of([&] { Simulation unused(other); }), "/bodies/0/fiber/activation");
}

TEST(Muscles, WorkIsNoEnergyThatAStepGains) {
  FiberSettings fiber = along_x(1e5);
  fiber.activation.keyframes = {{0, 0}, {0.3, 0.5}};
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].fibers = {fiber};
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 30;
  scene.time.step = 0.01;
  Simulation simulation(scene, {.threads = 1});
  double removed = 0, gained = 0;
  for (int i = 0; i < 40; ++i) {
    const StepReport report = simulation.step();
    removed += report.energy_removed;
    gained += report.energy_gain;
  }
  const Energies energies = simulation.energies();
  EXPECT_GT(energies.elastic, 1);
  EXPECT_LT(removed + gained, 1e-9 * energies.elastic);
}

TEST(Muscles, AStateGoesOnWithTheSameBits) {
  FiberSettings fiber = along_x(1e5);
  fiber.activation.keyframes = {{0, 0}, {0.2, 0.5}};
  Simulation first(muscle(fiber), {.threads = 1});
  for (int i = 0; i < 2; ++i) first.step();
  Simulation second(muscle(fiber), {.threads = 3});
  second.set_state(first.state());
  EXPECT_EQ(first.energies().elastic, second.energies().elastic);
  for (int i = 0; i < 2; ++i) {
    first.step();
    second.step();
  }
  test::expect_same_bits(first, second);
}

TEST(Muscles, RefuseWhatHasNoDirectionAndActivationOutOfRange) {
  const auto place = [](const auto& edit) {
    Scene scene = muscle(along_x(1e5));
    edit(scene.bodies[0].fibers[0]);
    return test::place_of([&] { Simulation unused(scene); });
  };
  const std::string where = "/bodies/0/fiber";
  EXPECT_EQ(place([](FiberSettings& f) { f.directions = {{1, 0, 0}}; }), where + "/direction");
  EXPECT_EQ(place([](FiberSettings& f) { f.direction = {0, 0, 0}; }), where + "/direction");
  EXPECT_EQ(place([](FiberSettings& f) {
              f.radial = RadialFibers{{0, 0, 0}, {}};
            }),
            where + "/radial/axis");
  EXPECT_EQ(place([](FiberSettings& f) { f.laplace.emplace(); }), where + "/laplace/from");
  EXPECT_EQ(place([](FiberSettings& f) { f.activation = 0.95; }), where + "/activation");
  EXPECT_EQ(place([](FiberSettings& f) { f.activation = -0.1; }), where + "/activation");
  EXPECT_EQ(place([](FiberSettings& f) {
              f.activation.keyframes = {{0, 0}, {0, 0.1}};
            }),
            where + "/activation");
  EXPECT_EQ(place([](FiberSettings& f) { f.kappa = -1; }), where + "/kappa");
}

}  // namespace
}  // namespace supple
