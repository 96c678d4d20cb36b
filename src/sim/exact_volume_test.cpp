#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "base/index.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"
#include "supple/state_bytes.h"

/// Bodies that keep their volumes.
namespace supple {
namespace {

using test::positions_of;

using Triangles = std::vector<std::array<int, 3>>;

double volume_of(const std::vector<Vec3>& x, const Triangles& triangles) {
  double sum = 0;
  const Vec3& o = x[at(triangles[0][0])];
  for (const auto& t : triangles) {
    Vec3 m[3];
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 3; ++k) m[c][k] = x[at(t[c])][k] - o[k];
    }
    sum += m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
           m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
  return sum / 6;
}

Triangles surface_of(const Body& body) {
  return body.mesh.tets.empty() ? body.triangles : surface_triangles(body.mesh);
}

/// V/V0 - 1 of the first body of a simulation; the body has no cavities.
double change_of(const Simulation& simulation) {
  const Body& body = simulation.scene().bodies[0];
  const Triangles surface = surface_of(body);
  std::vector<Vec3> x = positions_of(simulation);
  x.resize(body.mesh.vertices.size());
  return volume_of(x, surface) / volume_of(body.mesh.vertices, surface) - 1;
}

/// A neo-Hookean block with E = 1e5 Pa and a Poisson's ratio of 0.3.
Body block(const Vec3& size, const std::array<int, 3>& cells) {
  Body body;
  body.name = "block";
  body.mesh = generate(BoxGenerator{.size = size, .cells = cells});
  body.material.model = "neo_hookean";
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e5, 0.3);
  body.volume = BodyVolume::exact;
  return body;
}

/// For xpbd, one of a material that it has.
Body as_run_by(SolverMethod method, Body body) {
  if (method == SolverMethod::xpbd && !body.membrane) body.material.model = "stable_neo_hookean";
  return body;
}

/// A bag of a thin membrane, full of something incompressible.
Body bag(double radius, int subdivisions = 2) {
  const SpringMesh mesh =
      generate(IcosphereGenerator{.radius = radius, .subdivisions = subdivisions});
  Body body;
  body.name = "bag";
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.density = 500 * radius;
  body.membrane = MembraneSettings{.thickness = 0.005 * radius};
  body.material.model = "stvk";
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e6, 0.3);
  body.volume = BodyVolume::exact;
  return body;
}

Scene moving(Body body, SolverMethod method = SolverMethod::newton, int iterations = 20) {
  Scene scene;
  scene.time.step = 1.0 / 60;
  scene.solver.method = method;
  scene.solver.iterations = iterations;
  scene.bodies.push_back(std::move(body));
  return scene;
}

Collider plate(const std::string& name, double y, double up, const Motion& motion = {}) {
  return {.name = name, .shape = PlaneShape{{0, up, 0}, up * y}, .motion = motion};
}

Motion downward(double way, double time) {
  Motion motion;
  motion.keyframes = {{.time = 0}, {.time = time, .translate = {0, -way, 0}}};
  return motion;
}

/// Pulls each vertex of the ends along x, by its share of their faces, with springs from far away,
/// whose stress does not depend on where the vertex goes.
void pull_ends(Body& body, double length, double stress, double lengthening) {
  const double far = 1e4 * length;
  std::vector<double> share(body.mesh.vertices.size(), 0);
  for (const auto& t : surface_triangles(body.mesh)) {
    const Vec3 &a = body.mesh.vertices[at(t[0])], &b = body.mesh.vertices[at(t[1])],
               &c = body.mesh.vertices[at(t[2])];
    const double across = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    if (std::abs(a[0] + b[0] + c[0]) < 1.499 * length) continue;
    for (const int vertex : t) share[at(vertex)] += std::abs(across) / 6;
  }
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (share[i] == 0) continue;
    Pin pin;
    pin.vertices = {static_cast<int>(i)};
    pin.stiffness = stress * share[i] / (far - lengthening / 2);
    const double side = body.mesh.vertices[i][0] < 0 ? -far : far;
    pin.motion.keyframes = {{.time = 0, .translate = {side, 0, 0}}};
    body.pins.push_back(pin);
  }
}

