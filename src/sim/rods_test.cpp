#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Strands with bending and twist.
namespace supple {
namespace {

using test::positions_of;

constexpr double pi = std::numbers::pi;

/// The methods that run rods.
const std::vector<std::string> methods{"newton", "l_bfgs",       "quasi_newton", "gradient_descent",
                                       "jacobi", "gauss_seidel", "chebyshev",    "xpbd"};

/// The methods among them that damp.
std::vector<std::string> damping_methods() { return {methods.begin(), methods.end() - 1}; }

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Pin pin_of(std::vector<int> vertices, double degrees_per_second = 0) {
  Pin pin;
  pin.vertices = std::move(vertices);
  if (degrees_per_second != 0) pin.motion.rotate = Rotation{{1, 0, 0}, {}, degrees_per_second};
  return pin;
}

/// A straight rubber cord of 4 mm and 1 m along x.
Scene cord(int segments) {
  Scene scene;
  scene.bodies = {
      test::rod_body(generate(StrandGenerator{.end = {1, 0, 0}, .segments = segments}))};
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 100;
  scene.solver.tolerance = 1e-10;
  return scene;
}

TEST(RodScenes, StiffnessOfARoundRod) {
  const RodStiffness rod = rod_stiffness(2e9, 0.25, 1e-3);
  EXPECT_NEAR(rod.stretch, 2e9 * pi * 1e-6, 1e-9);
  EXPECT_NEAR(rod.bending, 2e9 * pi * 1e-12 / 4, 1e-15);
  EXPECT_NEAR(rod.twist, 0.8e9 * pi * 1e-12 / 2, 1e-15);
  EXPECT_THROW((void)rod_stiffness(0, 0.3, 1), Error);
  EXPECT_THROW((void)rod_stiffness(1e9, 0.6, 1), Error);
  EXPECT_THROW((void)rod_stiffness(1e9, 0.3, 0), Error);
  EXPECT_THROW((void)rod_stiffness(1e9, 0.3, 1e-90), Error);
}

TEST(RodScenes, ACurlAtRestStaysAtRest) {
  for (const std::string& method : methods) {
    Scene scene = test::hanging_curl();
    scene.gravity = {0, 0, 0};
    scene.bodies[0].pins.clear();
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene);
    test::run(simulation, 5);
    const std::vector<Vec3> x = positions_of(simulation);
    for (std::size_t v = 0; v < x.size(); ++v) {
      ASSERT_LT(distance(x[v], scene.bodies[0].mesh.vertices[v]), 1e-12) << method;
    }
  }
}

/// A curl that nothing holds, thrown and spinning, keeps its shape, however far it has turned.
TEST(RodScenes, ACurlThatFliesAndTurnsKeepsItsShape) {
  Scene scene = test::hanging_curl();
  Body& body = scene.bodies[0];
  body.pins.clear();
  // Stiff enough not to be pulled apart as it turns.
  body.rod->bending *= 100;
  body.rod->twist *= 100;
  scene.solver = {.method = SolverMethod::newton, .iterations = 50, .tolerance = 1e-8};
  Simulation simulation(scene);
  SimulationState state = simulation.state();
  for (std::size_t v = 0; v < state.positions.size() / 3; ++v) {
    const double* const x = &state.positions[3 * v];
    state.velocities[3 * v + 1] = 3 * x[2];
    state.velocities[3 * v + 2] = -3 * x[1];
  }
  simulation.set_state(state);
  test::run(simulation, 90);
  EXPECT_LT(test::distance_to_rest(simulation, body.mesh.vertices), 3e-4);
}

/// The tip of a beam under its own weight sinks by w L^4/(8 E I) while this is small. L begins at
/// the middle of the clamped segment; the error is of second order in the segments.
TEST(RodScenes, ACantileverBendsAsEulerAndBernoulliSay) {
  double last = 0;
  for (const int segments : {10, 20, 40}) {
    Scene scene = cord(segments);
    Body& body = scene.bodies[0];
    const double l = 1.0 / segments, length = 1 - l / 2;
    // Small enough for the linear theory: a tip of 1e-4.
    scene.gravity = {0, -8e-4 * body.rod->bending / body.density, 0};
    body.pins = {pin_of({0, 1})};
    body.pins[0].stiffness = 1e9;
    scene.time.integrator = TimeIntegrator::quasi_static;
    scene.solver.tolerance = 1e-13;
    Simulation simulation(scene);
    test::run(simulation, 3);
    const double tip = positions_of(simulation).back()[1];
    const double error = std::abs(-tip / (1e-4 * std::pow(length, 4)) - 1);
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.8) << segments;
    }
    last = error;
  }
  EXPECT_LT(last, 2e-3);
}

