#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/index.h"
#include "math/vec3.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Rods that tear or are cut.
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

constexpr double pi = std::numbers::pi;
using Pairs = std::vector<std::array<int, 2>>;

/// A straight rubber cord of 4 mm and 1 m along x.
Scene cord(int segments, int iterations = 60) {
  Scene scene;
  scene.bodies = {
      test::rod_body(generate(StrandGenerator{.end = {1, 0, 0}, .segments = segments}))};
  scene.solver = {.method = SolverMethod::newton, .iterations = iterations, .tolerance = 1e-10};
  return scene;
}

Pin pin_of(std::vector<int> vertices, double degrees_per_second = 0) {
  Pin pin;
  pin.vertices = std::move(vertices);
  if (degrees_per_second != 0) pin.motion.rotate = Rotation{{1, 0, 0}, {}, degrees_per_second};
  return pin;
}

/// A twisted curl that is thrown and turns.
Scene flying_curl() {
  Scene scene = test::hanging_curl();
  scene.gravity = {0, 0, 0};
  Body& body = scene.bodies[0];
  body.pins.clear();
  body.rod->rest_twist = 400;
  body.velocity = {1, 0.5, -0.25};
  body.initial = Stretch{{1.3, 0.9, 1.1}};
  scene.solver = {.method = SolverMethod::newton, .iterations = 40, .tolerance = 1e-9};
  return scene;
}

/// A ring with a radius of 10 cm in a plane.
Scene ring(int segments, RodRestShape shape) {
  Scene scene = cord(segments);
  scene.gravity = {0, 0, 0};
  SpringMesh mesh;
  for (int i = 0; i < segments; ++i) {
    const double angle = 2 * pi * i / segments;
    mesh.vertices.push_back({0.1 * std::cos(angle), 0, 0.1 * std::sin(angle)});
    mesh.segments.push_back({i, (i + 1) % segments});
  }
  scene.bodies = {test::rod_body(mesh)};
  scene.bodies[0].rod->rest_shape = shape;
  return scene;
}

/// One end is held; the other is driven away and turned.
Scene pulled_cord(const TearingSettings& tearing) {
  Scene scene = cord(16, 30);
  Body& body = scene.bodies[0];
  body.pins = {pin_of({0, 1}), pin_of({15, 16}, 720)};
  body.pins[1].motion.velocity = Vec3{0.6, 0, 0.1};
  body.tearing = tearing;
  return scene;
}

using vec3::operator-;

double far_apart(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) most = std::max(most, vec3::norm(a[i] - b[i]));
  return most;
}

TEST(RodTearing, FramesAndTwistStayWithTheirSegments) {
  Scene scene = cord(20);
  scene.gravity = {0, -1, 0};
  scene.bodies[0].pins = {pin_of({0, 1}), pin_of({19, 20}, 360)};
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 20);
  const std::vector<double> before = simulation.state().rods;
  simulation.separate(0, Pairs{{6, 7}});
  simulation.separate(0, Pairs{{13, 12}});
  const std::vector<double> after = simulation.state().rods;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t s = 0; s < 20; ++s) {
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(after[7 * s + k], before[7 * s + k]) << s;
    const bool is_first = s == 7 || s == 13;
    EXPECT_EQ(after[7 * s + 6], is_first ? 0 : before[7 * s + 6]) << s;
    if (s > 0) {
      EXPECT_GT(before[7 * s + 6], 0.1);
    }
  }
  EXPECT_EQ(num_parts(simulation), 3);
}

/// A cut takes away the energy of one joint, B/(2 L) |e_1/l_1 - e_0/l_0|^2, and nothing else.
TEST(RodTearing, ACutTakesTheBendingOfOneJoint) {
  Scene scene = cord(20);
  scene.bodies[0].pins = {pin_of({0, 1})};
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 12);
  const std::vector<Vec3> x = positions_of(simulation);
  const Vec3 change = (x[3] - x[2]) - (x[2] - x[1]);
  const double l = 1.0 / 20;
  const double joint = scene.bodies[0].rod->bending / (2 * l) * vec3::dot(change, change) / (l * l);
  const Energies before = simulation.energies();
  ASSERT_GT(joint, 1e-3 * before.elastic);
  simulation.separate(0, Pairs{{1, 2}});
  const Energies after = simulation.energies();
  EXPECT_NEAR(after.elastic, before.elastic - joint, 1e-12 * before.elastic);
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-12 * before.kinetic);
  EXPECT_NEAR(after.pins, before.pins, 1e-12 * before.elastic);
}