/// For incompressible neo-Hooke the nominal stress is mu (s - 1/s^2), whatever lambda is: twice the
/// length at 7/4 mu. Across, 0 = -mu/2 + p' with the pressure p', from sigma = mu (b - I) - p' I.
TEST(ExactVolume, ABlockPulledToTwiceItsLengthIsThinnerByTheRootOfTwo) {
  for (const double length : {1e-3, 0.5, 100.0}) {
    Body body = block({length, length / 2, length / 2}, {3, 2, 2});
    const double mu = body.material.mu.value;
    pull_ends(body, length, 1.75 * mu, length);
    Scene scene = test::statics(body);
    scene.gravity = {};
    Simulation simulation(scene);
    StepReport report;
    for (int i = 0; i < 3; ++i) report = simulation.step();
    EXPECT_LT(report.constraint_error, 1e-7) << length;
    EXPECT_LT(std::abs(change_of(simulation)), 1e-7);
    const std::vector<Vec3> x = positions_of(simulation);
    // Almost nothing holds it as a whole, so positions are relative to its first vertex.
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double rest = body.mesh.vertices[i][k] - body.mesh.vertices[0][k];
        const double expected = (k == 0 ? 2 : std::sqrt(0.5)) * rest;
        worst = std::max(worst, std::abs(x[i][k] - x[0][k] - expected));
      }
    }
    EXPECT_LT(worst, 1e-4 * length);
    ASSERT_EQ(simulation.state().multipliers.size(), 1U);
    EXPECT_NEAR(simulation.state().multipliers[0], -0.5 * mu, 1e-4 * mu);
    // A constant volume does no work.
    EXPECT_NEAR(simulation.energies().pressure, 0, 1e-9 * mu * std::pow(length, 3));
  }
}

TEST(ExactVolume, WithoutItTheSameBlockIsLarger) {
  Body body = block({0.5, 0.25, 0.25}, {3, 2, 2});
  body.volume = BodyVolume::free;
  pull_ends(body, 0.5, 1.75 * body.material.mu.value, 0.5);
  Scene scene = test::statics(body);
  scene.gravity = {};
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  EXPECT_GT(change_of(simulation), 0.1);
  EXPECT_EQ(report.constraint_error, 0);
  EXPECT_TRUE(simulation.state().multipliers.empty());
}

TEST(ExactVolume, ABarWhoseHeldEndsPartKeepsIt) {
  Body body = block({2, 0.25, 0.25}, {16, 2, 2});
  for (const double side : {-1.0, 1.0}) {
    Pin pin;
    pin.box = {{side - 0.01, -1, -1}, {side + 0.01, 1, 1}};
    pin.motion.keyframes = {{.time = 0}, {.time = 1, .translate = {side, 0, 0}}};
    body.pins.push_back(pin);
  }
  Scene scene = moving(body);
  scene.gravity = {};
  Simulation simulation(scene);
  for (int i = 0; i < 90; ++i) {
    EXPECT_LT(simulation.step().constraint_error, 1e-6) << i;
  }
  EXPECT_LT(std::abs(change_of(simulation)), 1e-6);
  const std::vector<Vec3> x = positions_of(simulation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& rest = body.mesh.vertices[i];
    if (std::abs(rest[0]) > 0.01) continue;
    EXPECT_NEAR(x[i][1], rest[1] * std::sqrt(0.5), 0.02 * 0.125);
  }
}

/// Where it touches the plates, a thin bag is flat: its content pushes them with its pressure.
TEST(ExactVolume, ABagBetweenPlatesKeepsIt) {
  Body body = bag(0.1, 3);
  Scene scene = moving(body, SolverMethod::newton, 40);
  scene.gravity = {};
  scene.colliders = {plate("below", -0.101, 1), plate("above", 0.101, -1, downward(0.08, 1))};
  Simulation simulation(scene);
  for (int i = 0; i < 120; ++i) {
    EXPECT_LT(simulation.step().constraint_error, 1e-6) << i;
  }
  EXPECT_LT(std::abs(change_of(simulation)), 1e-6);
  const std::vector<Vec3> x = positions_of(simulation);
  double touching = 0;
  for (const auto& t : body.triangles) {
    const Vec3 &a = x[at(t[0])], &b = x[at(t[1])], &c = x[at(t[2])];
    const double area = std::abs((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])) / 2;
    for (const Vec3& corner : {a, b, c}) touching += corner[1] > 0.0205 ? area / 3 : 0;
  }
  const double pressure = simulation.state().multipliers[0];
  const double force = simulation.collider_forces()[1].force[1];
  std::printf("%g Pa on %g m^2: %g N, %g N\n", pressure, touching, pressure * touching, force);
  EXPECT_NEAR(pressure * touching, force, 0.1 * force);
}

