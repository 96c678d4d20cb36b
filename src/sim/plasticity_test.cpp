#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/index.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::positions_of;

constexpr double mu = 1e4;  // Pa

/// One tet of three edges of a metre at right angles, of arap, whose stretches are independent:
/// free, weightless and damped.
Scene one_tet(const PlasticitySettings& plasticity) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.damping.drag = 3;
  Body body;
  body.name = "tet";
  body.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body.mesh.tets = {{0, 1, 2, 3}};
  body.material.model = "arap";
  body.material.mu = mu;
  body.material.plasticity = plasticity;
  scene.bodies.push_back(body);
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 30;
  return scene;
}

double edge(const Simulation& simulation, std::size_t a, std::size_t b) {
  const std::vector<Vec3> x = positions_of(simulation);
  return std::hypot(x[a][0] - x[b][0], x[a][1] - x[b][1], x[a][2] - x[b][2]);
}

/// The accumulated strain at which the stress T along x is borne. With F_p of stretches exp(a)
/// along and exp(-a/2) across, T = 2 mu (s - 1)/exp(a), where s is the elastic stretch, and
///   2/3 log s = yield + hardening a.
double strain_under(const PlasticitySettings& rule, double T) {
  double low = 0, high = 3;
  for (int i = 0; i < 100; ++i) {
    const double a = 0.5 * (low + high);
    const double e = std::log(1 + T * std::exp(a) / (2 * mu)) * 2 / 3;
    (e > rule.yield + rule.hardening * a ? low : high) = a;
  }
  return low;
}

/// Loaded slowly, held and released. The tet is so light that inertia and drag do not matter.
TEST(Plasticity, ATetUnderAForceFollowsItsClosedForm) {
  for (const bool creeps : {false, true}) {
    PlasticitySettings rule{.yield = 0.05, .creep = {}, .hardening = 1, .max = 1};
    if (creeps) rule.creep = 5;
    Scene scene = one_tet(rule);
    scene.bodies[0].density = 0.01;
    Simulation simulation(scene, {.threads = 1});
    const std::vector<int> vertices{0, 1};
    double a = 0;
    for (int i = 1; i <= 2000; ++i) {
      const double T = 0.4 * mu * std::min(1.0, i / 1000.0);
      // V T b_i, with b_i = (1, 0, 0) for corner 1.
      simulation.add_force(vertices, std::vector<Vec3>{{-T / 6, 0, 0}, {T / 6, 0, 0}});
      simulation.step();
      if (i % 250 != 0) continue;
      a = strain_under(rule, T);
      // The load is some steps ahead of the flow, a thousandth of it each.
      EXPECT_NEAR(simulation.state().plastic[9], a, i == 2000 ? 1e-7 : creeps ? 1e-2 : 4e-3) << i;
    }
    EXPECT_GT(a, 0.05);
    const double s = 1 + 0.4 * mu * std::exp(a) / (2 * mu);
    EXPECT_NEAR(edge(simulation, 0, 1), s * std::exp(a), 1e-6);
    EXPECT_NEAR(edge(simulation, 0, 2), std::exp(-a / 2), 1e-6);
    test::run(simulation, 300);
    EXPECT_NEAR(edge(simulation, 0, 1), std::exp(a), 1e-6);
    EXPECT_NEAR(edge(simulation, 0, 3), std::exp(-a / 2), 1e-6);
    EXPECT_NEAR(simulation.energies().elastic, 0, 1e-12 * mu);
  }
}

Scene flowing_bar(const std::string& model) {
  Scene scene = test::twisting_bar({6, 2, 2}, model);
  scene.bodies[0].material.plasticity =
      PlasticitySettings{.yield = 0.02, .creep = 8, .hardening = 0.2, .max = 0.8};
  return scene;
}

double strain_of(const Simulation& simulation) {
  const std::vector<double> plastic = simulation.state().plastic;
  double sum = 0;
  for (std::size_t i = 9; i < plastic.size(); i += 10) sum += plastic[i];
  return sum;
}