/// Clamps hold the twist of a rod that has none at rest; if an end is free, it unwinds at once.
TEST(RodTearing, TwistUnwindsFromAnEnd) {
  Scene scene = cord(20);
  scene.gravity = {0, 0, 0};
  Body& body = scene.bodies[0];
  body.rod->twist *= 1e-3;  // far below the twist that makes it buckle
  body.pins = {pin_of({0, 1}), pin_of({19, 20}, 360)};
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 30);
  const double twisted = simulation.energies().elastic;
  EXPECT_NEAR(twisted, body.rod->twist * 4 * pi * pi / (2 * 0.95), 1e-6 * twisted);
  simulation.separate(0, Pairs{{9, 10}});
  EXPECT_LT(simulation.energies().elastic, 1e-9 * twisted);
  run(simulation, 10);
  EXPECT_LT(simulation.energies().elastic, 1e-9 * twisted);
  // Each half turns with its clamp, because the free end has no twist against it.
  const std::vector<double> rods = simulation.state().rods;
  for (std::size_t s = 0; s < 20; ++s) EXPECT_NEAR(rods[7 * s + 6], 0, 1e-9) << s;
}

/// A cut at a vertex of a clamp leaves the segment inside it clamped, and the rest on a hinge.
TEST(RodTearing, AClampHoldsWhatIsLeftOfIt) {
  Scene scene = cord(12);
  scene.gravity = {0, 0, 0};
  Body& body = scene.bodies[0];
  body.pins = {pin_of({0, 1}, 180)};
  Simulation simulation(scene, {.threads = 1});
  simulation.separate(0, Pairs{{0, 1}});
  const std::vector<double> start = simulation.state().rods;
  run(simulation, 15);  // half a second
  const std::vector<double> rods = simulation.state().rods;
  Vec3 before{}, after{}, other_before{}, other_after{};
  for (std::size_t k = 0; k < 3; ++k) {
    before[k] = start[3 + k];
    after[k] = rods[3 + k];
    other_before[k] = start[10 + k];
    other_after[k] = rods[10 + k];
  }
  EXPECT_NEAR(vec3::dot(before, after), 0, 1e-9) << "it turns by 90 degrees";
  EXPECT_NEAR(vec3::dot(other_before, other_after), 1, 1e-9) << "nothing turns the rest";
  // Pins of a torn body that are given again stay the same.
  simulation.set_pins(0, body.pins);
  run(simulation, 3);
}

/// A rod that is bent and twisted as it was at rest stays at rest, however it is cut.
TEST(RodTearing, PartsKeepTheShapeThatTheyHadAtRest) {
  Scene curl = test::hanging_curl();
  curl.gravity = {0, 0, 0};
  curl.bodies[0].pins.clear();
  curl.bodies[0].rod->rest_twist = 400;
  curl.solver.method = SolverMethod::newton;
  for (const Scene& scene : {curl, ring(24, RodRestShape::mesh)}) {
    Simulation simulation(scene, {.threads = 1});
    const std::vector<Vec3> rest = positions_of(simulation);
    for (const auto& pair : Pairs{{9, 10}, {3, 4}, {4, 5}}) {
      simulation.separate(0, Pairs{pair});
      run(simulation, 3);
      // Rounding of the frames, for a rod of some centimetres.
      EXPECT_LT(far_apart(positions_of(simulation), rest), 1e-11);
      EXPECT_LT(simulation.energies().elastic, 1e-20);
    }
    EXPECT_EQ(num_parts(simulation), scene.bodies[0].segments.size() == 24 ? 3 : 4);
  }
}

