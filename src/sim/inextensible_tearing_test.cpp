#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "base/index.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Springs that keep their lengths, in bodies that tear or are cut, and tearing by tension.
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

constexpr double g = 9.81;
using Pairs = std::vector<std::array<int, 2>>;

/// A chain along x or downwards, 0.1 kg/m.
Body chain(int segments, const Vec3& end, double stiffness = 1e4, bool is_inextensible = true) {
  const SpringMesh mesh = generate(StrandGenerator{.end = end, .segments = segments});
  Body body{.density = 0.1};
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {.stiffness = stiffness, .inextensible = is_inextensible});
  return body;
}

/// A square metre of threads that keep their lengths, and shear freely or against springs.
Body net(int cells, double shear, const Vec3& down = {0, -1, 0}) {
  const SpringMesh mesh = generate(ClothGenerator{.v = down, .cells = {cells, cells}});
  Body body{.density = 0.2};
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs =
      make_springs(mesh, {.stiffness = 1e3, .shear = shear, .bending = 0.5, .inextensible = true});
  return body;
}

Scene moving(Body body, SolverMethod method = SolverMethod::newton, int iterations = 30) {
  Scene scene{.time = {.step = 1.0 / 60}, .gravity = {0, -g, 0}};
  scene.solver.method = method;
  scene.solver.iterations = iterations;
  scene.bodies = {std::move(body)};
  return scene;
}

/// Pairs of triangles that share an edge on the plane x = 0.
Pairs pairs_along_the_middle(const Body& body) {
  Pairs pairs;
  const auto middle = [&](int triangle) {
    double sum = 0;
    for (const int v : body.triangles[at(triangle)]) sum += body.mesh.vertices[at(v)][0];
    return sum;
  };
  for (const auto& [a, b] : joined_elements<3>(body.triangles)) {
    if ((middle(a) < 0) != (middle(b) < 0)) pairs.push_back({a, b});
  }
  return pairs;
}

/// A net between two rails; the lower rail is driven away, so threads break.
Scene pulled_net(double force) {
  Body body = net(6, 30);
  body.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}, .stiffness = 1e3},
               {.box = {{-9, -9, -9}, {9, -0.49, 9}},
                .stiffness = 1e3,
                .motion = {.velocity = Vec3{0.05, -0.4, 0}}}};
  body.tearing = TearingSettings{.force = force, .per_frame = 2};
  return moving(body);
}

/// A net in free flight.
Scene flying_net() {
  Body body = net(6, 20, {0, 0.2, -1});
  body.velocity = {1, 0.5, -0.25};
  Scene scene = moving(body, SolverMethod::newton, 60);
  scene.gravity = {0, 0, 0};
  return scene;
}

/// A state in which it turns and is stretched.
SimulationState shaken(const Simulation& simulation) {
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.velocities.size(); ++i) {
    state.velocities[i] += 0.3 * std::sin(2.3 * static_cast<double>(i));
  }
  return state;
}

/// Tension of the springs between two places of the rest shape, N: the sum over copies.
std::map<std::pair<Vec3, Vec3>, double> tensions_of(const Simulation& simulation) {
  std::map<std::pair<Vec3, Vec3>, double> sums;
  const Body& body = simulation.scene().bodies[0];
  const std::vector<double> tensions = simulation.state().multipliers;
  std::size_t next = 0;
  for (const Spring& spring : body.springs) {
    if (!spring.inextensible) continue;
    const Vec3 &a = body.mesh.vertices[at(spring.a)], &b = body.mesh.vertices[at(spring.b)];
    sums[{a, b}] += tensions[next++];
  }
  EXPECT_EQ(next, tensions.size());
  return sums;
}

