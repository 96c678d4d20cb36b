#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "model/model.h"
#include "model/multipliers.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"
#include "supple/state_bytes.h"

/// Springs that keep their lengths.
namespace supple {
namespace {

using test::positions_of;

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// A chain of inextensible springs without bending resistance, 0.1 kg/m, held at `pinned`.
Body chain(const SpringMesh& mesh, double stiffness, const std::vector<int>& pinned = {0}) {
  Body body;
  body.name = "chain";
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {.stiffness = stiffness, .inextensible = true});
  body.density = 0.1;
  Pin pin;
  pin.vertices = pinned;
  if (!pinned.empty()) body.pins.push_back(pin);
  return body;
}

/// A chain of 1 m that hangs down or lies along x.
Body straight(int segments, double stiffness, const Vec3& end = {0, -1, 0}) {
  return chain(generate(StrandGenerator{.end = end, .segments = segments}), stiffness);
}

Scene moving(Body body, SolverMethod method = SolverMethod::newton, int iterations = 20) {
  Scene scene;
  scene.gravity = {0, -g, 0};
  scene.time.step = 1.0 / 60;
  scene.solver.method = method;
  scene.solver.iterations = iterations;
  scene.bodies.push_back(std::move(body));
  return scene;
}

Scene resting(Body body) {
  Scene scene = test::statics(std::move(body));
  scene.gravity = {0, -g, 0};
  return scene;
}

TEST(Inextensible, TheMultiplierOfAHangingChainIsItsTension) {
  constexpr int n = 10;
  for (const double stiffness : {3e2, 1e3, 1e5}) {
    for (const bool rests : {false, true}) {
      const Body body = straight(n, stiffness);
      Simulation simulation(rests ? resting(body) : moving(body));
      StepReport report;
      for (int i = 0; i < (rests ? 2 : 30); ++i) report = simulation.step();
      EXPECT_LT(report.constraint_error, 1e-9) << stiffness;
      const std::vector<double> tensions = simulation.state().multipliers;
      ASSERT_EQ(tensions.size(), static_cast<std::size_t>(n));
      for (int s = 0; s < n; ++s) {
        const double below = 0.1 * (n - s - 0.5) / n;  // half a segment at each vertex
        EXPECT_NEAR(tensions[static_cast<std::size_t>(s)], below * g, 1e-6) << stiffness;
      }
      // The stretch for which the multipliers stand stores no energy.
      EXPECT_NEAR(simulation.energies().elastic, 0, 1e-9);
    }
  }
}

TEST(Inextensible, WithoutIt_TheSameChainStretches) {
  Body body = straight(10, 3e2);
  for (Spring& spring : body.springs) spring.inextensible = false;
  Simulation simulation(resting(body));
  simulation.step();
  EXPECT_LT(positions_of(simulation)[10][1], -1.01);
  EXPECT_TRUE(simulation.state().multipliers.empty());
  EXPECT_EQ(simulation.step().constraint_error, 0);
}

TEST(Inextensible, AChainBetweenTwoPointsIsACatenary) {
  constexpr int n = 80;
  SpringMesh mesh = generate(StrandGenerator{.segments = n});
  for (int i = 0; i <= n; ++i) {
    const double s = 1.5 * i / n;
    const double down = std::sqrt(0.75 * 0.75 - 0.25) / 0.75;
    mesh.vertices[static_cast<std::size_t>(i)] = {s / 1.5, -down * std::min(s, 1.5 - s), 0};
  }
  // Long steps of backward Euler bring it to rest.
  Scene scene = moving(chain(mesh, 1e4, {0, n}), SolverMethod::newton, 40);
  scene.time.step = 0.1;
  Simulation simulation(scene);
  StepReport report;
  for (int i = 0; i < 300; ++i) report = simulation.step();
  EXPECT_LT(report.constraint_error, 1e-9);
  // 2 a sinh(1/(2 a)) = 1.5
  double a = 0.3;
  for (int k = 0; k < 50; ++k) {
    const double f = 2 * a * std::sinh(0.5 / a) - 1.5;
    a -= f / (2 * std::sinh(0.5 / a) - std::cosh(0.5 / a) / a);
  }
  const std::vector<Vec3> x = positions_of(simulation);
  for (std::size_t i = 0; i <= n; ++i) {
    const double y = a * (std::cosh((x[i][0] - 0.5) / a) - std::cosh(0.5 / a));
    EXPECT_NEAR(x[i][1], y, 4e-4);
  }
  const std::vector<double> tensions = simulation.state().multipliers;
  for (std::size_t s = 0; s < n; ++s) {
    const double across = (x[s + 1][0] - x[s][0]) / distance(x[s + 1], x[s]);
    EXPECT_NEAR(tensions[s] * across, 0.1 * g * a, 2e-3 * 0.1 * g * a);
  }
}

TEST(Inextensible, APendulumHasItsPeriodAndItsLength) {
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    const double angle = 0.1;
    Scene scene = moving(straight(1, 1e7, {std::sin(angle), -std::cos(angle), 0}), method);
    scene.time.step = 1e-3;
    Simulation simulation(scene);
    std::vector<double> crossings;
    double before = std::sin(angle);
    for (int i = 1; crossings.size() < 3 && i < 5000; ++i) {
      const StepReport report = simulation.step();
      // The pin is a spring, which xpbd projects after the length.
      ASSERT_LT(report.constraint_error, method == SolverMethod::xpbd ? 1e-6 : 1e-13);
      const double now = positions_of(simulation)[1][0];
      if (before * now < 0) crossings.push_back((i - now / (now - before)) * 1e-3);
      before = now;
    }
    ASSERT_EQ(crossings.size(), 3U);
    const double period = 2 * pi * std::sqrt(1 / g) * (1 + angle * angle / 16);
    EXPECT_NEAR(crossings[2] - crossings[0], period, 1e-3 * period);
  }
}