TEST(ExactVolume, WithoutItTheBagIsEmptied) {
  Body body = bag(0.1);
  body.volume = BodyVolume::free;
  Scene scene = moving(body, SolverMethod::newton, 40);
  scene.gravity = {};
  scene.colliders = {plate("below", -0.101, 1), plate("above", 0.101, -1, downward(0.08, 1))};
  Simulation simulation(scene);
  for (int i = 0; i < 70; ++i) simulation.step();
  EXPECT_LT(change_of(simulation), -0.1);
}

/// A hollow block, the tets around its middle cell: it keeps the volume of its tets, not of the
/// hollow.
Body hollow(const Vec3& center) {
  Body body = block({0.3, 0.3, 0.3}, {3, 3, 3});
  body.mesh = generate(BoxGenerator{.size = {0.3, 0.3, 0.3}, .cells = {3, 3, 3}, .center = center});
  std::erase_if(body.mesh.tets, [&](const std::array<int, 4>& tet) {
    double worst = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double mean = -center[k];
      for (const int vertex : tet) mean += body.mesh.vertices[at(vertex)][k] / 4;
      worst = std::max(worst, std::abs(mean));
    }
    return worst < 0.05;
  });
  return body;
}

double tet_volume(const Body& body, const std::vector<Vec3>& x, std::size_t first) {
  TetMesh mesh{
      x,
      {body.mesh.tets.begin() + static_cast<std::ptrdiff_t>(first),
       body.mesh.tets.begin() + static_cast<std::ptrdiff_t>(first + body.mesh.tets.size() / 2)}};
  double sum = 0;
  for (const double v : tet_volumes(mesh)) sum += v;
  return sum;
}

/// Two hollow blocks as one body: each keeps its own volume.
TEST(ExactVolume, EachPartOfABodyKeepsThatOfItsTets) {
  Body body = hollow({0, 0, 0});
  const Body other = hollow({1, 0, 0});
  const int first = static_cast<int>(body.mesh.vertices.size());
  body.mesh.vertices.insert(body.mesh.vertices.end(), other.mesh.vertices.begin(),
                            other.mesh.vertices.end());
  for (auto tet : other.mesh.tets) {
    for (int& vertex : tet) vertex += first;
    body.mesh.tets.push_back(tet);
  }
  Scene scene = moving(body, SolverMethod::newton, 30);
  scene.colliders = {plate("below", -0.151, 1), plate("above", 0.151, -1, downward(0.1, 0.5))};
  Simulation simulation(scene);
  for (int i = 0; i < 60; ++i) EXPECT_LT(simulation.step().constraint_error, 1e-6) << i;
  ASSERT_EQ(simulation.state().multipliers.size(), 2U);
  const std::vector<Vec3> x = positions_of(simulation);
  for (const std::size_t part : {std::size_t{0}, body.mesh.tets.size() / 2}) {
    const double rest = tet_volume(body, body.mesh.vertices, part);
    EXPECT_NEAR(rest, 0.027 - 0.001, 1e-12);
    EXPECT_NEAR(tet_volume(body, x, part), rest, 1e-6 * rest);
  }
}

/// The hollow of a body that keeps its volume may contain gas.
TEST(ExactVolume, TheHollowInsideMayHoldAPressure) {
  Body body = hollow({0, 0, 0});
  body.pressure = PressureSettings{.pressure = 2e4, .surface = PressureSurface::cavities};
  Scene scene = moving(body);
  scene.gravity = {};
  Simulation simulation(scene);
  for (int i = 0; i < 30; ++i) EXPECT_LT(simulation.step().constraint_error, 1e-6);
  EXPECT_EQ(simulation.state().multipliers.size(), 1U);
}