TEST(InextensibleTearing, AHangingChainBreaksWhereItBearsMost) {
  // Spring i of n bears the weight below it, n - i - 1/2 parts of n.
  constexpr int n = 10;
  for (const bool is_inextensible : {true, false}) {
    const double weight = 0.1 * g;
    // Soft springs start as they would hang.
    Body body = chain(n, {0, -1, 0}, is_inextensible ? 1e4 : 50, is_inextensible);
    for (int i = 0; i < n && !is_inextensible; ++i) {
      body.springs[at(i)].rest_length = 0.1 - weight * (n - i - 0.5) / n / 50;
    }
    body.pins = {{.vertices = {0}, .stiffness = 1e6}};
    // Between the tensions of the first two springs.
    body.tearing = TearingSettings{.force = weight * (n - 1) / n};
    Simulation simulation(moving(body), {.threads = 1});
    int separated = 0;
    for (int frame = 0; frame < 2; ++frame) separated += simulation.step().separated;
    EXPECT_EQ(separated, 1);
    EXPECT_EQ(simulation.scene().bodies[0].segments[0], (std::array<int, 2>{0, 1}));
    EXPECT_EQ(simulation.scene().bodies[0].segments[1], (std::array<int, 2>{n + 1, 2}));
    run(simulation, 15);
    EXPECT_EQ(num_parts(simulation), 2) << "what falls bears nothing";
    const std::vector<Vec3> x = positions_of(simulation);
    EXPECT_GT(x[1][1], -0.2);
    EXPECT_LT(x[n + 1][1], -0.3);
    // Above the largest tension nothing breaks.
    body.tearing->force = weight;
    Simulation strong(moving(body), {.threads = 1});
    for (int frame = 0; frame < 15; ++frame) EXPECT_EQ(strong.step().separated, 0);
  }
}

TEST(InextensibleTearing, TensionsGoWithTheSprings) {
  Body body = net(6, 20);
  body.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}}};
  Simulation simulation(moving(body), {.threads = 1});
  simulation.set_state(shaken(simulation));
  run(simulation, 5);
  const auto before = tensions_of(simulation);
  // A slit from below, and then one across it: springs at the crossing become quarters.
  const std::vector<std::array<Vec3, 3>> slit{
      {Vec3{0.01, -0.9, -9}, Vec3{0.01, -0.9, 9}, Vec3{0.01, 0.2, 0}}};
  ASSERT_GT(simulation.cut(slit), 0);
  const std::vector<std::array<Vec3, 3>> across{
      {Vec3{-9, -0.01, -9}, Vec3{9, -0.01, -9}, Vec3{0, -0.01, 30}}};
  ASSERT_GT(simulation.cut(across), 0);
  EXPECT_GT(simulation.state().multipliers.size(), before.size());
  const auto after = tensions_of(simulation);
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [ends, tension] : before) {
    // Sums of its halves and quarters: rounding of sums of two.
    EXPECT_NEAR(after.at(ends), tension, 1e-14 * std::abs(tension));
  }
}

/// When a net that hangs from its threads is cut along one of them, each half still hangs. All
/// tensions are known then; without them each thread would give by its tension over k.
TEST(InextensibleTearing, WhatHangsStillHangsAfterACutAlongItsThreads) {
  Body body = net(6, 0);
  body.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}, .stiffness = 1e6}};
  Simulation simulation(moving(body), {.threads = 1});
  run(simulation, 10);
  const double t = 0.2 * g / 6;  // N, of one of seven threads at the rail
  const std::vector<Vec3> before = positions_of(simulation);
  // Along the border between cells at x = 0.
  const Pairs pairs = pairs_along_the_middle(body);
  ASSERT_EQ(pairs.size(), 6U);
  simulation.separate(0, pairs);
  EXPECT_EQ(num_parts(simulation), 2);
  const SimulationState torn = simulation.state();
  const auto moved = [&] {
    simulation.step();
    double most = 0;
    const std::vector<Vec3> x = positions_of(simulation);
    for (std::size_t i = 0; i < before.size(); ++i) {
      most = std::max(
          most, std::hypot(x[i][0] - before[i][0], x[i][1] - before[i][1], x[i][2] - before[i][2]));
    }
    return most;
  };
  simulation.set_iterations(2);
  const double with = moved();
  SimulationState slack = torn;
  std::fill(slack.multipliers.begin(), slack.multipliers.end(), 0.0);
  simulation.set_state(slack);
  const double without = moved();
  // The lowest copies weigh a third and two thirds of their former weight together, which changes
  // little.
  EXPECT_LT(with, 0.1 * without);
  EXPECT_GT(without, 0.1 * t / 1e3);
}

