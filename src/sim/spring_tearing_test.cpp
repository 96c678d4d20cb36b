#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/index.h"
#include "mesh/separation.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Cloth and strands of springs that tear or are cut.
namespace supple {
namespace {

using test::Momentum;
using test::momentum_of;
using test::num_parts;
using test::place_of;
using test::plane_across;
using test::positions_of;
using test::run;
using test::torn_since;
using test::total;

Body cloth(const ClothGenerator& generator, const SpringSettings& springs) {
  const SpringMesh mesh = generate(generator);
  Body body{.density = 0.2};
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = make_springs(mesh, springs);
  return body;
}

Body strand(int segments, double length) {
  const SpringMesh mesh = generate(StrandGenerator{.end = {0, -length, 0}, .segments = segments});
  Body body{.density = 0.02};
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {.stiffness = 100, .bending = 1});
  return body;
}

/// A flag of a metre between two poles, with a nick in its lower border, that a gust tears in two.
Scene flag() {
  Scene scene{.time = {.step = 1.0 / 60}};
  scene.solver.iterations = 20;
  scene.wind = WindSettings{.velocity = {0, 0, -8}};
  Body body = cloth({.u = {1.5, 0, 0}, .v = {0, -1, 0}, .cells = {18, 12}}, {60, 60, 6});
  body.pins = {{.box = {{-9, -9, -9}, {-0.74, 9, 9}}, .stiffness = 1e4},
               {.box = {{0.74, -9, -9}, {9, 9, 9}}, .stiffness = 1e4}};
  body.tearing = TearingSettings{.stretch = 1.25, .per_frame = 1};
  scene.bodies = {body};
  scene.blades = {{.points = {{0.01, -0.9, -1}, {0.01, -0.9, 1}, {0.01, -0.3, 0}},
                   .motion = {.velocity = Vec3{0, -300, 0}}}};
  return scene;
}

/// A cloth in free flight, turning and vibrating.
Scene flying_cloth() {
  Scene scene{.gravity = {0, 0, 0}};
  Body body = cloth({.u = {1, 0, 0}, .v = {0, 0.2, -1}, .cells = {8, 6}}, {200, 100, 5});
  body.velocity = {1, 0.5, -0.25};
  body.initial = Stretch{{1.2, 0.9, 1}};
  scene.bodies = {body};
  return scene;
}

Scene pulled_strand() {
  Scene scene{.gravity = {0, 0, 0}};
  scene.bodies = {strand(16, 1)};
  scene.bodies[0].pins = {{.vertices = {0}},
                          {.vertices = {16}, .motion = {.velocity = Vec3{0.1, -0.5, 0}}}};
  scene.bodies[0].tearing = TearingSettings{.stretch = 1.3};
  return scene;
}

void expect_same(const Momentum& a, const Momentum& b, double tolerance) {
  EXPECT_DOUBLE_EQ(a.mass, b.mass);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(a.linear[k], b.linear[k], tolerance * b.mass);
    EXPECT_NEAR(a.angular[k], b.angular[k], tolerance * b.mass);
  }
}

TEST(SpringTearing, AFlagInTheWindTearsIntoPartsAndKeepsItsMomentum) {
  const Scene scene = flag();
  Simulation simulation(scene, {.threads = 2}), torn(scene, {.threads = 1});
  const double mass = momentum_of(simulation).mass;
  int tears = 0;
  for (int frame = 0; frame < 90 && num_parts(simulation) < 2; ++frame) {
    const SimulationState before = simulation.state();
    const Momentum momentum = momentum_of(simulation);
    const Energies energies = simulation.energies();
    const StepReport report = simulation.step();
    ASSERT_NE(report.status, StepStatus::non_finite);
    ASSERT_NE(report.status, StepStatus::failed);
    if (report.separated == 0) continue;
    ++tears;
    torn_since(before, simulation.state(), torn);
    // Velocities of some metres a second, positions of a metre: sums over 247 vertices in doubles.
    expect_same(momentum_of(torn), momentum, 1e-13);
    // At rest, when the blade cuts, only rounding is left.
    EXPECT_LE(total(torn.energies()), total(energies) * (1 + 1e-12) + 1e-12);
    EXPECT_NEAR(torn.energies().kinetic, energies.kinetic, 1e-12 * energies.kinetic);
  }
  EXPECT_GT(tears, 5);
  EXPECT_GE(num_parts(simulation), 2);
  EXPECT_DOUBLE_EQ(momentum_of(simulation).mass, mass);
  EXPECT_NEAR(mass, 0.2 * 1.5, 1e-12);
}

