#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/state_bytes.h"
#include "supple/warnings.h"

/// Bodies of the material rigid (docs/rigid.md).
namespace supple {
namespace {

Body brick(const Vec3& size, const Vec3& center, std::array<int, 3> cells = {2, 2, 2}) {
  Body body{.mesh = generate(BoxGenerator{.size = size, .cells = cells, .center = center})};
  body.material.model = "rigid";
  return body;
}

Scene scene_of(std::vector<Body> bodies) {
  Scene scene;
  scene.bodies = std::move(bodies);
  scene.time.step = 1.0 / 60;
  return scene;
}

/// Largest change of an edge's length in the body's tets from rest, m.
double deformation(const Simulation& simulation, std::size_t b) {
  const Body& body = simulation.scene().bodies[b];
  std::size_t first = 0;
  for (std::size_t i = 0; i < b; ++i) first += simulation.scene().bodies[i].mesh.vertices.size();
  const std::vector<Vec3> x = test::positions_of(simulation);
  const auto length = [](const Vec3& p, const Vec3& q) {
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  };
  double most = 0;
  for (const auto& tet : body.mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto p = static_cast<std::size_t>(tet[i]), q = static_cast<std::size_t>(tet[j]);
        most = std::max(most, std::abs(length(x[first + p], x[first + q]) -
                                       length(body.mesh.vertices[p], body.mesh.vertices[q])));
      }
    }
  }
  return most;
}

Vec3 middle(const Simulation& simulation, std::size_t first, std::size_t count) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  Vec3 sum{};
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += x[i][k] / static_cast<double>(count);
  }
  return sum;
}

/// A single tet: its lumped masses are four equal ones, whose inertia is known.
Body tetrahedron() {
  Body body;
  body.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 0.7, 0}, {0, 0, 0.4}};
  body.mesh.tets = {{0, 1, 2, 3}};
  body.material.model = "rigid";
  body.density = 600;
  return body;
}

struct Spin {
  Vec3 momentum;  ///< about the origin
  double energy;
};
Spin spin_of(const Simulation& simulation) {
  const SimulationState state = simulation.state();
  const double m = 600 * 0.28 / 24;
  Spin spin{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const x = &state.positions[3 * i];
    const double* const v = &state.velocities[3 * i];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      spin.momentum[k] += m * (x[a] * v[b] - x[b] * v[a]);
      spin.energy += 0.5 * m * v[k] * v[k];
    }
  }
  return spin;
}

/// Turns it about its first vertex, which stands still at that moment; it flies on.
void set_spin(Simulation& simulation, const Vec3& w) {
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const x = &state.positions[3 * i];
    double* const v = &state.velocities[3 * i];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      v[k] = w[a] * x[b] - w[b] * x[a];
    }
  }
  simulation.set_state(state);
}

TEST(Rigid, AFreeBodyKeepsItsMomentaAndItsEnergy) {
  Scene scene = scene_of({tetrahedron()});
  scene.gravity = {0, 0, 0};
  Simulation simulation(scene, {.threads = 1});
  set_spin(simulation, {3, -2, 5});
  const Spin first = spin_of(simulation);
  double least = first.energy, most = first.energy;
  for (int frame = 0; frame < 600; ++frame) {
    ASSERT_LT(simulation.step().energy_gain, 1e-9 * first.energy);
    const Spin now = spin_of(simulation);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(now.momentum[k], first.momentum[k], 1e-9 * std::abs(first.momentum[2])) << frame;
    }
    least = std::min(least, now.energy);
    most = std::max(most, now.energy);
  }
  // It swings by the square of the angle of a step, a tenth, and does not drift.
  EXPECT_LT(most, 1.01 * first.energy);
  EXPECT_GT(least, 0.99 * first.energy);
  EXPECT_LT(deformation(simulation, 0), 1e-12);
}

/// Position after half a second, compared with steps of a 16th: the order is two.
TEST(Rigid, FlightsConvergeWithTheSquareOfTheStep) {
  const auto end = [](int steps) {
    Scene scene = scene_of({tetrahedron()});
    scene.gravity = {0, 0, 0};
    scene.time.step = 0.5 / steps;
    Simulation simulation(scene, {.threads = 1});
    set_spin(simulation, {3, -2, 5});
    for (int i = 0; i < steps; ++i) simulation.step();
    return test::positions_of(simulation);
  };
  const std::vector<Vec3> exact = end(1920);
  const auto error = [&](int steps) {
    const std::vector<Vec3> x = end(steps);
    double most = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 3; ++k) most = std::max(most, std::abs(x[i][k] - exact[i][k]));
    }
    return most;
  };
  const double coarse = error(60), fine = error(120);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