TEST(Inextensible, TheStiffnessDoesNotMatter) {
  std::vector<Vec3> first;
  for (const double stiffness : {1e3, 1e5}) {
    Simulation simulation(moving(straight(10, stiffness, {1, 0, 0}), SolverMethod::newton, 60));
    for (int i = 0; i < 20; ++i) {
      EXPECT_LT(simulation.step().constraint_error, 1e-4) << stiffness << ", " << i;
    }
    const std::vector<Vec3> x = positions_of(simulation);
    if (first.empty()) first = x;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(distance(x[i], first[i]), 2e-3);
  }
}

/// k much below m/h^2: the multipliers would swing up and hold the chain straight. At first nothing
/// pulls at a chain that lies straight and is let go but the link that is held.
TEST(Inextensible, InShortStepsASoftChainFallsFreely) {
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    for (const double stiffness : {30.0, 1e3}) {
      for (const int substeps : {1, 10, 50}) {
        Scene scene = moving(straight(4, stiffness, {1, 0, 0}), method, 40);
        scene.time.step = 1.0 / 240;
        scene.time.substeps = substeps;
        Simulation simulation(scene);
        double worst = 0;
        for (int i = 0; i < 24; ++i) worst = std::max(worst, simulation.step().constraint_error);
        const double h = scene.time.step / substeps, fall = g / 2 * 0.1 * (0.1 + h);
        EXPECT_LT(worst, 1e-4) << stiffness << ", " << substeps;
        // The second link turns by a share of the square of the first one's angle.
        const std::vector<Vec3> x = positions_of(simulation);
        for (const std::size_t i : {2, 3, 4}) EXPECT_NEAR(x[i][1], -fall, 0.03 * fall) << substeps;
      }
    }
  }
}

TEST(Inextensible, ARodKeepsItsLength) {
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    Scene scene = test::hanging_curl();
    Body& body = scene.bodies[0];
    for (Spring& spring : body.springs) spring.inextensible = true;
    scene.solver.method = method;
    scene.solver.iterations = 60;
    Simulation simulation(scene);
    for (int i = 0; i < 60; ++i) EXPECT_LT(simulation.step().constraint_error, 1e-5) << i;
  }
}