TEST(SpringTearing, ACutInFlightKeepsMassAndMomentum) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = flying_cloth();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 3);
    const Momentum before = momentum_of(simulation);
    const Energies energies = simulation.energies();
    EXPECT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.6)), 0);
    EXPECT_EQ(num_parts(simulation), 2);
    expect_same(momentum_of(simulation), before, 1e-13);
    EXPECT_LE(simulation.energies().elastic, energies.elastic);
    EXPECT_GT(simulation.energies().elastic, 0.5 * energies.elastic);
    run(simulation, 10);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(momentum_of(simulation).linear[k], before.linear[k], 1e-8 * before.mass);
    }
  }
}

TEST(SpringTearing, PartsFallApart) {
  Scene scene = flying_cloth();
  scene.gravity = {0, -9.81, 0};
  Body& body = scene.bodies[0];
  body.initial = AtRest{};
  body.velocity = {0, 0, 0};
  body.pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}}};
  Simulation simulation(scene, {.threads = 1});
  simulation.cut(plane_across(0.251));
  run(simulation, 30);
  const std::vector<Vec3> x = positions_of(simulation);
  const std::vector<Vec3>& rest = simulation.scene().bodies[0].mesh.vertices;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rest[i][0] < 0.2) {
      EXPECT_GT(x[i][1], -1.5) << "held";
    } else if (rest[i][0] > 0.3) {
      EXPECT_LT(x[i][1], -3) << "falls for a second";
    }
  }
}

TEST(SpringTearing, AHangingStrandTearsWhereItBearsMost) {
  // Spring i of n bears the weight below it, (n - i - 1/2)/n of the total. The mesh is the hanging
  // shape.
  Scene scene;
  Body body = strand(10, 1);
  const double weight = 0.02 * 9.81, k = 20;
  body.springs = make_springs(
      {.vertices = body.mesh.vertices, .segments = body.segments, .structural = body.segments},
      SpringSettings{.stiffness = k});
  const auto rest_length = [&](int i) { return 0.1 - weight * (9.5 - i) / (10 * k); };
  for (int i = 0; i < 10; ++i) body.springs[at(i)].rest_length = rest_length(i);
  body.pins = {{.vertices = {0}, .stiffness = 1e6}};
  // Between the stretches of the first two springs.
  body.tearing = TearingSettings{.stretch = 0.2 / (rest_length(0) + rest_length(1))};
  scene.bodies = {body};
  scene.solver = {.method = SolverMethod::newton, .iterations = 50, .tolerance = 1e-12};
  Simulation simulation(scene, {.threads = 1});
  EXPECT_EQ(simulation.step().separated, 1);
  const auto& segments = simulation.scene().bodies[0].segments;
  EXPECT_EQ(segments[0], (std::array<int, 2>{0, 1}));
  EXPECT_EQ(segments[1], (std::array<int, 2>{11, 2}));
  EXPECT_EQ(num_parts(simulation), 2);
  run(simulation, 15);
  const std::vector<Vec3> x = positions_of(simulation);
  EXPECT_GT(x[1][1], -0.2);
  // After 16 frames of 1/30 s with backward Euler.
  EXPECT_NEAR(x[11][1], -0.1 - 9.81 * 16 * 17 / 2 / 900, 0.03);
}

TEST(SpringTearing, BladesCutClothAndStrands) {
  for (const bool is_strand : {false, true}) {
    Scene scene = flying_cloth();
    if (is_strand) {
      scene.bodies = {strand(16, 1)};
      for (Vec3& x : scene.bodies[0].mesh.vertices) x = {-0.5 - x[1], 0, 0};
    }
    scene.bodies[0].initial = AtRest{};
    scene.bodies[0].velocity = {0, 2, 0};
    scene.blades = {{.points = {{0.04, 0.6, -1}, {0.04, 0.6, 1}}}};
    Simulation simulation(scene, {.threads = 1});
    EXPECT_EQ(simulation.step().separated, 0);
    run(simulation, 30);
    EXPECT_EQ(num_parts(simulation), 2);
  }
}