/// A rod that hangs by a vertex: T = 2 pi sqrt(I/(m g d)) for small swings, with I about the pin.
/// Backward Euler is of first order in h; with h = T/1600 its error is far below the tolerance.
TEST(Rigid, APhysicalPendulumHasItsPeriod) {
  Body rod;
  rod.mesh.vertices = {{0, 0, 0}, {0.3, -1, 0.2}, {-0.3, -1, 0.2}, {0, -1, -0.4}};
  rod.mesh.tets = {{0, 1, 3, 2}};
  rod.material.model = "rigid";
  rod.pins = {Pin{.vertices = {0}, .stiffness = 1e12}};
  // Four equal masses m4 with their centre 3/4 m below the pin: about z, I = m4 sum (x^2 + y^2) and
  // m d = 3 m4. Turns about z and x are independent, because sum x z = sum y z = 0.
  Scene scene = scene_of({rod});
  const double inertia = 3 + 0.09 + 0.09;
  const double period = 2 * std::numbers::pi * std::sqrt(inertia / (9.81 * 3));
  scene.time.step = period / 1600;
  scene.gravity = {0.05, -9.81, 0};  // it starts a little off the place where it hangs
  Simulation simulation(scene, {.threads = 1});
  const double still = test::positions_of(simulation)[1][0];
  // x of a vertex goes out and comes back after one period.
  int turned = 0;
  double before = still, way = 0;
  int frame = 0;
  for (; frame < 4000 && turned < 2; ++frame) {
    simulation.step();
    const double now = test::positions_of(simulation)[1][0];
    const double next = now - before;
    if (next * way < 0) ++turned;
    if (next != 0) way = next;
    before = now;
  }
  EXPECT_EQ(turned, 2);
  EXPECT_NEAR(frame / 1600.0, 1, 0.01);
  EXPECT_LT(deformation(simulation, 0), 1e-12);
}

/// a = g (sin - mu cos) on a slope, and 0 below the angle of friction.
TEST(Rigid, SlidesDownASlopeByCoulombsLaw) {
  for (const double mu : {0.2, 0.7}) {
    const double slope = std::numbers::pi / 6, g = 9.81;
    Scene scene = scene_of({brick({0.4, 0.2, 0.4}, {0, 0.1, 0})});
    scene.colliders = {{"floor", PlaneShape{}, {}}};
    scene.gravity = {g * std::sin(slope), -g * std::cos(slope), 0};
    scene.contact.friction = mu;
    Simulation simulation(scene, {.threads = 1});
    for (int i = 0; i < 30; ++i) simulation.step();
    const std::size_t count = scene.bodies[0].mesh.vertices.size();
    const auto speed = [&] {
      const SimulationState state = simulation.state();
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += state.velocities[3 * i];
      return sum / static_cast<double>(count);
    };
    const double before = speed();
    for (int i = 0; i < 30; ++i) simulation.step();
    const double exact = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
    EXPECT_NEAR((speed() - before) / 0.5, exact, 0.01 * g) << mu;
    EXPECT_LT(deformation(simulation, 0), 1e-12);
  }
}

/// At ten times the size or the step, or a tenth of the budget, what falls comes to rest on the
/// ground and on what rests there, and no energy comes from nothing.
TEST(Rigid, AStackComesToRestAtAnyScale) {
  for (const double size : {1e-2, 1.0, 10.0}) {
    for (const int iterations : {3, 10}) {
      for (const double density : {50.0, 8000.0}) {
        Scene scene =
            scene_of({brick({size, size, size}, {0, 0.6 * size, 0}),
                      brick({0.8 * size, size, 0.8 * size}, {0.05 * size, 1.8 * size, 0})});
        for (Body& body : scene.bodies) body.density = density;
        scene.colliders = {{"floor", PlaneShape{}, {}}};
        scene.contact.friction = 0.5;
        scene.solver.iterations = iterations;
        scene.time.step = std::min(1.0 / 60, std::sqrt(size) / 60);
        Simulation simulation(scene, {.threads = 1});
        const double fall = 9.81 * size * 1.64 * density * size * size * size;  // of a fall by its
                                                                                // size
        for (int i = 0; i < 240; ++i) {
          EXPECT_LT(simulation.step().energy_gain, 1e-9 * fall)
              << size << " " << iterations << " " << i;
        }
        EXPECT_LT(simulation.energies().kinetic, 1e-6 * fall)
            << size << " " << iterations << " " << density;
        const std::size_t count = scene.bodies[0].mesh.vertices.size();
        EXPECT_NEAR(middle(simulation, 0, count)[1], 0.5 * size, 0.01 * size);
        EXPECT_NEAR(middle(simulation, count, count)[1], 1.5 * size, 0.02 * size);
        EXPECT_LT(deformation(simulation, 1), 1e-12 * size);
      }
    }
  }
}