TEST(ExactVolume, RestsOnAFloorWithItsWeight) {
  for (const bool is_bag : {false, true}) {
    Body body = is_bag ? bag(0.1) : block({0.2, 0.2, 0.2}, {3, 3, 3});
    Scene scene = moving(body);
    scene.colliders = {plate("floor", -0.12, 1)};
    Simulation simulation(scene);
    StepReport report;
    for (int i = 0; i < 240; ++i) report = simulation.step();
    EXPECT_LT(report.constraint_error, 1e-6);
    const double weight = body.density * 9.81 * (is_bag ? 4 * 3.14159 * 0.01 : 0.008);
    EXPECT_NEAR(simulation.collider_forces()[0].force[1], -weight, 0.05 * weight);
    EXPECT_LT(simulation.energies().kinetic, 1e-4 * weight);
  }
}

TEST(ExactVolume, KeepsMomentum) {
  Scene scene = moving(bag(0.1));
  scene.gravity = {};
  scene.bodies[0].initial = Stretch{{1.2, 0.8, 1.1}};
  Simulation simulation(scene);
  for (int i = 0; i < 30; ++i) simulation.step();
  // All vertices of an icosphere weigh nearly the same.
  Vec3 mean{};
  for (const Vec3& x : positions_of(simulation)) {
    for (std::size_t k = 0; k < 3; ++k) mean[k] += x[k];
  }
  for (const double m : mean) EXPECT_NEAR(m, 0, 1e-9);
}

Scene pressed(SolverMethod method, int iterations) {
  Scene scene = moving(bag(0.1), method, iterations);
  scene.colliders = {plate("floor", -0.11, 1), plate("above", 0.101, -1, downward(0.05, 0.5))};
  return scene;
}

TEST(ExactVolume, SameBitsForAnyThreadsAndFromAState) {
  test::expect_same_bits_however_run(pressed(SolverMethod::l_bfgs, 12), 20, 10);
  test::expect_same_bits_however_run(pressed(SolverMethod::xpbd, 12), 20, 10);
  const Scene scene = pressed(SolverMethod::newton, 8);
  Simulation simulation(scene);
  test::run(simulation, 20);
  Simulation other(scene);
  other.set_state(state_from_bytes(state_to_bytes(simulation.state())));
  test::run(simulation, 10);
  test::run(other, 10);
  test::expect_same_bits(simulation, other);
  EXPECT_EQ(simulation.state().multipliers, other.state().multipliers);
  SimulationState state = simulation.state();
  state.multipliers.push_back(0);
  EXPECT_THROW(simulation.set_state(state), Error);
  state.multipliers = {std::nan("")};
  EXPECT_THROW(simulation.set_state(state), Error);
}

TEST(ExactVolume, AChangeOfTheSceneKeepsThePressure) {
  Scene scene = pressed(SolverMethod::newton, 20);
  Simulation simulation(scene);
  test::run(simulation, 60);
  const double before = simulation.state().multipliers[0];
  EXPECT_GT(before, 100);
  scene.solver.iterations = 21;
  simulation.change(scene);
  EXPECT_LT(simulation.step().constraint_error, 1e-6);
  EXPECT_NEAR(simulation.state().multipliers[0], before, 0.05 * before);
  // With another body, and springs before it, the first body's pressure stays.
  Body strand;
  const SpringMesh mesh = generate(StrandGenerator{.start = {1, 1, 0}, .end = {2, 1, 0}});
  strand.name = "strand";
  strand.mesh.vertices = mesh.vertices;
  strand.segments = mesh.segments;
  strand.springs = make_springs(mesh, {.stiffness = 1e4, .inextensible = true});
  strand.density = 0.1;
  strand.touches = std::vector<std::string>{};
  simulation.add_body(strand);
  EXPECT_LT(simulation.step().constraint_error, 1e-3);
  const std::vector<double> both = simulation.state().multipliers;
  ASSERT_EQ(both.size(), strand.springs.size() + 1);
  EXPECT_NEAR(both.back(), before, 0.05 * before);
  // A body that is free again has no pressure.
  scene = simulation.scene();
  scene.bodies[0].volume = BodyVolume::free;
  simulation.change(scene);
  simulation.step();
  EXPECT_EQ(simulation.state().multipliers.size(), strand.springs.size());
}