/// E = G J m^2/(2 L) after one turn of an end; the middle has half of the turn.
TEST(RodScenes, AClampThatTurnsTwistsTheRod) {
  for (const std::string& method : methods) {
    Scene scene = cord(20);
    scene.gravity = {0, 0, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 30;
    scene.bodies[0].rod->twist *= 1e-3;  // far below the twist that makes it buckle
    scene.bodies[0].pins = {pin_of({0, 1}), pin_of({19, 20}, 360)};
    Simulation simulation(scene);
    test::run(simulation, 30);
    const double expected = scene.bodies[0].rod->twist * 4 * pi * pi / (2 * 0.95);
    EXPECT_NEAR(simulation.energies().elastic, expected, 1e-6 * expected) << method;
    const std::vector<double> rods = simulation.state().rods;
    ASSERT_EQ(rods.size(), 140U);
    for (std::size_t s = 1; s < 20; ++s) EXPECT_NEAR(rods[7 * s + 6], 2 * pi / 19, 1e-9) << method;
    EXPECT_NEAR(
        rods[3] * rods[7 * 19 + 3] + rods[4] * rods[7 * 19 + 4] + rods[5] * rods[7 * 19 + 5], 1,
        1e-9);
  }
}

/// A pin at one vertex holds a place but no direction, so nothing is twisted.
TEST(RodScenes, APinAtOneVertexIsAHinge) {
  Scene scene = cord(20);
  scene.gravity = {0, 0, 0};
  scene.bodies[0].pins = {pin_of({0, 1}), pin_of({20}, 360)};
  Simulation simulation(scene);
  test::run(simulation, 30);
  EXPECT_LT(simulation.energies().elastic, 1e-12);
}

/// How far a ring of a straight rod leaves its plane, relative to some time before.
double growth_of_ring(double twist) {
  constexpr int count = 60;
  constexpr double radius = 0.2;
  PolylineGenerator line{.closed = true};
  for (int i = 0; i < count; ++i) {
    const double a = 2 * pi * i / count;
    line.points.push_back({radius * std::cos(a), radius * std::sin(a), 0});
  }
  Scene scene = cord(1);
  scene.gravity = {0, 0, 0};
  scene.bodies = {test::rod_body(generate(line))};
  scene.bodies[0].rod->rest_shape = RodRestShape::straight;
  scene.bodies[0].rod->rest_twist = twist * 180 / pi;
  scene.time.step = 0.5;
  scene.damping.drag = 1;
  Simulation simulation(scene);
  SimulationState state = simulation.state();
  // The mode of Michell's instability: two waves around the ring.
  for (std::size_t i = 0; i < count; ++i) {
    state.positions[3 * i + 2] = 1e-6 * std::cos(4 * pi * static_cast<double>(i) / count);
  }
  simulation.set_state(state);
  const auto height = [&] {
    double most = 0;
    for (const Vec3& x : positions_of(simulation)) most = std::max(most, std::abs(x[2]));
    return most;
  };
  test::run(simulation, 20);
  const double before = height();
  test::run(simulation, 20);
  return height() / before;
}

/// A ring of a straight rod buckles at the twist 2 pi sqrt(3) E I/(G J) [Michell 1889; Zajac 1962].
TEST(RodScenes, ATwistedRingBucklesAsMichellSays) {
  const Scene scene = cord(1);
  const double critical =
      2 * pi * std::sqrt(3) * scene.bodies[0].rod->bending / scene.bodies[0].rod->twist;
  EXPECT_LT(growth_of_ring(0.97 * critical), 1);
  EXPECT_GT(growth_of_ring(1.03 * critical), 1);
}

/// A pulled curl, with steps so short that methods without a good matrix converge too.
Scene pulled_curl(const std::string& method) {
  Scene scene = test::hanging_curl();
  scene.solver.method = from_string<SolverMethod>(method);
  scene.solver.iterations = 5000;
  scene.solver.tolerance = 1e-11;
  scene.time.step = 5e-4;
  for (Spring& spring : scene.bodies[0].springs) spring.stiffness *= 0.01;
  scene.bodies[0].initial = Stretch{{1.2, 1.5, 0.9}};
  return scene;
}

TEST(RodScenes, EveryMethodFindsTheSameStep) {
  std::vector<Vec3> expected;
  for (const std::string& method : methods) {
    const Scene scene = pulled_curl(method);
    Simulation simulation(scene);
    test::run(simulation, 1);
    const std::vector<Vec3> x = positions_of(simulation);
    if (expected.empty()) expected = x;
    double most = 0;
    for (std::size_t v = 0; v < x.size(); ++v) most = std::max(most, distance(x[v], expected[v]));
    EXPECT_LT(most, method == "gradient_descent" ? 1e-6 : 1e-8) << method;
  }
}

TEST(RodScenes, OtherMethodsRefuseThemByName) {
  for (const std::string method :
       {"pbd", "step_and_project", "projective_dynamics", "vertex_block_descent"}) {
    Scene scene = test::hanging_curl();
    scene.solver.method = from_string<SolverMethod>(method);
    try {
      Simulation simulation(scene);
      FAIL() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "/bodies/0/material");
      EXPECT_NE(error.message().find(method + " has no rods"), std::string::npos)
          << error.message();
    }
  }
}