TEST(InextensibleTearing, ACutInFlightKeepsMassAndMomentum) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = flying_net();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 2});
    simulation.set_state(shaken(simulation));
    run(simulation, 3);
    const Momentum before = momentum_of(simulation);
    const Energies energies = simulation.energies();
    EXPECT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.6)), 0);
    EXPECT_EQ(num_parts(simulation), 2);
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
    EXPECT_LE(total(simulation.energies()), total(energies) * (1 + 1e-12));
    EXPECT_NEAR(simulation.energies().kinetic, energies.kinetic, 1e-12 * energies.kinetic);
    // At the end of a step of implicit_midpoint, lengths nearly hold.
    for (int frame = 0; frame < 10; ++frame) {
      EXPECT_LT(simulation.step().constraint_error, 2e-3) << frame;
    }
    expect_same(1e-8, false);
  }
}

TEST(InextensibleTearing, ANetThatIsPulledTooHardComesApartAndKeepsItsMomentum) {
  const Scene scene = pulled_net(8);
  Simulation simulation(scene, {.threads = 2}), torn(scene, {.threads = 1});
  int tears = 0;
  for (int frame = 0; frame < 120 && num_parts(simulation) < 2; ++frame) {
    const SimulationState before = simulation.state();
    const Momentum momentum = momentum_of(simulation);
    const Energies energies = simulation.energies();
    const auto tensions = tensions_of(simulation);
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
    // Both halves of a spring have the stiffness that inertia asks for, so what they store of an
    // error in its length, k/2 (l - r)^2, at most doubles. Nothing else grows.
    const Energies left = torn.energies();
    EXPECT_LE(left.elastic, 2 * energies.elastic);
    EXPECT_LE(total(left) - left.elastic,
              total(energies) - energies.elastic + 1e-12 * std::abs(total(energies)));
    const auto next = tensions_of(torn);
    for (const auto& [ends, tension] : tensions) {
      EXPECT_NEAR(next.at(ends), tension, 1e-14 * std::abs(tension));
    }
  }
  EXPECT_GT(tears, 2);
  EXPECT_GE(num_parts(simulation), 2);
}

/// A limit of tension equals a limit of stretch if all springs have the same k r, shared springs
/// included.
TEST(InextensibleTearing, OfSpringsThatStretchALimitOfTensionIsOneOfStretch) {
  std::vector<Separation> first;
  for (const bool by_force : {false, true}) {
    const SpringMesh mesh = generate(ClothGenerator{.v = {0, -1, 0}, .cells = {8, 8}});
    Body body{.density = 0.2};
    body.mesh.vertices = mesh.vertices;
    body.triangles = mesh.triangles;
    body.springs =
        make_springs(mesh, {.stiffness = 80, .shear = 80 / std::sqrt(2.0), .bending = 5});
    body.pins = {
        {.box = {{-9, 0.49, -9}, {9, 9, 9}}},
        {.box = {{-9, -9, -9}, {9, -0.49, 9}}, .motion = {.velocity = Vec3{0.1, -0.5, 0}}}};
    body.tearing = TearingSettings{.per_frame = 1};
    // Springs of 80 N/m and 1/8 m that are stretched by a quarter of their length.
    (by_force ? body.tearing->force : body.tearing->stretch) = by_force ? 80 * 0.25 / 8 : 1.25;
    Scene scene = moving(body, SolverMethod::l_bfgs);
    scene.gravity = {0, 0, 0};
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 80);
    const std::vector<Separation> all = simulation.state().separated;
    ASSERT_GT(all.size(), 8U);
    // The order around a vertex is that of the loads, which differ; where and when tearing begins
    // does not.
    if (!by_force) first = all;
    EXPECT_EQ(all[0], first[0]);
    EXPECT_GE(num_parts(simulation), 2);
  }
}

/// The two sides of a cut along a thread each bear half of its tension, and half of the limit.
TEST(InextensibleTearing, APartOfASpringBearsItsPartOfTheLimit) {
  Body body = net(2, 0);
  body.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}, .stiffness = 1e6}};
  Simulation whole(moving(body), {.threads = 1});
  run(whole, 3);
  double most = 0;
  for (const auto& [ends, tension] : tensions_of(whole)) {
    most = std::max(most, tension);
  }
  EXPECT_EQ(most, (tensions_of(whole).at({Vec3{0, 0.5, 0}, Vec3{0, 0, 0}}))) << "in the middle";
  const Pairs along = pairs_along_the_middle(body);
  ASSERT_EQ(along.size(), 2U);
  for (const double share : {0.99, 1.01}) {
    body.tearing = TearingSettings{.force = share * most};
    Simulation cut(moving(body), {.threads = 1});
    cut.separate(0, along);
    ASSERT_EQ(num_parts(cut), 2);
    int separated = 0;
    for (int frame = 0; frame < 4; ++frame) separated += cut.step().separated;
    EXPECT_EQ(separated > 0, share < 1);
  }
}