/// Boxes that begin within each other's layers of contact separate only by these layers, like boxes
/// of 1e8 Pa. Pairs of L-BFGS that do not hold how bodies turn would leave the forces there.
TEST(Rigid, ATowerThatBeginsTooCloseIsNotThrown) {
  std::vector<Body> boxes;
  for (int i = 0; i < 4; ++i) {
    boxes.push_back(brick({1, 0.5, 1}, {i % 2 == 0 ? 0.03 : -0.03, 0.25 + 0.501 * i, 0}));
  }
  Scene scene = scene_of(boxes);
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  scene.contact.friction = 0.5;
  scene.solver.iterations = 40;
  Simulation simulation(scene, {.threads = 1});
  const std::vector<Vec3> before = test::positions_of(simulation);
  for (int frame = 0; frame < 40; ++frame) {
    simulation.step();
    const std::vector<Vec3> x = test::positions_of(simulation);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i][1], before[i][1], 0.03) << frame;
  }
}

Scene flesh_on_bone() {
  Body bone = brick({1, 0.2, 0.2}, {0, 0, 0}, {5, 1, 1});
  bone.name = "bone";
  Motion motion;
  motion.rotate = Rotation{.axis = {0, 0, 1}, .degrees_per_second = 90};
  bone.pins = {Pin{.box = {{-0.51, -1, -1}, {-0.49, 1, 1}}, .motion = motion}};
  Body flesh{.mesh = generate(
                 BoxGenerator{.size = {1, 0.4, 0.2}, .cells = {5, 2, 1}, .center = {0, 0.3, 0}})};
  flesh.name = "flesh";
  flesh.material = test::soft_material("neo_hookean");
  Scene scene = scene_of({bone, flesh});
  scene.bonds = {
      {.body = "flesh", .select = {.box = Box{{-1, 0.09, -1}, {1, 0.11, 1}}}, .to = "bone"}};
  return scene;
}

/// A bone is the limit of a body of a very stiff material.
TEST(Rigid, FleshOnABoneMovesAsOnAVeryStiffOne) {
  Scene scene = flesh_on_bone();
  scene.solver.iterations = 30;
  Simulation simulation(scene, {.threads = 1});
  scene.bodies[0].material = test::soft_material("neo_hookean");
  const auto [mu, lambda] = lame_parameters(1e9, 0.3);
  scene.bodies[0].material.mu = mu;
  scene.bodies[0].material.lambda = lambda;
  scene.solver = {.method = SolverMethod::newton, .iterations = 30};
  Simulation stiff(scene, {.threads = 1});
  for (int i = 0; i < 30; ++i) {
    simulation.step();
    stiff.step();
  }
  const std::vector<Vec3> x = test::positions_of(simulation), y = test::positions_of(stiff);
  double most = 0, moved = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& rest =
        i < scene.bodies[0].mesh.vertices.size()
            ? scene.bodies[0].mesh.vertices[i]
            : scene.bodies[1].mesh.vertices[i - scene.bodies[0].mesh.vertices.size()];
    for (std::size_t k = 0; k < 3; ++k) {
      most = std::max(most, std::abs(x[i][k] - y[i][k]));
      moved = std::max(moved, std::abs(x[i][k] - rest[k]));
    }
  }
  EXPECT_GT(moved, 0.3);
  EXPECT_LT(most, 0.01 * moved);
  EXPECT_LT(deformation(simulation, 0), 1e-12);
}

