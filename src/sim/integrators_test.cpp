#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "sim/step_setup.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// The integrators in whole simulations; integrate/integrator_test.cpp tests them alone.
namespace supple {
namespace {

constexpr double pi = 3.14159265358979323846;

const std::vector<std::string> dynamic_methods = {
    "backward_euler", "implicit_midpoint", "bdf2", "newmark", "symplectic_euler", "forward_euler"};

std::vector<std::string> names(const std::vector<Description>& list) {
  std::vector<std::string> result;
  for (const Description& entry : list) result.push_back(entry.name);
  return result;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Two vertices of mass 1/2 each, both pinned with the stiffness that makes them oscillate at `w`,
/// rad/s. The spring between them is too weak to matter: its forces are below the rounding of the
/// others.
Scene oscillator(const std::string& method, double w) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.time.integrator = from_string<TimeIntegrator>(method);
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 20;
  Body body;
  body.mesh.vertices = {{1, 0, 0}, {0, 2, 0}};
  body.segments = {{0, 1}};
  body.springs = {{0, 1, 1e-30, 1}};
  body.mass = 1;
  Pin pin;
  pin.vertices = {0, 1};
  pin.stiffness = 0.5 * w * w;
  body.pins.push_back(pin);
  scene.bodies.push_back(body);
  return scene;
}

/// The same oscillator, moving at 1 m/s along x.
Scene swinging(const std::string& method, double w, double h) {
  Scene scene = oscillator(method, w);
  scene.time.step = h;
  scene.bodies[0].velocity = {1, 0, 0};
  return scene;
}

double error_of_driven_oscillator(const std::string& method, int steps) {
  // Pins turn about the origin, x'' = w^2 (R(W t) r - x), from rest at r. Each coordinate is A (R(W
  // t) r) + c cos w t + s sin w t with A = w^2/(w^2 - W^2).
  constexpr double w = 5, turn = 3, end = 1;
  Scene scene = oscillator(method, w);
  scene.time.step = end / steps;
  scene.bodies[0].pins[0].motion.rotate = Rotation{{0, 0, 1}, {0, 0, 0}, turn * 180 / pi};
  Simulation simulation(scene);
  for (int i = 0; i < steps; ++i) simulation.step();
  const SimulationState state = simulation.state();
  const double A = w * w / (w * w - turn * turn);
  const double cosine = std::cos(turn * end), sine = std::sin(turn * end);
  double error = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec3& r = scene.bodies[0].mesh.vertices[i];
    const Vec3 target{cosine * r[0] - sine * r[1], sine * r[0] + cosine * r[1], 0};
    const Vec3 speed{-turn * target[1], turn * target[0], 0};
    const Vec3 first_speed{-turn * r[1], turn * r[0], 0};
    for (std::size_t k = 0; k < 3; ++k) {
      const double c = (1 - A) * r[k], s = -A * first_speed[k] / w;
      const double x = A * target[k] + c * std::cos(w * end) + s * std::sin(w * end);
      const double v = A * speed[k] - c * w * std::sin(w * end) + s * w * std::cos(w * end);
      error = std::max(error, std::abs(state.positions[3 * i + k] - x));
      error = std::max(error, std::abs(state.velocities[3 * i + k] - v) / w);
    }
  }
  return error;
}

const std::map<std::string, double> order = {
    {"backward_euler", 1}, {"implicit_midpoint", 2}, {"bdf2", 2},
    {"newmark", 2},        {"symplectic_euler", 1},  {"forward_euler", 1}};

TEST(Integrators, ConvergeWithTheirOrderWherePinsMove) {
  for (const std::string& method : dynamic_methods) {
    const double coarse = error_of_driven_oscillator(method, 500);
    const double fine = error_of_driven_oscillator(method, 1000);
    std::printf("%-17s errors %.2e and %.2e: order %.3f\n", method.c_str(), coarse, fine,
                std::log2(coarse / fine));
    // h w = 0.01: the next term of the error is a few hundredths of the first.
    EXPECT_NEAR(std::log2(coarse / fine), order.at(method), 0.04) << method;
  }
}

std::vector<double> end_of_tetrahedron(const std::string& method, int steps) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].mesh = generate(TetrahedronGenerator{.edge = 0.5});
  scene.bodies[0].initial = Stretch{{1.2, 0.9, 1}};
  scene.bodies[0].velocity = {0, 1, 0};
  scene.time.integrator = from_string<TimeIntegrator>(method);
  scene.time.step = 0.1 / steps;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 20;
  scene.solver.tolerance = 1e-12;
  Simulation simulation(scene);
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation.state().positions;
}