/// Largest difference of two lists of numbers.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// Expects the states after so many frames of Newton's method and of every other method that
/// minimises, all converged, to differ by little.
template <class Distance>
void expect_same_by_all(Scene scene, int frames, const Distance& difference) {
  int num_run = 0;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 100;
  Simulation newton(scene, {.threads = 1});
  test::run(newton, frames);
  for (const Description& solver : list_solvers()) {
    if (!test::minimises(solver.name)) continue;
    scene.solver.method = from_string<SolverMethod>(solver.name);
    scene.solver.iterations = 3000;
    scene.solver.tolerance = 1e-11;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, frames);
    ++num_run;
    const double worst = difference(newton.state(), simulation.state());
    EXPECT_LT(worst, solver.name == "gradient_descent" ? 1e-4 : 1e-6) << solver.name;
  }
  EXPECT_EQ(num_run, 10);
}

TEST(Plasticity, EveryMethodThatMinimisesComesToTheSameFlow) {
  expect_same_by_all(flowing_bar("arap"), 6, [](const auto& a, const auto& b) {
    EXPECT_GT(*std::max_element(a.plastic.begin(), a.plastic.end()), 1.001);
    return distance(a.plastic, b.plastic);
  });
}

/// A bar that was twisted and released stays twisted where it has flowed, and only there.
TEST(Plasticity, ABarThatWasTwistedStaysTwisted) {
  for (const bool flows : {true, false}) {
    Scene scene = flowing_bar("neo_hookean");
    if (!flows) scene.bodies[0].material.plasticity->yield = 10;
    scene.damping.drag = 2;
    scene.solver.iterations = 20;
    const std::vector<Vec3> rest = scene.bodies[0].mesh.vertices;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 45);
    simulation.set_pins(0, {});
    test::run(simulation, 300);
    const double distance = test::distance_to_rest(simulation, rest);
    if (flows) {
      EXPECT_GT(distance, 0.2);
      EXPECT_GT(strain_of(simulation), 0);
    } else {
      EXPECT_LT(distance, 0.01);
      EXPECT_EQ(strain_of(simulation), 0);
    }
  }
}

TEST(Plasticity, HasTheSameBitsOnAnyThreadsAndAfterAState) {
  for (const char* method : {"l_bfgs", "newton", "vertex_block_descent", "xpbd", "jacobi"}) {
    Scene scene = flowing_bar("stable_neo_hookean");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.bodies[0].growth.push_back({.stretch = {}});
    scene.bodies[0].growth[0].stretch.keyframes = {{0, 1}, {0.4, 1.2}};
    Simulation first(scene, {.threads = 1}), second(scene, {.threads = 3});
    test::run(first, 5);
    test::run(second, 5);
    test::expect_same_bits(first, second);
    ASSERT_GT(strain_of(first), 0) << method;
    Simulation third = test::fresh(first, 2);
    EXPECT_EQ(first.energies().elastic, third.energies().elastic);
    test::run(first, 5);
    test::run(third, 5);
    test::expect_same_bits(first, third);
    EXPECT_EQ(first.state().plastic, third.state().plastic) << method;
  }
}

/// Steps that keep energy lose only what flow takes.
TEST(Plasticity, WorkIsTheEnergyThatFlowTakes) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].initial = Stretch{{1.25, 1, 1}};
  scene.bodies[0].material.plasticity =
      PlasticitySettings{.yield = 0.05, .creep = 200, .hardening = 0, .max = 1};
  scene.time.integrator = TimeIntegrator::symplectic_euler;
  scene.time.step = 1e-3;
  scene.time.substeps = 50;
  Simulation simulation(scene, {.threads = 1});
  const double start = simulation.energies().elastic;
  double taken = 0;
  for (int i = 0; i < 20; ++i) {
    const StepReport report = simulation.step();
    EXPECT_GE(report.plastic_work, 0);
    taken += report.plastic_work;
  }
  const Energies energies = simulation.energies();
  EXPECT_GT(taken, 0.2 * start);
  // The integrator's own swing in steps of 20 us.
  EXPECT_NEAR(energies.elastic + energies.kinetic + taken, start, 0.01 * start);
}