TEST(RodScenes, TheBitsDependOnNothingElse) {
  for (const std::string& method : methods) {
    Scene scene = test::hanging_curl();
    Body twisted = test::rod_body(
        generate(StrandGenerator{.start = {0.5, 0, 0}, .end = {1.5, 0, 0}, .segments = 15}));
    twisted.name = "twisted";
    twisted.pins = {pin_of({0, 1}), pin_of({14, 15}, 500)};
    scene.bodies.push_back(twisted);
    scene.bodies.push_back(test::hanging_cloth().bodies[0]);
    scene.solver.method = from_string<SolverMethod>(method);
    test::expect_same_bits_however_run(scene, 4, 4);
  }
}

/// The midpoint rule keeps the energy of a curl that falls into its clamp.
TEST(RodScenes, EveryIntegratorRunsThem) {
  for (const std::string integrator : {"implicit_midpoint", "bdf2", "newmark"}) {
    Scene scene = test::hanging_curl();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = 1.0 / 240;
    scene.solver = {.method = SolverMethod::newton, .iterations = 50, .tolerance = 1e-8};
    Simulation simulation(scene);
    const auto total = [&] {
      const Energies e = simulation.energies();
      return e.kinetic + e.elastic + e.gravity + e.pins;
    };
    const double before = total();
    double kinetic = 0;
    for (int frame = 0; frame < 48; ++frame) {
      simulation.step();
      kinetic = std::max(kinetic, simulation.energies().kinetic);
    }
    if (integrator == "implicit_midpoint") {
      EXPECT_NEAR(total(), before, 2e-3 * kinetic);
    } else {
      EXPECT_LT(total(), before + 0.01 * kinetic) << integrator;
    }
  }
}