TEST(Integrators, ConvergeWithTheirOrderOnANonlinearBody) {
  // The error of the reference is 1/400 of that of the finer run of a second-order method.
  const std::vector<double> exact = end_of_tetrahedron("implicit_midpoint", 8000);
  for (const std::string& method : dynamic_methods) {
    const auto error = [&](int steps) {
      const std::vector<double> x = end_of_tetrahedron(method, steps);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - exact[i]) * (x[i] - exact[i]);
      return std::sqrt(sum);
    };
    // First-order errors show their order later.
    const int steps = order.at(method) == 1 ? 3200 : 200;
    const double coarse = error(steps), fine = error(2 * steps);
    std::printf("%-17s errors %.2e and %.2e: order %.3f\n", method.c_str(), coarse, fine,
                std::log2(coarse / fine));
    // The next terms of the error, a few hundredths of the first, and the reference's own error.
    EXPECT_NEAR(std::log2(coarse / fine), order.at(method), 0.06) << method;
  }
}

/// Energy after some steps, divided by the energy at the start.
double energy_kept(const std::string& method, int steps, double w, double h) {
  Simulation simulation(swinging(method, w, h));
  const auto energy = [&] {
    const Energies energies = simulation.energies();
    return energies.kinetic + energies.pins;
  };
  const double before = energy();
  EXPECT_NEAR(before, 0.5, 1e-15);
  for (int i = 0; i < steps; ++i) simulation.step();
  return energy() / before;
}

TEST(Integrators, KeepLoseOrGainTheEnergyOfPinsAsTheyShould) {
  constexpr double w = 3, h = 0.1;
  const double factor = 1 + h * h * w * w;
  EXPECT_NEAR(energy_kept("implicit_midpoint", 1000, w, h), 1, 1e-10);
  EXPECT_NEAR(energy_kept("newmark", 1000, w, h), 1, 1e-10);
  EXPECT_NEAR(energy_kept("backward_euler", 100, w, h) * std::pow(factor, 100), 1, 1e-10);
  EXPECT_NEAR(energy_kept("forward_euler", 100, w, h) / std::pow(factor, 100), 1, 1e-10);
  // Symplectic Euler keeps v^2 + w^2 x^2 - h w^2 x v: the energy stays within 1/(1 -+ h w/2).
  for (int steps = 990; steps < 1012; ++steps) {
    const double kept = energy_kept("symplectic_euler", steps, w, h);
    EXPECT_GT(kept, 1 / (1 + h * w / 2));
    EXPECT_LT(kept, 1 / (1 - h * w / 2));
  }
  // The first step of BDF2 loses as much as backward Euler. Later ones shrink x + i v/w by the
  // larger root of (3/2 - i h w) r^2 - 2 r + 1/2 = 0.
  const std::complex<double> a(1.5, -h * w);
  const double root = std::abs((1.0 + std::sqrt(1.0 - 0.5 * a)) / a);
  const double lost = energy_kept("bdf2", 200, w, h) / energy_kept("bdf2", 100, w, h);
  EXPECT_NEAR(lost, std::pow(root, 200), 1e-10);
  // About (h w)^4/4; the next term is a fifth of it.
  EXPECT_NEAR(std::log(root), -std::pow(h * w, 4) / 4, 0.25 * std::pow(h * w, 4) / 4);
}