TEST(Plasticity, WorkIsNoEnergyThatAStepLosesOrGains) {
  for (const char* method : {"newton", "xpbd"}) {
    Scene scene = test::free_block("stable_neo_hookean");
    scene.bodies[0].initial = Stretch{{1.3, 1, 1}};
    scene.bodies[0].material.plasticity =
        PlasticitySettings{.yield = 0.03, .creep = 30, .hardening = 0, .max = 1};
    scene.bodies[0].growth.push_back({.stretch = {}});
    scene.bodies[0].growth[0].stretch.keyframes = {{0, 1}, {0.3, 1.3}};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 30;
    scene.time.step = 0.01;
    Simulation simulation(scene, {.threads = 1});
    const double start = simulation.energies().elastic;
    double removed = 0, taken = 0;
    for (int i = 0; i < 40; ++i) {
      const StepReport report = simulation.step();
      removed += report.energy_removed + report.energy_gain;
      taken += report.plastic_work;
      EXPECT_GE(report.plastic_work, 0);
    }
    EXPECT_GT(taken, 0.05 * start) << method;
    EXPECT_LT(removed, 1e-6 * start) << method;
  }
}

/// Lengths, densities and times that are scaled together give the same shapes.
TEST(Plasticity, IsTheSameOfAMillimetreAndAHundredMetres) {
  std::vector<double> expected;
  for (const double size : {1.0, 1e-3, 100.0}) {
    Scene scene = flowing_bar("neo_hookean");
    for (Vec3& x : scene.bodies[0].mesh.vertices) {
      for (double& c : x) c *= size;
    }
    for (Pin& pin : scene.bodies[0].pins) {
      for (Vec3* corner : {&pin.box.min, &pin.box.max}) {
        for (double& c : *corner) c *= size;
      }
      pin.stiffness *= size;
    }
    scene.bodies[0].density /= size * size;
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 30;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 8);
    const std::vector<double> found = simulation.state().plastic;
    if (expected.empty()) expected = found;
    EXPECT_LT(distance(found, expected), 1e-7) << size;
    EXPECT_GT(strain_of(simulation), 1);
  }
}

double determinant_of(const double* F) {
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
         F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/// Slivers, ten times the step, and a tenth of the iterations.
TEST(Plasticity, PoorTetsAndLongStepsStaySound) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    Scene scene = flowing_bar("stable_neo_hookean");
    std::vector<Vec3>& x = scene.bodies[0].mesh.vertices;
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Layers across the bar are moved together until tets are 60 times longer than thick.
      const double layer = std::round((x[i][0] + 2) * 1.5);
      if (layer == 3) x[i][0] -= 0.65;
    }
    scene.time.step = 1.0 / 3;
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 3;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 30);
    const std::vector<double> plastic = simulation.state().plastic;
    for (std::size_t t = 0; t < plastic.size(); t += 10) {
      EXPECT_NEAR(determinant_of(&plastic[t]), 1, 1e-12);
    }
    EXPECT_GT(strain_of(simulation), 0) << method;
  }
}

/// A material that bears all strains equals one without plasticity, up to the order of sums.
TEST(Plasticity, OfWhatDoesNotYieldIsNothing) {
  Scene scene = flowing_bar("neo_hookean");
  scene.solver.method = SolverMethod::newton;
  scene.bodies[0].material.plasticity->yield = 5;
  Scene plain = scene;
  plain.bodies[0].material.plasticity.reset();
  Simulation a(scene, {.threads = 1}), b(plain, {.threads = 1});
  test::run(a, 5);
  test::run(b, 5);
  const std::vector<Vec3> x = positions_of(a), y = positions_of(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], y[i][k], 1e-9);
  }
  EXPECT_EQ(strain_of(a), 0);
  EXPECT_TRUE(b.state().plastic.empty());
}