/// Each kind of springs by a visit of its own: a chain, a cloth, and a rod.
TEST(Inextensible, WithXpbdComesToTheStepOfNewtonsMethod) {
  for (const XpbdMultipliers kept : {XpbdMultipliers::zero, XpbdMultipliers::kept}) {
    for (const int kind : {0, 1, 2}) {
      Scene scene = kind == 0   ? moving(straight(6, 1e4, {0.6, -0.8, 0}))
                    : kind == 1 ? test::hanging_cloth()
                                : test::hanging_curl();
      for (Spring& spring : scene.bodies[0].springs) {
        spring.inextensible = kind != 1 || spring.stiffness > 100;
      }
      scene.time.step = 1.0 / 60;
      scene.solver.iterations = 20000;
      scene.solver.multipliers = kept;
      std::vector<std::vector<Vec3>> ends;
      std::vector<std::vector<double>> tensions;
      for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
        scene.solver.method = method;
        Simulation simulation(scene);
        EXPECT_LT(simulation.step().constraint_error, 1e-7) << kind << to_string(method);
        ends.push_back(positions_of(simulation));
        tensions.push_back(simulation.state().multipliers);
      }
      for (std::size_t i = 0; i < ends[0].size(); ++i) {
        EXPECT_LT(distance(ends[0][i], ends[1][i]), 1e-6) << kind << ", " << i;
      }
      ASSERT_FALSE(tensions[0].empty());
      const double most = *std::max_element(tensions[0].begin(), tensions[0].end());
      for (std::size_t s = 0; s < tensions[0].size(); ++s) {
        EXPECT_NEAR(tensions[1][s], tensions[0][s], 1e-3 * most) << kind << ", " << s;
      }
    }
  }
}

/// Momentum of a chain in which the masses of the ends are half of the others.
Vec3 momentum_of(const std::vector<double>& v, double mass) {
  Vec3 sum{};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const bool is_end = i < 3 || i + 3 >= v.size();
    sum[i % 3] += (is_end ? mass / 2 : mass) * v[i];
  }
  return sum;
}

/// The multiplier acts along the spring on both ends.
TEST(Inextensible, KeepsMomentum) {
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    Body body = straight(6, 1e4, {1, 0, 0});
    body.pins.clear();
    Scene scene = moving(body, method, method == SolverMethod::xpbd ? 400 : 20);
    scene.gravity = {};
    Simulation simulation(scene);
    SimulationState state = simulation.state();
    for (std::size_t i = 0; i < state.velocities.size(); ++i) {
      state.velocities[i] = i % 3 == 0 ? 1 : std::sin(static_cast<double>(i));
    }
    simulation.set_state(state);
    const Vec3 before = momentum_of(state.velocities, 0.1 / 6);
    for (int i = 0; i < 20; ++i) EXPECT_LT(simulation.step().constraint_error, 1e-6);
    const Vec3 after = momentum_of(simulation.state().velocities, 0.1 / 6);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-9);
  }
}

/// g with multipliers is t c + k/2 c^2 up to a constant; its derivative by the length is t + k c.
TEST(Inextensible, DerivativeOfWhatMultipliersAdd) {
  const Scene scene = moving(straight(1, 50));
  Model model = build_model(scene);
  const State state = initial_state(scene, model);
  std::vector<double> tensions{7};
  use_multipliers(model, tensions);
  const std::vector<int> bodies{0};
  const auto at_length = [&](double length) {
    VectorField x = state.x;
    const std::size_t free = x[0][1] < x[1][1] ? 0 : 1;
    for (int k = 0; k < 3; ++k) x[free][k] = x[1 - free][k];
    x[free][1] -= length;
    return x;
  };
  const double d = 1e-5;
  for (const double length : {0.8, 1.0, 1.3}) {
    const double slope = (spring_multiplier_energy(model, bodies, at_length(length + d)) -
                          spring_multiplier_energy(model, bodies, at_length(length - d))) /
                         (2 * d);
    EXPECT_NEAR(slope, 7, 1e-8);
    EXPECT_NEAR(constraint_error(model, at_length(length), {}), std::abs(length - 1), 1e-14);
  }
  const double k = model.springs.springs[0].stiffness;
  EXPECT_GT(k, 50);  // inertia asks for more
  EXPECT_TRUE(update_multipliers(model, bodies, at_length(1.02), {}, tensions));
  EXPECT_NEAR(tensions[0], 7 + 0.02 * k, 1e-12 * k);
  // At most k r in either direction.
  EXPECT_TRUE(update_multipliers(model, bodies, at_length(9), {}, tensions));
  EXPECT_EQ(tensions[0], k);
  EXPECT_FALSE(update_multipliers(model, bodies, at_length(1), {}, tensions));
}