TEST(Integrators, FollowTheDiscreteSolutionOfAPin) {
  // x and v, now and one step before, relative to the pin's target; w2 = k/m.
  struct Point {
    double x, v, x_previous, v_previous;
    bool first;
  };
  constexpr double w = 3, h = 0.1, w2 = w * w;
  const auto trapezoid = [](Point& p) {
    const double c = h * h * w2 / 4;
    const double next = ((1 - c) * p.x + h * p.v) / (1 + c);
    p.v -= h * w2 * (p.x + next) / 2;
    p.x = next;
  };
  const std::map<std::string, std::function<void(Point&)>> recursions = {
      {"backward_euler",
       [](Point& p) {
         p.x = (p.x + h * p.v) / (1 + h * h * w2);
         p.v -= h * w2 * p.x;
       }},
      {"implicit_midpoint", trapezoid},
      {"newmark", trapezoid},
      {"bdf2",
       [](Point& p) {
         const double a = p.first ? h : 2 * h / 3;
         const double x = p.first ? p.x : (4 * p.x - p.x_previous) / 3;
         const double v = p.first ? p.v : (4 * p.v - p.v_previous) / 3;
         const double next = (x + a * v) / (1 + a * a * w2);
         p = {next, v - a * w2 * next, p.x, p.v, false};
       }},
      {"symplectic_euler",
       [](Point& p) {
         p.v -= h * w2 * p.x;
         p.x += h * p.v;
       }},
      {"forward_euler", [](Point& p) {
         const double before = p.x;
         p.x += h * p.v;
         p.v -= h * w2 * before;
       }}};
  ASSERT_EQ(recursions.size(), dynamic_methods.size());
  for (const std::string& method : dynamic_methods) {
    Simulation simulation(swinging(method, w, h));
    Point point{0, 1, 0, 0, true};
    for (int i = 0; i < 60; ++i) {
      const StepReport report = simulation.step();
      recursions.at(method)(point);
      const SimulationState state = simulation.state();
      // Relative to the larger of both, which forward Euler lets grow.
      const double scale = std::max(1.0, std::hypot(w * point.x, point.v));
      ASSERT_NEAR(state.positions[0] - 1, point.x, 1e-12 * scale) << method << ", step " << i;
      ASSERT_NEAR(state.positions[3], point.x, 1e-12 * scale) << method << ", step " << i;
      ASSERT_NEAR(state.velocities[0], point.v, 1e-12 * scale * w) << method << ", step " << i;
      if (method == "symplectic_euler") {
        EXPECT_EQ(report.status, StepStatus::converged);
        EXPECT_EQ(report.iterations, 0);
        EXPECT_EQ(report.evaluations, 1);
      }
    }
  }
}

TEST(Integrators, FallFreelyAsTheirDiscreteSolutions) {
  constexpr double g = 9.81;
  constexpr int n = 20;
  const std::map<std::string, double> sum = {{"backward_euler", n * (n + 1) / 2.0},
                                             {"implicit_midpoint", n * n / 2.0},
                                             {"newmark", n * n / 2.0},
                                             {"symplectic_euler", n * (n + 1) / 2.0},
                                             {"forward_euler", n * (n - 1) / 2.0}};
  for (const auto& [method, steps] : sum) {
    Scene scene = test::free_block("neo_hookean");
    scene.gravity = {0, -g, 0};
    scene.time.integrator = from_string<TimeIntegrator>(method);
    // Explicit integrators blow up the rounding of the rest shape unless h is below 2/w.
    scene.time.step = 1e-3;
    Simulation simulation(scene);
    const std::vector<Vec3> start = test::positions_of(simulation);
    for (int i = 0; i < n; ++i) simulation.step();
    const std::vector<Vec3> end = test::positions_of(simulation);
    const double h = scene.time.step;
    for (std::size_t i = 0; i < end.size(); ++i) {
      EXPECT_NEAR(end[i][1], start[i][1] - g * h * h * steps, 1e-13) << method;
      EXPECT_NEAR(end[i][0], start[i][0], 1e-13) << method;
    }
    EXPECT_NEAR(simulation.state().velocities[1], -g * h * n, 1e-11) << method;
  }
}

/// A block in the air above the ground.
Scene dropped_block(const std::string& method) {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.bodies[0].velocity = {0.5, -1, 0};
  scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.35}, {}});
  scene.contact.stiffness = 1e4;
  scene.contact.friction = 0.3;
  scene.time.integrator = from_string<TimeIntegrator>(method);
  scene.time.step = 1.0 / 60;
  return scene;
}