/// A scene that is saved and read again has the new material.
TEST(ExactVolume, AnotherMaterialLeavesTheBitsThatASceneWithItHas) {
  Scene scene = moving(block({0.2, 0.2, 0.2}, {2, 2, 2}));
  scene.colliders = {plate("floor", -0.12, 1)};
  Simulation simulation(scene);
  test::run(simulation, 20);
  MaterialSettings softer = scene.bodies[0].material;
  std::tie(softer.mu, softer.lambda) = lame_parameters(5e4, 0.3);
  simulation.set_material(0, softer);
  Simulation other = test::fresh(simulation);
  test::run(simulation, 10);
  test::run(other, 10);
  test::expect_same_bits(simulation, other);
}

/// The minimum with the constraint is unique, whatever method finds it.
TEST(ExactVolume, EveryMethodThatTakesItComesToTheSameStep) {
  for (const char* const model : {"neo_hookean", "stable_neo_hookean"}) {
    std::vector<Vec3> expected;
    for (const SolverMethod method :
         {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::quasi_newton,
          SolverMethod::chebyshev, SolverMethod::gradient_descent, SolverMethod::xpbd}) {
      if (!test::runs(to_string(method), model)) continue;
      Scene scene = moving(block({0.2, 0.2, 0.2}, {2, 2, 2}), method, 3000);
      scene.gravity = {};
      scene.bodies[0].initial = Stretch{{1.1, 0.9, 1.1}};
      scene.bodies[0].material.model = model;
      scene.solver.tolerance = 1e-9;
      Simulation simulation(scene, {.threads = 1});
      EXPECT_LT(simulation.step().constraint_error, 1e-5) << to_string(method);
      const std::vector<Vec3> x = positions_of(simulation);
      if (expected.empty()) expected = x;
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          worst = std::max(worst, std::abs(x[i][k] - expected[i][k]));
        }
      }
      EXPECT_LT(worst, 1e-6) << to_string(method);
    }
  }
}

std::string refusal_of(const Scene& scene) {
  return test::place_of([&] { Simulation unused(scene); });
}

TEST(ExactVolume, MethodsThatHaveNoneRefuseByName) {
  for (const SolverMethod method :
       {SolverMethod::pbd, SolverMethod::step_and_project, SolverMethod::projective_dynamics,
        SolverMethod::jacobi, SolverMethod::gauss_seidel, SolverMethod::vertex_block_descent}) {
    Scene scene = moving(block({1, 1, 1}, {2, 2, 2}), method);
    if (method == SolverMethod::projective_dynamics || method == SolverMethod::pbd) {
      scene.bodies[0].material = test::soft_material("arap");
    }
    try {
      Simulation simulation(scene);
      FAIL() << to_string(method);
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "/bodies/0/volume") << error.message();
      EXPECT_NE(error.message().find(to_string(method)), std::string::npos) << error.message();
    }
  }
  Scene scene = moving(bag(0.1));
  scene.time.integrator = TimeIntegrator::symplectic_euler;
  EXPECT_EQ(refusal_of(scene), "/bodies/0/volume");
}