/// Nothing determines how a single segment turns about its axis, so it stays as it is.
TEST(RodTearing, SegmentsByThemselvesFall) {
  for (const int segments : {1, 8}) {
    Scene scene = cord(segments);
    Simulation simulation(scene, {.threads = 1}), other(scene, {.threads = 1});
    Pairs all;
    for (int s = 0; s + 1 < segments; ++s) all.push_back({s, s + 1});
    simulation.separate(0, all);
    const double mass = momentum_of(simulation).mass;
    run(simulation, 10);
    EXPECT_EQ(num_parts(simulation), segments);
    const Momentum after = momentum_of(simulation);
    EXPECT_NEAR(after.linear[1], -9.81 * mass * 10 / 30, 1e-9 * mass);
    EXPECT_NEAR(after.linear[0], 0, 1e-9 * mass);
    EXPECT_LT(simulation.energies().elastic, 1e-15);
    const SimulationState start = simulation.state();
    for (std::size_t s = 0; s < at(segments); ++s) {
      EXPECT_NEAR(start.rods[7 * s], 1, 1e-12) << "along x";
    }
    other.set_state(start);
    run(other, 3);
    run(simulation, 3);
    test::expect_same_bits(simulation, other);
  }
}

TEST(RodTearing, HalvesMoveAsTwoRods) {
  Scene scene = cord(20);
  scene.bodies[0].pins = {pin_of({0, 1})};
  Simulation cut(scene, {.threads = 1});
  cut.separate(0, Pairs{{9, 10}});
  Scene two = scene;
  two.contact.bodies = false;
  two.bodies.push_back(scene.bodies[0]);
  for (std::size_t b = 0; b < 2; ++b) {
    Body& own = two.bodies[b];
    SpringMesh half = generate(StrandGenerator{.segments = 10});
    for (std::size_t i = 0; i <= 10; ++i) {
      half.vertices[i] = scene.bodies[0].mesh.vertices[10 * b + i];
    }
    own.mesh.vertices = half.vertices;
    own.segments = half.segments;
    own.springs.assign(scene.bodies[0].springs.begin(), scene.bodies[0].springs.begin() + 10);
    if (b == 1) {
      own.name = "other";
      own.pins.clear();
    }
  }
  Simulation apart(two, {.threads = 1});
  run(cut, 20);
  run(apart, 20);
  const std::vector<Vec3> a = positions_of(cut), b = positions_of(apart);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < 11; ++i) EXPECT_LT(vec3::norm(a[i] - b[i]), 1e-7);
  for (std::size_t i = 12; i < 22; ++i) EXPECT_LT(vec3::norm(a[i - 1] - b[i]), 1e-7);
  EXPECT_LT(vec3::norm(a[21] - b[11]), 1e-7);
}

/// A ring that is straight at rest springs open like an open rod of that shape.
TEST(RodTearing, ARingThatIsCutOpens) {
  constexpr int n = 24;
  Simulation cut(ring(n, RodRestShape::straight), {.threads = 1});
  cut.separate(0, Pairs{{4, 5}});
  // It begins after the cut.
  Scene open = ring(n, RodRestShape::straight);
  Body& body = open.bodies[0];
  const std::vector<Vec3> rest = body.mesh.vertices;
  for (int i = 0; i <= n; ++i) {
    if (i == n) body.mesh.vertices.emplace_back();
    body.mesh.vertices[at(i)] = rest[at((i + 5) % n)];
    if (i < n) body.segments[at(i)] = {i, i + 1};
    if (i < n) {
      body.springs[at(i)].a = i;
      body.springs[at(i)].b = i + 1;
    }
  }
  Simulation other(open, {.threads = 1});
  EXPECT_NEAR(cut.energies().elastic, other.energies().elastic, 1e-12 * cut.energies().elastic);
  run(cut, 20);
  run(other, 20);
  const std::vector<Vec3> a = positions_of(cut), b = positions_of(other);
  EXPECT_GT(vec3::norm(b[0] - b[n]), 0.05) << "its ends have parted";
  for (int i = 1; i < n; ++i) EXPECT_LT(vec3::norm(a[at((i + 5) % n)] - b[at(i)]), 1e-6) << i;
}

TEST(RodTearing, ACutInFlightKeepsMassAndMomentum) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = flying_curl();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 3);
    const Momentum before = momentum_of(simulation);
    const Energies energies = simulation.energies();
    simulation.separate(0, Pairs{{20, 21}, {30, 31}});
    EXPECT_EQ(num_parts(simulation), 3);
    const auto expect_same = [&](double tolerance, bool angular) {
      const Momentum after = momentum_of(simulation);
      EXPECT_DOUBLE_EQ(after.mass, before.mass);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(after.linear[k], before.linear[k], tolerance * before.mass);
        if (!angular) continue;
        EXPECT_NEAR(after.angular[k], before.angular[k], tolerance * before.mass);
      }
    };
    expect_same(1e-13, true);
    EXPECT_LT(simulation.energies().elastic, energies.elastic);
    EXPECT_GT(simulation.energies().elastic, 0.5 * energies.elastic);
    EXPECT_NEAR(simulation.energies().kinetic, energies.kinetic, 1e-12 * energies.kinetic);
    run(simulation, 10);
    expect_same(1e-8, false);
  }
}