TEST(Plasticity, StaysWithItsTetsWhereBodiesAndScenesChange) {
  Scene scene = flowing_bar("neo_hookean");
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 6);
  const std::vector<double> flown = simulation.state().plastic;
  const double elastic = simulation.energies().elastic;
  Body other = test::free_block("neo_hookean").bodies[0];
  for (Vec3& x : other.mesh.vertices) x[1] += 20;
  const BodyHandle added = simulation.add_body(other);
  std::vector<double> now = simulation.state().plastic;
  ASSERT_GT(now.size(), flown.size());
  EXPECT_TRUE(std::equal(flown.begin(), flown.end(), now.begin()));
  simulation.remove_body(simulation.handle(0));
  EXPECT_TRUE(simulation.state().plastic.empty());
  EXPECT_TRUE(simulation.is_alive(added));
  simulation.step();

  Simulation changed(scene, {.threads = 1});
  test::run(changed, 6);
  Scene next = scene;
  next.gravity = {0, -1, 0};
  next.solver.method = SolverMethod::newton;
  changed.change(next);
  EXPECT_EQ(changed.state().plastic, flown);
  EXPECT_NEAR(changed.energies().elastic, elastic, 1e-12 * elastic);
  MaterialSettings softer = scene.bodies[0].material;
  softer.mu.value *= 0.5;
  softer.lambda.value *= 0.5;
  changed.set_material(0, softer);
  EXPECT_EQ(changed.state().plastic, flown);
  EXPECT_NEAR(changed.energies().elastic, 0.5 * elastic, 1e-12 * elastic);
  MaterialSettings stiff = softer;
  stiff.plasticity.reset();
  EXPECT_EQ(test::place_of([&] { changed.set_material(0, stiff); }),
            "/bodies/0/material/plasticity");
  changed.step();
  // Without a material that flows, the rest shape is that of the mesh.
  next.bodies[0].material.plasticity.reset();
  changed.change(next);
  EXPECT_TRUE(changed.state().plastic.empty());
  changed.step();
}

TEST(Plasticity, IsMeasuredBesideTheElasticStrain) {
  Simulation simulation(flowing_bar("neo_hookean"), {.threads = 1});
  test::run(simulation, 6);
  std::vector<double> x(3 * at(simulation.num_vertices()));
  simulation.copy_positions(x);
  const ElementMeasures measures = simulation.measure(x);
  const std::vector<double> plastic = simulation.state().plastic;
  ASSERT_EQ(10 * measures.plastic_strain.size(), plastic.size());
  for (std::size_t t = 0; t < measures.plastic_strain.size(); ++t) {
    EXPECT_EQ(measures.plastic_strain[t], plastic[10 * t + 9]);
    const Vec3& s = measures.stretches[t];
    EXPECT_LT(std::abs(std::log(s[0] * s[1] * s[2]) - std::log(measures.determinant[t])), 1e-12);
  }
}

TEST(Plasticity, ComparesSolversInAStateThatHasFlown) {
  Scene scene = flowing_bar("neo_hookean");
  scene.bodies[0].growth.push_back({.stretch = 1.1});
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 60;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 6);
  const ConvergedStep converged = solve_converged(scene, simulation.state(), 1);
  simulation.step();
  const std::vector<Vec3> x = positions_of(simulation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(converged.positions[3 * i + k], x[i][k], 1e-8);
  }
}