TEST(Inextensible, PinsTooFarApartStretchItAndSaySo) {
  Body body = straight(10, 1e4, {1, 0, 0});
  Pin pulled;
  pulled.vertices = {10};
  pulled.motion.velocity = Vec3{0.5, 0, 0};
  body.pins.push_back(pulled);
  for (const SolverMethod method : {SolverMethod::newton, SolverMethod::xpbd}) {
    Scene scene = moving(body, method);
    if (method == SolverMethod::xpbd) scene.solver.iterations = 200;
    Simulation simulation(scene);
    EXPECT_TRUE(test::watch_run(simulation, 60).warns("constraint"));
    // With xpbd they are the whole forces of springs that now stretch.
    const double most = method == SolverMethod::xpbd ? 1600 : 1000.01;
    for (const double tension : simulation.state().multipliers) EXPECT_LT(tension, most);
    EXPECT_NEAR(positions_of(simulation)[10][0], 1.5, 0.1);
  }
}

TEST(Inextensible, SameBitsForAnyThreadsAndFromAState) {
  for (const SolverMethod method : {SolverMethod::l_bfgs, SolverMethod::xpbd}) {
    Scene scene = moving(straight(40, 1e4, {1, 0, 0}), method, 12);
    scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
    std::vector<std::vector<Vec3>> ends;
    for (const int threads : {1, 2, 3}) {
      Simulation simulation(scene, {.threads = threads});
      for (int i = 0; i < 30; ++i) simulation.step();
      if (threads == 2) {
        const auto bytes = state_to_bytes(simulation.state());
        Simulation other(scene, {.threads = 1});
        other.set_state(state_from_bytes(bytes));
        for (int i = 0; i < 10; ++i) other.step();
        ends.push_back(positions_of(other));
      }
      for (int i = 0; i < 10; ++i) simulation.step();
      ends.push_back(positions_of(simulation));
    }
    for (const auto& end : ends) EXPECT_EQ(end, ends[0]);
  }
}

TEST(Inextensible, OtherNumbersOfMultipliersAreRefused) {
  Simulation simulation(moving(straight(4, 1e4)));
  SimulationState state = simulation.state();
  state.multipliers.pop_back();
  EXPECT_THROW(simulation.set_state(state), Error);
  state.multipliers.assign(4, std::nan(""));
  EXPECT_THROW(simulation.set_state(state), Error);
}

TEST(Inextensible, AChangeOfTheSceneKeepsTensions) {
  Scene scene = moving(straight(10, 1e4));
  Simulation simulation(scene);
  for (int i = 0; i < 20; ++i) simulation.step();
  scene.gravity = {0, -2 * g, 0};
  scene.solver.iterations = 21;
  simulation.change(scene);
  EXPECT_LT(simulation.step().constraint_error, 1e-6);
  EXPECT_NEAR(simulation.state().multipliers[0], 2 * 0.095 * g, 1e-3);
  // With two more bodies, the tensions of the first stay.
  Body other = straight(10, 1e4);
  other.name = "other";
  for (Vec3& x : other.mesh.vertices) x[0] += 1;
  simulation.add_body(other);
  simulation.step();
  const std::vector<double> tensions = simulation.state().multipliers;
  ASSERT_EQ(tensions.size(), 20U);
  EXPECT_NEAR(tensions[0], 2 * 0.095 * g, 1e-3);
  // Ordinary springs have no multipliers.
  scene = simulation.scene();
  for (Body& body : scene.bodies) {
    for (Spring& spring : body.springs) spring.inextensible = false;
  }
  simulation.change(scene);
  simulation.step();
  EXPECT_TRUE(simulation.state().multipliers.empty());
}