TEST(SpringTearing, APointThatIsHeldStaysInItsElement) {
  for (const bool is_strand : {false, true}) {
    Scene scene = flying_cloth();
    if (is_strand) scene.bodies = {strand(16, 1)};
    scene.bodies[0].initial = AtRest{};
    scene.bodies[0].velocity = {0, 0, 0};
    scene.gravity = {0, -9.81, 0};
    Simulation simulation(scene, {.threads = 1});
    const Vec3 place = is_strand ? Vec3{0, -0.53, 0} : Vec3{0.3, 0.03, -0.1};
    const auto hit = simulation.closest_point(place);
    ASSERT_TRUE(hit);
    const Attachment grip = simulation.attach(*hit, hit->point, 1e4);
    std::vector<std::array<int, 2>> all;
    with_elements(scene.bodies[0], [&](const auto& elements) {
      for (const auto& [a, b] : joined_elements(std::span(elements))) all.push_back({a, b});
      return 0;
    });
    EXPECT_EQ(simulation.separate(0, all), static_cast<int>(all.size()));
    run(simulation, 30);
    // One element hangs at the point, at most its own length below it; the others fall 4.9 m.
    int held = 0;
    for (const Vec3& x : positions_of(simulation)) {
      if (x[1] > hit->point[1] - 0.3) {
        ++held;
      } else {
        EXPECT_LT(x[1], -4);
      }
    }
    EXPECT_EQ(held, is_strand ? 2 : 3);
    EXPECT_TRUE(simulation.is_attached(grip));
  }
}

TEST(SpringTearing, HasTheSameBitsHoweverItRuns) {
  test::expect_same_bits_however_run(flag(), 30, 15);
  test::expect_same_bits_however_run(pulled_strand(), 15, 15);
  Scene scene = flag();
  scene.solver.method = SolverMethod::xpbd;
  scene.time.substeps = 4;
  test::expect_same_bits_however_run(scene, 20, 10);
}

TEST(SpringTearing, TheStateOfTimeZeroMakesItWhole) {
  for (const Scene& scene : {flag(), pulled_strand()}) {
    Simulation simulation(scene, {.threads = 1}), fresh(scene, {.threads = 1});
    const SimulationState start = simulation.state();
    run(simulation, 40);
    ASSERT_GT(num_parts(simulation) + simulation.num_vertices(), 1 + fresh.num_vertices());
    EXPECT_NE(simulation.scene().bodies[0].springs.size(), scene.bodies[0].springs.size());
    simulation.set_state(start);
    const Body &whole = simulation.scene().bodies[0], &before = scene.bodies[0];
    EXPECT_EQ(whole.triangles, before.triangles);
    EXPECT_EQ(whole.segments, before.segments);
    ASSERT_EQ(whole.springs.size(), before.springs.size());
    for (std::size_t s = 0; s < whole.springs.size(); ++s) {
      EXPECT_EQ(whole.springs[s].a, before.springs[s].a);
      EXPECT_EQ(whole.springs[s].b, before.springs[s].b);
      EXPECT_EQ(whole.springs[s].stiffness, before.springs[s].stiffness);
    }
    run(simulation, 5);
    run(fresh, 5);
    test::expect_same_bits(simulation, fresh);
  }
}

TEST(SpringTearing, TearsAtAnySizeAndStep) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    for (const double slow : {1.0, 10.0}) {
      SCOPED_TRACE(std::to_string(size) + " m, step times " + std::to_string(slow));
      Scene scene{.time = {.step = 1.0 / 60}};
      Body body = cloth({.v = {0, -1, 0}, .cells = {8, 8}}, {60, 60, 6});
      body.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}}, {.box = {{-9, -9, -9}, {9, -0.49, 9}}}};
      body.tearing = TearingSettings{.stretch = 1.25};
      const double time = std::sqrt(size);
      scene.time.step *= time * slow;
      scene.solver.iterations = 2;
      body.pins[1].motion.velocity = {0, -0.5 * size / time, 0};
      test::scale(body, size, 2);
      scene.bodies = {body};
      Simulation simulation(scene, {.threads = 2});
      run(simulation, 90);
      EXPECT_GE(num_parts(simulation), 2);
    }
  }
}

TEST(SpringTearing, EveryMethodTearsAndGoesOn) {
  for (const Description& solver : list_solvers()) {
    SCOPED_TRACE(solver.name);
    Scene scene = pulled_strand();
    scene.bodies.push_back(flying_cloth().bodies[0]);
    scene.bodies[1].tearing = TearingSettings{.stretch = 1.1};
    scene.contact.bodies = false;
    scene.solver.method = from_string<SolverMethod>(solver.name);
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 40);
    EXPECT_GE(num_parts(simulation, 0), 2);
    EXPECT_GT(simulation.scene().bodies[1].mesh.vertices.size(),
              scene.bodies[1].mesh.vertices.size());
  }
}

}  // namespace
}  // namespace supple