TEST(Rigid, SameBitsAtAnyNumberOfThreadsAndFromItsState) {
  Scene scene = flesh_on_bone();
  scene.bodies.push_back(brick({0.3, 0.3, 0.3}, {0.2, 1.2, 0.02}));
  scene.colliders = {{"floor", PlaneShape{.offset = -1}, {}}};
  scene.contact.friction = 0.4;
  std::vector<double> expected;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation(scene, {.threads = threads});
    for (int i = 0; i < 20; ++i) simulation.step();
    Simulation other(scene, {.threads = threads});
    other.set_state(state_from_bytes(state_to_bytes(simulation.state())));
    for (int i = 0; i < 20; ++i) {
      simulation.step();
      other.step();
    }
    const std::vector<double> x = simulation.state().positions;
    if (expected.empty()) expected = x;
    EXPECT_EQ(x, expected) << threads;
    EXPECT_EQ(other.state().positions, expected) << threads;
  }
}

/// Each island has a descent of its own. What L-BFGS had summed up for a rigid body was added to
/// the curvature of the pairs of the others.
TEST(Rigid, DoesNotChangeTheDescentOfABodyThatItDoesNotTouch) {
  const auto run = [](const Vec3& velocity) {
    Body flesh{.mesh = generate(BoxGenerator{.cells = {3, 3, 3}})};
    flesh.material = {.model = "neo_hookean", .mu = 4e4, .lambda = 1e5};
    flesh.initial = Stretch{.factors = {1.3, 0.9, 1}};
    Body bone = brick({0.5, 1, 0.5}, {8, 0, 0});
    bone.velocity = velocity;
    bone.pins = {{.vertices = {0}}};
    bone.density = 1e5;
    Scene scene = scene_of({flesh, bone});
    scene.solver.iterations = 3;
    Simulation simulation(scene);
    for (int frame = 0; frame < 5; ++frame) simulation.step();
    std::vector<Vec3> x = test::positions_of(simulation);
    x.resize(flesh.mesh.vertices.size());
    return x;
  };
  EXPECT_EQ(run({0, 0, 0}), run({1, 2, 3}));
}

/// newton refuses rigid bodies, so it is no remedy.
TEST(Rigid, ARunThatIsNotConvergedNamesNoMethodThatRefusesRigidBodies) {
  RunWatch watch(scene_of({brick({1, 1, 1}, {0, 0, 0})}));
  watch.add(1, {.unconverged = 1000});
  ASSERT_EQ(watch.warnings().size(), 1U);
  EXPECT_EQ(watch.warnings()[0].text.find("newton"), std::string::npos);
}

std::string refused_at(const Scene& scene) {
  try {
    Simulation simulation(scene);
  } catch (const Error& error) {
    return error.where();
  }
  return "nowhere";
}

TEST(Rigid, WhatKnowsNoRigidBodiesRefusesThem) {
  const Scene scene = scene_of({brick({1, 1, 1}, {0, 0, 0})});
  EXPECT_EQ(refused_at(scene), "nowhere");
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    Scene other = scene;
    other.solver.method = method;
    const bool knows = method == SolverMethod::l_bfgs || method == SolverMethod::quasi_newton;
    EXPECT_EQ(refused_at(other), knows ? "nowhere" : "/bodies/0/material/model") << method;
  }
  const auto with = [&](const auto& change) {
    Scene other = scene;
    change(other);
    return refused_at(other);
  };
  EXPECT_EQ(with([](Scene& s) { s.bodies[0].tearing = TearingSettings{.stretch = 2}; }),
            "/bodies/0/tearing");
  EXPECT_EQ(with([](Scene& s) { s.bodies[0].initial = Randomize{}; }), "/bodies/0/initial");
  EXPECT_EQ(with([](Scene& s) {
              s.blades = {Blade{.name = "knife", .points = {{0, 2, -1}, {0, 2, 1}}}};
            }),
            "/blades/0");
  EXPECT_EQ(with([](Scene& s) { s.bodies[0].mesh.tets.clear(); }), "/bodies/0/mesh");
  EXPECT_EQ(with([](Scene& s) { s.time.integrator = TimeIntegrator::implicit_midpoint; }),
            "/bodies/0/material/model");
  EXPECT_EQ(with([](Scene& s) { s.time.integrator = TimeIntegrator::bdf2; }), "nowhere");
}

}  // namespace
}  // namespace supple