TEST(Integrators, ADroppedCubeComesToRest) {
  // With drag, because integrators that keep the energy would go on bouncing.
  for (const std::string method : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    Scene scene = dropped_block(method);
    scene.damping.drag = 2;
    scene.solver.iterations = 50;
    Simulation simulation(scene);
    for (int i = 0; i < 400; ++i) {
      ASSERT_NE(simulation.step().status, StepStatus::non_finite) << method << ", frame " << i;
    }
    // Friction lets it creep at less than 1 mm/s: 6e-5 J.
    EXPECT_LT(simulation.energies().kinetic, 1e-4) << method;
    double push = 0;
    for (const Vec3& x : test::positions_of(simulation)) {
      push += scene.contact.stiffness * std::max(0.0, -0.35 - x[1]);
    }
    const double weight = 125 * 9.81;
    EXPECT_NEAR(push, weight, 0.01 * weight) << method;
  }
}

TEST(Integrators, EveryThreadCountGivesTheSameBits) {
  for (const std::string& method : names(list_integrators())) {
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
      Scene scene = test::twisting_bar({12, 5, 5}, "neo_hookean");
      scene.gravity = {0, -9.81, 0};
      scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.45}, {}});
      scene.contact.friction = 0.3;
      scene.time.integrator = from_string<TimeIntegrator>(method);
      scene.time.step = 1e-3;
      Simulation simulation(scene, {.threads = threads});
      for (int i = 0; i < 4; ++i) simulation.step();
      const std::vector<double> x = simulation.state().positions;
      if (first.empty()) first = x;
      EXPECT_TRUE(same_bits(first, x)) << method << " with " << threads << " threads";
    }
  }
}

TEST(Integrators, AStatePutBackGoesOnWithTheSameBits) {
  for (const std::string& method : names(list_integrators())) {
    for (const std::string start : {"inertia", "extrapolated", "adaptive"}) {
      Scene scene = test::twisting_bar({6, 2, 2}, "corotated");
      scene.time.integrator = from_string<TimeIntegrator>(method);
      scene.time.step = 2e-3;
      scene.time.substeps = 2;
      scene.solver.start = from_string<DescentStart>(start);
      if (start == "adaptive") scene.solver.method = SolverMethod::vertex_block_descent;
      scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.45}, {}});
      const bool allowed =
          start == "inertia" ||
          (method != "quasi_static" && !find_integrator(scene.time.integrator)->is_explicit);
      if (!allowed) {
        EXPECT_THROW(Simulation{scene}, Error) << method;
        continue;
      }
      Simulation simulation(scene);
      for (int i = 0; i < 3; ++i) simulation.step();
      const SimulationState saved = simulation.state();
      EXPECT_EQ(saved.accelerations.empty(), method != "newmark");
      EXPECT_EQ(saved.previous_positions.empty(), method != "bdf2" && start == "inertia");
      for (int i = 0; i < 3; ++i) simulation.step();
      Simulation other(scene);
      other.set_state(saved);
      for (int i = 0; i < 3; ++i) other.step();
      const SimulationState one = simulation.state(), two = other.state();
      EXPECT_TRUE(same_bits(one.positions, two.positions)) << method << ", " << start;
      EXPECT_TRUE(same_bits(one.velocities, two.velocities)) << method << ", " << start;
      EXPECT_TRUE(same_bits(one.accelerations, two.accelerations)) << method << ", " << start;
      EXPECT_TRUE(same_bits(one.previous_velocities, two.previous_velocities)) << method;
    }
  }
}