TEST(RodTearing, ACordThatIsPulledTooHardTears) {
  for (const TearingSettings& tearing :
       {TearingSettings{.stretch = 1.2}, TearingSettings{.force = 10}}) {
    for (const bool is_inextensible : {false, true}) {
      if (is_inextensible && tearing.stretch) continue;
      Scene scene = pulled_cord(tearing);
      for (Spring& spring : scene.bodies[0].springs) spring.inextensible = is_inextensible;
      Simulation simulation(scene, {.threads = 2}), torn(scene, {.threads = 1});
      int tears = 0;
      for (int frame = 0; frame < 60; ++frame) {
        const SimulationState before = simulation.state();
        const Momentum momentum = momentum_of(simulation);
        const Energies energies = simulation.energies();
        const StepReport report = simulation.step();
        ASSERT_NE(report.status, StepStatus::non_finite);
        ASSERT_NE(report.status, StepStatus::failed);
        if (report.separated == 0) continue;
        ++tears;
        torn_since(before, simulation.state(), torn);
        const Momentum after = momentum_of(torn);
        EXPECT_DOUBLE_EQ(after.mass, momentum.mass);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(after.linear[k], momentum.linear[k], 1e-13 * momentum.mass);
          EXPECT_NEAR(after.angular[k], momentum.angular[k], 1e-13 * momentum.mass);
        }
        EXPECT_LE(total(torn.energies()), total(energies) * (1 + 1e-12) + 1e-12);
      }
      EXPECT_GE(tears, 1);
      EXPECT_GE(num_parts(simulation), 2);
    }
  }
}

TEST(RodTearing, BladesCutRods) {
  Scene scene = cord(16);
  scene.gravity = {0, 0, 0};
  for (Vec3& x : scene.bodies[0].mesh.vertices) x[0] -= 0.5;
  scene.bodies[0].velocity = {0, 2, 0};
  scene.blades = {{.points = {{0.04, 0.6, -1}, {0.04, 0.6, 1}}}};
  Simulation simulation(scene, {.threads = 1});
  EXPECT_EQ(simulation.step().separated, 0);
  run(simulation, 20);
  EXPECT_EQ(num_parts(simulation), 2);
}

TEST(RodTearing, HasTheSameBitsHoweverItRuns) {
  test::expect_same_bits_however_run(pulled_cord({.stretch = 1.2}), 15, 15);
  Scene scene = pulled_cord({.stretch = 1.2});
  for (const SolverMethod method : {SolverMethod::l_bfgs, SolverMethod::xpbd}) {
    scene.solver.method = method;
    test::expect_same_bits_however_run(scene, 20, 10);
  }
  scene = pulled_cord({.force = 10});
  for (Spring& spring : scene.bodies[0].springs) spring.inextensible = true;
  scene.damping.stiffness = 0.05;
  test::expect_same_bits_however_run(scene, 10, 15);
}

TEST(RodTearing, AStateHoldsWhatCameApartAlsoOfARing) {
  const Scene scene = ring(24, RodRestShape::straight);
  Simulation simulation(scene, {.threads = 1});
  const SimulationState start = simulation.state();
  run(simulation, 2);
  simulation.separate(0, Pairs{{10, 11}});
  run(simulation, 4);
  const SimulationState open = simulation.state();
  simulation.separate(0, Pairs{{2, 3}});
  run(simulation, 4);
  const SimulationState parts = simulation.state();
  run(simulation, 3);
  Simulation other(scene, {.threads = 2});
  other.set_state(parts);
  run(other, 3);
  test::expect_same_bits(simulation, other);
  other.set_state(open);
  other.separate(0, Pairs{{2, 3}});
  run(other, 7);
  test::expect_same_bits(simulation, other);
  other.set_state(start);
  EXPECT_TRUE(other.scene().bodies[0].rod->copies.empty());
  EXPECT_EQ(other.scene().bodies[0].segments, scene.bodies[0].segments);
  Simulation fresh(scene, {.threads = 1});
  run(other, 5);
  run(fresh, 5);
  test::expect_same_bits(fresh, other);
}