TEST(InextensibleTearing, BladesCutNetsAndChains) {
  for (const bool is_chain : {false, true}) {
    Scene scene = flying_net();
    if (is_chain) {
      scene.bodies = {chain(16, {1, 0, 0})};
      for (Vec3& x : scene.bodies[0].mesh.vertices) x[0] -= 0.5;
    }
    scene.bodies[0].velocity = {0, 2, 0};
    scene.blades = {{.points = {{0.04, 0.6, -1}, {0.04, 0.6, 1}}}};
    Simulation simulation(scene, {.threads = 1});
    EXPECT_EQ(simulation.step().separated, 0);
    run(simulation, 40);
    EXPECT_EQ(num_parts(simulation), 2);
    EXPECT_LT(simulation.step().constraint_error, 1e-6);
  }
}

TEST(InextensibleTearing, HasTheSameBitsHoweverItRuns) {
  test::expect_same_bits_however_run(pulled_net(8), 30, 15);
  Scene scene = pulled_net(8);
  scene.solver.method = SolverMethod::l_bfgs;
  scene.time.substeps = 2;
  test::expect_same_bits_however_run(scene, 30, 10);
}

TEST(InextensibleTearing, TheStateOfTimeZeroMakesItWhole) {
  const Scene scene = pulled_net(6);
  Simulation simulation(scene, {.threads = 1}), fresh(scene, {.threads = 1});
  const SimulationState start = simulation.state();
  run(simulation, 40);
  const SimulationState torn = simulation.state();
  ASSERT_GT(torn.separated.size(), 3U);
  ASSERT_GT(torn.multipliers.size(), start.multipliers.size());
  simulation.set_state(start);
  EXPECT_EQ(simulation.scene().bodies[0].springs.size(), scene.bodies[0].springs.size());
  run(simulation, 5);
  run(fresh, 5);
  test::expect_same_bits(simulation, fresh);
  // Half torn, torn, and back: tensions are those of the state.
  simulation.set_state(torn);
  EXPECT_EQ(simulation.state().multipliers, torn.multipliers);
  SimulationState bad = torn;
  bad.multipliers.pop_back();
  EXPECT_EQ(place_of([&] { simulation.set_state(bad); }), "multipliers");
}

TEST(InextensibleTearing, OtherBodiesComeAndGo) {
  Scene scene = pulled_net(6);
  scene.contact.bodies = false;
  scene.bodies[0].name = "net";
  Body second = chain(5, {1, 0, 0});
  second.name = "chain";
  second.pins = {{.vertices = {0}}};
  scene.bodies.insert(scene.bodies.begin(), second);
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 40);
  ASSERT_FALSE(simulation.state().separated.empty());
  const std::vector<double> before = simulation.state().multipliers;
  simulation.remove_body(simulation.handle(0));
  const std::vector<double> after = simulation.state().multipliers;
  EXPECT_EQ(after, std::vector<double>(before.begin() + 5, before.end()));
  run(simulation, 5);
}

TEST(InextensibleTearing, TearsAtAnySizeAndStep) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    for (const double slow : {1.0, 10.0}) {
      for (const int iterations : {3, 30}) {
        SCOPED_TRACE(std::to_string(size) + " m, step times " + std::to_string(slow));
        Scene scene = pulled_net(8);
        const double time = std::sqrt(size);
        scene.time.step *= time * slow;
        scene.solver.iterations = iterations;
        Body& body = scene.bodies[0];
        for (double& v : *body.pins[1].motion.velocity) v *= size / time;
        test::scale(body, size, 2);
        *body.tearing->force *= size * size * size;
        Simulation simulation(scene, {.threads = 2});
        run(simulation, 90);
        EXPECT_GE(num_parts(simulation), 2);
      }
    }
  }
}