TEST(Integrators, AHistoryOfAnotherSizeIsRefused) {
  Simulation simulation(oscillator("bdf2", 1));
  simulation.step();
  const auto place = [&](const auto& spoil) -> std::string {
    SimulationState state = simulation.state();
    state.accelerations.assign(6, 0.0);
    spoil(state);
    try {
      simulation.set_state(state);
    } catch (const Error& error) {
      return error.where();
    }
    return "accepted";
  };
  EXPECT_EQ(place([](SimulationState&) {}), "accepted");
  EXPECT_EQ(place([](SimulationState& s) { s.previous_positions.pop_back(); }),
            "previous_positions");
  EXPECT_EQ(place([](SimulationState& s) { s.previous_velocities.clear(); }),
            "previous_velocities");
  EXPECT_EQ(place([](SimulationState& s) { s.accelerations.push_back(0); }), "accelerations");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(place([&](SimulationState& s) { s.previous_velocities[2] = nan; }),
            "previous_velocities");
}

TEST(Integrators, AnExplosionEndsNonFiniteAndKeepsTheState) {
  for (const std::string method : {"symplectic_euler", "forward_euler"}) {
    Scene scene = test::free_block("stvk");
    scene.bodies[0].initial = Stretch{{1.3, 1, 1}};
    scene.time.integrator = from_string<TimeIntegrator>(method);  // at 1/30 s, far above 2/w
    Simulation simulation(scene);
    bool ended = false;
    for (int i = 0; i < 100 && !ended; ++i) {
      const SimulationState before = simulation.state();
      ended = simulation.step().status == StepStatus::non_finite;
      if (!ended) continue;
      EXPECT_TRUE(same_bits(simulation.state().positions, before.positions));
      EXPECT_TRUE(same_bits(simulation.state().velocities, before.velocities));
      EXPECT_EQ(simulation.time(), before.time);
      for (const double x : before.positions) EXPECT_TRUE(std::isfinite(x));
    }
    EXPECT_TRUE(ended) << method;
  }
}

TEST(Integrators, EverySolverFindsTheSameSteps) {
  // Two frames: the first step of BDF2 is a step of backward Euler, with another matrix.
  for (const std::string method :
       {"implicit_midpoint", "bdf2", "newmark", "quasi_static", "backward_euler"}) {
    Scene scene = test::free_block("arap");
    scene.bodies[0].mesh = generate(BoxGenerator{.size = {1, 0.5, 0.5}, .cells = {2, 1, 1}});
    Pin pin;
    pin.box = {{-0.51, -1, -1}, {-0.49, 1, 1}};
    pin.stiffness = 1e5;
    pin.motion.velocity = Vec3{0, 0.5, 0};
    scene.bodies[0].pins.push_back(pin);
    scene.gravity = {0, -9.81, 0};
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.26}, {}});
    scene.contact.stiffness = 1e3;
    scene.time.integrator = from_string<TimeIntegrator>(method);
    const auto end = [&](const std::string& solver) {
      scene.solver.method = from_string<SolverMethod>(solver);
      scene.solver.iterations = 20000;
      scene.solver.tolerance = 1e-11;
      Simulation simulation(scene, {.threads = 1});
      for (int i = 0; i < 2; ++i) simulation.step();
      return simulation.state().positions;
    };
    const std::vector<double> reference = end("newton");
    for (const std::string& solver : names(list_solvers())) {
      if (!test::minimises(solver)) continue;
      if (solver == "xpbd" && method == std::string("quasi_static")) continue;  // needs inertia
      const std::vector<double> x = end(solver);
      double distance = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        distance = std::max(distance, std::abs(x[i] - reference[i]));
      }
      // 1e-11 of a gradient of a thousand newtons, over a stiffness of some ten N/m, with a margin.
      EXPECT_LT(distance, 1e-6) << method << ", " << solver;
    }
  }
}