/// Bodies that stay keep their twist, whatever comes or goes beside them.
TEST(RodScenes, TwistOutlivesChangesOfTheScene) {
  Scene scene = cord(20);
  scene.gravity = {0, 0, 0};
  scene.bodies[0].pins = {pin_of({0, 1}), pin_of({19, 20}, 360)};
  Simulation simulation(scene);
  test::run(simulation, 10);
  const double before = simulation.energies().elastic;
  ASSERT_GT(before, 0);
  Body other = test::hanging_curl().bodies[0];
  other.name = "other";
  for (Vec3& x : other.mesh.vertices) x[2] += 3;
  const BodyHandle added = simulation.add_body(other);
  EXPECT_NEAR(simulation.energies().elastic, before, 1e-9 * before);
  simulation.step();
  simulation.remove_body(added);
  Scene next = simulation.scene();
  next.bodies[0].rod->twist *= 2;
  simulation.change(next);
  const double after = simulation.energies().elastic;
  EXPECT_GT(after, 2 * before);
  // When it is released, it is a hinge.
  simulation.set_pins(0, {pin_of({0}), pin_of({20})});
  simulation.step();
  EXPECT_LT(simulation.energies().elastic, 0.01 * after);
}

/// The lowest mode of a cantilever loses amplitude as exp(-tau w^2 t/2), where w is that of Euler
/// and Bernoulli.
TEST(RodScenes, ADampedCantileverRingsOutAtTheRateOfItsTime) {
  constexpr int segments = 40;
  constexpr double root = 1.875104068711961, free_from = 0.5 / segments;
  constexpr double length = 1 - free_from;
  for (const double tau : {0.0, 0.2, 0.6}) {
    Scene scene = cord(segments);
    scene.gravity = {0, 0, 0};
    scene.damping.stiffness = tau;
    scene.time.integrator = TimeIntegrator::implicit_midpoint;
    scene.bodies[0].pins = {pin_of({0, 1})};
    const double w = root * root / (length * length) *
                     std::sqrt(scene.bodies[0].rod->bending / scene.bodies[0].density);
    scene.time.step = 0.1 / w;
    const auto shape = [&](std::size_t vertex) {
      const double s = static_cast<double>(vertex) / segments - free_from;
      const double x = root * std::max(0.0, s) / length;
      constexpr double sigma = 0.7340955137589128;
      return 0.5 * (std::cosh(x) - std::cos(x) - sigma * (std::sinh(x) - std::sin(x)));
    };
    const auto part = [&](const std::vector<double>& field) {
      double sum = 0, norm = 0;
      for (std::size_t v = 2; v <= segments; ++v) {
        const double weight = (v == segments ? 0.5 : 1.0) * shape(v);
        sum += weight * field[3 * v + 1];
        norm += weight * shape(v);
      }
      return sum / norm;
    };
    Simulation simulation(scene);
    SimulationState state = simulation.state();
    constexpr double amplitude = 1e-4;  // m: too little to stretch it
    for (std::size_t v = 2; v <= segments; ++v) {
      state.velocities[3 * v + 1] = amplitude * w * shape(v);
    }
    simulation.set_state(state);
    constexpr int steps = 300;
    test::run(simulation, steps);
    state = simulation.state();
    const double left = std::hypot(part(state.positions), part(state.velocities) / w) / amplitude;
    const double exponent = 0.5 * tau * w * w * steps * scene.time.step;
    std::printf("tau %.1f s, w %.4f 1/s: left %.5f, exp(-tau w^2 t/2) %.5f\n", tau, w, left,
                std::exp(-exponent));
    EXPECT_NEAR(-std::log(left), exponent, 0.02 * exponent + 0.003);
  }
}

/// Twist that nothing holds unwinds as exp(-t/tau): by 1 + h/tau in each step. Without damping it
/// is gone after one step.
TEST(RodScenes, DampedTwistUnwindsOverTime) {
  for (const double tau : {0.0, 0.3}) {
    Scene scene = cord(20);
    scene.gravity = {0, 0, 0};
    scene.bodies[0].pins = {pin_of({0, 1})};
    scene.bodies[0].damping = BodyDamping{tau};
    Simulation simulation(scene);
    SimulationState state = simulation.state();
    constexpr double turn = 0.2;
    ASSERT_EQ(state.rods.size(), 140U);
    for (std::size_t s = 0; s < 20; ++s) {
      const double angle = turn * static_cast<double>(s);
      state.rods[7 * s + 3] = 0;
      state.rods[7 * s + 4] = std::cos(angle);
      state.rods[7 * s + 5] = std::sin(angle);
      state.rods[7 * s + 6] = s == 0 ? 0 : turn;
    }
    simulation.set_state(state);
    double expected = scene.bodies[0].rod->twist * 19 * turn * turn / (2 * 0.05);
    if (tau > 0) {
      EXPECT_NEAR(simulation.energies().elastic, expected, 1e-9 * expected);
    }
    for (int n = 0; n < 20; ++n) {
      simulation.step();
      expected /= std::pow(1 + scene.time.step / tau, 2);
      EXPECT_NEAR(simulation.energies().elastic, tau > 0 ? expected : 0, 1e-7 * expected + 1e-20);
    }
  }
}