TEST(Inextensible, MethodsThatHaveNoneRefuse) {
  for (const SolverMethod method : {SolverMethod::step_and_project, SolverMethod::pbd}) {
    const Scene scene = moving(straight(4, 1e4), method);
    try {
      Simulation simulation(scene);
      FAIL() << to_string(method);
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "/bodies/0/material/inextensible");
      EXPECT_NE(error.message().find(to_string(method)), std::string::npos) << error.message();
    }
  }
  Scene scene = moving(straight(4, 1e4));
  scene.bodies[0].springs[0].rest_length = 0;
  EXPECT_THROW(Simulation{scene}, Error);
}

/// Prints the tables of docs/inextensible.md, for the chain of StiffSprings. Each round divides the
/// error. With xpbd the numbers are substeps of one iteration, and the stiffness does not matter.
TEST(Inextensible, MoreRoundsLeaveLessOfTheError) {
  for (const SolverMethod method :
       {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::xpbd}) {
    const bool has_substeps = method == SolverMethod::xpbd;
    for (const double stiffness : {1e4, 1e5, 1e6}) {
      double before = 1;
      for (const int iterations : {10, 20, 40, 100}) {
        Body body = chain(generate(StrandGenerator{.end = {2, 0, 0}, .segments = 40}), stiffness);
        body.density = 1;
        Scene scene = moving(body, method, has_substeps ? 1 : iterations);
        if (has_substeps) scene.time.substeps = iterations;
        scene.time.step = 1.0 / 30;
        Simulation simulation(scene);
        const auto [worst, codes] = test::watch_run(simulation, 30);
        std::printf("%s, %.0e N/m, %d iterations: %.1e, tip %.4f %.4f%s\n", to_string(method),
                    stiffness, iterations, worst, positions_of(simulation)[40][0],
                    positions_of(simulation)[40][1], codes.c_str());
        if (method != SolverMethod::l_bfgs) {
          EXPECT_LT(worst, 1.1 * before);
        }
        before = worst;
      }
      if (method == SolverMethod::newton) {
        EXPECT_LT(before, 1e-6);
      }
    }
  }
}

/// Sizes, long steps, few iterations, and a floor: lengths stay, or a warning says that they do
/// not.
TEST(Inextensible, StaysOrSaysSo) {
  for (const SolverMethod method :
       {SolverMethod::newton, SolverMethod::l_bfgs, SolverMethod::quasi_newton,
        SolverMethod::projective_dynamics, SolverMethod::chebyshev, SolverMethod::gauss_seidel,
        SolverMethod::jacobi, SolverMethod::gradient_descent, SolverMethod::vertex_block_descent,
        SolverMethod::xpbd}) {
    for (const double size : {1e-3, 1.0, 100.0}) {
      for (const double step : {1.0 / 60, 0.1}) {
        for (const int iterations : {1, 3, 10}) {
          // As stiff in proportion to its weight, whatever its size.
          Scene scene = moving(straight(10, 1e4 * size, {size, 0, 0}), method, iterations);
          scene.bodies[0].density = 0.1 * size * size;
          scene.bodies[0].springs =
              make_springs(generate(StrandGenerator{.end = {size, 0, 0}, .segments = 10}),
                           {.stiffness = 1e3 * size * size, .inextensible = true});
          scene.time.step = step * std::sqrt(size);
          scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.6 * size}, {}});
          Simulation simulation(scene);
          const test::WatchedRun run = test::watch_run(simulation, 60, 30);
          const double worst = run.worst;
          const bool says = run.warns("constraint") || run.warns("unconverged");
          EXPECT_TRUE(says || worst < 1e-2) << to_string(method) << ", " << size << " m, " << step
                                            << " s, " << iterations << " iterations: " << worst;
        }
      }
    }
  }
}

}  // namespace
}  // namespace supple