TEST(Plasticity, RefusesWhatCannotFlow) {
  const auto place = [](const auto& edit) {
    Scene scene = flowing_bar("stable_neo_hookean");
    edit(scene, scene.bodies[0]);
    return test::place_of([&] { Simulation unused(scene); });
  };
  const std::string where = "/bodies/0/material/plasticity";
  const auto setting = [&](const auto& edit) {
    return place([&](Scene&, Body& body) { edit(*body.material.plasticity); });
  };
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.yield = -0.1; }), where + "/yield");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.yield = NAN; }), where + "/yield");
  EXPECT_EQ(setting([](PlasticitySettings& p) {
              p.yield = 0;
              p.creep.reset();
            }),
            where + "/yield");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.yield = 0; }), "nothing");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.creep = 0; }), where + "/creep");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.hardening = -1; }), where + "/hardening");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.max = 0; }), where + "/max");
  EXPECT_EQ(setting([](PlasticitySettings& p) { p.max = 4; }), where + "/max");
  EXPECT_EQ(place([](Scene&, Body& b) { b.fibers = {FiberSettings{}}; }), where);
  EXPECT_EQ(place([](Scene&, Body& b) { b.layers = {b.material}; }),
            "/bodies/0/layers/0/plasticity");
  for (const char* method : {"pbd", "step_and_project"}) {
    EXPECT_EQ(place([&](Scene& s, Body&) { s.solver.method = from_string<SolverMethod>(method); }),
              where)
        << method;
  }
  const auto kept = [](Scene& s, Body&) {
    s.solver.method = SolverMethod::xpbd;
    s.solver.multipliers = XpbdMultipliers::kept;
  };
  EXPECT_EQ(place(kept), where);
  Scene cloth = test::hanging_membrane("neo_hookean");
  cloth.bodies[0].material.plasticity.emplace();
  EXPECT_EQ(test::place_of([&] { Simulation unused(cloth); }), where);
  Simulation simulation(flowing_bar("neo_hookean"), {.threads = 1});
  SimulationState state = simulation.state();
  state.plastic[0] = 2;
  EXPECT_EQ(test::place_of([&] { simulation.set_state(state); }), "plastic");
  state.plastic.pop_back();
  EXPECT_EQ(test::place_of([&] { simulation.set_state(state); }), "plastic");
}

// ------------------------------------------------------------------------------------ growth

/// Solved for rest, held by almost nothing.
Scene at_rest(Scene scene) {
  scene.gravity = {0, 0, 0};
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 200;
  scene.solver.tolerance = 1e-13;
  Pin pin;
  pin.vertices.resize(scene.bodies[0].mesh.vertices.size());
  std::iota(pin.vertices.begin(), pin.vertices.end(), 0);
  pin.stiffness = 1e-7;
  scene.bodies[0].pins = {pin};
  return scene;
}

/// Lengths of the edges of a box that meet in its lowest corner; the box may have turned.
Vec3 size_of(const Simulation& simulation) {
  const std::vector<Vec3>& rest = simulation.scene().bodies[0].mesh.vertices;
  const std::vector<Vec3> x = positions_of(simulation);
  const Box box = bounding_box(rest);
  const auto find = [&](const Vec3& corner) -> const Vec3& {
    return x[at(std::find(rest.begin(), rest.end(), corner) - rest.begin())];
  };
  Vec3 size;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 other = box.min;
    other[k] = box.max[k];
    const Vec3 &a = find(box.min), &b = find(other);
    size[k] = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
  return size;
}

TEST(Growth, AFreeBodyHasItsNewSizeWithoutStress) {
  const auto grown = [](const GrowthSettings& growth, const Vec3& expected) {
    Scene scene = at_rest(test::free_block("neo_hookean"));
    scene.bodies[0].growth = {growth};
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 3);
    const Vec3 size = size_of(simulation);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(size[k], 0.5 * expected[k], 1e-8);
    std::vector<double> x(3 * at(simulation.num_vertices()));
    simulation.copy_positions(x);
    const ElementMeasures measures = simulation.measure(x);
    for (const double stress : measures.von_mises) EXPECT_LT(stress, 1e-8 * 1e5);
  };
  grown({.stretch = 1.5}, {1.5, 1.5, 1.5});
  grown({.stretch = 0.4}, {0.4, 0.4, 0.4});
  grown({.stretch = 1.3, .direction = Vec3{0, 2, 0}}, {1, 1.3, 1});
}

TEST(Growth, SeveralMultiplyAndFollowTime) {
  Scene scene = at_rest(test::free_block("neo_hookean"));
  scene.time.step = 0.25;
  GrowthSettings first{.stretch = {}, .direction = Vec3{1, 0, 0}}, second{.stretch = 1.25};
  first.stretch.keyframes = {{0, 1}, {1, 2}};
  scene.bodies[0].growth = {first, second};
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 1; frame <= 6; ++frame) {
    simulation.step();
    const double along = 1 + std::min(1.0, 0.25 * frame);
    const Vec3 size = size_of(simulation);
    EXPECT_NEAR(size[0], 0.5 * 1.25 * along, 1e-6);
    EXPECT_NEAR(size[2], 0.5 * 1.25, 1e-6);
  }
}