TEST(InextensibleTearing, EveryMethodThatHasThemTearsAndGoesOn) {
  int methods = 0;
  for (const Description& solver : list_solvers()) {
    SCOPED_TRACE(solver.name);
    Scene scene = pulled_net(8);
    scene.bodies.push_back(chain(8, {1, 0, 0}));
    scene.bodies[1].tearing = TearingSettings{.force = 1};
    for (Vec3& x : scene.bodies[1].mesh.vertices) x[2] += 1;
    scene.bodies[1].pins = {
        {.vertices = {0}, .stiffness = 1e4},
        {.vertices = {8}, .stiffness = 1e4, .motion = {.velocity = Vec3{0.1, 0, 0}}}};
    scene.contact.bodies = false;
    scene.solver.method = from_string<SolverMethod>(solver.name);
    if (place_of([&] { Simulation simulation(scene); }) == "/bodies/0/material/inextensible") {
      continue;
    }
    ++methods;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 90);
    EXPECT_GE(num_parts(simulation, 1), 2);
    EXPECT_GT(simulation.scene().bodies[0].mesh.vertices.size(),
              scene.bodies[0].mesh.vertices.size());
  }
  EXPECT_GT(methods, 6);
}

TEST(InextensibleTearing, RefusesLimitsThatAreNone) {
  const auto place = [](const TearingSettings& tearing, const auto& edit) {
    Scene scene = pulled_net(8);
    scene.bodies[0].tearing = tearing;
    edit(scene);
    return place_of([&] { Simulation simulation(scene); });
  };
  const auto as_it_is = [](Scene&) {};
  const auto stretches = [](Scene& scene) {
    for (Spring& spring : scene.bodies[0].springs) spring.inextensible = false;
  };
  const std::string where = "/bodies/0/tearing";
  EXPECT_EQ(place({}, as_it_is), where);
  EXPECT_EQ(place({.force = 0}, as_it_is), where + "/force");
  EXPECT_EQ(place({.force = NAN}, as_it_is), where + "/force");
  EXPECT_EQ(place({.force = INFINITY}, as_it_is), where + "/force");
  EXPECT_EQ(place({.stretch = 1.5, .force = 2}, stretches), "nothing");
  // The springs along one diagonal of its cells can stretch.
  EXPECT_EQ(place({.stretch = 1.5}, as_it_is), "nothing");
  const auto is_stiff = [](Scene& scene) { scene.bodies[0].springs = net(6, 0).springs; };
  EXPECT_EQ(place({.stretch = 1.5}, is_stiff), where + "/stretch");
  EXPECT_EQ(place({.stretch = 1.5, .force = 2}, is_stiff), where + "/stretch");
  const auto is_chain = [](Scene& scene) { scene.bodies[0] = chain(3, {1, 0, 0}); };
  EXPECT_EQ(place({.force = 2},
                  [&](Scene& scene) {
                    is_chain(scene);
                    scene.bodies[0].tearing = TearingSettings{.stretch = 1.5};
                  }),
            where + "/stretch");
  for (const SolverMethod method : {SolverMethod::pbd, SolverMethod::step_and_project}) {
    EXPECT_EQ(place({.force = 2},
                    [&](Scene& scene) {
                      stretches(scene);
                      scene.solver.method = method;
                    }),
              where + "/force")
        << "their springs have no tension";
  }
  EXPECT_EQ(place({.force = 2},
                  [](Scene& scene) {
                    scene.bodies[0] = test::free_block("neo_hookean").bodies[0];
                    scene.bodies[0].tearing = TearingSettings{.force = 2};
                  }),
            where + "/force")
      << "of tets";
  EXPECT_EQ(place({.force = 2},
                  [](Scene& scene) {
                    scene.bodies[0] = test::sheet({});
                    scene.bodies[0].tearing = TearingSettings{.force = 2};
                  }),
            where + "/force")
      << "of a membrane";
  // Springs with missing vertices are still reported as before.
  EXPECT_EQ(
      place({.stretch = 1.5}, [](Scene& scene) { scene.bodies[0].springs.back().a = 7'000'000; })
          .rfind("/bodies/0/springs/", 0),
      0U);
}

}  // namespace
}  // namespace supple