TEST(RodTearing, AChangeOfTheSceneKeepsTwistAndShape) {
  Scene scene = flying_curl();
  Simulation simulation(scene, {.threads = 1}), same(scene, {.threads = 1});
  for (Simulation* const own : {&simulation, &same}) {
    run(*own, 2);
    own->separate(0, Pairs{{20, 21}});
    run(*own, 2);
  }
  simulation.change(simulation.scene());
  run(simulation, 3);
  run(same, 3);
  EXPECT_LT(far_apart(positions_of(simulation), positions_of(same)), 1e-9);
  // From then on, what was torn before counts as whole and can come apart further.
  const SimulationState begin = simulation.state();
  EXPECT_TRUE(begin.separated.empty());
  simulation.separate(0, Pairs{{30, 31}});
  EXPECT_EQ(num_parts(simulation), 3);
  run(simulation, 3);
  simulation.set_state(begin);
  EXPECT_EQ(num_parts(simulation), 2);
  run(simulation, 3);
}

TEST(RodTearing, OtherBodiesComeAndGo) {
  Scene scene = flying_curl();
  scene.contact.bodies = false;
  scene.bodies.push_back(cord(6).bodies[0]);
  scene.bodies[1].name = "cord";
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 2);
  simulation.separate(1, Pairs{{2, 3}});
  simulation.separate(0, Pairs{{20, 21}});
  run(simulation, 2);
  const std::vector<double> before = simulation.state().rods;
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(simulation.state().rods, std::vector<double>(before.end() - 42, before.end()));
  EXPECT_EQ(num_parts(simulation), 2);
  run(simulation, 2);
}

TEST(RodTearing, TearsAtAnySizeAndStep) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    for (const double slow : {1.0, 10.0}) {
      for (const int iterations : {3, 30}) {
        SCOPED_TRACE(std::to_string(size) + " m, step times " + std::to_string(slow) + ", " +
                     std::to_string(iterations) + " iterations");
        Scene scene = pulled_cord({.stretch = 1.2});
        const double time = std::sqrt(size);
        scene.time.step *= time * slow;
        scene.solver.iterations = iterations;
        Body& body = scene.bodies[0];
        for (double& v : *body.pins[1].motion.velocity) v *= size / time;
        body.pins[1].motion.rotate->degrees_per_second /= time;
        test::scale(body, size, 1);
        body.rod->bending *= std::pow(size, 5);
        body.rod->twist *= std::pow(size, 5);
        Simulation simulation(scene, {.threads = 2});
        run(simulation, 60);
        EXPECT_GE(num_parts(simulation), 2);
      }
    }
  }
}

TEST(RodTearing, EveryMethodThatRunsRodsTearsThem) {
  int methods = 0;
  for (const Description& solver : list_solvers()) {
    SCOPED_TRACE(solver.name);
    Scene scene = pulled_cord({.stretch = 1.2});
    scene.solver.method = from_string<SolverMethod>(solver.name);
    if (place_of([&] { Simulation simulation(scene); }) == "/bodies/0/material") continue;
    ++methods;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 60);
    EXPECT_GE(num_parts(simulation), 2);
  }
  EXPECT_GE(methods, 8);
}

TEST(RodTearing, RefusesCopiesOfNothing) {
  const auto place = [](std::vector<int> copies) {
    Scene scene = cord(4);
    scene.bodies[0].rod->copies = std::move(copies);
    return place_of([&] { Simulation simulation(scene); });
  };
  EXPECT_EQ(place({}), "nothing");
  EXPECT_EQ(place({-1}), "/bodies/0/rod/copies");
  EXPECT_EQ(place({4}), "/bodies/0/rod/copies") << "itself";
  EXPECT_EQ(place({0, 0, 0, 0, 0, 0}), "/bodies/0/rod/copies");
  EXPECT_EQ(place({3}), "/bodies/0/segments/3") << "a segment of one vertex";
  EXPECT_EQ(place({0}), "nothing") << "a ring that is open where it begins";
}

}  // namespace
}  // namespace supple