TEST(StepSetup, AnAdaptiveStartTakesAsMuchOfGravityAsTheLastStepDid) {
  for (const std::string method : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(method);
    Scene scene = test::free_block("corotated");
    scene.gravity = {3, -4, 0};
    scene.time.integrator = from_string<TimeIntegrator>(method);
    scene.time.step = 0.1;
    scene.solver.method = SolverMethod::vertex_block_descent;
    const Model model = build_model(scene);
    Threads threads(1);
    Objective objective(model, nullptr, threads);
    StepSetup setup(scene, model);
    State state = initial_state(scene, model);
    const StepClock clock = clock_of(0, 0, scene.time);
    setup.prepare(state, clock, objective);
    // The first step has no step before it.
    EXPECT_EQ(setup.start()[3][0], setup.target()[3][0]);
    struct Case {
      double along, across;  // what the last step made of a velocity, of 5 m/s^2 over 0.1 s
      double share;
    };
    for (const Case& c : {Case{0, 0, 0}, Case{0.5, 0, 1}, Case{0.2, 0.7, 0.4}, Case{-0.3, 0.1, 0},
                          Case{0.8, -0.2, 1}}) {
      state.x_previous = state.x;
      state.v_previous = state.v;
      for (PaddedVector& v : state.v) {
        v[0] += 0.6 * c.along + 0.8 * c.across;
        v[1] += -0.8 * c.along + 0.6 * c.across;
      }
      setup.prepare(state, clock, objective);
      const double a2 = 1 / objective.inverse_a2();
      for (int k = 0; k < 3; ++k) {
        const double gravity = scene.gravity[static_cast<std::size_t>(k)];
        const double expected = setup.target()[3][k] - (1 - c.share) * a2 * gravity;
        EXPECT_NEAR(setup.start()[3][k], expected, 1e-14) << c.along;
        // If all of gravity was held back, only the velocity is left.
        if (method == "backward_euler" && c.share == 0) {
          EXPECT_NEAR(expected, state.x[3][k] + 0.1 * state.v[3][k], 1e-14);
        }
      }
    }
  }
}

TEST(StepSetup, AnExtrapolatedStartLooksAheadOfTheLastTwoVelocities) {
  for (const std::string method : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    Scene scene = test::free_block("corotated");
    scene.gravity = {0, -9.81, 0};
    scene.time.integrator = from_string<TimeIntegrator>(method);
    scene.time.step = 0.1;
    scene.solver.start = DescentStart::extrapolated;
    scene.damping.drag = 1;
    const Model model = build_model(scene);
    Threads threads(1);
    Objective objective(model, nullptr, threads);
    StepSetup setup(scene, model);
    State state = initial_state(scene, model);
    for (PaddedVector& v : state.v) v[0] = 2;
    const double kept = std::exp(-0.1);
    const double way = method == "implicit_midpoint" ? 0.05 : 0.1;
    StepClock clock = clock_of(0, 0, scene.time);
    setup.prepare(state, clock, objective);
    // There is no velocity before the first step.
    EXPECT_NEAR(setup.start()[3][0], state.x[3][0] + way * kept * 2, 1e-15) << method;
    EXPECT_NEAR(setup.start()[3][1], state.x[3][1], 1e-15) << method;
    setup.advance(setup.start(), state, objective.algebra());
    ++clock.substeps_done;
    const double previous = kept * 2;
    for (PaddedVector& v : state.v) v[0] = 3;
    setup.prepare(state, clock, objective);
    const double ahead = kept * 3 + 0.2 * (kept * 3 - previous);
    EXPECT_NEAR(setup.start()[3][0], state.x[3][0] + way * ahead, 1e-15) << method;
  }
}

TEST(StepSetup, PinsStandWhereTheIntegratorNeedsThem) {
  const std::map<std::string, double> stages = {{"backward_euler", 1},
                                                {"implicit_midpoint", 0.5},
                                                {"bdf2", 1},
                                                {"newmark", 1},
                                                {"quasi_static", 1}};
  for (const auto& [method, stage] : stages) {
    Scene scene = oscillator(method, 1);
    scene.time.step = 0.1;
    scene.bodies[0].pins[0].motion.velocity = Vec3{0, 0, 7};
    const Model model = build_model(scene);
    Threads threads(1);
    Objective objective(model, nullptr, threads);
    StepSetup setup(scene, model);
    State state = initial_state(scene, model);
    StepClock clock = clock_of(0, 0, scene.time);
    clock.substeps_done = 3;
    setup.prepare(state, clock, objective);
    EXPECT_NEAR(objective.pin_targets()[0][2], 7 * 0.1 * (3 + stage), 1e-14) << method;
  }
}

}  // namespace
}  // namespace supple