TEST(ExactVolume, RefusesWhatItCannotKeep) {
  Scene open = moving(bag(0.1));
  open.bodies[0].triangles.pop_back();
  EXPECT_EQ(refusal_of(open), "/bodies/0/volume");
  Scene flat = moving(test::sheet({}));
  flat.bodies[0].material.mu = 1e5;
  flat.bodies[0].volume = BodyVolume::exact;
  EXPECT_EQ(refusal_of(flat), "/bodies/0/volume");
  Scene filled = moving(bag(0.1));
  filled.bodies[0].pressure = PressureSettings{.pressure = 100};
  EXPECT_EQ(refusal_of(filled), "/bodies/0/pressure");
  Scene growing = moving(block({1, 1, 1}, {2, 2, 2}));
  growing.bodies[0].growth.push_back({.stretch = TimedNumber{1.1}});
  EXPECT_EQ(refusal_of(growing), "/bodies/0/growth");
  Scene rigid = moving(block({1, 1, 1}, {2, 2, 2}));
  rigid.bodies[0].material = {};
  rigid.bodies[0].material.model = "rigid";
  rigid.solver.method = SolverMethod::l_bfgs;
  EXPECT_EQ(refusal_of(rigid), "/bodies/0/volume");
  Scene unknown = moving(bag(0.1));
  unknown.bodies[0].volume = static_cast<BodyVolume>(2);
  EXPECT_EQ(refusal_of(unknown), "/bodies/0/volume");
}

/// All of its surface is held apart, so nothing can keep its volume, and a warning says so.
TEST(ExactVolume, PinsThatChangeItSaySo) {
  Body body = block({1, 1, 1}, {2, 2, 2});
  for (const double side : {-1.0, 1.0}) {
    for (std::size_t k = 0; k < 3; ++k) {
      Pin pin;
      pin.box = {{-1, -1, -1}, {1, 1, 1}};
      (side < 0 ? pin.box.max : pin.box.min)[k] = side * 0.49;
      pin.stiffness = 1e10;
      Vec3 way{};
      way[k] = 0.2 * side;
      pin.motion.keyframes = {{.time = 0}, {.time = 0.5, .translate = way}};
      body.pins.push_back(pin);
    }
  }
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    Simulation simulation(moving(as_run_by(method, body), method));
    EXPECT_TRUE(test::watch_run(simulation, 60).warns("constraint"));
  }
}

/// Prints the table of docs/inextensible.md.
TEST(ExactVolume, MoreRoundsLeaveLessOfTheError) {
  for (const bool is_bag : {true, false}) {
    for (const SolverMethod method :
         {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::quasi_newton,
          SolverMethod::chebyshev, SolverMethod::xpbd}) {
      for (const int iterations : {5, 10, 20, 40}) {
        Scene scene = pressed(method, iterations);
        if (!is_bag) scene.bodies[0] = as_run_by(method, block({0.2, 0.2, 0.2}, {4, 4, 4}));
        Simulation simulation(scene);
        const auto [worst, codes] = test::watch_run(simulation, 60);
        std::printf("%s, %s, %d iterations: %.1e, %.4g Pa%s\n", is_bag ? "bag" : "block",
                    to_string(method), iterations, worst, simulation.state().multipliers[0],
                    codes.c_str());
        if (method == SolverMethod::newton && iterations >= 20) {
          EXPECT_LT(worst, 1e-5);
        }
      }
    }
  }
}

/// Sizes, long steps, few iterations and a floor: volumes stay, or a warning says that they do not.
TEST(ExactVolume, StaysOrSaysSo) {
  for (const SolverMethod method :
       {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::quasi_newton,
        SolverMethod::chebyshev, SolverMethod::gradient_descent, SolverMethod::xpbd}) {
    for (const double size : {1e-3, 1.0, 100.0}) {
      for (const double step : {1.0 / 60, 1.0 / 6}) {
        for (const int iterations : {1, 3, 10}) {
          for (const bool is_bag : {false, true}) {
            Scene scene = moving(
                is_bag ? bag(size, 1) : as_run_by(method, block({size, size, size}, {2, 2, 2})),
                method, iterations);
            scene.time.step = step * std::sqrt(size);
            scene.colliders = {plate("floor", -1.2 * size, 1)};
            Simulation simulation(scene);
            const test::WatchedRun run = test::watch_run(simulation, 60, 30);
            const double worst = run.worst;
            EXPECT_TRUE(std::isfinite(worst));
            const bool says = run.warns("constraint") || run.warns("unconverged");
            EXPECT_TRUE(says || worst < 1e-2)
                << to_string(method) << ", " << (is_bag ? "bag of " : "block of ") << size << " m, "
                << step << " s, " << iterations << " iterations: " << worst;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace supple