/// Clamps that twist a damped rod do work on it; nothing else is taken from its motion.
TEST(RodScenes, ADampedRodIsTwistedByItsClamp) {
  Scene scene = cord(20);
  scene.gravity = {0, 0, 0};
  scene.damping.stiffness = 0.5;
  scene.bodies[0].rod->twist *= 1e-3;  // far below the twist that makes it buckle
  scene.bodies[0].pins = {pin_of({0, 1}), pin_of({19, 20}, 360)};
  Simulation simulation(scene);
  double removed = 0;
  for (int n = 0; n < 30; ++n) removed += simulation.step().energy_removed;
  const double expected = scene.bodies[0].rod->twist * 4 * pi * pi / (2 * 0.95);
  EXPECT_NEAR(simulation.energies().elastic, expected, 1e-6 * expected);
  EXPECT_LT(removed, 1e-9 * expected);
}

TEST(RodScenes, EveryMethodFindsTheSameDampedStep) {
  std::vector<Vec3> expected;
  double undamped = 0;
  for (const std::string& method : damping_methods()) {
    Scene scene = pulled_curl(method);
    scene.damping.stiffness = 2e-3;
    Simulation simulation(scene);
    test::run(simulation, 1);
    const std::vector<Vec3> x = positions_of(simulation);
    if (expected.empty()) {
      expected = x;
      scene.damping.stiffness = 0;
      Simulation plain(scene);
      test::run(plain, 1);
      for (std::size_t v = 0; v < x.size(); ++v) {
        undamped = std::max(undamped, distance(positions_of(plain)[v], expected[v]));
      }
      EXPECT_GT(undamped, 1e-5);
    }
    double most = 0;
    for (std::size_t v = 0; v < x.size(); ++v) most = std::max(most, distance(x[v], expected[v]));
    EXPECT_LT(most, method == "gradient_descent" ? 1e-6 : 1e-8) << method;
  }
}

TEST(RodScenes, DampedRodsHaveTheSameBitsHoweverRun) {
  for (const std::string& method : damping_methods()) {
    Scene scene = test::hanging_curl();
    scene.damping.stiffness = 0.05;
    Body twisted = test::rod_body(
        generate(StrandGenerator{.start = {0.5, 0, 0}, .end = {1.5, 0, 0}, .segments = 15}));
    twisted.name = "twisted";
    twisted.pins = {pin_of({0, 1}), pin_of({14, 15}, 500)};
    scene.bodies.push_back(twisted);
    scene.solver.method = from_string<SolverMethod>(method);
    test::expect_same_bits_however_run(scene, 4, 4);
  }
}

TEST(RodScenes, AStateThatIsNoneIsRefused) {
  Scene scene = test::hanging_curl();
  Simulation simulation(scene);
  test::run(simulation, 2);
  SimulationState state = simulation.state();
  state.rods.pop_back();
  EXPECT_THROW(simulation.set_state(state), Error);
  state = simulation.state();
  state.rods[3] += 0.1;
  EXPECT_THROW(simulation.set_state(state), Error);
  state = simulation.state();
  state.rods[6] = std::nan("");
  EXPECT_THROW(simulation.set_state(state), Error);
}