TEST(Growth, AlongFibersIsAlongTheirDirection) {
  Scene scene = at_rest(test::free_block("neo_hookean"));
  FiberSettings fiber;
  fiber.direction = {0, 0, 1};
  fiber.kappa = 1e5;
  scene.bodies[0].fibers = {fiber};
  scene.bodies[0].growth = {{.stretch = 1.4, .along_fiber = true}};
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 3);
  // The fiber is as long as the material around it.
  EXPECT_NEAR(size_of(simulation)[2], 0.5 * 1.4, 1e-8);
  EXPECT_NEAR(size_of(simulation)[0], 0.5, 1e-8);
}

/// A bar bends away from a side that grows.
TEST(Growth, OfOneSideBendsABar) {
  Scene scene = at_rest(test::twisting_bar({24, 6, 6}, "neo_hookean"));
  scene.bodies[0].growth = {{.stretch = 1.1, .box = {{-9, 0, -9}, {9, 9, 9}}}};
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 3);
  const std::vector<Vec3> x = positions_of(simulation);
  double middle = 0, ends = 0;
  const std::vector<Vec3>& rest = scene.bodies[0].mesh.vertices;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(rest[i][0]) < 1e-9) middle += (x[i][1] - rest[i][1]) / 49;
    if (std::abs(std::abs(rest[i][0]) - 2) < 1e-9) ends += (x[i][1] - rest[i][1]) / 98;
  }
  // A bimetal of equal halves of height t/2 has the curvature 3/2 strain/t [Timoshenko 1925] and so
  // sags by its length squared/8: 0.3 m; this bar is a short one.
  EXPECT_NEAR(middle - ends, 0.15 * 4 * 4 / 8, 0.05);
}

TEST(Growth, EveryMethodThatMinimisesGrowsAlike) {
  Scene scene = test::twisting_bar({4, 2, 2}, "arap");
  scene.bodies[0].growth = {{.stretch = {}, .box = {{-9, 0, -9}, {9, 9, 9}}},
                            {.stretch = 1.2, .direction = Vec3{1, 1, 0}}};
  scene.bodies[0].growth[0].stretch.keyframes = {{0, 1}, {0.1, 1.4}};
  expect_same_by_all(
      scene, 2, [](const auto& a, const auto& b) { return distance(a.positions, b.positions); });
}

TEST(Growth, RefusesWhatCannotGrow) {
  const auto place = [](const auto& edit) {
    Scene scene = test::free_block("neo_hookean");
    scene.bodies[0].growth = {{.stretch = 1.1}};
    edit(scene, scene.bodies[0].growth[0]);
    return test::place_of([&] { Simulation unused(scene); });
  };
  const std::string where = "/bodies/0/growth/0";
  EXPECT_EQ(place([](Scene&, GrowthSettings& g) { g.stretch = 0.05; }), where + "/stretch");
  EXPECT_EQ(place([](Scene&, GrowthSettings& g) {
              g.stretch.keyframes = {{0, 1}, {0, 2}};
            }),
            where + "/stretch");
  EXPECT_EQ(place([](Scene&, GrowthSettings& g) {
              g.direction = Vec3{0, 0, 0};
            }),
            where + "/direction");
  EXPECT_EQ(place([](Scene&, GrowthSettings& g) { g.along_fiber = true; }), where + "/direction");
  EXPECT_EQ(place([](Scene&, GrowthSettings& g) {
              g.box = {{5, 5, 5}, {6, 6, 6}};
            }),
            where + "/box");
  EXPECT_EQ(place([](Scene& s, GrowthSettings&) {
              s.bodies[0].material = test::soft_material("arap");
              s.solver.method = SolverMethod::step_and_project;
            }),
            "/bodies/0/growth");
  Scene cloth = test::hanging_cloth();
  cloth.bodies[0].growth = {{.stretch = 1.1}};
  EXPECT_EQ(test::place_of([&] { Simulation unused(cloth); }), "/bodies/0/growth");
}

}  // namespace
}  // namespace supple