/// A curl and a closed ring, held by nothing, far from the origin.
Scene free_rods(const char* precision, const char* multipliers) {
  Scene scene = test::hanging_curl();
  scene.gravity = {0, 0, 0};
  scene.bodies[0].pins.clear();
  SpringMesh ring;
  constexpr int count = 21;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * pi * i / count;
    ring.vertices.push_back({0.3 * std::cos(angle), 2, 0.3 * std::sin(angle)});
    ring.segments.push_back({i, (i + 1) % count});
  }
  scene.bodies.push_back(test::rod_body(ring));
  scene.bodies[1].name = "ring";
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = 3;
  scene.solver.precision = from_string<XpbdPrecision>(precision);
  scene.solver.multipliers = from_string<XpbdMultipliers>(multipliers);
  scene.time.substeps = 4;
  return scene;
}

TEST(RodScenes, WithXpbdRestIsExactAndStable) {
  for (const char* precision : {"double", "float"}) {
    for (const char* multipliers : {"zero", "kept"}) {
      const Scene scene = free_rods(precision, multipliers);
      Simulation simulation(scene);
      const SimulationState rest = simulation.state();
      test::run(simulation, 5);
      EXPECT_TRUE(simulation.state().positions == rest.positions) << precision << multipliers;
      SimulationState state = rest;
      for (std::size_t i = 0; i < state.positions.size(); ++i) {
        state.positions[i] += 1e-6 * std::sin(7.0 * static_cast<double>(i));
      }
      simulation.set_state(state);
      test::run(simulation, 60);
      state = simulation.state();
      for (std::size_t i = 0; i < state.positions.size(); ++i) {
        EXPECT_NEAR(state.positions[i], rest.positions[i], 1e-4) << precision << multipliers;
      }
    }
  }
}

TEST(RodScenes, WithXpbdTheyKeepTheirMomentum) {
  Simulation simulation(free_rods("double", "zero"));
  const SimulationState rest = simulation.state();
  SimulationState state = rest;
  for (std::size_t i = 0; i < state.positions.size(); ++i) {
    state.positions[i] += 0.01 * std::sin(7.0 * static_cast<double>(i));
  }
  simulation.set_state(state);
  test::run(simulation, 5);
  state = simulation.state();
  // All segments of the ring are equally long, so all masses are equal.
  const std::size_t first = state.velocities.size() - 3 * 21;
  double sum[3] = {0, 0, 0}, size = 0;
  for (std::size_t i = first; i < state.velocities.size(); ++i) {
    sum[i % 3] += state.velocities[i];
    size += std::abs(state.velocities[i]);
  }
  ASSERT_GT(size, 1e-2);
  for (const double own : sum) EXPECT_LT(std::abs(own), 1e-10 * size);
}

TEST(RodScenes, AConvergedStepOfXpbdIsThatOfNewtonsMethodAlsoOfARing) {
  std::vector<Vec3> expected;
  for (const char* method : {"newton", "xpbd"}) {
    Scene scene = free_rods("double", "zero");
    scene.time.substeps = 1;
    scene.bodies[1].initial = Stretch{{1.1, 1, 0.8}};
    Pin pin = pin_of({0, 10});
    scene.bodies[1].pins = {pin};
    scene.solver = {};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 3000;
    scene.solver.tolerance = 1e-11;
    Simulation simulation(scene);
    simulation.step();
    const std::vector<Vec3> x = positions_of(simulation);
    if (expected.empty()) expected = x;
    for (std::size_t v = 0; v < x.size(); ++v) EXPECT_LT(distance(x[v], expected[v]), 1e-8) << v;
  }
}

/// From every finite state: crumpled to a point, pressed flat, scattered.
TEST(RodScenes, ItRecoversFromAnyStart) {
  const std::vector<Initial> starts{Flatten{0}, Stretch{{2, 0.5, 1}},
                                    Randomize{{{-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}}, 3}};
  for (const Initial& start : starts) {
    for (const char* method : {"newton", "l_bfgs", "xpbd"}) {
      Scene scene = test::hanging_curl();
      scene.bodies[0].initial = start;
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = 30;
      scene.damping.drag = 3;
      Simulation simulation(scene);
      test::run(simulation, 60);
      for (const Vec3& x : positions_of(simulation)) EXPECT_LT(distance(x, {0, 0, 0}), 2) << method;
    }
  }
}

}  // namespace
}  // namespace supple
